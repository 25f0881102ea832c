"""Combinations of the 13-card game, ranked as one integer per tier, and naturals."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from itertools import combinations, combinations_with_replacement
from types import MappingProxyType
from typing import Final

from tablectl.core.cards import PACK, Card, rank_of, suit_of

Cards = tuple[Card, ...]

Rows = tuple[Cards, Cards, Cards]
"""Thirteen cards as set: the first tier of three, the second and the third of five."""

Keys = tuple[int, int, int]
"""The keys of the three tiers."""

ACE: Final = 14
_HIGH_FIRST: Final = range(ACE, 1, -1)

SIZES: Final = (3, 5, 5)
"""Cards in each tier. Rule: 51/89/M art. 7."""


class Combination(StrEnum):
    """Combination of the cards of a tier, from high to low.

    Rule: 51/89/M art. 9(1) to 9(10).
    """

    ROYAL_FLUSH = "royal_flush"
    STRAIGHT_FLUSH = "straight_flush"
    FOUR_OF_A_KIND = "four_of_a_kind"
    FULL_HOUSE = "full_house"
    FLUSH = "flush"
    STRAIGHT = "straight"
    THREE_OF_A_KIND = "three_of_a_kind"
    TWO_PAIRS = "two_pairs"
    PAIR = "pair"
    HIGH_CARD = "high_card"


class Natural(StrEnum):
    """Natural of thirteen cards together, in the order in which they are named.

    Rule: 51/89/M art. 9(I).
    """

    DRAGON = "dragon"
    SIX_AND_A_HALF_PAIRS = "six_and_a_half_pairs"
    THREE_FLUSHES = "three_flushes"
    THREE_STRAIGHTS = "three_straights"


FIRST_TIER: Final = (Combination.THREE_OF_A_KIND, Combination.PAIR, Combination.HIGH_CARD)
"""What three cards can make; one suit or a sequence of three only counts towards a natural."""

_LOW_TO_HIGH: Final = tuple(reversed(Combination))
_STRENGTHS: Final = {made: strength for strength, made in enumerate(_LOW_TO_HIGH)}
_DIGITS: Final = 5
_CLASS_SHIFT: Final = 4 * _DIGITS

# How often each rank comes, most first, to what that makes and how many ranks are compared. One pack has no
# two trios of one rank, so what lies beside a trio or four of a kind never decides.
_REPEATS: Final[Mapping[tuple[int, ...], tuple[Combination, int]]] = MappingProxyType(
    {
        (4, 1): (Combination.FOUR_OF_A_KIND, 1),
        (3, 2): (Combination.FULL_HOUSE, 1),
        (3, 1, 1): (Combination.THREE_OF_A_KIND, 1),
        (3,): (Combination.THREE_OF_A_KIND, 1),
        (2, 2, 1): (Combination.TWO_PAIRS, 3),
        (2, 1, 1, 1): (Combination.PAIR, 4),
        (2, 1): (Combination.PAIR, 2),
    }
)

_HEIGHTS: Final = MappingProxyType({ACE: 15, 5: 14})
"""Where sequences by their top stand out of their order: A-2-3-4-5 is between the ace's and the king's."""

# Each the least weight with which no two hands of five, no rank more than four times in one, have the same
# sum; nor have two of three. Such a sum takes 19 bits; above stand the suits, in digits to base 6, so that five
# of one suit show too. The whole fits one machine digit of an integer.
_RANK_WEIGHTS: Final = (0, 1, 5, 22, 94, 312, 992, 2422, 5624, 12522, 19998, 43258, 79415)
_RANK_BITS: Final = 19
_RANK_MASK: Final = (1 << _RANK_BITS) - 1
_SUIT_WEIGHTS: Final = tuple(weight << _RANK_BITS for weight in (0, 1, 6, 36))
_WEIGHTS: Final = {card: _RANK_WEIGHTS[rank_of(card) - 2] + _SUIT_WEIGHTS[suit_of(card) - 1] for card in PACK}
_FLUSHES: Final[dict[int, int]] = {}
"""The keys of five cards of one suit, by the sum of their weights."""

_KEYS: Final[dict[int, int]] = {}
"""The keys of five cards of several suits, by the sum of their ranks' weights."""

