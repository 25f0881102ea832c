"""Amendments of recorded facts: refold of the round, and the events that follow.

The round is folded again with the amended facts in their places. The cards on the table decide, not what was read or
typed first. Nothing is erased: an amendment is a separate fact, and says which events it strikes.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

from tablectl.core import game_step
from tablectl.core.actions.authority import Need
from tablectl.core.amending.fact_forms import fact_form
from tablectl.core.amending.refold import Placed, Refolded, Said, as_amended, refold, without_limits
from tablectl.core.bets.payments import Payments, after_events, awaited, with_paid
from tablectl.core.bets.results import Ended, Nets, added, ended, nets_of, rest_of
from tablectl.core.cards import Card, Place
from tablectl.core.effects import (
    Announce,
    BlankDisplay,
    Command,
    Effects,
    RaiseFault,
    Refuse,
    ShowDraw,
    StopTimer,
)
from tablectl.core.events.amendments import Amended, AmendedFact, AskedAgain, Reopened
from tablectl.core.events.round import (
    Consequence,
    Corrected,
    CorrectedNet,
    CorrectedSettlement,
    CorrectedVoid,
    Irregular,
    Regiven,
    Settled,
    Voided,
)
from tablectl.core.events.text import Saying, saying
from tablectl.core.facts import Fact
from tablectl.core.facts.amendments import AMEND, Amendment, Basis, Edit, RoundAmended
from tablectl.core.facts.card_requests import HandOpened
from tablectl.core.facts.game_requests import PlacePaid
from tablectl.core.facts.reports import CardDrawn
from tablectl.core.facts.table_requests import RoundOpened
from tablectl.core.game_step import PAYING, Game
from tablectl.core.money import format_money
from tablectl.core.table import STALE_SCREEN, Table, event_named, round_named, round_number

S = TypeVar("S")
UNLAWFUL_SINCE: Final = "unlawful_since_amendment"
"""The irregularity of a later round's fact that stays, and wouldn't have been lawful after the amended round."""


@dataclass(frozen=True, slots=True)
class _Case:
    """An amendment at work.

    Args:
        then: the game by the terms of the round.
        before: the round as it counted; `after` as it counts now.
        recorded: the facts that counted; `facts` those that count now.
        ending: how it was over, where it was.
        is_last: whether no other round was opened since.
    """

    game: Game[Any]
    then: Game[Any]
    table: Table[Any]
    fact: Fact
    asked: RoundAmended
    basis: Basis
    round_id: str
    before: Refolded
    after: Refolded
    recorded: tuple[Placed, ...]
    facts: tuple[Placed, ...]
    ending: Ended | None
    is_last: bool


def step(game: Game[S], table: Table[S], fact: Fact, asked: RoundAmended, then: Game[S]) -> tuple[Table[S], Effects]:
    """The table after an amendment, and what follows from it.

    Args:
        then: the game by the terms of the amended round.
    """
    basis = fact.basis
    if not isinstance(basis, Basis):
        return table, (basis or no(saying("refuse.no_such_round", round=fact.round_id or "")),)
    if fact.seen is not None and fact.seen < basis.fresh_from:
        return table, (STALE_SCREEN,)
    case = _worked_out(game, table, fact, asked, basis, then)
    if (refused := _why_not(case)) is not None:
        return table, (refused,)
    said = _said(case)
    amended = replace(_state(case), payments=_payments(case, said, table.announced + 1))
    return amended, (*said, *_unlawful_since(case), *_faults(case), *_commands(case))


def no(said: Saying, where: str = "", asks_again: tuple[AskedAgain, ...] = ()) -> Refuse:
    """An amendment is refused, in these words."""
    return Refuse("table", said.key.rpartition(".")[2], said, where, asks_again)


def second_needed(need: Need, fact: Fact) -> Refuse:
    """The refusal of what one person, or one without a supervisor, may not do."""
    if isinstance(fact.body, RoundOpened):
        return no(saying("refuse.payments_outstanding"))
    said = saying("refuse.two_persons_needed") if need is Need.TWO else saying("refuse.supervisor_needed")
    return no(said)


def _worked_out(game: Game[S], table: Table[S], fact: Fact, asked: RoundAmended, basis: Basis, then: Game[S]) -> _Case:
    round_id = fact.round_id or ""
    this = Amendment(table.records, fact.by, fact.second, basis.edits)
    recorded = as_amended(basis.known(), basis.earlier)
    facts = as_amended(basis.known(), (*basis.earlier, this))
    is_open = game.round_id(table.game) == round_id
    return _Case(
        game,
        then,
        table,
        fact,
        asked,
        basis,
        round_id,
        refold(then, basis.opening, recorded),
        refold(then, basis.opening, facts),
        recorded,
        facts,
        None if is_open else ended(table.endings, round_id),
        round_number(round_id) == table.rounds,
    )


# --- why it may not be


def _why_not(case: _Case) -> Refuse | None:
    if len(case.basis.standing) != len(case.before.events):
        return no(saying("refuse.round_out_of_reach", round=case.round_id))
    return _unlawful_change(case) or _after_the_end(case) or _card_forbidden(case) or _incomplete(case)


def _unlawful_change(case: _Case) -> Refuse | None:
    """Return the refusal of a fact that the amendment itself states, else None.

    The fact is refused by itself, or because it makes another one's card come twice.
    """
    for each in case.after.refused:
        made_by = each.placed.made_by
        if made_by is not None and made_by[0] == case.table.records:
            return replace(each.refused, where=_where(made_by[1], each.placed))
    return None


def _after_the_end(case: _Case) -> Refuse | None:
    """Return the refusal of a fact that is put in after the round's end, else None."""
    mine = (each.made_by for each in case.after.rest if each.record is None)
    nth = next((made[1] for made in mine if made and made[0] == case.table.records), None)
    return None if nth is None else no(saying("refuse.any.no_round"), f"changes[{nth}].after")


