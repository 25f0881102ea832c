"""Refusals of amendments, for what the changes make of the round."""

from dataclasses import replace

from tablectl.core.amending.case import Case, asked_again, missing, no, where_of
from tablectl.core.amending.refold import Placed
from tablectl.core.cards import Card, Place
from tablectl.core.effects import (
    Refuse,
)
from tablectl.core.events.text import saying
from tablectl.core.facts.card_requests import HandOpened
from tablectl.core.facts.reports import CardDrawn


def why_not(case: Case) -> Refuse | None:
    """Return the refusal of an amendment, None for one that may be."""
    if len(case.basis.standing) != len(case.before.events):
        return no(saying("refuse.round_out_of_reach", round=case.round_id))
    return _unlawful_change(case) or _after_the_end(case) or _card_forbidden(case) or _incomplete(case)


def _unlawful_change(case: Case) -> Refuse | None:
    """Return the refusal of a fact that the amendment itself states, else None.

    The fact is refused by itself, or because it makes another one's card come twice.
    """
    for each in case.after.refused:
        made_by = each.placed.made_by
        if made_by is not None and made_by[0] == case.table.records:
            return replace(each.refused, where=where_of(made_by[1], each.placed))
    return None


def _after_the_end(case: Case) -> Refuse | None:
    """Return the refusal of a fact that is put in after the round's end, else None."""
    mine = (each.made_by for each in case.after.rest if each.record is None)
    nth = next((made[1] for made in mine if made and made[0] == case.table.records), None)
    return None if nth is None else no(saying("refuse.any.no_round"), f"changes[{nth}].after")


def _card_forbidden(case: Case) -> Refuse | None:
    """A card whose identity nobody may state, or that lies open elsewhere."""
    for placed in case.facts:
        body = placed.fact.body
        if placed.made_by is None or placed.made_by[0] != case.table.records or not isinstance(body, CardDrawn):
            continue
        if body.card is None or "card" not in placed.stated:
            continue
        where = f"{where_of(placed.made_by[1], placed)}.card"
        if not case.after.lies_open(placed):
            return no(saying("refuse.card_lies_face_down"), where)
        if _lies_elsewhere(case, placed, body.card):
            return replace(no(saying("refuse.card_lies_open_elsewhere", card=body.card), where), article="1(1)")
    return None


def _lies_elsewhere(case: Case, placed: Placed, card: Card) -> bool:
    own = case.after.cards.get(placed, ("", 0))[0]
    packs = case.game.layout().packs
    return sum(cards.count(card) for place, cards in _open_cards(case, own).items() if place != own) >= packs


def _open_cards(case: Case, besides: Place) -> dict[Place, tuple[Card, ...]]:
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


def _incomplete(case: Case) -> Refuse | None:
    """The refusal of an amendment that leaves a round open which later ones followed."""
    if case.ending is None or case.is_last or case.after.end is not None:
        return None
    return no(saying("refuse.incomplete", round=case.round_id), asks_again=asked_again(case) or (missing(case),))
