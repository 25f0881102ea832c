"""Cold files: the closed days of a log as Parquet.

The folder of a log, `<archive>/<site>/<table>/<log id>`, has the files and an `index.jsonl` with a line for each, in
order. A file holds whole tiles of the log's tree, so that no proof needs an event of another file; its footer holds the
hash of each tile. Whatever is read is compared on the spot: a line of the index with its seal, a footer with the line,
a page with its checksum, and events with their tile's hash. So a damaged byte is named, whichever it is.
"""

import base64
import json
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field
from hashlib import file_digest, sha256
from itertools import pairwise, zip_longest
from pathlib import Path
from typing import Annotated, Any, Final, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from tablectl.core.events import KINDS
from tablectl.history.export import ExportError, arrow_with_parquet
from tablectl.journal.reading.rows import EventRow, MissingRowError, UnreadableError
from tablectl.lazy_dataclass import dataclass
from tablectl.proof.tiles import leaves_in
from tablectl.proof.tree import HASH_BYTES, TILE, leaf_hash, root_of
from tablectl.words.terminal import visible

FORM: Final = "tablectl-cold/1"
INDEX: Final = "index.jsonl"
TILES: Final = b"tablectl.tiles"
"""Under this key a footer has the hashes of the tiles, Base64, one behind the other."""

Hash = Annotated[bytes, Field(min_length=HASH_BYTES, max_length=HASH_BYTES)]

GROUP: Final = 16 * TILE
"""Events of a row group, the least that is read at once."""

MOST_GROUPS: Final = 8
"""Row groups in memory."""

_TAIL: Final = 8
"""Bytes behind a Parquet file's footer: its length, and a word by which the form is known."""

_TOPICS: Final = {kind: f"event/{family}" for family, kind in KINDS.values()}


def topic_of(kind: str) -> str:
    """The topic of events of a kind, as `round.opened.v1`."""
    return _TOPICS.get(kind, f"event/{kind.partition('.')[0]}")


def round_number(round_id: str) -> int:
    """The number in a round's id: 17 in `1a2b3c4d-000017`; 0 where there is none."""
    number = round_id.rpartition("-")[2]
    return int(number) if number.isascii() and number.isdigit() else 0


class ColdFile(BaseModel):
    """A line of the index.

    Attributes:
        name: of the file, in the log's folder.
        first: the number of its first event, the first of a tile.
        last: of its last one, the last of a tile.
        begin: when the first one happened, RFC 3339.
        end: when the last one did.
        low: the least number of a round in it; 0 where it has none.
        high: the greatest one.
        footer: SHA-256 of the file's footer, hexadecimal.
        digest: SHA-256 of the whole file.
        peaks: the hashes of its largest perfect subtrees, from the left.
        checkpoint: a signed note over this file and all before it.
        size: of the tree in that note.
        beyond: the hashes of the largest perfect subtrees from this file's end to the checkpoint's size.
        key: the public key that signed the checkpoint.
        key_changes: the announcements of new keys among its events, and those up to the checkpoint's size.
    """

    model_config = ConfigDict(
        frozen=True, strict=True, extra="forbid", ser_json_bytes="base64", val_json_bytes="base64"
    )
    name: Annotated[str, Field(pattern=r"^[0-9]{16}\.parquet$")]
    first: Annotated[int, Field(ge=1)]
    last: int
    begin: str
    end: str
    low: Annotated[int, Field(ge=0)]
    high: int
    footer: str
    digest: str
    peaks: tuple[Hash, ...]
    checkpoint: str
    size: Annotated[int, Field(lt=1 << 62)]
    beyond: tuple[Hash, ...] = ()
    key: Hash
    key_changes: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _is_of_whole_tiles(self) -> Self:
        first, last = self.first - 1, self.last
        if first % TILE or last % TILE or not first < last <= self.size or self.name != f"{self.first:016d}.parquet":
            raise ValueError("these aren't whole tiles under a checkpoint")
        if [len(each) for each in (self.peaks, self.beyond)] != [
            len(list(blocks(*each))) for each in ((first, last), (last, self.size))
        ]:
            raise ValueError("a hash of the tree is missing")
        return self

    def line(self) -> str:
        """The line, sealed."""
        form = {"form": FORM, **self.model_dump(mode="json")}
        return json.dumps({**form, "seal": _seal(form)}, ensure_ascii=False)


