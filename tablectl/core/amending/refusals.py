"""Refusals of amendments, for what the changes make of the round."""

from collections.abc import Iterator

from tablectl.core.amending.case import Case, asked_again, missing, no, stated_now, where_of
from tablectl.core.amending.placed import Placed
from tablectl.core.cards import Card, Place
from tablectl.core.effects import (
    Refuse,
)
from tablectl.core.events.text import saying
from tablectl.core.facts.game_requests import HandOpened
from tablectl.core.facts.reports import CardDrawn, DiceThrown, SpinStopped
from tablectl.core.facts.table_requests import RoundOpened
from tablectl.lazy_dataclass import replace


def why_not(case: Case) -> Refuse | None:
    """Return the refusal of an amendment, None for one that may be."""
    if len(case.basis.standing) != len(case.before.events):
        return no(saying("refuse.round_out_of_reach", round=case.round_id))
    refusals = (_without_meaning, _unlawful_change, _not_opened_so, _after_the_end, _card_forbidden, _incomplete)
    return next((refused for each in refusals if (refused := each(case)) is not None), None)


def _facts_stated(case: Case) -> Iterator[tuple[str, Placed]]:
    """Yield the facts that this amendment states, with the paths of their changes."""
    paths = stated_now(case)
    return ((paths[each.made_by], each) for each in case.facts if each.made_by in paths)


def _without_meaning(case: Case) -> Refuse | None:
    """Return the refusal of a flaw or section that the game doesn't have, else None."""
    layout = case.then.layout()
    for path, placed in _facts_stated(case):
        match placed.fact.body:
            case DiceThrown(flaw=flaw) if flaw and flaw not in {each.kind for each in layout.reasons}:
                name = "flaw"
            case SpinStopped(spin=spin) if spin.section is not None and spin.section > len(layout.sections):
                name = "section"
            case _:
                continue
        if name in placed.stated:
            field = f"{where_of(path, placed)}.{name}"
            return no(saying("refuse.wrong_field", field=field), field)
    return None


def _unlawful_change(case: Case) -> Refuse | None:
    """Return the refusal of a fact that the amendment itself states, else None.

    The fact is refused by itself, or because it makes another one's card come twice.
    """
    paths = stated_now(case)
    for each in case.after.refused:
        if each.placed.made_by in paths:
            return replace(each.refused, where=where_of(paths[each.placed.made_by], each.placed))
    return None


def _not_opened_so(case: Case) -> Refuse | None:
    """Return the refusal where the round couldn't have been opened, else None.

    What said before who has its bank can't be asked for again.
    """
    opens = next((nth for nth, each in enumerate(case.facts, 1) if isinstance(each.fact.body, RoundOpened)), 0)
    refused = {each.placed: each.refused for each in case.after.refused}
    first = next((refused[each] for each in case.facts[:opens] if each in refused), None)
    return None if first is None else replace(first, where="changes")


def _after_the_end(case: Case) -> Refuse | None:
    """Return the refusal of a fact that is put in after the round's end, else None."""
    paths = stated_now(case)
    mine = (paths[each.made_by] for each in case.after.rest if each.record is None and each.made_by in paths)
    path = next(mine, None)
    return None if path is None else no(saying("refuse.any.no_round"), f"{path}.after")


def _card_forbidden(case: Case) -> Refuse | None:
    """A card whose identity nobody may state, or that lies open elsewhere.

    An identity counts anew also where what overruled it is struck.
    """
    paths, known = stated_now(case), {*case.recorded}
    for placed in case.facts:
        body = placed.fact.body
        if placed in known or not isinstance(body, CardDrawn) or body.card is None or "card" not in placed.stated:
            continue
        where = f"{where_of(paths[placed.made_by], placed)}.card" if placed.made_by in paths else "changes"
        if not (case.after.lies_open(placed) or _lay_open(case, placed)):
            return no(saying("refuse.card_lies_face_down"), where)
        if _lies_elsewhere(case, placed, body.card):
            return replace(no(saying("refuse.card_lies_open_elsewhere", card=body.card), where), article="1(1)")
    return None


def _lay_open(case: Case, placed: Placed) -> bool:
    """Return True if a card was face up before the amendment.

    The opening of its hand may not hold any more, as when a third card is due first.
    """
    was = next((each for each in case.recorded if each.record == placed.record is not None), None)
    return was is not None and was.lies == placed.lies and case.before.lies_open(was)


def _lies_elsewhere(case: Case, placed: Placed, card: Card) -> bool:
    own = case.after.cards.get(placed, ("", 0))[0]
    lies = [each for cards in _open_cards(case, own).values() for each in cards]
    return lies.count(card) + _stated_besides(case, placed, card) >= case.game.layout().packs


def _stated_besides(case: Case, placed: Placed, card: Card) -> int:
    """Return how many other cards of a hand this amendment says to be the same."""
    return sum(
        isinstance(each.fact.body, CardDrawn) and each.fact.body.card == card and "card" in each.stated
        for _, each in _facts_stated(case)
        if each is not placed and each in case.after.cards
    )


def _open_cards(case: Case, own: Place) -> dict[Place, tuple[Card, ...]]:
    """Return the cards that lie open, besides those that the amendment changes.

    They are known by statements about them, or were read before. What was stated of the own place may be the
    card that is changed, and is left out.
    """
    stated = {
        placed.fact.body.place: placed.fact.body.cards
        for placed in case.facts
        if isinstance(placed.fact.body, HandOpened) and placed.fact.body.cards
    }
    edited = {placed.record for _, placed in _facts_stated(case)}
    unseen = {*case.before.misread, *(placed for placed in case.before.cards if placed.record in edited)}
    read: dict[Place, tuple[Card, ...]] = {}
    for placed, (place, _) in case.before.cards.items():
        body = placed.fact.body
        if place not in case.before.revealed or place in stated or placed in unseen:
            continue
        if isinstance(body, CardDrawn) and body.card is not None:
            read[place] = (*read.get(place, ()), body.card)
    return {**read, **{place: cards for place, cards in stated.items() if place != own}}


def _incomplete(case: Case) -> Refuse | None:
    """The refusal of an amendment that leaves a round open which later ones followed."""
    if case.ending is None or case.is_last or case.after.end is not None:
        return None
    return no(saying("refuse.incomplete", round=case.round_id), asks_again=asked_again(case) or (missing(case),))
