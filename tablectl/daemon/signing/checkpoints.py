"""Signed checkpoints for the topic `checkpoint`, and the one that the broker kept.

They are never ahead of the broker. A checkpoint that came before its events would accuse the table of hiding some. So
it is signed, held until the broker has acknowledged the last event under it, and only then published. By the one that
the broker kept, old and copied state folders are found.
"""

import asyncio
import base64
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from tablectl.core.faults import Code
from tablectl.core.protocols import StoredEvent, TableStoppedError
from tablectl.daemon.host.log import logger
from tablectl.daemon.room_settings import StartError
from tablectl.daemon.signing.keys import signing_key
from tablectl.daemon.table import LiveTable
from tablectl.daemon.views.state_topics import StateTopics
from tablectl.history.journal_scan import moves_end
from tablectl.journal.live_journal import LiveJournal
from tablectl.mqtt.contents import ReportFault
from tablectl.mqtt.kept_checkpoint import Verdict
from tablectl.proof.checkpoint import Checkpoint, is_genuine, unsigned_checkpoint
from tablectl.proof.note import NoteError, Signer

EVERY_S: Final = 5.0
"""How often one is signed while events flow; the promise is 10 s, and some of it is the broker's."""


class Checkpoints:
    """Signs the log's head whenever a round ended, and regularly while events come.

    Args:
        log_name: the log's name; known once the log has begun.
        show: takes the note that may be published now.

    Attributes:
        size: the last event under the note that was shown; 0 before the first.
    """

    def __init__(self, journal: LiveJournal, log_name: Callable[[], str], show: Callable[[str], None]) -> None:
        self.size = 0
        self._journal = journal
        self._log_name = log_name
        self._show_note = show
        self._signer: Signer | None = None
        self._held = ""
        self._signed = 0
        self._accepted = 0
        self._due = asyncio.Event()

    def offer(self, events: Sequence[StoredEvent]) -> None:
        """Take note of new events.

        A checkpoint is due after an event that ends a round, or settles it again.
        """
        if any(map(moves_end, events)):
            self._due.set()

    def accepted(self, sequence: int) -> None:
        """Take note that the broker has all events up to this one."""
        self._accepted = max(self._accepted, sequence)
        self._show()

    async def run(self, signer: Signer, every_s: float = EVERY_S) -> None:
        """Sign until cancelled, or until the journal can't be written."""
        self._signer = signer
        self.accepted(self._journal.published())
        with suppress(TableStoppedError):
            while True:
                await self._sign()
                with suppress(TimeoutError):
                    async with asyncio.timeout(every_s):
                        await self._due.wait()
                self._due.clear()

    async def finish(self) -> None:
        """Sign all events, in place of a note that is still held.

        It is the last checkpoint of a session.
        """
        self._held, self._signed = "", self.size
        with suppress(TableStoppedError):
            await self._sign()

    async def _sign(self) -> None:
        """Sign the new events.

        There is one checkpoint at a time: the next is made when the broker has caught up with the last.
        """
        if self._signer is None or self._held or self._journal.last_sequence() <= self._signed:
            return
        self._held = await self._journal.signed_checkpoint(self._log_name(), self._signer)
        self._signed = unsigned_checkpoint(self._held).size
        self._show()

    def _show(self) -> None:
        if not self._held or self._accepted < self._signed:
            return
        note, self._held = self._held, ""
        self.size = self._signed
        self._show_note(note)
        if self._journal.last_sequence() > self._signed:
            self._due.set()


def usable_key(folder: Path) -> Signer:
    """Read the key of the log in this folder. Blocks.

    Raises:
        StartError: the key can't be used.
    """
    try:
        return signing_key(folder)
    except (OSError, ValueError) as error:
        raise StartError(f"the log's key in {folder} can't be used: {error}", os.EX_CANTCREAT) from None


class KeptCheckpoint:
    """Comparison on each connection, and the fault that follows from it."""

    def __init__(self, table: LiveTable[Any], topics: StateTopics[Any], report_fault: ReportFault) -> None:
        self._table = table
        self._topics = topics
        self._report_fault = report_fault
        self._why = ""

    async def compare(self, payload: bytes | None, /) -> Verdict:
        """Compare the checkpoint retained by the broker with the log.

        A fault is raised where it is a fork. Of one of another log `silenced` tells if it is a fault.
        """
        verdict, self._why = await self._compared(payload)
        self._topics.kept_checkpoint = verdict
        if verdict is not Verdict.FOREIGN:
            self._tell(self._why)
        return verdict

    def silenced(self, *, is_silent: bool) -> None:
        """Raise or clear the fault of a log that doesn't continue the broker's."""
        self._tell(self._why if is_silent else "")

    def _tell(self, why: str) -> None:
        if not why:
            self._report_fault(Code.LOG_FORKED, present=False, detail="")
        elif self._table.standing(Code.LOG_FORKED) != why:
            logger("table").error("nothing is published", why=why)
            self._report_fault(Code.LOG_FORKED, present=True, detail=why)

    async def _compared(self, payload: bytes | None) -> tuple[Verdict, str]:
        """The verdict, and the reason where it lets nothing out."""
        if not payload:
            return Verdict.NONE, ""
        try:
            note = payload.decode()
            kept = unsigned_checkpoint(note)
            own = self._table.state.public_key if kept.origin == self._table.origin.log else ""
            is_forged = is_genuine(note, [base64.b64decode(own)] if own else []) is False
        except (NoteError, ValueError):
            return Verdict.UNREADABLE, ""
        if is_forged:
            logger("table").warning("the broker keeps a forged checkpoint", origin=kept.origin, size=kept.size)
            return Verdict.UNREADABLE, ""
        if kept.origin == self._table.origin.log:
            return await self._compare_own(kept)
        if kept.origin == await self._table.predecessor():
            return Verdict.PREDECESSOR, ""
        return Verdict.FOREIGN, f"the broker knows {kept.origin}, which this log doesn't continue"

    async def _compare_own(self, kept: Checkpoint) -> tuple[Verdict, str]:
        last = self._table.journal.last_sequence()
        if kept.size > last:
            return Verdict.FORKED, f"the broker knows {kept.size} events of this log, and it has {last}"
        try:
            root = await self._table.journal.root(kept.size)
        except TableStoppedError:
            return Verdict.FORKED, "the journal can't be read"
        if root != kept.root:
            return Verdict.FORKED, f"the broker knows other events among the first {kept.size} of this log"
        return Verdict.OWN, ""
