"""Comparison of the broker's retained checkpoint with this table's log.

Old and copied state folders are found by it.
"""

import base64
from typing import Any

from tablectl.core.faults import Code
from tablectl.core.protocols import TableStoppedError
from tablectl.daemon.host.log import logger
from tablectl.daemon.table import LiveTable
from tablectl.daemon.views.state_topics import StateTopics
from tablectl.mqtt.contents import ReportFault
from tablectl.mqtt.kept_checkpoint import Verdict
from tablectl.proof.checkpoint import Checkpoint, is_genuine, unsigned_checkpoint
from tablectl.proof.note import NoteError


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
