"""The usual range of a count: the binomial distribution's own, compared with exact fractions."""

from fractions import Fraction
from itertools import accumulate
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablectl.history.statistics.binomial import usual_range

TAIL = Fraction(25, 1000)


def exact(trials: int, chance: Fraction) -> tuple[int, int]:
    terms = [comb(trials, count) * chance**count * (1 - chance) ** (trials - count) for count in range(trials + 1)]
    upto = list(accumulate(terms))
    low = next(count for count, share in enumerate(upto) if share > TAIL)
    high = next(count for count, share in enumerate(upto) if 1 - share <= TAIL)
    return low, high


chances = st.fractions(min_value=0, max_value=1, max_denominator=400)


@given(st.integers(0, 150), chances)
def test_the_range_is_that_of_exact_fractions(trials: int, chance: Fraction) -> None:
    assert usual_range(trials, chance) == exact(trials, chance)


@pytest.mark.parametrize(
    ("trials", "chance", "found"),
    [
        (0, Fraction(1, 2), (0, 0)),
        (10, Fraction(0), (0, 0)),
        (10, Fraction(1), (10, 10)),
        (100, Fraction(1, 2), (40, 60)),
        (5200, Fraction(1, 52), (81, 120)),
        (1_000_000, Fraction(1, 2), (499_020, 500_980)),
    ],
)
def test_known_ranges(trials: int, chance: Fraction, found: tuple[int, int]) -> None:
    assert usual_range(trials, chance) == found
