"""Care for the journal's file, and for the room on its disk.

It is checked all the time, and a second copy on another medium follows it.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from string import digits
from typing import Any, Final

import apsw

from tablectl.core.facts import FaultCleared, FaultRaised
from tablectl.core.faults import Code
from tablectl.daemon.host.clock import thread_s
from tablectl.daemon.host.log import logger
from tablectl.daemon.steady import Patience, Steady, with_count
from tablectl.daemon.table import LiveTable
from tablectl.journal.database import JournalDamagedError
from tablectl.journal.file_check import Damage, FileCheck
from tablectl.journal.live_journal import Worker
from tablectl.journal.reading.reader import FILE
from tablectl.journal.records import Rows
from tablectl.journal.second_copy import CopyError, Position, SecondCopy, open_copy, reading
from tablectl.lazy_dataclass import dataclass, replace

TURN_S: Final = 1.0
CHECK_S: Final = 0.008
"""Seconds of the processor for a turn's check of a file: less than one in a hundred."""

TRANSACTIONS: Final = 5
"""So many records' transactions go into the copy in a turn, at most."""

GOODBYE_S: Final = 1.0
"""A medium that doesn't answer holds nobody up for longer."""

BEHIND_S: Final = 30.0
"""A copy that hasn't been complete for so long is a fault."""


@dataclass(slots=True)
class Found:
    """Damage in one of the files.

    Args:
        is_copy: whether it is in the copy.
        rows: what belongs in its place, from the other file; None where that doesn't have it.
    """

    damage: Damage
    is_copy: bool
    rows: Rows | None


@dataclass(slots=True)
class Files:
    """The journal's file and its copy.

    Everything here blocks; call it from one thread.

    Args:
        folder: the journal's.
        copies: the copy's; None for none.
        position: how far the copy is.
        trouble: why the copy can't be written; empty where it can.
        damage: of the copy, that couldn't be repaired; empty where there is none.
    """

    folder: Path
    copies: Path | None
    position: Position = Position(0, 0, is_complete=False)
    trouble: str = ""
    damage: str = ""
    copy: SecondCopy | None = None
    check: FileCheck | None = None
    copy_check: FileCheck | None = None

    def follow(self) -> None:
        """Copy what is new."""
        self.position, self.trouble = replace(self.position, is_complete=False), ""
        if self.copies is None:
            return
        try:
            if not self.copies.is_dir():
                raise CopyError(f"no folder {self.copies}: mount its medium, or make it")
            if self.copy is None:
                self.copy = open_copy(self.folder, self.copies)
                self.copy_check = FileCheck(reading(self.copies / FILE), thread_s)
            for _ in range(TRANSACTIONS):
                if not self.position.is_complete:
                    self.position = self.copy.follow()
            self.copy.tidy()
        except JournalDamagedError as error:
            self.trouble = str(error)
        except (CopyError, apsw.Error, OSError) as error:
            self.trouble = str(error)
            self.close_copy()

    def look(self) -> Found | None:
        """Check a little of each file, and return the first damage."""
        try:
            self.check = self.check or FileCheck(reading(self.folder / FILE), thread_s)
        except apsw.Error as error:
            return Found(Damage(f"the journal can't be read: {error}"), is_copy=False, rows=None)
        if (damage := self.check.piece(CHECK_S)) is not None:
            return Found(damage, is_copy=False, rows=self.copy_check.rows_for(damage) if self.copy_check else None)
        if self.copy_check is None:
            return None
        before = self.copy_check.passes
        if (damage := self.copy_check.piece(CHECK_S)) is not None:
            return Found(damage, is_copy=True, rows=self.check.rows_for(damage))
        self.damage = "" if self.copy_check.passes > before else self.damage
        return None

    def repair_copy(self, found: Found, *, is_whole: bool) -> None:
        """Repair the copy's damage, else set the copy aside for a new one.

        Args:
            is_whole: whether the journal was read through without damage: of any other no new copy is made.
        """
        if self.copies is None or (self.copy is not None and found.rows is not None and self.copy.repair(found.rows)):
            return
        if not is_whole:
            self.damage = f"the copy is damaged, and so is the journal: {found.damage.why}"
            return
        self.close_copy()
        with suppress(OSError):  # it is tried again with the next damage
            for name in (f"{FILE}-wal", f"{FILE}-shm"):
                (self.copies / name).unlink(missing_ok=True)
            (self.copies / FILE).replace(self.copies / f"{FILE}.damaged")

    def close_copy(self) -> None:
        """Close the copy, to be opened again."""
        if self.copy_check is not None:
            self.copy_check.connection.close()
        if self.copy is not None:
            self.copy.close()
        self.copy, self.copy_check, self.damage = None, None, ""

    def close(self) -> None:
        """Close everything."""
        self.close_copy()
        if self.check is not None:
            self.check.connection.close()
            self.check = None


