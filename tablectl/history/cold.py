"""Archived logs, read like a journal: what looks back needn't know which it is."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import field
from functools import partial
from pathlib import Path
from typing import Any, Final, cast

import apsw

from tablectl.history.cold_files import (
    GROUP,
    INDEX,
    ColdFile,
    ColdLog,
    blocks,
    digest_of,
    read_index,
    round_number,
)
from tablectl.journal.reading.ranges import ENDLESS
from tablectl.journal.reading.reader import JournalReader, open_reader
from tablectl.journal.reading.rows import EventRow, UnreadableError
from tablectl.lazy_dataclass import dataclass
from tablectl.proof.checkpoint import open_checkpoint
from tablectl.proof.note import KEY_BYTES, NoteError
from tablectl.proof.tiles import TiledTree, tiled_tree


@dataclass(frozen=True, slots=True)
class ColdReader(JournalReader):
    """The cold files of a log, read like its journal; it has no facts."""

    log: ColdLog

    def events_naming(self, text: str) -> Iterator[EventRow]:
        """The events of a round, in order."""
        for rows in self.log.groups_of(round_number(text)):
            yield from (row for row in rows if text.encode(errors="replace") in row.payload)

    def event(self, sequence: int) -> EventRow:
        """The event of this number.

        Raises:
            MissingRowError: it isn't there.
        """
        self.log.file_with(sequence)
        return next(self.log.events(sequence, sequence))

    def naming_back(self, text: str, before: int = ENDLESS) -> Iterator[EventRow]:
        """The events of a round before a number, the newest first."""
        for rows in reversed(list(self.log.groups_of(round_number(text.rstrip('"'))))):
            named = text.encode(errors="replace")
            yield from (row for row in reversed(rows) if row.sequence < before and named in row.payload)

    @property
    def last_sequence(self) -> int:
        """The number of the last event; 0 where there is none."""
        return self.log.last

    @property
    def tree_size(self) -> int:
        """How many events the tree is known over: those up to the newest checkpoint."""
        return self.log.files[-1].size if self.log.files else 0

    def public_key(self) -> bytes:
        """The log's public key, as the recorder believed it."""
        return self.log.files[-1].key if self.log.files else bytes(KEY_BYTES)

    def key_changes(self) -> tuple[str, ...]:
        """The announcements of the log's keys, in order."""
        return tuple(dict.fromkeys(note for each in self.log.files for note in each.key_changes))

    def tree(self) -> TiledTree:
        """The tree over the events, up to the newest checkpoint."""
        known: dict[tuple[int, int], bytes] = {}
        for each in self.log.files:
            known |= zip(blocks(each.first - 1, each.last), each.peaks, strict=True)
        if self.log.files:
            newest = self.log.files[-1]
            known |= zip(blocks(newest.last, newest.size), newest.beyond, strict=True)
        return tiled_tree(self.log, known)

    def close(self) -> None:
        """Let the files go."""
        self.connection.close()
        self.log.close()


def damages(folder: Path) -> Iterator[str]:
    """Read all cold files of a log, and yield each flaw in one line.

    Raises:
        UnreadableError: the index can't be read.
    """
    with closing(open_cold(folder)) as reader:
        for each in reader.log.files:
            found: list[str] = []
            for first in range(each.first, each.last, GROUP):
                try:
                    reader.event(first)
                except UnreadableError as error:
                    found.append(str(error))
            yield from dict.fromkeys(found)
            if not found and digest_of(folder / each.name) != each.digest:
                yield f"{folder / each.name}: a byte beside the events is damaged"
        newest = reader.log.files[-1]
        try:
            if open_checkpoint(newest.checkpoint, newest.key).root != reader.tree().root(newest.size):
                yield f"{folder / INDEX}: the newest checkpoint isn't of these events"
        except NoteError as error:
            yield f"{folder / INDEX}: the newest checkpoint isn't signed by the log's key: {error}"
        except UnreadableError as error:
            yield str(error)


def open_past(folder: Path) -> JournalReader:
    """Open a state folder, or the folder of a log in an archive, for reading.

    Raises:
        UnreadableError: it is neither, or it can't be read.
    """
    return open_cold(folder) if (folder / INDEX).exists() else open_reader(folder)


