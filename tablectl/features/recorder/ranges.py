"""Sets of an event log's numbers, kept as stretches without a gap."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence

Range = tuple[int, int]
"""The first and the last of successive numbers."""


class Ranges:
    """Numbers from 1 on, added in any order."""

    def __init__(self, ranges: Iterable[Range] = ()) -> None:
        self._ranges: list[Range] = []
        for low, high in ranges:
            self.add(low, high)

    def __contains__(self, number: int) -> bool:
        at = bisect_right(self._ranges, number, key=_low) - 1
        return at >= 0 and number <= self._ranges[at][1]

    def __iter__(self) -> Iterator[Range]:
        return iter(self._ranges)

    @property
    def last(self) -> int:
        """The highest number; 0 where there is none."""
        return self._ranges[-1][1] if self._ranges else 0

    @property
    def unbroken(self) -> int:
        """The last number up to which none is missing from 1 on; 0 where 1 is missing."""
        return self._ranges[0][1] if self._ranges and self._ranges[0][0] == 1 else 0

    @property
    def count(self) -> int:
        """How many numbers there are."""
        return sum(high - low + 1 for low, high in self._ranges)

    def add(self, low: int, high: int | None = None) -> None:
        """Adds a number, or all from the first to the second."""
        high = low if high is None else high
        if self._ranges and low == self._ranges[-1][1] + 1:
            self._ranges[-1] = (self._ranges[-1][0], high)
            return
        first = bisect_left(self._ranges, low - 1, key=_high)
        end = bisect_right(self._ranges, high + 1, key=_low)
        touched = self._ranges[first:end]
        if touched:
            low, high = min(low, touched[0][0]), max(high, touched[-1][1])
        self._ranges[first:end] = [(low, high)]

    def missing(self, through: int, gone: "Ranges | None" = None) -> Sequence[Range]:
        """The gaps from 1 up to a number.

        Args:
            gone: numbers that don't count as missing either.
        """
        if gone is not None and gone.last:
            return Ranges([*self, *gone]).missing(through)
        gaps: list[Range] = []
        expected = 1
        for low, high in (*self._ranges, (through + 1, through + 1)):
            if expected < low and expected <= through:
                gaps.append((expected, min(low - 1, through)))
            expected = high + 1
        return gaps


def _low(given: Range) -> int:
    return given[0]


def _high(given: Range) -> int:
    return given[1]
