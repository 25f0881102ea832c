"""How the demo's people set their thirteen cards: the best second tier, then the best first one, never a foul."""

from collections.abc import Iterator
from itertools import combinations

from tablectl.core.cards import Card
from tablectl.core.games.thirteen_cards.hands import Rows, ascends, rank_five, rank_three

FIVE, THREE = 5, 3
FEW = 60
"""Third tiers that are tried, from the strongest: the best setting is nearly always among them."""


def set_cards(cards: tuple[Card, ...]) -> Rows:
    """The cards in three tiers of ascending strength.

    Args:
        cards: thirteen.
    """
    thirds = sorted(combinations(cards, FIVE), key=rank_five, reverse=True)[:FEW]
    return max((rows for third in thirds for rows in _settings(cards, third)), key=_strength)


def foul(rows: Rows) -> Rows:
    """The same cards with the two tiers of five in the wrong order."""
    first, second, third = rows
    return first, third, second


def _settings(cards: tuple[Card, ...], third: tuple[Card, ...]) -> Iterator[Rows]:
    rest = tuple(card for card in cards if card not in third)
    limit = rank_five(third)
    for first in combinations(rest, THREE):
        second = tuple(card for card in rest if card not in first)
        if ascends((rank_three(first), rank_five(second), limit)):
            yield first, second, third


def _strength(rows: Rows) -> tuple[int, int, int]:
    first, second, third = rows
    return rank_five(second), rank_three(first), rank_five(third)