class JournalCare:
    """Check the journal's file again and again, and keep its second copy.

    Args:
        folder: the journal's.
        copies: the folder of the second copy; None for none.
        rebuilt: what was rebuilt before the start; empty where nothing was.
        monotonic_s: the clock.
    """

    def __init__(
        self, table: LiveTable[Any], folder: Path, copies: Path | None, rebuilt: str, monotonic_s: Callable[[], float]
    ) -> None:
        self._table = table
        self._files = Files(folder, copies)
        self._rebuilt = rebuilt
        self._monotonic_s = monotonic_s
        self._complete_s = monotonic_s()
        self._broken_in = -1

    def measures(self) -> dict[str, Any]:
        """How often the file was read through, and how far the copy is."""
        check, position = self._files.check, self._files.position
        measured: dict[str, Any] = {"journal_checks": check.passes if check else 0}
        if self._files.copies is not None:
            behind_s = 0.0 if position.is_complete else round(self._monotonic_s() - self._complete_s, 3)
            measured["journal_copy"] = {
                "record": position.record,
                "sequence": position.sequence,
                "behind_s": behind_s,
            }
        return measured

    async def run(self, turn_s: float = TURN_S) -> None:
        """Copy and check, turn by turn."""
        worker = Worker("copy")
        if self._rebuilt:
            self._tell_once(Code.JOURNAL_REPAIRED, self._rebuilt)
        try:
            while True:
                await worker.do(self._files.follow)
                self._judge_copy()
                found = await worker.do(self._files.look)
                if found is not None:
                    await self._repair(found, worker)
                if self._is_whole():  # It was read through without damage.
                    self._stand(Code.JOURNAL_DAMAGED, "")
                await asyncio.sleep(turn_s)
        finally:
            # Before the journal itself is closed: the last one that closes the file moves the log into it.
            with suppress(TimeoutError):
                async with asyncio.timeout(GOODBYE_S):
                    await worker.do(self._files.close)
            worker.leave()

    async def _repair(self, found: Found, worker: Worker) -> None:
        if found.is_copy:
            before = self._files.damage
            await worker.do(lambda: self._files.repair_copy(found, is_whole=self._is_whole()))
            if not before:
                logger("journal").warning("the second copy is damaged", why=found.damage.why)
            return
        check = self._files.check
        if check is not None and found.rows is not None and await self._table.journal.repair(found.rows):
            check.again(found.damage)
            self._tell_once(Code.JOURNAL_REPAIRED, f"repaired from the second copy: {found.damage.why}")
        else:
            self._broken_in = check.passes if check else 0
            self._stand(Code.JOURNAL_DAMAGED, found.damage.why)

    def _judge_copy(self) -> None:
        """Keep a fault standing while the copy lags behind."""
        if self._files.position.is_complete:
            self._complete_s = self._monotonic_s()
        late = self._files.copies is not None and self._monotonic_s() - self._complete_s > BEHIND_S
        trouble = (self._files.trouble or "it is being written") if late else ""
        self._stand(Code.SECOND_COPY_BEHIND, self._files.damage or trouble)

    def _is_whole(self) -> bool:
        """Return True once the whole file was read since the last damage."""
        check = self._files.check
        return check is not None and check.passes > self._broken_in + 1

    def _stand(self, code: Code, why: str) -> None:
        """Have a fault stand for this reason; none where that is empty."""
        is_present = self._table.standing(code) is not None
        if why and not is_present:
            self._table.tell(self._table.note(FaultRaised(code, detail=why)))
        elif not why and is_present:
            self._table.tell(self._table.note(FaultCleared(code)))

    def _tell_once(self, code: Code, why: str) -> None:
        self._table.tell(self._table.note(FaultRaised(code, detail=why)))
        self._table.tell(self._table.note(FaultCleared(code)))


ROOM_EVERY_S: Final = 5.0

ROOM_PATIENCE: Final = Patience(first_s=2 * ROOM_EVERY_S, calm_s=600.0)
"""A disk fills and empties within minutes, as where logs are rotated; it is looked at every few seconds only."""


class StorageWatch:
    """Keep a fault standing while too little is left on the journal's disk.

    It is raised at once. Where the disk swings around the limit, it stands until there has been room for a while.

    Args:
        low_water_bytes: less than this is too little.
    """

    def __init__(self, table: LiveTable[Any], low_water_bytes: int, patience: Patience = ROOM_PATIENCE) -> None:
        self.low_water_bytes = low_water_bytes
        self._table = table
        self._lack = ""
        self._low: Steady[str] = Steady(self._tell, patience)

    async def run(self, every_s: float = ROOM_EVERY_S) -> None:
        """Look again and again."""
        try:
            while True:
                await self.look()
                await asyncio.sleep(every_s)
        finally:
            self._low.stop()

    async def look(self) -> None:
        """Look at the disk once, and lay the reserve aside again where there is room."""
        self._lack = (await self._table.journal.room()).lack(self.low_water_bytes)
        if not self._lack and self._table.standing(Code.STORAGE_LOW) is not None:
            await self._table.journal.make_reserve()
        self._low.now(self._lack.lstrip(digits) or None)  # which of them runs out, however much is left

    def _tell(self, lack: str | None, swings: int) -> None:
        standing = self._table.standing(Code.STORAGE_LOW)
        if lack is None and standing is not None:
            self._table.tell(self._table.note(FaultCleared(Code.STORAGE_LOW)))
        elif lack is not None and (swings or standing is None or lack not in standing):
            self._table.tell(self._table.note(FaultRaised(Code.STORAGE_LOW, detail=with_count(self._lack, swings))))
