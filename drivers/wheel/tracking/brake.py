"""Deceleration of a wheel by itself, learned from its spins.

A deceleration that differs from it is a hand.
"""

from typing import Final

from drivers.wheel.tracking.unwrap import Sensor

USUAL_MDEG_S2: Final = 60_000
"""What a wheel loses in a second where nothing is learned yet."""

GENTLEST_MDEG_S2: Final = 25_000
HARDEST_MDEG_S2: Final = 120_000
HELD_FACTOR: Final = 5
LED_PART: Final = 4
"""A wheel that loses less than this part of the usual in a second is led by a hand."""

LED_US: Final = 1_000_000
PUSHED_MDEG_S2: Final = 60_000
_PUSHED_COUNTS_S2: Final = 800
"""Two counts of error at each end of a span look like this acceleration."""

SPAN_US: Final = 100_000
"""A span is at least so long and has whole sections, so that pegs and clapper do the same to the speed of each."""
BANDS_IN_A_TURN: Final = 8
BANDS: Final = 32
_LEARNING: Final = 8


class Envelope:
    """Hardest deceleration of a wheel by itself, by bands of speed.

    In counts per square second.
    """

    def __init__(self, sensor: Sensor) -> None:
        self._bands = [sensor.counts(USUAL_MDEG_S2)] * BANDS
        self._gentlest = sensor.counts(GENTLEST_MDEG_S2)
        self._hardest = sensor.counts(HARDEST_MDEG_S2)
        self._turn = sensor.counts_per_turn

    def band(self, speed: int) -> int:
        """The band of a speed in counts per second."""
        return min(BANDS - 1, abs(speed) * BANDS_IN_A_TURN // self._turn)

    def held(self, speed: int, braking: int) -> bool:
        """Return True if the wheel never brakes so hard at this speed by itself."""
        return braking > HELD_FACTOR * self._bands[self.band(speed)]

    def led(self, speed: int, braking: int) -> bool:
        """Return True if the wheel never brakes so little at this speed by itself."""
        return LED_PART * braking < self._bands[self.band(speed)]

    def learn(self, hardest: dict[int, int]) -> None:
        """Move an eighth of the way to the values of a spin without flaw.

        A series of small lies changes the envelope only so far.
        """
        for band, braking in hardest.items():
            moved = self._bands[band] + (braking - self._bands[band]) // _LEARNING
            self._bands[band] = min(self._hardest, max(self._gentlest, moved))


class Brakes:
    """One spin's slowing down. `touched` once a hand was seen."""

    def __init__(self, sensor: Sensor, envelope: Envelope, sections: int) -> None:
        self.touched = False
        self.hardest: dict[int, int] = {}
        self._envelope = envelope
        self._turn = sensor.counts_per_turn
        self._sections = sections
        self._pushed = max(sensor.counts(PUSHED_MDEG_S2), _PUSHED_COUNTS_S2)
        self._before = (0, 0)  # the last look: when, and how far
        self._mark: tuple[int, int] | None = None  # the end of the last span: when, and after how many sections
        self._span: tuple[int, int, int] | None = None  # the last whole span: its speed, duration and sections
        self._second: tuple[int, int] | None = None  # the span that a second is looked at from: its end and speed

    def turn_to(self, at_us: int, travel: int) -> None:
        """Take the distance in the spin's direction; a kick-back takes none of it away."""
        before_us, before = self._before
        if travel <= before:
            return
        self._before = at_us, travel
        section = travel * self._sections // self._turn
        if section <= (self._sections if self._mark is None else self._mark[1]):
            return  # the first turn is the dealer's hand, and isn't judged
        edge = -(-section * self._turn // self._sections)
        crossed_us = before_us + (edge - before) * (at_us - before_us) // (travel - before)
        if self._mark is None:
            self._mark = crossed_us, section
        elif crossed_us - self._mark[0] >= SPAN_US:
            self._close_span(crossed_us, section)

    def rest(self) -> None:
        """Handle the stop of the wheel.

        The remaining speed of the last span was lost on less than the distance of another.
        """
        if self._span is None or self._mark is None:
            return
        speed = self._span[0]
        way = max(self._before[1] - self._mark[1] * self._turn // self._sections, self._turn // self._sections)
        if self._envelope.held(speed, speed * speed // (2 * way)):
            self.touched = True

    def _close_span(self, crossed_us: int, section: int) -> None:
        assert self._mark is not None
        duration_us, sections = crossed_us - self._mark[0], section - self._mark[1]
        speed = sections * self._turn * 1_000_000 // (self._sections * duration_us)
        if self._span is not None:
            self._judge(self._span, speed, duration_us, sections)
        self._mark = crossed_us, section
        self._span = speed, duration_us, sections
        self._judge_second(crossed_us, speed)

    def _judge_second(self, crossed_us: int, speed: int) -> None:
        """Sees a wheel that doesn't slow down."""
        if self._second is None:
            self._second = crossed_us, speed
        elapsed_us, lost = crossed_us - self._second[0], self._second[1] - speed
        if elapsed_us >= LED_US:
            self._second = crossed_us, speed
            if self._envelope.led(speed, lost * 1_000_000 // elapsed_us):
                self.touched = True

    def _judge(self, last: tuple[int, int, int], speed: int, duration_us: int, sections: int) -> None:
        before, before_us, sections_before = last
        braking = (before - speed) * 2_000_000 // (duration_us + before_us)
        band = self._envelope.band(before)
        self.hardest[band] = max(braking, self.hardest.get(band, 0))
        # Near its end a wheel takes more than a tenth of a second from peg to peg, and each time more.
        single = sections == 1 and sections_before == 1
        if self._envelope.held(before, braking) or -braking > self._pushed or (single and 8 * speed > 9 * before):
            self.touched = True
