"""The signed head of the log, for the topic ``checkpoint``: never ahead of what the broker has.

A checkpoint that came before its events would accuse us of hiding some. So it is signed, held until the broker has
acknowledged the last event under it, and only then shown.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, Protocol

from tablectl.core.ports import StoredEvent, TableStoppedError
from tablectl.proof.checkpoint import unsigned_checkpoint
from tablectl.proof.note import Signer
from tablectl.shell.history import end_of

EVERY_S: Final = 5.0
"""How often one is signed while events flow; the promise is 10 s, and some of it is the broker's."""


class Log(Protocol):
    """The stored events, as a whole."""

    def last_sequence(self) -> int:
        """The number of the last event."""
        ...

    def published(self) -> int:
        """The last event known to be with the broker."""
        ...

    async def signed_checkpoint(self, signer: Signer) -> str:
        """A signed note of all events so far.

        Raises:
            TableStoppedError: the journal can't be written.
        """
        ...


@dataclass(slots=True)
class Checkpoints:
    """Signs one whenever a round ended, and regularly while events come.

    Args:
        changed: called when there is a new one to publish.

    Attributes:
        note: what may be published now; empty before the first.
    """

    log: Log
    signer: Signer
    changed: Callable[[], None]
    note: str = ""
    _held: str = ""
    _size: int = 0
    _accepted: int = 0
    _due: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def size(self) -> int:
        """The last event under what may be published now; 0 before the first."""
        return unsigned_checkpoint(self.note).size if self.note else 0

    def offer(self, events: Sequence[StoredEvent]) -> None:
        """Takes note of new events: after a round's end one is due."""
        if any(end_of(event) for event in events):
            self._due.set()

    def accepted(self, sequence: int) -> None:
        """The broker has all events up to this one."""
        self._accepted = max(self._accepted, sequence)
        self._show()

    async def run(self, every_s: float = EVERY_S) -> None:
        """Signs until cancelled, or until the journal can't be written."""
        self.accepted(self.log.published())
        with suppress(TableStoppedError):
            while True:
                await self._sign()
                with suppress(TimeoutError):
                    async with asyncio.timeout(every_s):
                        await self._due.wait()
                self._due.clear()

    async def finish(self) -> None:
        """Signs all there is, in place of one that is still held: the last word of a session."""
        self._held, self._size = "", self.size
        with suppress(TableStoppedError):
            await self._sign()

    async def _sign(self) -> None:
        """Signs what is new. One at a time: the next is made when the broker has caught up with the last."""
        if self._held or self.log.last_sequence() <= self._size:
            return
        self._held = await self.log.signed_checkpoint(self.signer)
        self._size = unsigned_checkpoint(self._held).size
        self._show()

    def _show(self) -> None:
        if not self._held or self._accepted < self._size:
            return
        self.note, self._held = self._held, ""
        self.changed()
        if self.log.last_sequence() > self._size:
            self._due.set()