def _where(nth: int, placed: Placed) -> str:
    return f"changes[{nth}].{'to' if placed.record is not None else 'fields'}"


def _card_forbidden(case: _Case) -> Refuse | None:
    """A card whose identity nobody may state, or that lies open elsewhere."""
    for placed in case.facts:
        body = placed.fact.body
        if placed.made_by is None or placed.made_by[0] != case.table.records or not isinstance(body, CardDrawn):
            continue
        if body.card is None or "card" not in placed.stated:
            continue
        where = f"{_where(placed.made_by[1], placed)}.card"
        if not case.after.lies_open(placed):
            return no(saying("refuse.card_lies_face_down"), where)
        if _lies_elsewhere(case, placed, body.card):
            return replace(no(saying("refuse.card_lies_open_elsewhere", card=body.card), where), article="1(1)")
    return None


def _lies_elsewhere(case: _Case, placed: Placed, card: Card) -> bool:
    own = case.after.cards.get(placed, ("", 0))[0]
    packs = case.game.layout().packs
    return sum(cards.count(card) for place, cards in _open_cards(case, own).items() if place != own) >= packs


def _open_cards(case: _Case, besides: Place) -> dict[Place, tuple[Card, ...]]:
    """Return the cards that lie open at other places.

    They are known by statements about them, or were read before.
    """
    stated = {
        placed.fact.body.place: placed.fact.body.cards
        for placed in case.facts
        if isinstance(placed.fact.body, HandOpened) and placed.fact.body.cards
    }
    edited = {placed.record for placed in case.facts if placed.made_by and placed.made_by[0] == case.table.records}
    unseen = {*case.before.misread, *(placed for placed in case.before.cards if placed.record in edited)}
    read: dict[Place, tuple[Card, ...]] = {}
    for placed, (place, _) in case.before.cards.items():
        body = placed.fact.body
        if place not in case.before.revealed or place in stated or placed in unseen:
            continue
        if isinstance(body, CardDrawn) and body.card is not None:
            read[place] = (*read.get(place, ()), body.card)
    return {place: cards for place, cards in {**read, **stated}.items() if place != besides}


