"""Watch for fairness: reads what the table publishes, reports findings as facts."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final

from tablectl.core.amending.counted_round import Form
from tablectl.core.events import KINDS, TYPE_PREFIX
from tablectl.core.events.device import DiceShown, SpinBegan
from tablectl.core.events.round import CardDealt, RoundBegan, Settled
from tablectl.core.facts import FairnessWeighed
from tablectl.core.protocols import StoredEvent, TableStoppedError
from tablectl.daemon.host.log import logger
from tablectl.daemon.table import LiveTable
from tablectl.history.journal_scan import ENVELOPE_BYTES, STEP, envelope_field, form_of, kind_of
from tablectl.history.statistics.evidence_account import TAKEN, Account, catch_up, read_account
from tablectl.history.statistics.fairness_monitor import Budget, Monitor
from tablectl.history.statistics.nulls import prepare
from tablectl.journal.reading.rows import Remembered

_READ: Final[Mapping[type | None, Callable[[Any], Form]]] = {
    RoundBegan: lambda made: {"round_id": made.round_id},
    CardDealt: lambda made: {"round_id": made.round_id, "index": made.index},
    SpinBegan: lambda made: {"round_id": made.round_id, "release_rpm": made.release_rpm},
    Settled: lambda made: {
        "round_id": made.round_id,
        "game": made.game,
        "rules": made.rules,
        "round": made.round,
        "settlement": made.settlement,
    },
    DiceShown: lambda made: {
        "round_id": made.round_id,
        "dice": made.dice,
        "valid": made.valid,
        "called_invalid": made.called_invalid,
    },
}
"""What is read of the longest and the most frequent events of a round."""

_LEFT_OUT: Final = frozenset(made for made, (_, kind) in KINDS.items() if kind not in TAKEN)

KEEP_EVERY_S: Final = 600.0
"""So much of the log is read again at most, after a daemon was killed."""


class FairnessWatch:
    """The evidence of one table, from its published events alone.

    The account is remembered beside the journal, so that it outlives restarts and pruning. Whatever happens to it, the
    log tells what was counted: nothing is lost or counted twice.
    """

    def __init__(self, table: LiveTable[Any], budget: Budget) -> None:
        self._table = table
        self._budget = budget
        self._account: Account | None = None
        self._waiting: list[StoredEvent] = []
        self._form: Mapping[str, Any] = Account(Monitor()).form()
        self._shown = self._kept = 0

    async def run(self) -> None:
        """Catch up with the log, and keep the account from time to time."""
        with suppress(TableStoppedError):
            await self._begin()
            while True:
                await asyncio.sleep(KEEP_EVERY_S)
                await self.keep()

    def take(self, events: Sequence[StoredEvent]) -> bool:
        """Take in new events, and report what they come to.

        Returns:
            True if there is something to report.
        """
        if self._account is None:
            self._waiting.extend(events)
            return False
        found = weigh_all(self._account, events)
        self._report(found)
        return bool(found)

    def form(self) -> Mapping[str, Any]:
        """The content of the state `fairness`; empty until the log was read."""
        if self._account is None:
            return {}
        if self._shown != self._account.sequence:
            self._shown, self._form = self._account.sequence, self._account.form()
        return self._form

    def courses(self) -> Mapping[str, Any]:
        """The streams with their courses and words, for the console's pages.

        There are none until the log was read.
        """
        return (self._account or Account(Monitor(self._budget))).courses()

    def has_changed(self) -> bool:
        """Return True if something was weighed since `form` was asked for."""
        return self._account is not None and self._account.sequence > self._shown

    async def keep(self) -> None:
        """Have the journal remember the account.

        Raises:
            TableStoppedError: the journal can't be written.
        """
        if self._account is not None and self._account.sequence > self._kept:
            self._kept = self._account.sequence
            await self._table.journal.remember(Remembered.FAIRNESS, self._account.kept())

    async def _begin(self) -> None:
        journal = self._table.journal
        kept = await journal.remembered(Remembered.FAIRNESS)
        account = await asyncio.to_thread(self._read, kept)
        after = account.monitor.reader.place.sequence - 1
        while events := await journal.events_after(after, STEP):
            after = events[-1].sequence
            await asyncio.to_thread(_catch_up, account, events)
        self._account, waiting, self._waiting = account, self._waiting, []
        self.take(waiting)
        self._report(list(account.due.values()))

    def _read(self, kept: str) -> Account:
        """Return the kept account; a new one where there is none that fits the journal."""
        prepare(self._table.game.name)
        with suppress(ValueError):
            account = read_account(kept, self._budget)
            if account.sequence <= self._table.journal.last_sequence():
                return account
        return Account(Monitor(self._budget))

    def _report(self, found: Sequence[FairnessWeighed]) -> None:
        for each in found:
            self._table.tell(self._table.note(each))


def _catch_up(account: Account, events: Sequence[StoredEvent]) -> None:
    for event in events:
        if kind_of(event) in TAKEN:
            weighed(partial(catch_up, account), event)


def weigh_all(account: Account, events: Iterable[StoredEvent]) -> list[FairnessWeighed]:
    """Return what is found with new events.

    Most are cards and bets, whose bytes aren't read for that.
    """
    found: list[FairnessWeighed] = []
    for event in events:
        made = event.event
        if type(made) in _LEFT_OUT or (
            isinstance(made, CardDealt) and account.take_card(event.sequence, made.round_id)
        ):
            continue
        if made is not None or kind_of(event) in TAKEN:
            found += weighed(account.take, event)
    return found


def weighed(weigh: Callable[[Form], list[FairnessWeighed]], event: StoredEvent) -> list[FairnessWeighed]:
    """Return what is found with an event.

    That is nothing where its form is another build's: no table stops by that.
    """
    try:
        return weigh(_form(event))
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        logger("table").warning("an event can't be weighed for fairness", sequence=event.sequence, why=repr(error))
        return []


def _form(event: StoredEvent) -> Form:
    """Return the event as it was published.

    What this process made isn't read back from bytes: the settlement is the longest part by far, and throws are many.
    """
    if (read := _READ.get(type(event.event))) is None:
        return form_of(event)
    return {
        "id": envelope_field(event, "id"),
        "type": TYPE_PREFIX + kind_of(event),
        "time": envelope_field(event, "time"),
        "sequence": event.sequence,
        "simulated": event.payload.find(b'"simulated":true,"data":{', 0, ENVELOPE_BYTES) > 0,
        "data": read(event.event),
    }
