"""Read-only access to a journal: of a running table, a stopped one, or a copy.

Everything is seen as it was at one instant. A damaged file's errors come out as one line.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import apsw

from tablectl.edited_files import read_text
from tablectl.journal.reading import rows
from tablectl.journal.reading.rows import (
    EventRow,
    MissingRowError,
    RecordRow,
    Remembered,
    SnapshotRow,
    TileRow,
    TimedEvent,
    UnreadableError,
)
from tablectl.journal.reading.sqlite import connected, telling
from tablectl.lazy_dataclass import dataclass
from tablectl.proof.checkpoint import Checkpoint, JournalHead
from tablectl.proof.envelope import read_envelope
from tablectl.proof.key_line import key_line
from tablectl.proof.note import KEY_BYTES, from_base64
from tablectl.proof.tiles import TiledTree, leaves_in, tiled_tree
from tablectl.proof.tree import TILE, leaf_hash
from tablectl.words.terminal import visible

FORM: Final = 2
"""The form of the file that is known here."""

FILE, PUBLIC_KEY = "journal.db", "log.pub"

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class JournalReader:
    """A journal as it was when it was opened."""

    folder: Path
    connection: apsw.Connection

    def records(self, after: int = 0) -> Iterator[RecordRow]:
        """The records that follow this number, in order."""
        return self._rows(RecordRow, (int, int, bytes, bytes, bytes), rows.RECORDS, (after,))

    def events(self, after: int = 0) -> Iterator[EventRow]:
        """The events that follow this number, in order."""
        return self._rows(EventRow, (int, int, str, bytes), rows.EVENTS, (after,))

    def events_naming(self, text: str) -> Iterator[EventRow]:
        """The events in whose payload the text stands, in order."""
        return self._rows(EventRow, (int, int, str, bytes), rows.NAMING, (text.encode(errors="replace"),))

    def naming_back(self, text: str, before: int = 1 << 62) -> Iterator[EventRow]:
        """The events before a number in whose payload the text stands, the newest first."""
        named = (before, text.encode(errors="replace"))
        return self._rows(EventRow, (int, int, str, bytes), rows.NAMING_BACK, named)

    def timed_events(self) -> Iterator[TimedEvent]:
        """The events that aren't pruned, in order, with the time of their records."""
        return self._rows(TimedEvent, (int, str, bytes, int), rows.TIMED)

    def event(self, sequence: int) -> EventRow:
        """The event of this number.

        Raises:
            MissingRowError: it isn't there.
        """
        return self._one(EventRow, (int, int, str, bytes), rows.FOUND, sequence, f"event {sequence}")

    def tiles(self) -> Iterator[TileRow]:
        """The full tiles of the tree, in order."""
        return self._rows(TileRow, (int, bytes, bytes), rows.TILES)

    def tile(self, number: int) -> TileRow:
        """The tile of this number.

        Raises:
            MissingRowError: it isn't there.
        """
        return self._one(TileRow, (int, bytes, bytes), rows.TILE, number, f"tile {number}")

    def snapshots(self) -> Iterator[SnapshotRow]:
        """The snapshots, oldest first."""
        return self._rows(SnapshotRow, (int, int, str, bytes, bytes), rows.SNAPSHOTS)

    def meta(self) -> Mapping[str, str]:
        """The remembered values."""
        return dict(self._rows(_pair, (str, str), "SELECT key, value FROM meta"))

    def parts(self) -> Sequence[tuple[str, str]]:
        """Kind and name of what the file consists of."""
        return tuple(self._rows(_pair, (str, str), "SELECT type, name FROM sqlite_schema"))

    def damage(self) -> str | None:
        """Return the first defect that SQLite finds in the file itself; None for none."""
        found, *_ = self._rows(str, (str,), "PRAGMA quick_check(1)")
        return None if found == "ok" else visible(found.replace("\n", " "))

    @property
    def last_sequence(self) -> int:
        """The number of the last event; 0 where there is none."""
        return next((row.sequence for row in self._rows(EventRow, (int, int, str, bytes), rows.LAST)), 0)

    @property
    def tree_size(self) -> int:
        """How many events the tree is known over."""
        return self.last_sequence

    def head(self) -> JournalHead | None:
        """The last record and its link."""
        last = self._rows(RecordRow, (int, int, bytes, bytes, bytes), rows.LAST_RECORD)
        return next((JournalHead(row.number, row.link) for row in last), None)

    def pruned(self) -> int:
        """The number of the last event without payload; 0 where none was pruned."""
        return number_of(self.meta().get(Remembered.PRUNED, "0"))

    def origin(self) -> str:
        """The log's name in checkpoints, by its last event; empty where no event says it."""
        for row in self._rows(EventRow, (int, int, str, bytes), rows.LAST):
            try:
                return read_envelope(row.payload).origin
            except ValueError:
                return ""
        return ""

    def public_key(self) -> bytes:
        """The log's public key, from its file.

        Raises:
            UnreadableError: it isn't there.
        """
        path = self.folder / PUBLIC_KEY
        try:
            raw = from_base64(read_text(path).strip())
        except OSError as error:
            raise UnreadableError(f"{path} can't be read: {error.strerror}") from None
        except ValueError:
            raw = b""
        if len(raw) != KEY_BYTES:
            raise UnreadableError(f"{path} is not an Ed25519 public key")
        return raw

    def key_changes(self) -> tuple[str, ...]:
        """Return the announcements of the log's keys, in order.

        The facts have them, also where events were pruned.
        """
        return tuple(note for note in self._rows(_announcement, (bytes,), rows.KEY_CHANGES) if note)

    def keys(self) -> tuple[bytes, ...]:
        """The log's public keys, from its first to the one beside the journal.

        Raises:
            UnreadableError: the files and facts don't say.
            NoteError: the announcements don't lead to the key beside the journal.
        """
        changes = self.key_changes()
        return key_line(self.origin(), self.public_key(), changes) if changes else (self.public_key(),)

    def tree(self) -> TiledTree:
        """The tree over the events."""
        return tiled_tree(_FileHashes(self, self.last_sequence))

    def checkpoint(self) -> Checkpoint:
        """Return the checkpoint of the log as it is now, unsigned.

        Raises:
            UnreadableError: there is no event that says which log it is.
        """
        if not (origin := self.origin()):
            raise UnreadableError(f"{self.folder / FILE}: its last event doesn't say which log it belongs to")
        size = self.last_sequence
        return Checkpoint(origin, size, self.tree().root(size), self.head())

    def close(self) -> None:
        """Lets the file go."""
        self.connection.close()

    def _one(self, form: Callable[..., R], kinds: Sequence[type], query: str, number: int, what: str) -> R:
        for row in self._rows(form, kinds, query, (number,)):
            return row
        raise MissingRowError(f"{self.folder / FILE}: {what} is missing")

    def _rows(
        self, form: Callable[..., R], kinds: Sequence[type], query: str, values: tuple[Any, ...] = ()
    ) -> Iterator[R]:
        """Yield the rows, the type of each value checked.

        SQLite doesn't check again what a damaged page holds.
        """
        with telling(self.folder / FILE):
            for row in self.connection.execute(query, values):
                cells = cast("tuple[Any, ...]", row)
                if [type(cell) for cell in cells] != list(kinds):
                    raise UnreadableError(f"{self.folder / FILE}: a row holds what no journal writes: it is damaged")
                yield form(*cells)