def _incomplete(case: _Case) -> Refuse | None:
    """The refusal of an amendment that leaves a round open which later ones followed."""
    if case.ending is None or case.is_last or case.after.end is not None:
        return None
    return no(saying("refuse.incomplete", round=case.round_id), asks_again=_asks_again(case) or (_missing(case),))


# --- what follows for the table


def _state(case: _Case) -> Table[Any]:
    if case.ending is not None and not case.is_last:
        return case.table
    game = _after_its_end(case)
    return replace(case.table, game=game, phase_since=case.table.records)


def _after_its_end(case: _Case) -> Any:
    """The game's state, with what happened since the round's end."""
    free = without_limits(case.game)
    table = case.after.table
    for each in case.after.rest:
        if _came_since(case, each):
            fact = replace(each.fact, seen=None, round_id=None, request_id=None, delivery="")
            table, _, _ = game_step.one(free, replace(table, records=each.number), fact)
    return table.game


def _came_since(case: _Case, placed: Placed) -> bool:
    """Return True if a fact came after the round was over for the first time."""
    return any(each.record == placed.record for each in case.basis.tail)


def _commands(case: _Case) -> tuple[Command, ...]:
    """Return the commands that the amended round needs and that were never sent."""
    if case.ending is not None and not case.is_last:
        return ()
    needed = case.game.outstanding(case.after.table.game)
    new = (each for each in case.after.commands if each not in case.before.commands)
    return tuple(each for each in new if each in needed or isinstance(each, BlankDisplay | ShowDraw | StopTimer))


def _faults(case: _Case) -> tuple[RaiseFault, ...]:
    """The faults that show only now."""
    known = {(fault.code, fault.device) for _, fault in case.before.faults}
    new = (fault for placed, fault in case.after.faults if placed.made_by == (case.table.records, _nth(placed)))
    return tuple(dict.fromkeys(fault for fault in new if (fault.code, fault.device) not in known))


def _unlawful_since(case: _Case) -> Iterator[Announce]:
    """Note the facts of the next round that would have been refused.

    They stay, and the round with them. By the contract on amendments ("What follows", 4).
    """
    free = without_limits(case.game)
    before, after = case.before.table, case.after.table
    round_id = round_named(case.table, round_number(case.round_id) + 1)
    for each in case.basis.later:
        if not each.counts or isinstance(each.fact.body, RoundAmended):
            continue
        fact = replace(each.fact, seen=None, round_id=None, request_id=None, delivery="")
        before, _, said = game_step.one(free, replace(before, records=each.record), fact)
        known = any(isinstance(effect, Refuse) for effect in said)
        now, _, said = game_step.one(free, replace(after, records=each.record), fact)
        refused = next((effect for effect in said if isinstance(effect, Refuse)), None)
        after = now if refused is None else before
        if refused is not None and not known:
            text = saying("irregular.table.unlawful_since_amendment", record=each.record, round=case.round_id)
            by = case.fact.by
            yield Announce(Irregular(round_id, refused.article, UNLAWFUL_SINCE, text, Consequence.CONTINUES, None, by))


def _nth(placed: Placed) -> int:
    return placed.made_by[1] if placed.made_by else -1


# --- what is published


def _said(case: _Case) -> tuple[Announce, ...]:
    follows = _follows(case)
    return (Announce(_amended(case, follows)), *follows)


def _follows(case: _Case) -> tuple[Announce, ...]:
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


def _amended(case: _Case, follows: tuple[Announce, ...]) -> Amended:
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
        _asks_again(case),
        to_pay,
        to_take_back,
    )


def _phase(case: _Case, follows: tuple[Announce, ...]) -> str:
    """The phase that the round is in after these events, as screens show it."""
    due = awaited(_payments(case, follows, case.table.announced + 1))
    return PAYING if due and due.round_id == case.round_id else case.then.phase(case.after.table.game)


