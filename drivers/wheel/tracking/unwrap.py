"""Unwrapping of a sensor's raw counts into one position without limits.

It also detects when that can't be done.
"""

from enum import Enum, Flag, auto
from typing import Final

from tablectl.core.outcomes import Direction
from tablectl.core.wheel_pegs import TURN_MDEG
from tablectl.lazy_dataclass import dataclass

COUNTER_MODULUS: Final = 1 << 32
FEWEST_COUNTS: Final = 4096
"""Fewer counts in a turn are too coarse to tell a peg's width."""

FASTEST_MDEG_S: Final = 4 * TURN_MDEG
"""No hand turns a wheel of a metre and a half faster than four times in a second."""

GAP_US: Final = 100_000
REJECTED_IN_A_ROW: Final = 3
_SLACK_COUNTS: Final = 4


class Trouble(Flag):
    """Trouble with a sample, as the sensor reports it."""

    NONE = 0
    QUADRATURE = auto()
    WORD = auto()


@dataclass(frozen=True, slots=True)
class Sensor:
    """Properties of a wheel's sensor.

    Args:
        counts_per_turn: at least 4096.
        absolute: whether a count is a place in the turn; otherwise it counts from anywhere, in 32 bits.
        indexed: whether it reports its index mark.
        positive: which way the wheel turns when counts rise.
        index_width: counts from the index mark's edge in the positive direction to that in the other.
    """

    counts_per_turn: int
    absolute: bool = False
    indexed: bool = True
    positive: Direction = Direction.CLOCKWISE
    index_width: int = 0

    def __post_init__(self) -> None:
        if self.counts_per_turn < FEWEST_COUNTS:
            msg = f"{self.counts_per_turn} counts in a turn are too few to tell a peg: {FEWEST_COUNTS} at least"
            raise ValueError(msg)

    @property
    def modulus(self) -> int:
        """Where the raw count begins again."""
        return self.counts_per_turn if self.absolute else COUNTER_MODULUS

    def counts(self, mdeg: int) -> int:
        """An angle, or a speed or acceleration, in counts."""
        return mdeg * self.counts_per_turn // TURN_MDEG

    def direction(self, sign: int) -> Direction:
        """Which way the wheel turns when the position changes with this sign."""
        falling = Direction.COUNTER_CLOCKWISE if self.positive is Direction.CLOCKWISE else Direction.CLOCKWISE
        return self.positive if sign > 0 else falling


class Followed(Enum):
    """Outcome of one sample."""

    GOOD = auto()
    GAP = auto()  # too long ago, but the position is sure
    LOST = auto()  # nobody knows how often the wheel turned since the sample before
    REJECTED = auto()  # no wheel moves so fast
    REPEATED = auto()  # not later than the sample before


class Track:
    """Follows one sensor.

    `position` is in counts, `at_us` the device's time of the last good sample.
    """

    def __init__(self, sensor: Sensor) -> None:
        self.position = 0
        self.at_us = 0
        self._sensor = sensor
        self._modulus = sensor.modulus
        self._half = sensor.modulus // 2
        self._fastest = sensor.counts(FASTEST_MDEG_S)
        self._count: int | None = None
        self._rejected = 0

    def follow(self, at_us: int, count: int) -> Followed:
        """Takes a sample of the raw counter at the device's time `at_us`."""
        if self._count is None:
            self.position = count
            self._go_on(at_us, count, 0)
            return Followed.GOOD
        elapsed_us = at_us - self.at_us
        if elapsed_us <= 0:
            return self._back_in_time(at_us, count, elapsed_us)
        moved = (count - self._count + self._half) % self._modulus - self._half
        farthest = self._fastest * elapsed_us // 1_000_000 + _SLACK_COUNTS
        # Up to half the modulus every difference looks like less: then only the time tells that nothing is known.
        if farthest >= self._half:
            return self._lose(at_us, count, moved)
        if abs(moved) > farthest:
            return self._reject(at_us, count)
        self._go_on(at_us, count, moved)
        return Followed.GOOD if elapsed_us <= GAP_US else Followed.GAP

    def unwrapped(self, latched: int) -> int:
        """Return the position of a raw count latched in the same turn, or the same run."""
        latest = self._count or 0
        return self.position + (latched - latest + self._half) % self._modulus - self._half

    def _go_on(self, at_us: int, count: int, moved: int) -> None:
        self.position += moved
        self.at_us, self._count, self._rejected = at_us, count, 0

    def _back_in_time(self, at_us: int, count: int, elapsed_us: int) -> Followed:
        """A sample once more is nothing; a device whose clock jumped back has begun anew."""
        if elapsed_us > -GAP_US:
            return Followed.REPEATED
        moved = (count - (self._count or 0) + self._half) % self._modulus - self._half
        return self._lose(at_us, count, moved)

    def _lose(self, at_us: int, count: int, moved: int) -> Followed:
        """Goes on from here; where the count is a place, the place in the turn is right."""
        self._go_on(at_us, count, moved if self._sensor.absolute else 0)
        return Followed.LOST

    def _reject(self, at_us: int, count: int) -> Followed:
        """Reject an impossible sample.

        One is an error of the line; several of them are where the counter is now.
        """
        self._rejected += 1
        if self._rejected < REJECTED_IN_A_ROW:
            return Followed.REJECTED
        moved = (count - (self._count or 0) + self._half) % self._modulus - self._half
        return self._lose(at_us, count, moved)