def read_index(folder: Path) -> tuple[ColdFile, ...]:
    """The files of a log, in order; none where nothing was archived yet.

    Raises:
        UnreadableError: the index can't be read, a line of it is damaged, or one is missing.
    """
    path = folder / INDEX
    try:
        lines = (path.read_bytes() or b"\n").splitlines() if path.exists() else []
    except OSError as error:
        raise UnreadableError(f"{path} can't be read: {error.strerror}") from None
    files = [_file_of(line, f"{path}:{nth}") for nth, line in enumerate(lines, 1)]
    for nth, (before, after) in enumerate(pairwise(files), 2):
        if after.first != before.last + 1:
            raise UnreadableError(f"{path}:{nth}: it begins at event {after.first}, not at {before.last + 1}")
    if files and files[0].first != 1:
        raise UnreadableError(f"{path}:1: it begins at event {files[0].first}, not at 1")
    return tuple(files)


def _file_of(line: bytes, place: str) -> ColdFile:
    damaged = UnreadableError(f"{place}: this line is damaged")
    try:
        form: dict[str, Any] = json.loads(line)
        if form.pop("seal") != _seal(form):
            raise damaged
        if (known := form.pop("form")) != FORM:
            raise UnreadableError(f"{place} has the form {visible(str(known))}, this build knows {FORM}")
        return ColdFile.model_validate_json(json.dumps(form))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise damaged from None


def _seal(form: Mapping[str, Any]) -> str:
    text = json.dumps(form, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return sha256(text.encode(errors="surrogatepass")).hexdigest()


def peaks_of(first_tile: int, tiles: Sequence[bytes]) -> tuple[bytes, ...]:
    """The largest perfect subtrees over these tiles' hashes, from the left."""
    return tuple(root_of(tiles[low:high]) for low, high in _perfect(first_tile, first_tile + len(tiles)))


def blocks(low: int, high: int) -> Iterator[tuple[int, int]]:
    """The largest perfect subtrees between two numbers of leaves, from the left."""
    while low < high:
        most = 1 << (high - low).bit_length() - 1
        width = min(low & -low, most) if low else most
        yield low, low + width
        low += width


def _perfect(low: int, high: int) -> Iterator[tuple[int, int]]:
    """The same, counted from the first one."""
    return ((begin - low, end - low) for begin, end in blocks(low, high))


def footer_of(path: Path) -> str:
    """SHA-256 of a Parquet file's footer, hexadecimal.

    Raises:
        OSError: it can't be read.
        ValueError: it has none.
    """
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - _TAIL))
        tail = file.read(_TAIL)
        length = int.from_bytes(tail[:4], "little") + _TAIL
        if tail[4:] != b"PAR1" or length > size:
            raise ValueError("it isn't Parquet")
        file.seek(size - length)
        return sha256(file.read()).hexdigest()


def digest_of(path: Path) -> str:
    """SHA-256 of a file, hexadecimal.

    Raises:
        OSError: it can't be read.
    """
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


