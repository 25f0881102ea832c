"""The combinations of Q Poker and their order, as one integer per hand."""

from array import array
from enum import StrEnum
from itertools import permutations
from typing import Final

from tablectl.core.cards import PACK, Card, rank_of, suit_of

Cards = tuple[Card, ...]

QUEEN: Final = 12


class Combination(StrEnum):
    """Combination of three cards, from high to low.

    Rule: 89/2004 art. 8.
    """

    STRAIGHT_FLUSH = "straight_flush"
    THREE_OF_A_KIND = "three_of_a_kind"
    STRAIGHT = "straight"
    FLUSH = "flush"
    PAIR = "pair"
    HIGH_CARD = "high_card"


_LOW_TO_HIGH: Final = tuple(reversed(Combination))
_STRENGTHS: Final = {made: strength for strength, made in enumerate(_LOW_TO_HIGH)}
_CLASS_SHIFT: Final = 16
_LOWEST_SEQUENCE: Final = (3, 2, 1)
"""A-2-3: the 3 is its top card, and it comes last. Rule: 89/2004 art. 4(3); readings 3 and 4."""

# A card's part in the number of a hand, as its first, second and third card.
_FIRST, _SECOND, _THIRD = (
    {card: n * weight for n, card in enumerate(PACK)} for weight in (1, len(PACK), len(PACK) ** 2)
)
_KEYS: "array[int]" = array("I", bytes(4 * len(PACK) ** 3))
"""The keys of the hands ranked so far, by the number of the hand; 0 for the others: a fifth of what a dict takes."""


def rank_hand(cards: Cards) -> int:
    """The hand's key: of two hands the one with the higher key wins.

    Equal keys only come from hands that share a card, so they never meet in one pack.

    Rule: 89/2004 art. 8; reading 1.

    Args:
        cards: three different cards in any order.

    Raises:
        ValueError: not three, or not different.

    Examples:
        >>> rank_hand(("3s", "2h", "Ad")) < rank_hand(("4s", "3h", "2d"))  # the lowest straight
        True
        >>> rank_hand(("Kc", "Kd", "5s")) > rank_hand(("Ks", "Kh", "5c"))  # the suit of the odd card
        True
    """
    try:
        first, second, third = cards
        return _KEYS[_FIRST[first] + _SECOND[second] + _THIRD[third]] or _rank_and_keep(cards)
    except (KeyError, ValueError):
        return _rank_and_keep(cards)


def _rank_and_keep(cards: Cards) -> int:
    """The key of a hand that isn't in the table yet, now kept there."""
    if len(cards) != 3 or len(set(cards)) != 3:
        raise ValueError(f"a hand is three different cards, not {', '.join(cards)}")
    made, ranks, suit = _judge(cards)
    high, middle, low = ranks
    key = lowest_key(made, high, middle, low) | suit
    for first, second, third in permutations(cards):
        _KEYS[_FIRST[first] + _SECOND[second] + _THIRD[third]] = key
    return key


def _judge(cards: Cards) -> tuple[Combination, tuple[int, ...], int]:
    """Evaluate three cards.

    Rule: 89/2004 art. 4(1), 4(2), 8(1) to 8(6); reading 3 (the suit of a sequence is its top card's).

    Returns:
        The combination, the ranks in the order in which they are compared, and the suit that breaks a tie.
    """
    high_first = sorted(cards, key=rank_of, reverse=True)
    ranks = tuple(rank_of(card) for card in high_first)
    one_suit = suit_of(cards[0]) == suit_of(cards[1]) == suit_of(cards[2])
    sequence = _sequence(ranks)
    if sequence:
        made = Combination.STRAIGHT_FLUSH if one_suit else Combination.STRAIGHT
        top = high_first[1] if sequence == _LOWEST_SEQUENCE else high_first[0]
        return made, sequence, suit_of(top)
    match len(set(ranks)):
        case 1:
            return Combination.THREE_OF_A_KIND, ranks, 0
        case 2:
            return _judge_pair(high_first)
        case _:
            made = Combination.FLUSH if one_suit else Combination.HIGH_CARD
            return made, ranks, suit_of(high_first[0])


def _sequence(ranks: tuple[int, ...]) -> tuple[int, ...]:
    """The ranks as a sequence, empty if they are none; the ace of A-2-3 counts 1.

    Rule: 89/2004 art. 4(3); readings 4 and 15.
    """
    if ranks == (14, 3, 2):
        return _LOWEST_SEQUENCE
    return ranks if ranks[0] == ranks[1] + 1 == ranks[2] + 2 else ()


def _judge_pair(high_first: list[Card]) -> tuple[Combination, tuple[int, ...], int]:
    """A pair: its rank, then the odd card, then the suit of the odd card.

    Rule: 89/2004 art. 8(5).
    """
    odd = high_first[2] if rank_of(high_first[0]) == rank_of(high_first[1]) else high_first[0]
    paired = rank_of(high_first[1])
    return Combination.PAIR, (paired, paired, rank_of(odd)), suit_of(odd)


def combination_of(key: int) -> Combination:
    """The combination of a hand with this key.

    Rule: 89/2004 art. 8.
    """
    return _LOW_TO_HIGH[key >> _CLASS_SHIFT]


def strength_of(key: int) -> int:
    """Return the strength of the combination of a hand with this key.

    It is 0 for high card, and one more for each combination above it.
    """
    return key >> _CLASS_SHIFT


def combination(cards: Cards) -> Combination:
    """Return the combination of three cards.

    Rule: 89/2004 art. 8.
    """
    return combination_of(rank_hand(cards))


def lowest_key(made: Combination, high: int = 0, middle: int = 0, low: int = 0) -> int:
    """Return the lowest key of hands with this combination, from these ranks up.

    No lower hand reaches it.
    """
    return _STRENGTHS[made] << _CLASS_SHIFT | high << 12 | middle << 8 | low << 4


def key_of_high_card(rank: int) -> int:
    """Return the lowest key of high-card hands with this highest rank, 2 to 14.

    All of them reach it, and no lower hand does.
    """
    return lowest_key(Combination.HIGH_CARD, rank)


def qualifies(cards: Cards, lowest: int = QUEEN) -> bool:
    """Return True if the dealer's hand qualifies: Queen-high or better.

    Rule: 89/2004 art. 9(4); reading 5.

    Args:
        cards: the dealer's three cards.
        lowest: the rank of the highest card, 2 to 14, that a high-card hand needs.
    """
    return rank_hand(cards) >= key_of_high_card(lowest)
