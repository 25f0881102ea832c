"""Hands of cards on the table: their owners, known cards, and cards face up."""

from tablectl.core.cards import Card, Place
from tablectl.core.copies import replace
from tablectl.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Hand:
    """The cards of a place. None stands for a card whose identity isn't known.

    `shown` counts from 1 the cards that lie face up though the hand isn't open. A dead hand was dealt without a bet.
    """

    place: Place
    cards: tuple[Card | None, ...] = ()
    opened: bool = False
    dead: bool = False
    shown: tuple[int, ...] = ()


Hands = tuple[Hand, ...]
"""In the order dealt; dead hands last."""


def hand_of(hands: Hands, place: Place) -> Hand | None:
    """The hand of a place, dead or alive."""
    for hand in hands:
        if hand.place == place:
            return hand
    return None


def put(hands: Hands, new: Hand) -> Hands:
    """The hands with this one in place of its older self, or at the end."""
    if hand_of(hands, new.place) is None:
        return (*hands, new)
    return tuple([new if hand.place == new.place else hand for hand in hands])


def lies_up(hand: Hand, nth: int) -> bool:
    """Return True if a hand's `nth` card, from 1, lies face up."""
    return hand.opened or nth in hand.shown


def known(hands: Hands) -> tuple[Card, ...]:
    """Every card whose identity is known, face up or down."""
    return tuple([card for hand in hands for card in hand.cards if card is not None])


def seen_cards(hands: Hands) -> tuple[Card, ...]:
    """Every card that lies face up and is known, as often as it does."""
    seen = (card for hand in hands for nth, card in enumerate(hand.cards, 1) if lies_up(hand, nth))
    return tuple(card for card in seen if card is not None)


def face_up(hands: Hands) -> frozenset[Card]:
    """The cards that everybody sees."""
    return frozenset(seen_cards(hands))


def face_down(hands: Hands) -> frozenset[Card]:
    """The known cards that nobody may see yet."""
    return frozenset(known(hands)) - face_up(hands)


def first_face_down(hand: Hand) -> int:
    """Return the number, from 1, of a hand's first card face down; 1 where none is."""
    return next((nth for nth in range(1, len(hand.cards) + 1) if not lies_up(hand, nth)), 1)


def unnamed(hands: Hands, twice: Card) -> Hands:
    """Return the hands without this card's name, which was read twice.

    Neither of the two readings can be believed. Where the card lies face up its name stays, since everybody has seen
    it.
    """
    return tuple(_unnamed(hand, twice) for hand in hands)


def count(hands: Hands) -> int:
    """How many cards lie on the table."""
    return sum(len(hand.cards) for hand in hands)


def _unnamed(hand: Hand, twice: Card) -> Hand:
    cards = enumerate(hand.cards, 1)
    return replace(hand, cards=tuple(card if card != twice or lies_up(hand, nth) else None for nth, card in cards))