@dataclass(slots=True)
class ColdLog:
    """The cold files of a log, with what was read of them last."""

    folder: Path
    files: tuple[ColdFile, ...]
    _opened: dict[str, tuple[Any, tuple[bytes, ...]]] = field(default_factory=dict[str, tuple[Any, tuple[bytes, ...]]])
    _groups: "OrderedDict[tuple[str, int], Sequence[EventRow]]" = field(
        default_factory=OrderedDict[tuple[str, int], Sequence[EventRow]]
    )

    @property
    def last(self) -> int:
        """The number of the last event; 0 where there is none."""
        return self.files[-1].last if self.files else 0

    def file_with(self, sequence: int) -> ColdFile:
        """The file that has an event.

        Raises:
            MissingRowError: none has it.
        """
        if not 1 <= sequence <= self.last:
            raise MissingRowError(f"{self.folder}: this archive ends at event {self.last}, and {sequence} is needed")
        return self.files[bisect_right(self.files, sequence, key=lambda each: each.first) - 1]

    def events(self, low: int, high: int) -> Iterator[EventRow]:
        """The events from one number to another, in order.

        Raises:
            UnreadableError: something of them is damaged.
        """
        at, high = max(low, 1), min(high, self.last)
        while at <= high:
            rows = self._group_with(at)
            yield from (row for row in rows if at <= row.sequence <= high)
            at = rows[-1].sequence + 1

    def events_back(self, low: int, high: int) -> Iterator[EventRow]:
        """The same, the newest first."""
        at, low = min(high, self.last), max(low, 1)
        while at >= low:
            rows = self._group_with(at)
            yield from (row for row in reversed(rows) if low <= row.sequence <= at)
            at = rows[0].sequence - 1

    def groups_of(self, number: int) -> Iterator[Sequence[EventRow]]:
        """The row groups that have events of rounds of this number, in order."""
        for each in self.files:
            if each.low <= number <= each.high:
                opened, _ = self._open(each)
                for nth in range(-(-(each.last - each.first) // GROUP)):
                    with self._telling(each, nth):
                        rounds = opened.read_row_group(nth, columns=["round"]).column("round").unique().to_pylist()
                        is_here = any(round_number(known or "") == number for known in rounds)
                    if is_here:
                        yield self._group(each, nth)

    def tile_root(self, number: int) -> bytes:
        """The hash over a full tile."""
        listed = self.file_with(number * TILE + 1)
        return self._open(listed)[1][number - (listed.first - 1) // TILE]

    def leaf_hashes(self, low: int, high: int) -> Sequence[bytes]:
        """The leaf hashes from `low` up to but without `high`, in one tile."""
        return [leaf_hash(row.payload) for row in self.events(low + 1, high)]

    def close(self) -> None:
        """Let the files go."""
        for opened, _ in self._opened.values():
            opened.close()

    def _group_with(self, sequence: int) -> Sequence[EventRow]:
        listed = self.file_with(sequence)
        return self._group(listed, (sequence - listed.first) // GROUP)

    def _group(self, listed: ColdFile, number: int) -> Sequence[EventRow]:
        """The events of a row group, once they are known to be those that were archived."""
        key = listed.name, number
        if key in self._groups:
            self._groups.move_to_end(key)
            return self._groups[key]
        opened, tiles = self._open(listed)
        first = listed.first + number * GROUP
        with self._telling(listed, number):
            read = opened.read_row_group(number, columns=["type", "payload"])
            kinds, payloads = (read.column(name).to_pylist() for name in ("type", "payload"))
            hashes = [root_of(map(leaf_hash, payloads[nth : nth + TILE])) for nth in range(0, len(payloads), TILE)]
            own = tiles[number * GROUP // TILE :][: GROUP // TILE]
            if wrong := [nth for nth, pair in enumerate(zip_longest(hashes, own)) if pair[0] != pair[1]]:
                low = first + wrong[0] * TILE
                raise ValueError(f"{low} to {low + TILE - 1} aren't as they were")
            rows = [
                EventRow(sequence, sequence, topic_of(kind), payload)
                for sequence, (kind, payload) in enumerate(zip(kinds, payloads, strict=True), first)
            ]
        self._groups[key] = rows
        if len(self._groups) > MOST_GROUPS:
            self._groups.popitem(last=False)
        return rows

    @contextmanager
    def _telling(self, listed: ColdFile, number: int) -> Generator[None]:
        """Says which row group is damaged."""
        first = listed.first + number * GROUP
        try:
            yield
        except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
            place = f"{self.folder / listed.name}: events {first} to {min(first + GROUP - 1, listed.last)}"
            raise UnreadableError(f"{place} are damaged: {visible(str(error))}") from None

    def _open(self, listed: ColdFile) -> tuple[Any, tuple[bytes, ...]]:
        """A file and its tiles' hashes, once its footer is known to be whole."""
        if listed.name not in self._opened:
            path = self.folder / listed.name
            try:
                _, parquet = arrow_with_parquet()
                if footer_of(path) != listed.footer:
                    raise UnreadableError(f"{path}: its footer is damaged")
                opened = parquet.ParquetFile(path, page_checksum_verification=True)
                tiles = leaves_in(base64.b64decode(opened.metadata.metadata[TILES]))
                if len(tiles) != (listed.last - listed.first + 1) // TILE:
                    raise UnreadableError(f"{path}: its footer is damaged")
            except (OSError, ValueError, LookupError, TypeError) as error:
                raise UnreadableError(f"{path} can't be read: {visible(str(error))}") from None
            except ExportError as error:
                raise UnreadableError(str(error)) from None
            self._opened[listed.name] = opened, tiles
        return self._opened[listed.name]
