"""Completeness of a log's events: missing numbers, and repeats with other bytes."""

from bisect import bisect_right
from collections.abc import Sequence
from enum import Enum
from hashlib import blake2b
from operator import itemgetter
from typing import Final

KEPT: Final = 100_000
"""Digests kept for comparing repeats: of the newest arrivals."""

Range = tuple[int, int]
"""The first and the last of successive numbers."""


class Arrival(Enum):
    """Relation of an event to those before it."""

    NEW = "new"
    REPEATED = "repeated"
    DIFFERENT = "different"


class Completeness:
    """The numbers of one log that have come. Any order will do."""

    def __init__(self) -> None:
        self.repeats = 0
        self.different: list[int] = []
        self._ranges: list[Range] = []
        self._digests: dict[int, bytes] = {}

    @property
    def first(self) -> int:
        """The lowest number that has come; 0 where none has."""
        return self._ranges[0][0] if self._ranges else 0

    @property
    def last(self) -> int:
        """The highest number that has come; 0 where none has."""
        return self._ranges[-1][1] if self._ranges else 0

    @property
    def count(self) -> int:
        """How many different numbers have come."""
        return sum(high - low + 1 for low, high in self._ranges)

    @property
    def flawless(self) -> bool:
        """Return True if nothing is missing and no number came with two contents.

        Numbers before the first one that came don't count as missing.
        """
        return len(self._ranges) <= 1 and not self.different

    def missing(self) -> Sequence[Range]:
        """The gaps between the first and the last."""
        pairs = zip(self._ranges, self._ranges[1:], strict=False)
        return [(before[1] + 1, after[0] - 1) for before, after in pairs]

    def take(self, sequence: int, payload: bytes) -> Arrival:
        """Takes an event in.

        Returns:
            DIFFERENT where its number came before with other bytes; so far back that these aren't known any more, a
            repeat passes as REPEATED.
        """
        if not self._covers(sequence):
            self._add(sequence)
            self._digests[sequence] = _digest(payload)
            if len(self._digests) > KEPT:
                del self._digests[next(iter(self._digests))]
            return Arrival.NEW
        if self._digests.get(sequence, digest := _digest(payload)) == digest:
            self.repeats += 1
            return Arrival.REPEATED
        self.different.append(sequence)
        return Arrival.DIFFERENT

    def _covers(self, sequence: int) -> bool:
        at = self._before(sequence)
        return at >= 0 and sequence <= self._ranges[at][1]

    def _before(self, sequence: int) -> int:
        """Return the index of the last range that begins at or before the number.

        -1 where none does.
        """
        return bisect_right(self._ranges, sequence, key=itemgetter(0)) - 1

    def _add(self, sequence: int) -> None:
        at = self._before(sequence)
        low = high = sequence
        if at >= 0 and self._ranges[at][1] == sequence - 1:
            low = self._ranges.pop(at)[0]
            at -= 1
        if at + 1 < len(self._ranges) and self._ranges[at + 1][0] == sequence + 1:
            high = self._ranges.pop(at + 1)[1]
        self._ranges.insert(at + 1, (low, high))


def ranges_text(ranges: Sequence[Range]) -> str:
    """The ranges as people write them: `12–15, 18`."""
    return ", ".join(str(low) if low == high else f"{low}–{high}" for low, high in ranges)


def _digest(payload: bytes) -> bytes:
    return blake2b(payload, digest_size=12).digest()
