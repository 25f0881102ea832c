"""Numbers in stretches: what is there, what is missing."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tablectl.features.recorder.ranges import Ranges

NUMBERS = st.lists(st.tuples(st.integers(1, 60), st.integers(0, 5)), max_size=30)


def numbers(pairs: list[tuple[int, int]]) -> set[int]:
    return {number for low, more in pairs for number in range(low, low + more + 1)}


@given(NUMBERS, st.integers(0, 70))
def test_ranges_hold_numbers_that_were_added_and_miss_others(pairs: list[tuple[int, int]], through: int) -> None:
    ranges, wanted = Ranges(), numbers(pairs)
    for low, more in pairs:
        ranges.add(low, low + more)
    assert {number for number in range(1, 80) if number in ranges} == wanted
    assert ranges.count == len(wanted)
    assert ranges.last == max(wanted, default=0)
    missing = {number for low, high in ranges.missing(through) for number in range(low, high + 1)}
    assert missing == set(range(1, through + 1)) - wanted
    assert ranges.unbroken == next(number for number in range(1, 80) if number not in wanted) - 1
    held = list(ranges)
    assert all(before[1] + 1 < after[0] for before, after in pairwise(held))


@given(NUMBERS, NUMBERS)
def test_what_is_gone_is_not_missing(kept: list[tuple[int, int]], gone: list[tuple[int, int]]) -> None:
    ranges, other = (Ranges((low, low + more) for low, more in pairs) for pairs in (kept, gone))
    missing = {number for low, high in ranges.missing(70, other) for number in range(low, high + 1)}
    assert missing == set(range(1, 71)) - numbers(kept) - numbers(gone)
