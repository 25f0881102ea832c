"""Watch over the room on the journal's disk."""

import asyncio
from string import digits
from typing import Any, Final

from tablectl.core.facts import FaultCleared, FaultRaised
from tablectl.core.faults import Code
from tablectl.daemon.steady import Patience, Steady, with_count
from tablectl.daemon.table import LiveTable

LOOK_EVERY_S: Final = 5.0

PATIENT: Final = Patience(first_s=2 * LOOK_EVERY_S, calm_s=600.0)
"""A disk fills and empties within minutes, as where logs are rotated; it is looked at every few seconds only."""


class StorageWatch:
    """Keep a fault standing while too little is left on the journal's disk.

    It is raised at once. Where the disk swings around the limit, it stands until there has been room for a while.

    Args:
        low_water_bytes: less than this is too little.
    """

    def __init__(self, table: LiveTable[Any], low_water_bytes: int, patience: Patience = PATIENT) -> None:
        self.low_water_bytes = low_water_bytes
        self._table = table
        self._lack = ""
        self._low: Steady[str] = Steady(self._tell, patience)

    async def run(self, every_s: float = LOOK_EVERY_S) -> None:
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