def open_cold(folder: Path, files: Sequence[ColdFile] | None = None) -> ColdReader:
    """Open the folder of a log in an archive.

    Args:
        files: in place of those in its index.

    Raises:
        UnreadableError: it can't be read.
    """
    log = ColdLog(folder, read_index(folder) if files is None else tuple(files))
    db = apsw.Connection(":memory:")
    db.create_module("cold", cast("Any", _Module(log)), use_bestindex_object=True, iVersion=2, read_only=True)
    db.execute("CREATE VIRTUAL TABLE event USING cold()")
    db.execute("CREATE TABLE record (number INTEGER, recorded_us INTEGER, body BLOB, salt BLOB, link BLOB)")
    db.execute("CREATE TABLE meta (key TEXT, value TEXT)")
    if log.files:
        db.execute("INSERT INTO meta VALUES ('checkpoint', ?)", (log.files[-1].checkpoint,))
    return ColdReader(folder, db, log)


# --- the events as a table of SQLite, so that what reads a journal reads them too

_BOUNDS: Final = {
    apsw.SQLITE_INDEX_CONSTRAINT_EQ: "=",
    apsw.SQLITE_INDEX_CONSTRAINT_GT: ">",
    apsw.SQLITE_INDEX_CONSTRAINT_GE: "≥",
    apsw.SQLITE_INDEX_CONSTRAINT_LT: "<",
    apsw.SQLITE_INDEX_CONSTRAINT_LE: "≤",
}


@dataclass(frozen=True, slots=True)
class _Module:
    log: ColdLog

    def Create(self, *_: object) -> "tuple[str, _Table]":  # noqa: N802  # as apsw calls them
        return "CREATE TABLE event (sequence INTEGER, record INTEGER, topic TEXT, payload BLOB)", _Table(self.log)

    Connect = Create


@dataclass(frozen=True, slots=True)
class _Table:
    log: ColdLog

    def BestIndexObject(self, info: apsw.IndexInfo) -> bool:  # noqa: N802
        """Take bounds of the number, and its order."""
        bounds = ""
        for nth in range(info.nConstraint):
            bound = _BOUNDS.get(info.get_aConstraint_op(nth))
            if bound and info.get_aConstraint_usable(nth) and info.get_aConstraint_iColumn(nth) in {-1, 0}:
                bounds += bound
                info.set_aConstraintUsage_argvIndex(nth, len(bounds))
        info.idxStr = bounds
        info.estimatedCost = 1e9 / 1e4 ** min(len(bounds), 2)
        if info.nOrderBy == 1 and info.get_aOrderBy_iColumn(0) in {-1, 0}:
            info.orderByConsumed = True
            info.idxNum = int(info.get_aOrderBy_desc(0))
        return True

    def Open(self) -> "_Cursor":  # noqa: N802
        return _Cursor(self.log)

    def Disconnect(self) -> None:  # noqa: N802
        """There is nothing to let go of."""

    Destroy = Disconnect


@dataclass(slots=True)
class _Cursor:
    log: ColdLog
    _rows: Iterator[EventRow] = field(default_factory=partial(iter, cast("Iterable[EventRow]", ())))
    _row: EventRow | None = None

    def Filter(self, back: int, bounds: str, values: Sequence[int]) -> None:  # noqa: N802
        """Begin at the rows within the bounds."""
        low, high = 1, ENDLESS
        for bound, value in zip(bounds, values, strict=True):
            if bound in "=>≥":
                low = max(low, value + (bound == ">"))
            if bound in "=<≤":
                high = min(high, value - (bound == "<"))
        self._rows = self.log.events_back(low, high) if back else self.log.events(low, high)
        self.Next()

    def Eof(self) -> bool:  # noqa: N802
        return self._row is None

    def Next(self) -> None:  # noqa: N802
        """Go on to the next row."""
        self._row = next(self._rows, None)

    def Rowid(self) -> int:  # noqa: N802
        return 0 if self._row is None else self._row.sequence

    def Column(self, number: int) -> Any:  # noqa: N802
        return self.Rowid() if number < 0 or self._row is None else self._row[number]

    def Close(self) -> None:  # noqa: N802
        """There is nothing to let go of."""
