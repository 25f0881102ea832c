"""Events that an amendment publishes, and the payments that they leave due."""

from collections.abc import Sequence
from typing import Any

from tablectl.core.amending.as_seen import nameless
from tablectl.core.amending.case import Case, asked_again, public_fields
from tablectl.core.amending.placed import fact_form
from tablectl.core.amending.refold import Said
from tablectl.core.bets.payments import Payments, after_events, awaited, with_paid
from tablectl.core.bets.results import Ended, Nets, added, nets_of, rest_of
from tablectl.core.effects import (
    Announce,
)
from tablectl.core.events.amendments import Amended, AmendedFact, Reopened
from tablectl.core.events.round import (
    Corrected,
    CorrectedNet,
    CorrectedSettlement,
    CorrectedVoid,
    Regiven,
    Settled,
    Voided,
)
from tablectl.core.facts.amendments import AMEND, Edit
from tablectl.core.game_step import PAYING
from tablectl.core.money import format_money
from tablectl.core.table import Table, event_named
from tablectl.lazy_dataclass import replace


def announced(case: Case) -> tuple[Announce, ...]:
    """Return what an amendment publishes: itself, then what follows from it."""
    follows = _follows(case)
    return (Announce(_amended(case, follows)), *follows)


def payments_due(case: Case, said: tuple[Announce, ...], first: int) -> Payments:
    """The payments due after these events, of the bets as they lay.

    Args:
        first: the number of the first one.
    """
    if not case.game.confirms_payment:
        return case.table.payments
    events = [each.event for each in said]
    return after_events(case.table.payments, events, first, case.after.bets, of_last=case.is_last)


def _follows(case: Case) -> tuple[Announce, ...]:
    """Return the events that follow an amendment.

    They are what still holds, and the round's end where it has one.
    """
    same = _same(case.before.events, case.after.events)
    again = tuple(Announce(said.event, said.at) for said in case.after.events[same:])
    end = case.after.end
    if case.ending is None:
        ended_now = () if end is None else (_paid_before(case.table, end),)
        return (*again, *(Announce(said.event, said.at) for said in ended_now))
    if end is None:
        return (Announce(_reopened(case, case.ending)), *again)
    return (*again, Announce(_corrected(case, case.ending, end, _nets_after(case) or ())))


def _amended(case: Case, follows: tuple[Announce, ...]) -> Amended:
    same = _same(case.before.events, case.after.events)
    nets = _nets_after(case)
    to_pay, to_take_back = _difference(case, nets)
    return Amended(
        case.round_id,
        tuple(event_named(case.table, number) for number in case.basis.standing[same:]),
        case.fact.by or case.fact.source,
        case.fact.second,
        case.asked.reason,
        tuple(_public(case, nth, edit) for nth, edit in enumerate(case.basis.edits)),
        _phase(case, follows),
        asked_again(case),
        to_pay,
        to_take_back,
    )


def _phase(case: Case, follows: tuple[Announce, ...]) -> str:
    """The phase that the round is in after these events, as screens show it."""
    due = awaited(payments_due(case, follows, case.table.announced + 1))
    return PAYING if due and due.round_id == case.round_id else case.then.phase(case.after.table.game)


def _paid_before(table: Table[Any], end: Said) -> Said:
    """The end of the round; of a void one with what was paid before."""
    return replace(end, event=with_paid(end.event, table.payments)) if isinstance(end.event, Voided) else end


def _same(before: Sequence[Said], after: Sequence[Said]) -> int:
    """How many events at the beginning are as they were, and of the same time."""
    pairs = enumerate(zip(before, after, strict=False))
    return next((nth for nth, (old, new) in pairs if old != new), min(len(before), len(after)))


def _nets_after(case: Case) -> Nets | None:
    """Return each person's money with corrections by hand; None in an open round."""
    if case.after.end is None:
        return None
    by_hand = case.ending.by_hand if case.ending else ()
    event = case.after.end.event
    return added(nets_of(event.settlement) if isinstance(event, Settled) else (), by_hand)


def _difference(case: Case, nets: Nets | None) -> tuple[tuple[Regiven, ...], tuple[Regiven, ...]] | tuple[None, None]:
    """Return the amounts that each bettor gets more, and those that they give back.

    Both are unknown where the round isn't over.
    """
    if nets is None or case.ending is None:
        return None, None
    changes = _changes(case.ending.nets, nets)
    to_pay = tuple(Regiven(bettor, format_money(change)) for bettor, change in changes if change > 0)
    to_take_back = tuple(Regiven(bettor, format_money(-change)) for bettor, change in changes if change < 0)
    return to_pay, to_take_back


def _changes(before: Nets, after: Nets) -> Nets:
    """How each person's money differs, where it does."""
    whole = added(after, ((bettor, -net) for bettor, net in before))
    return tuple((bettor, change) for bettor, change in whole if change)


def _reopened(case: Case, ending: Ended) -> Reopened:
    return Reopened(
        case.round_id,
        event_named(case.table, ending.over),
        case.fact.by or case.fact.source,
        case.fact.second,
        case.asked.reason,
        case.then.phase(case.after.table.game),
    )


def _corrected(case: Case, ending: Ended, end: Said, nets: Nets) -> Corrected:
    listed = added(nets, ((bettor, 0) for bettor, _ in ending.nets))
    changes = _changes(ending.nets, nets)
    common = Corrected(
        case.round_id,
        event_named(case.table, ending.event),
        case.asked.reason,
        ", ".join(filter(None, (case.fact.by, case.fact.second))),
        CorrectedSettlement(
            "corrected", tuple(CorrectedNet(bettor, format_money(net)) for bettor, net in listed), rest_of(listed)
        ),
        tuple(Regiven(bettor, format_money(change)) for bettor, change in changes),
        format_money(-sum(change for _, change in changes)),
        by_hand=False,
    )
    match end.event:
        case Settled(_, game, rules, played, settlement, version):
            return replace(common, game=game, rules=rules, rules_version=version, round=played, result=settlement)
        case Voided(_, reason, article, _, returned):
            return replace(common, void=CorrectedVoid(article, reason, returned))
        case _:
            return common


def _public(case: Case, nth: int, edit: Edit) -> AmendedFact:
    """A change as everybody may see it."""
    was = next((placed for placed in case.recorded if placed.record == edit.record), None)
    made = next((placed for placed in case.facts if placed.made_by == (case.table.records, nth)), None)
    # What another change of the same fact overrules says nothing of a card: it may lie face down.
    stated = None if edit.body is None else fact_form(nameless(edit.body))
    now = public_fields(case.after, made) if made else stated
    if edit.inserted:
        return AmendedFact(None, edit.record, edit.verb, None, now)
    if edit.verb == AMEND:
        of_before = [fact_form(each.fact.body) for each in case.basis.known() if each.record == edit.record]
        since = (each for each in case.basis.earlier if each.record == edit.record and each.reason)
        of_before += ({"reason": each.reason, "changes": len(each.edits)} for each in since)
        return AmendedFact(edit.record, None, AMEND, next(iter(of_before), None), now)
    recorded = None if was is None else public_fields(case.before, was)
    return AmendedFact(edit.record, None, edit.verb, recorded, now)
