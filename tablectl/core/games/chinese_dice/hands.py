"""The combinations of three dice and their order, as one small integer per throw."""

from enum import StrEnum
from itertools import product
from typing import Final

from tablectl.core.outcomes import FACES, Throw

DICE: Final = 3

INDECISIVE: Final = 0
"""The key of three different faces that make nothing: the place throws again."""


class Combination(StrEnum):
    """Combination of three dice, from high to low.

    The number of a pair is the third die's.

    Rule: 108/89/M art. 6.
    """

    FOUR_FIVE_SIX = "4-5-6"
    TRIPLE = "triple"
    PAIR_AND_SIX = "pair+6"
    PAIR_AND_FIVE = "pair+5"
    PAIR_AND_FOUR = "pair+4"
    PAIR_AND_THREE = "pair+3"
    PAIR_AND_TWO = "pair+2"
    PAIR_AND_ONE = "pair+1"
    ONE_TWO_THREE = "1-2-3"


_LOW_TO_HIGH: Final = tuple(reversed(Combination))


def key_of(made: Combination) -> int:
    """The key of every throw that shows this combination."""
    return _LOW_TO_HIGH.index(made) + 1


def _judge(throw: Throw) -> int:
    """The key of three faces.

    Rule: 108/89/M art. 2(a) and 6; readings 3 and 5.
    """
    low, middle, high = sorted(throw)
    if (low, middle, high) == (4, 5, 6):
        return key_of(Combination.FOUR_FIVE_SIX)
    if (low, middle, high) == (1, 2, 3):
        return key_of(Combination.ONE_TWO_THREE)
    if low == high:
        return key_of(Combination.TRIPLE)
    if middle in (low, high):
        return key_of(Combination(f"pair+{low + high - middle}"))
    return INDECISIVE


_KEYS: Final = {throw: _judge(throw) for throw in product(FACES, repeat=DICE)}


def rank_throw(throw: Throw) -> int:
    """Return the throw's key: `INDECISIVE`, or from 1 up.

    The higher key wins and equal keys tie. All triples are of equal value, as art. 6 names them once.

    Rule: 108/89/M art. 2(a) and 6; reading 3.

    Args:
        throw: three faces, 1 to 6, in any order.

    Raises:
        ValueError: not three faces.

    Examples:
        >>> rank_throw((2, 2, 6)) > rank_throw((5, 4, 5))  # the third die decides between pairs
        True
        >>> rank_throw((1, 1, 1)) == rank_throw((6, 6, 6))
        True
        >>> rank_throw((1, 2, 4)) == INDECISIVE
        True
    """
    try:
        return _KEYS[throw]
    except KeyError:
        raise ValueError(f"a throw is three faces from 1 to 6, not {throw}") from None


def combination_of(key: int) -> Combination:
    """The combination of a throw with this key, which isn't `INDECISIVE`.

    Rule: 108/89/M art. 6.
    """
    return _LOW_TO_HIGH[key - 1]


def combination(throw: Throw) -> Combination | None:
    """Return the combination of three dice; None where the place throws again.

    Rule: 108/89/M art. 2(a).
    """
    key = rank_throw(throw)
    return None if key == INDECISIVE else combination_of(key)
