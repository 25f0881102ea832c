"""Values of cards in Football Poker, and totals of hands."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from tablectl.core.cards import RANKS, Card

Cards = tuple[Card, ...]

FIRST_CARDS: Final = 2
"""Cards of every hand. Rule: 41/2003 art. 6(3)."""

VALUES: Final = range(10)
"""What a card or a hand can be worth."""

LAW_VALUES: Final[Mapping[str, int]] = MappingProxyType(
    {rank: int(rank) if rank.isdigit() else int(rank == "A") for rank in RANKS}
)
"""Points of each rank. Rule: 41/2003 art. 9(1) to 9(3)."""


def total_of(cards: Cards, values: Mapping[str, int] = LAW_VALUES) -> int:
    """Return the total of the cards, 0 to 9: the last digit of their sum.

    So ten counts as 0.

    Rule: 41/2003 art. 9(4); reading 1.

    Args:
        cards: of one hand.
        values: points of each rank, as a rule table has them.

    Examples:
        >>> total_of(("9s", "5h"))
        4
        >>> total_of(("Ks", "Qh", "Jd"))
        0
    """
    return sum([values[card[0]] for card in cards]) % 10