_FIRST_KEYS: Final[dict[int, int]] = {}
"""The keys of three cards, by the sum of their ranks' weights."""


def rank_five(cards: Cards) -> int:
    """Return the key of a second or third tier: the higher key wins.

    Equal keys have the same ranks, card by card.

    Rule: 51/89/M art. 9(1) to 9(10).

    Args:
        cards: five different cards in any order.

    Raises:
        ValueError: not five cards, or five of one rank.

    Examples:
        >>> rank_five(("As", "2h", "3d", "4c", "5s")) > rank_five(("Ks", "Qh", "Jd", "Tc", "9s"))  # the second straight
        True
        >>> rank_five(("Ks", "Kh", "4d", "4c", "7s")) == rank_five(("Kd", "Kc", "4s", "4h", "7d"))
        True
    """
    try:
        first, second, third, fourth, fifth = cards
        total = _WEIGHTS[first] + _WEIGHTS[second] + _WEIGHTS[third] + _WEIGHTS[fourth] + _WEIGHTS[fifth]
        return _FLUSHES.get(total) or _KEYS[total & _RANK_MASK]
    except (KeyError, ValueError):
        return _rank_rarely(cards, 5, rank_five)


def rank_three(cards: Cards) -> int:
    """Return the key of a first tier, comparable also with those of five cards.

    A missing card ranks below any.

    Rule: 51/89/M art. 7, 9(7), 9(9) and 9(10); readings 3 and 4.

    Args:
        cards: three different cards in any order.

    Raises:
        ValueError: not three cards.

    Examples:
        >>> rank_three(("As", "Ks", "Qs")) < rank_three(("2s", "2h", "3d"))  # one suit and sequence have no value
        True
        >>> rank_three(("As", "Ah", "Kd")) < rank_five(("As", "Ah", "Kd", "3c", "2s"))
        True
    """
    try:
        first, second, third = cards
        return _FIRST_KEYS[(_WEIGHTS[first] + _WEIGHTS[second] + _WEIGHTS[third]) & _RANK_MASK]
    except (KeyError, ValueError):
        return _rank_rarely(cards, 3, rank_three)


def _rank_rarely(cards: Cards, size: int, rank: Callable[[Cards], int]) -> int:
    """The key where the tables had none: they are filled now, or there is none."""
    if _KEYS or len(cards) != size:
        raise ValueError(f"{size} different cards are expected, not {', '.join(cards) or 'none'}")
    _fill_tables()
    return rank(cards)


def _fill_tables() -> None:
    """Fill the tables, at the first hand that is ranked.

    A program that ranks none doesn't wait for them.
    """
    _FIRST_KEYS.update(_keys_of_ranks(3))
    for ranks in combinations(_HIGH_FIRST, 5):
        key, suited = judge(ranks, one_suit=True), _weigh(ranks)
        _FLUSHES.update({suited + 5 * suit: key for suit in _SUIT_WEIGHTS})
    _KEYS.update(_keys_of_ranks(5))


def _keys_of_ranks(size: int) -> dict[int, int]:
    """Return the keys of this many cards of several suits, for all ranks of one pack."""
    return {
        _weigh(ranks): judge(ranks, one_suit=False)
        for ranks in combinations_with_replacement(_HIGH_FIRST, size)
        if max(Counter(ranks).values()) <= 4
    }


def _weigh(ranks: Iterable[int]) -> int:
    return sum(_RANK_WEIGHTS[rank - 2] for rank in ranks)


def runs(size: int) -> Mapping[frozenset[int], int]:
    """Return every sequence of this many ranks, with its top rank.

    A-2-3 has the top 3: the ace counts 1 in it.

    Rule: 51/89/M art. 9(2) and 9(6).
    """
    tops = range(size, ACE + 1)
    return {frozenset(rank if rank > 1 else ACE for rank in range(top - size + 1, top + 1)): top for top in tops}


_RUNS: Final = MappingProxyType({size: runs(size) for size in set(SIZES)})


