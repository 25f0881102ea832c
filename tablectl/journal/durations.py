"""How long something took, counted by size."""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate
from typing import Final

BOUNDS_S: Final = (0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0)
"""Upper ends: from a commit on a good disk to one that holds the table up."""


class Durations:
    """Counts of durations between fixed bounds, and their sum.

    Attributes:
        sum_s: all of them together.
    """

    def __init__(self) -> None:
        self._counts = [0] * (len(BOUNDS_S) + 1)
        self.sum_s = 0.0

    def take(self, duration_s: float) -> None:
        """Count one."""
        self._counts[bisect_left(BOUNDS_S, duration_s)] += 1
        self.sum_s += duration_s

    def at_most(self) -> Sequence[tuple[float, int]]:
        """How many took at most so long, by bound; the last bound is infinity."""
        return tuple(zip((*BOUNDS_S, float("inf")), accumulate(self._counts), strict=True))
