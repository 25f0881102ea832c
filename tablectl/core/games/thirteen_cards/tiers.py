"""Thirteen cards laid on the table as set: their check and their publication.

The check is that they can be the place's; the publication is what everybody sees.
"""

from dataclasses import replace
from typing import cast

from tablectl.core.cards import BANKER, PACK, Card, Place
from tablectl.core.dealing.hands import Hand, face_down, hand_of
from tablectl.core.effects import Effects, announce, momentary, refusal
from tablectl.core.events.round import Revealed
from tablectl.core.facts.card_requests import TiersShown
from tablectl.core.faults import Code
from tablectl.core.games.thirteen_cards.hands import SIZES, Rows
from tablectl.core.games.thirteen_cards.settlement import Setting, examine
from tablectl.core.games.thirteen_cards.state import NAME, Outcome, Step, ThirteenCards, Tiers, hand_at, with_hand


def lay_open(state: ThirteenCards, place: Place, shown: TiersShown) -> Outcome:
    """The cards of a place, face up as set. `shown` has passed `not_these`.

    Rule: 51/89/M art. 2(d), 7; reading 9.
    """
    rows = cast("Rows", shown.rows)
    cards = flat(shown)
    others = tuple(tiers for tiers in state.tiers if tiers.place != place)
    up = replace(hand_at(state, place) or Hand(place), cards=cards, opened=True)
    laid = replace(with_hand(state, up), tiers=(*others, Tiers(place, rows)), last="")
    return laid, announce(Revealed(state.round_id, place, cards, examine(rows).natural))


def not_these(step: Step, place: Place, shown: TiersShown) -> Effects:
    """Return the refusal of cards that can't be the place's, else nothing.

    It comes with a fault where the card box read others.

    Rule: 51/89/M art. 7 (thirteen cards in tiers of three, five and five), art. 1(a) (one pack).
    """
    cards = flat(shown)
    if tuple(map(len, shown.rows)) != SIZES or len(set(cards) & set(PACK)) != len(cards):
        return (refusal(NAME, "7", "thirteen_cards", place=place),)
    read, others = _read(step.state, place), _others(step.state, place)
    # A card that was read face down elsewhere is a contradiction too, and its name is nobody's to learn.
    if not read <= set(cards) or set(cards) & face_down(others):
        no, shoe = refusal(NAME, "7", "cards_disagree", place=place), step.settings.shoe
        return (no, *(momentary(Code.SHOE_CARDS_DISAGREE, shoe) if shoe else ()))
    if twice := {card for hand in others for card in hand.cards} & set(cards):
        return (refusal(NAME, "1(a)", "card_twice", cards=" ".join(sorted(str(card) for card in twice))),)
    return ()


def flat(shown: TiersShown) -> tuple[Card, ...]:
    """All cards of the tiers, from the first on."""
    return tuple(card for row in shown.rows for card in row)


def bankers_setting(state: ThirteenCards) -> Setting | None:
    """Return the evaluation of the banker's cards as they have shown them."""
    return next((examine(tiers.rows) for tiers in state.tiers if tiers.place == BANKER), None)


def _read(state: ThirteenCards, place: Place) -> set[Card]:
    """The cards known to be the place's: read, exposed, or shown before."""
    hand = hand_of(state.hands, place)
    return {card for card in hand.cards if card} if hand else set()


def _others(state: ThirteenCards, place: Place) -> tuple[Hand, ...]:
    return tuple(hand for hand in state.hands if hand.place != place)