def judge(ranks: tuple[int, ...], *, one_suit: bool) -> int:
    """Return the key of a tier by its ranks.

    It consists of the combination's strength, then the ranks that are compared.

    Rule: 51/89/M art. 6, 9(1) to 9(10).

    Args:
        ranks: three or five, from high to low.
        one_suit: all cards of one suit; never true for three, for which it has no value.
    """
    times = Counter(ranks)
    repeats = tuple(sorted(times.values(), reverse=True))
    if repeats in _REPEATS:
        made, compared = _REPEATS[repeats]
        by_times = sorted(times, key=lambda rank: (times[rank], rank), reverse=True)
        return _key(made, by_times[:compared])
    top = _RUNS[5].get(frozenset(ranks), 0)
    if not top:
        return _key(Combination.FLUSH if one_suit else Combination.HIGH_CARD, ranks)
    return _judge_sequence(top, one_suit=one_suit)


def _judge_sequence(top: int, *, one_suit: bool) -> int:
    """Return the key of a sequence of five.

    A-K-Q-J-10 is the highest, A-2-3-4-5 the second; of one suit the former is royal.

    Rule: 51/89/M art. 9(1), 9(2) and 9(6); reading 7.
    """
    if not one_suit:
        return _key(Combination.STRAIGHT, [_HEIGHTS.get(top, top)])
    return _key(Combination.ROYAL_FLUSH if top == ACE else Combination.STRAIGHT_FLUSH, [_HEIGHTS.get(top, top)])


def _key(made: Combination, compared: Sequence[int]) -> int:
    """A strength and five digits to base 16, 0 where there is no card."""
    key = _STRENGTHS[made]
    for place in range(_DIGITS):
        key = key << 4 | (compared[place] if place < len(compared) else 0)
    return key


def combination_of(key: int) -> Combination:
    """The formation of a tier with this key.

    Rule: 51/89/M art. 9(1) to 9(10).
    """
    return _LOW_TO_HIGH[key >> _CLASS_SHIFT]


def rank_rows(rows: Rows) -> Keys:
    """The keys of the three tiers.

    Examples:
        >>> rows = tuple(tuple(tier.split()) for tier in ("Qs 8h 3d", "9s 9h Jd 6c 2s", "Ks Kh 4d 4c 7s"))
        >>> [str(combination_of(key)) for key in rank_rows(rows)]
        ['high_card', 'pair', 'two_pairs']
        >>> rank_rows(rows) == (rank_three(rows[0]), rank_five(rows[1]), rank_five(rows[2]))
        True
    """
    first, second, third = rows
    return rank_three(first), rank_five(second), rank_five(third)


def ascends(keys: Keys) -> bool:
    """Return True if no tier is stronger than the next; equal neighbours are in order.

    Rule: 51/89/M art. 7; reading 4.
    """
    first, second, third = keys
    return first <= second <= third


def natural(rows: Rows) -> Natural | None:
    """Return the first natural that fits thirteen cards; None if none does.

    Rule: 51/89/M art. 9(I); readings 5 and 6. The first two need no arrangement, the others must show in the tiers as
    set.

    Examples:
        >>> dragon = tuple(tuple(tier.split()) for tier in ("Ah Kd Qc", "Jh Th 9d 8c 7d", "6h 5h 4s 3c 2h"))
        >>> natural(dragon)
        <Natural.DRAGON: 'dragon'>
        >>> rows = tuple(tuple(tier.split()) for tier in ("Qs 8h 3d", "9s 9h Jd 6c 2s", "Ks Kh 4d 4c 7s"))
        >>> natural(rows) is None
        True
    """
    times = Counter(rank_of(card) for row in rows for card in row)
    if len(times) == 13:
        return Natural.DRAGON
    if is_six_and_a_half_pairs(times.values()):
        return Natural.SIX_AND_A_HALF_PAIRS
    if all(len({suit_of(card) for card in row}) == 1 for row in rows):
        return Natural.THREE_FLUSHES
    if all(frozenset(map(rank_of, row)) in _RUNS[len(row)] for row in rows):
        return Natural.THREE_STRAIGHTS
    return None


def is_six_and_a_half_pairs(times: Iterable[int]) -> bool:
    """Return True if thirteen cards are six pairs and an odd card.

    Four cards of a rank are two pairs, three are none.

    Rule: 51/89/M art. 9(I); reading 6.

    Args:
        times: how often each rank comes.
    """
    return [count for count in times if count % 2] == [1]
