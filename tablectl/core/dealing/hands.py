"""Hands of cards on the table: owners, known cards, cards face up, hole cards."""

from tablectl.core.cards import Card, Place
from tablectl.core.effects import Announce, Effects
from tablectl.core.events.round import CardDealt
from tablectl.core.facts import Fact
from tablectl.core.facts.reports import CardDrawn
from tablectl.lazy_dataclass import dataclass, replace


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


@dataclass(frozen=True, slots=True)
class ReadCard:
    """A card as a device read it on its way to the table.

    Args:
        number: of all cards read in this log, from 1, never reset.
        fact: the report.
        card: its identity.
        place: where it was dealt to, as its `index`-th card from 1; None where it belongs to no hand.
    """

    number: int
    fact: Fact
    card: Card
    round_id: str | None
    place: Place | None
    index: int | None


def read_card(fact: Fact, effects: Effects, number: int, round_id: str | None) -> ReadCard | None:
    """The card that was read with this fact; None where none was.

    Args:
        effects: what followed from the fact: they say where the card went.
        number: of the card.
        round_id: the round in being.
    """
    if not isinstance(fact.body, CardDrawn) or fact.body.card is None:
        return None
    dealt = [item.event for item in effects if isinstance(item, Announce) and isinstance(item.event, CardDealt)]
    last = dealt[-1] if dealt else None
    return ReadCard(number, fact, fact.body.card, round_id, last.place if last else None, last.index if last else None)
