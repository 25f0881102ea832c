"""Verification of a journal, first record to last: `tablectl journal verify`.

It finds whether the journal is what was written.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import field
from typing import Final

from tablectl.journal.reading.reader import JournalReader, number_of
from tablectl.journal.reading.rows import (
    EventRow,
    MissingRowError,
    RecordRow,
    Remembered,
    SnapshotRow,
    TileRow,
    UnreadableError,
)
from tablectl.journal.reading.trusted_keys import TrustedKey
from tablectl.lazy_dataclass import dataclass
from tablectl.proof.chain import FIRST_LINK, next_link, seal
from tablectl.proof.checkpoint import Checkpoint, open_checkpoint
from tablectl.proof.note import NoteError, fingerprint, verifier_key
from tablectl.proof.tiles import leaves_in
from tablectl.proof.tree import TILE, Frontier, leaf_hash, tile_of
from tablectl.words.terminal import visible

_TABLES: Final = frozenset({"meta", "record", "event", "tile", "snapshot"})
_LOWEST: Final = -(1 << 63)

Look = Callable[[Iterable[RecordRow]], Iterable[RecordRow]]
"""Is given the records on their way, and gives them back one by one."""


class BrokenError(Exception):
    """The first thing found that isn't what was written."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A checkpoint to compare with.

    Args:
        name: how it is called when it doesn't fit.
    """

    name: str
    checkpoint: Checkpoint


@dataclass(frozen=True, slots=True)
class Whole:
    """A journal that is what was written.

    Args:
        pruned: the last event whose payload was pruned.
        root: of the tree over the events.
        first_us: when the first record was made, UTC; None where there is none.
    """

    records: int
    events: int
    pruned: int
    root: bytes
    first_us: int | None
    last_us: int | None


@dataclass(slots=True)
class _Walk:
    """How far the walk through the journal is, and what it noted for comparing.

    Args:
        roots: by size, of those sizes that checkpoints name.
        links: by record, of those records that checkpoints and snapshots name.
        tail: the hashes of the leaves after the last tile that was compared.
        kept: the tile that pruned events were last looked up in, and its leaves' hashes.
    """

    roots: dict[int, bytes]
    links: dict[int, bytes]
    record: int = 0
    link: bytes = FIRST_LINK
    first_us: int | None = None
    last_us: int | None = None
    frontier: Frontier = field(default_factory=Frontier)
    tail: list[bytes] = field(default_factory=list[bytes])
    kept: tuple[int, tuple[bytes, ...]] = (-1, ())


def verify(reader: JournalReader, kept: Sequence[Kept], look: Look = iter) -> Whole:
    """Verify the whole journal: file, chain, events, tree, snapshots and checkpoints.

    Args:
        kept: signed checkpoints, their signatures checked.
        look: is given the records on their way, to show how far it has come.

    Raises:
        BrokenError: something isn't what was written; the first that was found.
        UnreadableError: the file can't be read to its end.
    """
    _check_file(reader)
    snapshots = list(reader.snapshots())
    heads = [each.checkpoint.journal.record for each in kept if each.checkpoint.journal]
    walk = _Walk(
        dict.fromkeys((each.checkpoint.size for each in kept), b""),
        dict.fromkeys((*heads, *(row.record for row in snapshots)), b""),
    )
    _note(walk)
    pruned = _pruned(reader)
    _walk_through(reader, walk, pruned, look)
    for row in snapshots:
        _check_snapshot(row, walk)
    _check_meta(reader, walk)
    for each in kept:
        _compare(each, reader.origin(), walk)
    return Whole(walk.record, walk.frontier.size, pruned, walk.frontier.root, walk.first_us, walk.last_us)


def checkpoints(reader: JournalReader, key: TrustedKey | None, notes: Sequence[tuple[str, str]]) -> list[Kept]:
    """Return the journal's own last checkpoint, if it has one, and those of `notes`.

    All are signed by the log's key.

    Args:
        key: the key that is trusted; None trusts the one beside the journal.
        notes: name and text of signed notes.

    Raises:
        BrokenError: one isn't signed, or the key beside the journal isn't the trusted one.
        UnreadableError: the key beside the journal can't be read.
    """
    own = reader.meta().get(Remembered.CHECKPOINT)
    named = [*([("the journal's last checkpoint", own)] if own is not None else []), *notes]
    if not named and key is None:
        return []
    keys = _keys(reader)
    if key is not None and not any(key.is_of(each) for each in keys):
        raise BrokenError(f"the key beside the journal is {fingerprint(keys[-1])}, not the trusted one")
    return [Kept(name, _opened(name, note, keys)) for name, note in named]


def _keys(reader: JournalReader) -> tuple[bytes, ...]:
    try:
        return reader.keys()
    except NoteError as error:
        said = f"the key beside the journal isn't the one that its facts lead to: {error}"
        raise BrokenError(visible(said)) from None


def verifier(reader: JournalReader) -> str:
    """Return the log's verifier key, in the form of other tools of transparency logs.

    It is empty where no file or no event names it.
    """
    try:
        public, origin = reader.public_key(), reader.origin()
    except UnreadableError:
        return ""
    return verifier_key(origin, public) if origin else ""


def _opened(name: str, note: str, keys: Sequence[bytes]) -> Checkpoint:
    """Open the checkpoint in a note that one of the log's keys signed.

    The last key is the likeliest.

    Raises:
        BrokenError: none of the keys signed it.
    """
    for public in reversed(keys[1:]):
        with suppress(NoteError):
            return open_checkpoint(note, public)
    try:
        return open_checkpoint(note, keys[0])
    except NoteError as error:
        raise BrokenError(f"{name}: {visible(str(error))}") from None


def _check_file(reader: JournalReader) -> None:
    if damage := reader.damage():
        raise BrokenError(f"the file itself is damaged: {damage}")
    tables = {name for kind, name in reader.parts() if kind == "table"}
    for name in sorted(_TABLES - tables):
        raise BrokenError(f"the file isn't built as a journal: it has no table {name}")
    for kind, name in reader.parts():
        if kind != "index" and (kind, name) not in {("table", known) for known in _TABLES}:
            raise BrokenError(f"the file isn't built as a journal: it has a {visible(f'{kind} {name}')}")


def _walk_through(reader: JournalReader, walk: _Walk, pruned: int, look: Look) -> None:
    events = _Events(reader.events(_LOWEST))
    tiles = reader.tiles()
    for row in look(reader.records(_LOWEST)):
        if row.number != walk.record + 1:
            raise _misplaced("record", row.number, walk.record + 1)
        _take_record(reader, walk, row, events, pruned)
        while len(walk.tail) >= TILE:
            _check_tile(walk, next(tiles, None))
    if events.next is not None:
        raise BrokenError(f"event {events.next.sequence} belongs to record {events.next.record}, which isn't there")
    if (tile := next(tiles, None)) is not None:
        raise BrokenError(f"tile {tile.number} of the tree holds events that aren't there")


class _Events:
    """The events, with a look at the next."""

    def __init__(self, rows: Iterator[EventRow]) -> None:
        self._rows = rows
        self.next: EventRow | None = next(rows, None)

    def of(self, record: int) -> Iterator[EventRow]:
        """Those of this record, which is the next."""
        while self.next is not None and self.next.record == record:
            yield self.next
            self.next = next(self._rows, None)


def _take_record(reader: JournalReader, walk: _Walk, row: RecordRow, events: _Events, pruned: int) -> None:
    hashed: list[tuple[int, str, bytes]] = []
    before = walk.frontier.size
    for event in events.of(row.number):
        _take_event(reader, walk, event, pruned)
        hashed.append((event.sequence, event.topic, walk.tail[-1]))
    if next_link(walk.link, row.salt, row.number, row.recorded_us, row.body, hashed) != row.link:
        if events.next is not None and events.next.sequence != walk.frontier.size + 1:
            raise _misplaced("event", events.next.sequence, walk.frontier.size + 1)
        theirs = f" (events {before + 1} to {walk.frontier.size})" if hashed else ""
        raise BrokenError(f"record {row.number} isn't what was written, or one of its events{theirs} isn't")
    walk.record, walk.link, walk.last_us = row.number, row.link, row.recorded_us
    walk.first_us = row.recorded_us if walk.first_us is None else walk.first_us
    _note(walk)


def _take_event(reader: JournalReader, walk: _Walk, event: EventRow, pruned: int) -> None:
    expected = walk.frontier.size + 1
    if event.sequence != expected:
        raise _misplaced("event", event.sequence, expected)
    if bool(event.payload) == (expected <= pruned):
        raise BrokenError(f"event {expected} has {'its' if event.payload else 'no'} payload; pruned is up to {pruned}")
    leaf = leaf_hash(event.payload) if event.payload else _kept_leaf(reader, walk, expected)
    walk.frontier = walk.frontier.grown([leaf])
    walk.tail.append(leaf)
    _note(walk)


def _kept_leaf(reader: JournalReader, walk: _Walk, sequence: int) -> bytes:
    number, nth = divmod(sequence - 1, TILE)
    if walk.kept[0] != number:
        walk.kept = number, _kept_leaves(reader, number)
    if len(walk.kept[1]) != TILE:
        raise BrokenError(f"tile {number} of the tree isn't what was written")
    return walk.kept[1][nth]


def _kept_leaves(reader: JournalReader, number: int) -> tuple[bytes, ...]:
    try:
        return leaves_in(reader.tile(number).leaves)
    except MissingRowError:
        raise BrokenError(f"tile {number} of the tree is missing") from None


def _misplaced(what: str, found: int, expected: int) -> BrokenError:
    said = f"{what} {expected} is missing" if found > expected else f"{what} {found} doesn't belong there"
    return BrokenError(said)


def _check_tile(walk: _Walk, row: TileRow | None) -> None:
    number = (walk.frontier.size - len(walk.tail)) // TILE
    leaves, walk.tail = walk.tail[:TILE], walk.tail[TILE:]
    wanted = tile_of(number, leaves)
    if row is None or row.number > number:
        raise BrokenError(f"tile {number} of the tree is missing")
    if row != (wanted.number, wanted.root, wanted.leaves):
        raise BrokenError(f"tile {number} of the tree isn't what was written")


def _note(walk: _Walk) -> None:
    if walk.frontier.size in walk.roots:
        walk.roots[walk.frontier.size] = walk.frontier.root
    if walk.record in walk.links:
        walk.links[walk.record] = walk.link


def _check_snapshot(row: SnapshotRow, walk: _Walk) -> None:
    if row.record > walk.record:
        raise BrokenError(f"record {walk.record + 1} is missing: there is a snapshot after record {row.record}")
    if seal(walk.links[row.record], row.sequence, row.version, row.state) != row.seal:
        raise BrokenError(f"the snapshot after record {row.record} isn't what was written")


def _check_meta(reader: JournalReader, walk: _Walk) -> None:
    meta = reader.meta()
    for key in sorted(meta.keys() - set(Remembered)):
        raise BrokenError(f"the journal remembers {key!r}, which nothing writes")
    published = meta.get(Remembered.PUBLISHED, "0")
    if str(number_of(published)) != published:
        raise BrokenError(f"the number of the last published event, {published!r}, isn't a number")
    if int(published) > walk.frontier.size:
        raise BrokenError(f"event {walk.frontier.size + 1} is missing: the broker has events up to {published}")


def _pruned(reader: JournalReader) -> int:
    text = reader.meta().get(Remembered.PRUNED, "0")
    if str(number_of(text)) != text:
        raise BrokenError(f"the number of the last pruned event, {text!r}, isn't a number")
    return int(text)


def _compare(kept: Kept, origin: str, walk: _Walk) -> None:
    checkpoint, size = kept.checkpoint, walk.frontier.size
    if origin and checkpoint.origin != origin:
        raise BrokenError(f"{kept.name} is of the log {visible(checkpoint.origin)}, this is {visible(origin)}")
    if checkpoint.size > size:
        raise BrokenError(
            f"event {size + 1} is missing: {kept.name} has {checkpoint.size} events;"
            " the journal was cut or rolled back to an older copy"
        )
    if walk.roots[checkpoint.size] != checkpoint.root:
        raise BrokenError(f"the first {checkpoint.size} events aren't those of {kept.name}: they were rewritten")
    head = checkpoint.journal
    if head and head.record > walk.record:
        raise BrokenError(f"record {walk.record + 1} is missing: {kept.name} has {head.record} records")
    if head and walk.links[head.record] != head.link:
        raise BrokenError(f"the first {head.record} records aren't those of {kept.name}: they were rewritten")
