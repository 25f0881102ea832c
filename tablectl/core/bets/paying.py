"""Paying of a round or a part of it."""

from collections.abc import Sequence
from typing import TypeVar

from tablectl.core.bets.payments import Due, after_payment, awaited
from tablectl.core.effects import Announce, Effects, Refuse
from tablectl.core.events.round import Consequence, Irregular, Regiven, RoundPaid
from tablectl.core.events.text import saying
from tablectl.core.facts import Fact
from tablectl.core.facts.game_requests import PlacePaid
from tablectl.core.money import format_money
from tablectl.core.table import Table, event_named, round_named
from tablectl.lazy_dataclass import replace

S = TypeVar("S")


def confirmed(table: Table[S], fact: Fact, asked: PlacePaid, open_round: str | None) -> tuple[Table[S], Effects]:
    """The table after the dealer has paid and collected a place, or all that is due.

    Rule: 89/2004 art. 9(1); 108/89/M art. 2(c).
    """
    last = table.payments.due[-1].round_id if table.payments.due else None
    round_id = fact.round_id or open_round or last
    dues = [due for due in table.payments.due if due.round_id == round_id]
    if asked.place is not None:
        dues = [due for due in dues if asked.place in due.places][:1]
    if not dues:
        return table, (Refuse("table", "nothing_due", saying("refuse.nothing_due")),)
    of_last = round_id == round_named(table, table.rounds)
    payments = after_payment(table.payments, dues, asked.place, of_last=of_last)
    ends_wait = awaited(table.payments) is not None and awaited(payments) is None
    since = table.records if ends_wait else table.phase_since
    return replace(table, payments=payments, phase_since=since), _said(table, fact, asked, dues)


def _said(table: Table[S], fact: Fact, asked: PlacePaid, dues: Sequence[Due]) -> Effects:
    who = fact.by or fact.source
    return tuple(
        Announce(
            RoundPaid(
                due.round_id,
                event_named(table, due.event),
                asked.place,
                who,
                tuple(Regiven(bettor, format_money(-amount)) for bettor, amount in due.changes if amount < 0),
            )
        )
        for due in dues
    )


def opened_unpaid(table: Table[S], opened: str | None, fact: Fact) -> Effects:
    """The note that a round was opened before the last one was paid."""
    due = awaited(table.payments)
    if due is None or opened is None:
        return ()
    text = saying("irregular.table.payments_outstanding", round=due.round_id)
    return (Announce(Irregular(opened, "table", "payments_outstanding", text, Consequence.CONTINUES, None, fact.by)),)
