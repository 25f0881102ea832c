"""Values of cards in Football Poker, totals of hands, and third cards."""

from collections.abc import Set as AbstractSet
from typing import Final

from tablectl.core.cards import PACK, RANKS, Card

Cards = tuple[Card, ...]

VALUES: Final = range(10)
"""What a card or a hand can be worth."""

_VALUE_OF_RANK: Final = {"A": 1, "K": 0, "Q": 0, "J": 0, "T": 0} | {rank: int(rank) for rank in RANKS if rank.isdigit()}
_VALUE_OF: Final = {card: _VALUE_OF_RANK[card[0]] for card in PACK}


def value_of(card: Card) -> int:
    """The card's points, 0 to 9.

    Rule: 41/2003 art. 9(1) to 9(3).
    """
    return _VALUE_OF[card]


def total_of(cards: Cards) -> int:
    """Return the total of the cards, 0 to 9: the last digit of their sum.

    So ten counts as 0.

    Rule: 41/2003 art. 9(4); reading 1.

    Examples:
        >>> total_of(("9s", "5h"))
        4
        >>> total_of(("Ks", "Qh", "Jd"))
        0
    """
    return sum([_VALUE_OF[card] for card in cards]) % 10


def cards_due(first_two: Cards, post_numbers: AbstractSet[int]) -> int:
    """Return the number of cards that the hand has in the end.

    It is 3 where the first two total a Post number, else 2.

    Rule: 41/2003 art. 10(1); reading 2. Every such hand gets its third card, whether or not anyone bet on the Post.
    """
    return 3 if total_of(first_two) in post_numbers else 2


def is_complete(cards: Cards, post_numbers: AbstractSet[int]) -> bool:
    """Return True if a hand has its two cards, and a third exactly where one is due.

    The cards are in the order dealt.

    Rule: 41/2003 art. 6(3) and 10(1).
    """
    return len(cards) == cards_due(cards[:2], post_numbers)
