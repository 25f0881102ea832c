"""The log's signed head, from the key on disk to the topic that shows it."""

import asyncio
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tablectl.app.parts import StartError
from tablectl.core.ports import StoredEvent
from tablectl.shell.checkpoints import Checkpoints
from tablectl.shell.keys import signing_key
from tablectl.shell.table import LiveTable


class Signing:
    """Signs the log's head while the table lives.

    Args:
        folder: where the key is.
        show: takes the note that may be published now.
    """

    def __init__(self, folder: Path, table: LiveTable[Any], show: Callable[[str], None]) -> None:
        self._folder = folder
        self._table = table
        self._show = show
        self._checkpoints: Checkpoints | None = None

    @property
    def size(self) -> int:
        """The last event under a checkpoint that may be published; 0 before the first."""
        return self._checkpoints.size if self._checkpoints else 0

    async def run(self) -> None:
        """Publishes the signed head of the log, whenever the broker has what it covers.

        Raises:
            StartError: the key can't be used.
        """
        try:
            signer = await asyncio.to_thread(signing_key, self._folder)
        except (OSError, ValueError) as error:
            raise StartError(f"the log's key in {self._folder} can't be used: {error}", os.EX_CANTCREAT) from None
        self._checkpoints = Checkpoints(self._table, signer, self._changed)
        await self._checkpoints.run()

    def offer(self, events: Sequence[StoredEvent]) -> None:
        """Takes note of new events."""
        if self._checkpoints:
            self._checkpoints.offer(events)

    def accepted(self, sequence: int) -> None:
        """The broker has all events up to this one."""
        if self._checkpoints:
            self._checkpoints.accepted(sequence)

    async def finish(self) -> None:
        """Signs what is there at the end."""
        if self._checkpoints:
            await self._checkpoints.finish()

    def _changed(self) -> None:
        if self._checkpoints:
            self._show(self._checkpoints.note)
