"""Corrections of a finished round's money by two persons.

The settlement stays as published; the difference is published too.
"""

from typing import Final, TypeVar

from tablectl.core.bets.results import Nets, added, ended, rest_of
from tablectl.core.effects import Announce, Effects, Refuse
from tablectl.core.events.audit import Overridden
from tablectl.core.events.round import Corrected, CorrectedNet, CorrectedSettlement, Regiven
from tablectl.core.events.text import saying
from tablectl.core.facts import Fact
from tablectl.core.facts.table_requests import RoundCorrected
from tablectl.core.money import format_money
from tablectl.core.table import Table, event_named, was_opened
from tablectl.lazy_dataclass import replace

S = TypeVar("S")

SUMS_KEPT: Final = 256
"""Rounds beyond reach of which it is remembered what corrections by hand came to."""


def round_corrected(
    table: Table[S], fact: Fact, asked: RoundCorrected, open_round: str | None
) -> tuple[Table[S], Effects]:
    """Return the correction of a round as events, and the table after it.

    They say what each bettor gets more or gives back, and what the house does, with nothing left over.
    `round.corrected` continues the event that ended the round, or its last correction, and has the resulting money;
    `audit.override` says for the audit who did it. Of a round whose ending isn't remembered any more there is only the
    latter.

    Args:
        open_round: the round in progress, which is settled before anything is to be corrected.
    """
    if (no := why_not(table, fact, asked, open_round)) is not None:
        return table, (no,)
    limited = table.by_hand_limit is not None and is_beyond_reach(table, asked.corrects)
    event = Overridden(
        round_id=asked.corrects,
        by=f"{fact.by}, {fact.second}",
        what=f"settlement {asked.corrects}",
        reason=asked.reason,
        changes=tuple(Regiven(change.bettor, format_money(change.amount)) for change in asked.changes),
        house=format_money(-sum(change.amount for change in asked.changes)),
        by_hand=limited,
    )
    if limited:
        others = tuple(each for each in table.by_hand if each[0] != asked.corrects)
        table = replace(table, by_hand=(*others, (asked.corrects, _sum_with(table, asked)))[-SUMS_KEPT:])
    before = ended(table.endings, asked.corrects)
    if before is None:
        return table, (Announce(event),)
    return table, (Announce(_corrected(event_named(table, before.event), before.nets, asked, event)), Announce(event))


def is_beyond_reach(table: Table[S], round_id: str) -> bool:
    """Return True if a finished round can no longer be amended."""
    ending = ended(table.endings, round_id)
    return ending is None or not ending.opened


def _sum_with(table: Table[S], asked: RoundCorrected) -> int:
    """Return what corrections of this round beyond reach come to with this one.

    Amounts given and taken count alike.
    """
    return dict(table.by_hand).get(asked.corrects, 0) + sum(abs(change.amount) for change in asked.changes)


def _corrected(corrects: str, before: Nets, asked: RoundCorrected, said: Overridden) -> Corrected:
    """Return the event with the round's resulting money, beside the changes."""
    nets = added(before, ((change.bettor, change.amount) for change in asked.changes))
    bettors = tuple(CorrectedNet(bettor, format_money(net)) for bettor, net in nets)
    return Corrected(
        round_id=said.round_id,
        corrects=corrects,
        reason=said.reason,
        by=said.by,
        settlement=CorrectedSettlement("corrected", bettors, rest_of(nets)),
        changes=said.changes,
        house=said.house,
    )


def why_not(table: Table[S], fact: Fact, asked: RoundCorrected, open_round: str | None) -> Refuse | None:
    """The refusal of a correction by hand; None where it is made."""
    if not was_opened(table, asked.corrects):
        return Refuse("table", "no_such_round", saying("refuse.no_such_round", round=asked.corrects))
    if asked.corrects == open_round:
        return Refuse("table", "round_still_open", saying("refuse.round_still_open", round=asked.corrects))
    if not asked.reason.strip():
        return Refuse("table", "correction_without_reason", saying("refuse.correction_without_reason"))
    if not asked.changes or not all(change.amount and change.bettor.strip() for change in asked.changes):
        return Refuse("table", "nothing_corrected", saying("refuse.nothing_corrected"))
    if not (fact.by and fact.second and fact.by != fact.second):
        return Refuse("table", "second_person_missing", saying("refuse.second_person_missing"))
    most, comes_to = table.by_hand_limit, _sum_with(table, asked)
    if most is not None and comes_to > most and is_beyond_reach(table, asked.corrects):
        total, allowed = format_money(comes_to), format_money(most)
        text = saying("refuse.beyond_limit_by_hand", round=asked.corrects, sum=total, most=allowed)
        return Refuse("table", "beyond_limit_by_hand", text)
    return None
