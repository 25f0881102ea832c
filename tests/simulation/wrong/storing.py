"""Daemons that store wrongly: what they say isn't on disk, or what was on it is another thing."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import apsw

import tablectl.core.fold
import tablectl.daemon.table_steps
import tablectl.journal.journal
import tablectl.journal.records
from tablectl.core.protocols import TableStoppedError
from tablectl.daemon.table import LiveTable
from tablectl.daemon.table_fold import TableFold
from tablectl.journal.journal import Journal, JournalFailedError
from tablectl.journal.live_journal import LiveJournal
from tablectl.proof.chain import FIRST_LINK
from tests.simulation.wrong import Patch

_JOURNAL: Any = tablectl.journal.journal


def _committing(early: Callable[[Any, Any], None]) -> list[Patch]:
    """`LiveTable._commit` that lets something go before the commit."""
    commit: Any = LiveTable._commit  # pyright: ignore[reportPrivateUsage]

    def too_early(self: Any, steps: list[Any], snapshot: Any) -> None:
        early(self, steps)
        commit(self, steps, snapshot)

    return [(LiveTable, "_commit", too_early)]


def answers_before_commit() -> list[Patch]:
    def early(_table: Any, steps: Any) -> None:
        for step in steps:
            tablectl.daemon.table_steps.answer(replace(step, waiting=replace(step.waiting, stored=None)))

    return _committing(early)


def acknowledges_devices_before_commit() -> list[Patch]:
    def early(_table: Any, steps: Any) -> None:
        for step in steps:
            if step.waiting.stored is not None:
                step.waiting.stored()

    return _committing(early)


def publishes_before_commit() -> list[Patch]:
    def early(table: Any, steps: Any) -> None:
        if table.after is not None:
            table.after.offer([event for step in steps for event in step.record.events])

    return _committing(early)


def syncs_seldom() -> list[Patch]:
    connect = _JOURNAL.connect

    def normal(path: Path) -> apsw.Connection:
        connection: apsw.Connection = connect(path)
        connection.execute("PRAGMA synchronous=NORMAL")
        return connection

    return [(tablectl.journal.journal, "connect", normal)]


def ignores_a_failed_write() -> list[Patch]:
    append = Journal.append

    def deaf(self: Any, records: Any, snapshot: Any = None) -> None:
        try:
            append(self, records, snapshot)
        except JournalFailedError:
            self._failed = False

    return [(Journal, "append", deaf)]


def goes_on_after_a_failed_note() -> list[Patch]:
    return [(LiveJournal, "_stopped_by", lambda _self, error: TableStoppedError(str(error)))]


def forgets_the_round() -> list[Patch]:
    recover = LiveTable.recover

    def forgetful(self: Any, *given: Any) -> int:
        folded: int = recover(self, *given)
        begun = tablectl.core.fold.begin(self.game)
        self.state = self.folding.state = replace(self.state, game=begun.game)
        return folded

    return [(LiveTable, "recover", forgetful)]


def coming_back_with(**changed: Any) -> Callable[[], list[Patch]]:
    """A table whose game comes back from its journal with something else in it."""

    def makes() -> list[Patch]:
        recover = LiveTable.recover

        def forgetful(self: Any, *given: Any) -> int:
            folded: int = recover(self, *given)
            self.state = self.folding.state = replace(self.state, game=replace(self.state.game, **changed))
            return folded

        return [(LiveTable, "recover", forgetful)]

    return makes


def drops_its_last_record() -> list[Patch]:
    restore = Journal.restore

    def shorter(self: Any) -> None:
        for table, column in (("event", "record"), ("record", "number")):
            self._connection.execute(f"DELETE FROM {table} WHERE {column} = (SELECT max(number) FROM record)")
        restore(self)

    return [(Journal, "restore", shorter)]


def breaks_the_chain() -> list[Patch]:
    link_after = tablectl.journal.records._link_after  # pyright: ignore[reportPrivateUsage]

    def loose(_link: bytes, *rest: Any) -> bytes:
        return link_after(FIRST_LINK, *rest)

    return [(tablectl.journal.records, "_link_after", loose)]


def forgets_with_its_snapshot_what_was_asked() -> list[Patch]:
    take: Any = TableFold.take_snapshot

    def forgetful(self: Any) -> Any:
        whole, self.state = self.state, replace(self.state, answers=())
        try:
            return take(self)
        finally:
            self.state = whole

    return [(TableFold, "take_snapshot", forgetful)]


def writes_an_earlier_builds_event_anew() -> list[Patch]:
    restore = Journal.restore

    def anew(self: Any) -> None:
        changed = "CAST(replace(payload, '\"unsynced\"', '\"holdover\"') AS BLOB)"
        self._connection.execute(f"UPDATE event SET payload = {changed} WHERE sequence = 1")
        restore(self)

    return [(Journal, "restore", anew)]
