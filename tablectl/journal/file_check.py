"""Check of a journal's file while it is at work.

Each record is compared with its link, each tile and snapshot with its hash. The file is read again and again, a little
at a time, so that damage is found while a copy can still repair it.
"""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

import apsw

from tablectl.journal.database import ChainBrokenError, JournalDamagedError, number
from tablectl.journal.files import forget_cached
from tablectl.journal.records import Rows, read_records, rows_between, snapshot_rows, tile_rows, unsealed
from tablectl.journal.second_copy import LAST_EVENT, LAST_RECORD, at_rest
from tablectl.journal.tree import KeptHashes, restored_tree, wrong_tiles
from tablectl.lazy_dataclass import dataclass
from tablectl.proof.tree import TILE

TILES_AT_ONCE: Final = 8

PIECES: Final = 1800
LEAST_RECORDS: Final = 20
"""The file is read in so many pieces where the budget allows it, of at least so many records."""


@dataclass(frozen=True, slots=True)
class Damage:
    """A damaged place of a file.

    Args:
        why: what is wrong, in one line.
        record: the damaged record; 0 where it is none.
        tile: the number of a damaged tile; -1 where it is none.
        snapshot: the record of a damaged snapshot; 0 where it is none.
    """

    why: str
    record: int = 0
    tile: int = -1
    snapshot: int = 0


@dataclass(slots=True)
class FileCheck:
    """Reading of one file from its beginning to its end, piece by piece.

    Its methods block.

    Args:
        connection: its own: nobody else reads with it.
        spent_s: how many seconds of the processor this thread has had.
        passes: how often the whole file was read.
    """

    connection: apsw.Connection
    spent_s: Callable[[], float] = lambda: 0.0
    passes: int = 0
    _hashes: KeptHashes | None = None
    _upto: int = 0
    _after: int = 0
    _tile: int = 0

    def piece(self, budget_s: float) -> Damage | None:
        """Check as much as fits into so many seconds of the processor.

        Returns:
            The first damage; the next piece goes on behind it.
        """
        self.connection.release_memory()  # what SQLite has in memory isn't what the file holds
        try:
            with at_rest(self.connection):
                return self._piece(self.spent_s() + budget_s)
        except JournalDamagedError as error:
            if isinstance(error.__cause__, apsw.BusyError):
                return None  # somebody has the whole file for a moment
            self._begin_anew()
            return Damage(str(error))

    def again(self, damage: Damage) -> None:
        """Go on with what was repaired."""
        if damage.record:
            self._after = min(self._after, damage.record - 1)

    def rows_for(self, damage: Damage) -> Rows | None:
        """Return the rows in the place of another file's damage.

        None where they aren't whole here either.
        """
        with suppress(JournalDamagedError), at_rest(self.connection):
            if damage.record:
                if next(read_records(self.connection, damage.record - 1, _hashes(self.connection)), None) is None:
                    return None
                rows = rows_between(self.connection, damage.record, damage.record)
                return {**rows, **tile_rows(self.connection, [row[0] for row in rows["event"]])}
            if damage.tile >= 0 and not wrong_tiles(self.connection, damage.tile, damage.tile):
                return tile_rows(self.connection, [damage.tile * TILE + 1])
            if damage.snapshot and damage.snapshot not in unsealed(self.connection):
                return snapshot_rows(self.connection, [damage.snapshot])
        return None

    def _piece(self, until_s: float) -> Damage | None:
        if self._hashes is None:
            forget_cached(Path(self.connection.filename))
            self._hashes = _hashes(self.connection)
            self._upto = number(self.connection, LAST_RECORD)
        if self._after < self._upto:
            return self._records(self._hashes, until_s)
        full = (self._hashes.tree.size - len(self._hashes.tree.tail)) // TILE
        if self._tile < full:
            first, self._tile = self._tile, min(full, self._tile + TILES_AT_ONCE)
            wrong = wrong_tiles(self.connection, first, self._tile - 1)
            return Damage(f"tile {wrong[0]} of the journal's tree was changed", tile=wrong[0]) if wrong else None
        self._begin_anew()
        self.passes += 1
        list(self.connection.execute("SELECT value FROM meta"))  # of which nothing can be checked but that it is there
        broken = unsealed(self.connection)
        return Damage(f"the snapshot after record {broken[0]} was changed", snapshot=broken[0]) if broken else None

    def _records(self, hashes: KeptHashes, until_s: float) -> Damage | None:
        last = min(self._upto, self._after + max(LEAST_RECORDS, self._upto // PIECES))
        try:
            for record in read_records(self.connection, self._after, hashes):
                self._after = record.number
                if self._after >= last or self.spent_s() >= until_s:
                    break
        except ChainBrokenError as error:
            self._after += 1
            return Damage(str(error), record=self._after)
        return None

    def _begin_anew(self) -> None:
        self._hashes, self._after, self._tile = None, 0, 0


def _hashes(connection: apsw.Connection) -> KeptHashes:
    return KeptHashes(connection, restored_tree(connection, number(connection, LAST_EVENT)))