@dataclass(frozen=True, slots=True)
class _FileHashes:
    """Hashes of the tree: those of full tiles as stored, those after them computed."""

    reader: JournalReader
    size: int

    def tile_root(self, number: int) -> bytes:
        return self.reader.tile(number).root

    def leaf_hashes(self, low: int, high: int) -> Sequence[bytes]:
        number = low // TILE
        if (number + 1) * TILE <= self.size:
            first = number * TILE
            return leaves_in(self.reader.tile(number).leaves)[low - first : high - first]
        return [leaf_hash(self.reader.event(index + 1).payload) for index in range(low, high)]


def number_of(text: str) -> int:
    """A remembered number; 0 where it isn't one."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else 0


def open_reader(folder: Path) -> JournalReader:
    """Opens the journal in this folder for reading.

    Raises:
        UnreadableError: there is none, or it can't be read.
    """
    path = folder / FILE
    try:
        there = path.is_file()
    except OSError as error:
        raise UnreadableError(f"{path}: {error.strerror}") from None
    if not there:
        raise UnreadableError(f"{folder} holds no journal ({FILE}): name the table's state folder")
    with telling(path):
        connection = connected(path)
        form = next(iter(connection.execute("PRAGMA user_version")))[0]
    if form != FORM:
        connection.close()
        raise UnreadableError(f"{path} has form {form}, this build knows {FORM}: use the build that wrote it")
    return JournalReader(folder, connection)


def _announcement(body: bytes) -> str:
    """The announcement in the fact of a changed key; empty where it is another fact."""
    try:
        form = json.loads(body)
        return str(form["body"]["announcement"]) if form.get("fact") == "key_changed" else ""
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ValueError("a record that speaks of a changed key is no fact") from None


def _pair(first: str, second: str) -> tuple[str, str]:
    return first, second