def _payments(case: _Case, said: tuple[Announce, ...], first: int) -> Payments:
    """The payments due after these events, of the bets as they lay.

    Args:
        first: the number of the first one.
    """
    if not case.game.confirms_payment:
        return case.table.payments
    return after_events(case.table.payments, [each.event for each in said], first, case.after.bets)


def _paid_before(table: Table[Any], end: Said) -> Said:
    """The end of the round; of a void one with what was paid before."""
    return replace(end, event=with_paid(end.event, table.payments)) if isinstance(end.event, Voided) else end


def _same(before: Sequence[Said], after: Sequence[Said]) -> int:
    """How many events at the beginning are as they were."""
    pairs = enumerate(zip(before, after, strict=False))
    return next((nth for nth, (old, new) in pairs if old.event != new.event), min(len(before), len(after)))


def _nets_after(case: _Case) -> Nets | None:
    """Return each person's money with corrections by hand; None in an open round."""
    if case.after.end is None:
        return None
    by_hand = case.ending.by_hand if case.ending else ()
    event = case.after.end.event
    return added(nets_of(event.settlement) if isinstance(event, Settled) else (), by_hand)


def _difference(case: _Case, nets: Nets | None) -> tuple[tuple[Regiven, ...], tuple[Regiven, ...]] | tuple[None, None]:
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


def _reopened(case: _Case, ending: Ended) -> Reopened:
    return Reopened(
        case.round_id,
        event_named(case.table, ending.over),
        case.fact.by or case.fact.source,
        case.fact.second,
        case.asked.reason,
        case.then.phase(case.after.table.game),
    )


def _corrected(case: _Case, ending: Ended, end: Said, nets: Nets) -> Corrected:
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


def _asks_again(case: _Case) -> tuple[AskedAgain, ...]:
    """The facts that aren't lawful any more, and were before.

    A payment isn't asked for again. A round that is over wants nothing that came after an end it had before.
    """
    before = {each.placed.record for each in case.before.refused}
    before |= {each.record for each in case.before.rest} if case.after.end else set()
    return tuple(
        AskedAgain(
            each.placed.record,
            each.placed.verb,
            public_fields(case.after, each.placed),
            each.refused.article,
            each.refused.code,
            each.refused.text,
        )
        for each in case.after.refused
        if not _came_since(case, each.placed) and each.placed.record not in before
        if not isinstance(each.placed.fact.body, PlacePaid) or each.refused.code != "nothing_due"
    )


def _missing(case: _Case) -> AskedAgain:
    """Ask for the next step that the round waits for and nobody has recorded yet."""
    waiting = case.then.waiting(replace(case.after.table, faults=()))
    return AskedAgain(None, None, {}, "table", "missing", waiting)


def _public(case: _Case, nth: int, edit: Edit) -> AmendedFact:
    """A change as everybody may see it."""
    was = next((placed for placed in case.recorded if placed.record == edit.record), None)
    made = next((placed for placed in case.facts if placed.made_by == (case.table.records, nth)), None)
    now = None if edit.body is None else public_fields(case.after, made) if made else fact_form(edit.body)
    if edit.inserted:
        return AmendedFact(None, edit.record, edit.verb, None, now)
    if edit.verb == AMEND:
        of_before = (each.fact.body for each in case.basis.known() if each.record == edit.record)
        return AmendedFact(edit.record, None, AMEND, next(map(fact_form, of_before), None), now)
    recorded = None if was is None else public_fields(case.before, was)
    return AmendedFact(edit.record, None, edit.verb, recorded, now)


def public_fields(done: Refolded, placed: Placed) -> dict[str, Any]:
    """The fields of a fact, where its card lies, and which it is if everybody saw it."""
    form = fact_form(placed.fact.body)
    if placed.verb in {"card", "packet"}:
        form["lies"] = placed.lies or done.cards.get(placed, (None, 0))[0]
    if "card" in form and placed.verb == "card" and not done.was_seen(placed):
        form["card"] = None
    return form
