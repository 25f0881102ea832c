"""Readings of a wheel for a person: its position, direction and speed."""

from collections import deque
from dataclasses import field
from typing import Final

from drivers.wheel.tracking.home import Home
from drivers.wheel.tracking.unwrap import Followed, Sensor, Track
from tablectl.core.outcomes import Direction
from tablectl.core.wheel_pegs import TURN_MDEG, PegTable
from tablectl.lazy_dataclass import dataclass

LOOK_US: Final = 10_000
SPEED_LOOKS: Final = 6
"""The speed is taken over so many looks: a count of noise makes less than a slow wheel does."""

MOVING_MDEG_S: Final = 5_000
REST_US: Final = 1_400_000
"""A little less than after which the watch over the wheel calls it stopped."""

LONGEST_LOOKS: Final = 12_000


@dataclass(frozen=True, slots=True)
class Curve:
    """The speed of one motion, from rest to rest.

    Args:
        step_us: from one speed to the next.
        speeds_mdeg_s: in the direction of the motion; negative where the wheel went back.
    """

    step_us: int
    speeds_mdeg_s: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Pose:
    """Where the wheel is now.

    Args:
        angle_mdeg: from the table's zero; None before the index mark has come by.
        turns_milli: of the present motion, or of the last one; negative where counts fall.
        section: at the indicator, from 1; None on a peg, or before the angle is known.
        margin_mdeg: to the nearest peg.
        sure: whether the zero has been confirmed: only then results count.
        direction: None at rest.
    """

    angle_mdeg: int | None = None
    turns_milli: int = 0
    section: int | None = None
    margin_mdeg: int | None = None
    on_peg: bool = False
    sure: bool = False
    direction: Direction | None = None
    speed_mdeg_s: int = 0


@dataclass(slots=True)
class Dial:
    """Follows one sensor."""

    pegs: PegTable
    _sensor: Sensor | None = None
    _track: Track | None = None
    _home: Home | None = None
    _looks: "deque[tuple[int, int]]" = field(default_factory=lambda: deque(maxlen=SPEED_LOOKS))
    _speeds: list[int] = field(default_factory=list[int])
    _origin: int = 0
    _moved_us: int | None = None
    _last: list[int] = field(default_factory=list[int])

    def fitted(self, sensor: Sensor) -> None:
        """A sensor begins: nothing of what was before holds."""
        self._sensor, self._track, self._home = sensor, Track(sensor), Home(sensor)
        self._looks.clear()
        self._speeds, self._origin, self._moved_us = [], 0, None

    def sample(self, at_us: int, count: int, index: int | None) -> None:
        """Takes a reading."""
        track, home = self._track, self._home
        if track is None or home is None:
            return
        followed = track.follow(at_us, count)
        if followed in {Followed.REJECTED, Followed.REPEATED}:
            return
        if followed is Followed.LOST:
            home.forget()
            self._looks.clear()
        if index is not None:
            home.passed(track.unwrapped(index), self._sign())
        if not self._looks or at_us - self._looks[-1][0] >= LOOK_US:
            self._looks.append((at_us, track.position))
            self._look(at_us)

    def pose(self) -> Pose:
        """Where it is now."""
        sensor, track, home = self._sensor, self._track, self._home
        if sensor is None or track is None or home is None:
            return Pose()
        speed = self._speed(sensor)
        direction = sensor.direction(self._sign()) if abs(speed) >= MOVING_MDEG_S else None
        turns = (track.position - self._origin) * 1000 // sensor.counts_per_turn if self._known else 0
        if home.zero is None:
            return Pose(turns_milli=turns, direction=direction, speed_mdeg_s=speed)
        angle = (2 * (track.position - home.zero) + 1) * TURN_MDEG // (2 * sensor.counts_per_turn) % TURN_MDEG
        margin = self.pegs.margin_at(angle)
        on_peg = margin < self.pegs.zone_mdeg
        section = None if on_peg else self.pegs.section_at(angle)
        return Pose(angle, turns, section, margin, on_peg, home.sure, direction, speed)

    def curve(self) -> Curve | None:
        """The speeds of the last motion; None where there was none."""
        speeds = self._speeds or self._last
        if not speeds:
            return None
        sign = 1 if sum(speeds) >= 0 else -1
        return Curve(LOOK_US, tuple([sign * speed for speed in speeds]))

    @property
    def _known(self) -> bool:
        return bool(self._speeds or self._last)

    def _look(self, at_us: int) -> None:
        """Goes on with the present motion, or sees that one begins or is over."""
        assert self._sensor is not None
        speed = self._speed(self._sensor)
        if abs(speed) >= MOVING_MDEG_S:
            if self._moved_us is None:
                self._origin = self._looks[0][1]
            self._moved_us = at_us
        if self._moved_us is None:
            return
        if at_us - self._moved_us >= REST_US:
            self._last, self._speeds, self._moved_us = _without_rest(self._speeds), [], None
        elif len(self._speeds) < LONGEST_LOOKS:
            self._speeds.append(speed)

    def _speed(self, sensor: Sensor) -> int:
        """Thousandths of a degree in a second, positive where counts rise."""
        if len(self._looks) < 2:
            return 0
        (from_us, start), (to_us, end) = self._looks[0], self._looks[-1]
        return (end - start) * TURN_MDEG // sensor.counts_per_turn * 1_000_000 // (to_us - from_us)

    def _sign(self) -> int:
        return 1 if not self._looks or self._looks[-1][1] >= self._looks[0][1] else -1


def _without_rest(speeds: list[int]) -> list[int]:
    """The speeds of a motion without the rest that showed its end."""
    moving = [number for number, speed in enumerate(speeds) if abs(speed) >= MOVING_MDEG_S]
    return speeds[: moving[-1] + 1] if moving else []
