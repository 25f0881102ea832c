"""Playing cards as two characters, a rank and a suit.

`"As"` is the ace of spades.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final, NewType

from tablectl.core.json_form import FormError, Json, each_in, kind_of, list_in

Card = NewType("Card", str)

RANKS: Final = "AKQJT98765432"
"""The ranks from high to low."""

SUITS: Final = "shcd"
"""The suits from high to low: spades, hearts, clubs, diamonds."""

PACK: Final[tuple[Card, ...]] = tuple(Card(rank + suit) for suit in SUITS for rank in RANKS)
"""One pack of 52, in the order of the suits and, inside a suit, of the ranks."""

_CARDS: Final = {str(card): card for card in PACK}
_RANK_OF: Final = {card: 14 - RANKS.index(card[0]) for card in PACK}
_SUIT_OF: Final = {card: 4 - SUITS.index(card[1]) for card in PACK}
_SIGNS: Final[Mapping[str, str]] = MappingProxyType({"s": "♠", "h": "♥", "c": "♣", "d": "♦"})


def parse_card(text: str) -> Card:
    """The card that `text` names.

    Raises:
        ValueError: `text` isn't one of the 52 names.
    """
    return _CARDS.get(text) or parse_cards((text,))[0]  # which says what is wrong


def parse_cards(texts: Iterable[str]) -> tuple[Card, ...]:
    """The cards that the texts name, in their order.

    Raises:
        ValueError: a text isn't one of the 52 names.
    """
    try:
        return tuple([_CARDS[text] for text in texts])
    except KeyError as error:
        wrong = f"{error.args[0]!r:.40}"
        raise ValueError(f"{wrong} isn't a card: a rank of {RANKS}, then a suit of {SUITS}") from None


def rank_of(card: Card) -> int:
    """The card's rank, 2 to 14: jack 11, queen 12, king 13, ace 14."""
    return _RANK_OF[card]


def suit_of(card: Card) -> int:
    """The card's suit, 1 to 4: diamonds 1, clubs 2, hearts 3, spades 4."""
    return _SUIT_OF[card]


def pretty(card: Card) -> str:
    """The card as people write it: `"A♠"`, `"10♦"`."""
    rank = "10" if card[0] == "T" else card[0]
    return rank + _SIGNS[card[1]]


Place = int | str
"""A betting position by its number, or one of the names below."""

DEALER = "dealer"
"""The house's hand in Q Poker."""

BANKER = "banker"
"""Whoever holds the bank, in Chinese dice and 13 Cards."""

COMMON = "common"
"""The place on which everyone may bet in Football Poker."""

ASIDE = "aside"
"""Where a card lies that was drawn too many: laid aside, at no hand."""


def cards_in(form: Mapping[str, Json], name: str) -> tuple[Card, ...]:
    """The field as a list of cards."""
    cards = list_in(form, name)
    try:
        return parse_cards(cards)  # type: ignore[arg-type]  # what isn't a string is no card's name
    except (TypeError, ValueError):
        return each_in(form, name, _card_of)


def _card_of(form: Json) -> Card:
    if not isinstance(form, str):
        raise FormError("", f'a card such as "As" is expected, not {kind_of(form)}')
    try:
        return parse_card(form)
    except ValueError as error:
        raise FormError("", str(error)) from None
