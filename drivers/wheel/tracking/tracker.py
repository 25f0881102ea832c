"""Wheel tracker: samples in; spins, movements and faults out.

It uses integers only, and the device's own time.
"""

from collections import deque
from typing import Final

from drivers.wheel.tracking.brake import Brakes, Envelope
from drivers.wheel.tracking.events import Cleared, Moved, Raised, Sighting, Started, Stopped, Troubles, Turned
from drivers.wheel.tracking.home import Home
from drivers.wheel.tracking.motion import Motion, Turning
from drivers.wheel.tracking.unwrap import Followed, Sensor, Track, Trouble
from tablectl.core.faults import Code
from tablectl.core.outcomes import Flaw, Spin
from tablectl.core.wheel_pegs import TURN_MDEG, PegTable

LOOK_US: Final = 10_000
STILL_MDEG: Final = 100
_FEWEST_STILL: Final = 2
"""A wheel at rest may go back and forth by this many counts."""

STOPPED_US: Final = 1_500_000
FIRST_REST_US: Final = 200_000
PAUSE_US: Final = 500_000
MOVED_US: Final = 5_000_000
TIMEOUT_US: Final = 60_000_000
START_MDEG_S: Final = 45_000
START_LOOKS: Final = 5
SURE_MDEG_S: Final = TURN_MDEG
"""Nobody winds a wheel back so fast."""

RELEASED_PART: Final = 50
"""A wheel that lost this part of its speed was let go."""

KICK_MDEG_S: Final = 60_000
"""The clapper throws a wheel back slower than this."""


class WheelWatch:
    """Tracker of one sensor from its first sample on.

    `envelope` may be kept for the next tracker.
    """

    def __init__(self, sensor: Sensor, pegs: PegTable, envelope: Envelope | None = None) -> None:
        self.envelope: Final = envelope or Envelope(sensor)
        self._sensor = sensor
        self._pegs = pegs
        self._track = Track(sensor)
        self._home = Home(sensor)
        self._turn = sensor.counts_per_turn
        self._sections = len(pegs.pegs_mdeg)
        self._section = self._turn // self._sections
        self._still = max(_FEWEST_STILL, sensor.counts(STILL_MDEG))
        self._low = self._high = self._since_us = 0  # how far it went since then without leaving its rest
        self._looks: deque[tuple[int, int]] = deque(maxlen=START_LOOKS + 1)
        self._looked_us: int | None = None
        self._rest: int | None = None
        self._motion: Motion | None = None
        self._turning: Turning | None = None
        self._troubles = Troubles()

    @property
    def turning(self) -> bool:
        """Return True if a spin is under way."""
        return self._turning is not None

    def take(
        self, at_us: int, count: int, *, index: int | None = None, trouble: Trouble = Trouble.NONE
    ) -> list[Sighting]:
        """Takes a sample.

        Args:
            at_us: by the device's clock.
            count: the raw counter.
            index: the raw counter at the index mark, if that came by since the sample before.
        """
        said = self._troubled(at_us, trouble) if trouble else []
        if Trouble.WORD in trouble:
            return said
        followed = self._track.follow(at_us, count)
        if followed is not Followed.GOOD:
            said += self._doubt(followed, at_us)
            if followed in {Followed.REJECTED, Followed.REPEATED}:
                return said
        position = self._track.position
        if self._looked_us is None:
            said += self._begin(at_us, position)
        if index is not None:
            said += self._home.passed(self._track.unwrapped(index), self._sign())
        self._settle(at_us, position)
        if at_us - (self._looked_us or 0) >= LOOK_US:
            said += self._look(at_us, position)
        return said

    # --- stillness ----------------------------------------------------------------------------------------------------

    def _begin(self, at_us: int, position: int) -> list[Sighting]:
        self._looked_us = self._since_us = at_us
        self._low = self._high = position
        self._leave(None, at_us, position)
        return self._home.begin()

    def _settle(self, at_us: int, position: int) -> None:
        """Keeps how long the wheel has been at one place."""
        if self._low <= position <= self._high:
            return
        low, high = min(self._low, position), max(self._high, position)
        if high - low > self._still:
            self._paused(at_us)
            self._since_us, low, high = at_us, position, position
        self._low, self._high = low, high

    def _paused(self, at_us: int) -> None:
        """A wheel that has stood for a while doesn't go on by itself."""
        if self._turning is not None and at_us - self._since_us >= PAUSE_US and self._turning.pause is None:
            self._turning.pause = self._low

    def _sign(self) -> int:
        """Which way the wheel has turned over the last looks."""
        return 1 if not self._looks or self._track.position >= self._looks[0][1] else -1

    # --- what a look sees ---------------------------------------------------------------------------------------------

    def _look(self, at_us: int, position: int) -> list[Sighting]:
        said = self._troubles.recovered(at_us)
        self._looked_us = at_us
        self._looks.append((at_us, position))
        still_us = at_us - self._since_us
        if self._turning is not None:
            return said + self._spin(self._turning, at_us, position, still_us)
        if self._motion is not None:
            return said + self._move(self._motion, at_us, position, still_us)
        if self._rest is not None and 4 * abs(position - self._rest) >= self._section:
            self._leave(self._rest, at_us, position)
        return said

    def _leave(self, rest: int | None, at_us: int, position: int) -> None:
        origin = position if rest is None else rest
        self._home.left_rest(origin)
        self._motion = Motion(rest, at_us, min(position, origin), max(position, origin))

    def _speed(self) -> int:
        """Counts per second over the last looks."""
        if len(self._looks) < 2:
            return 0
        (from_us, start), (to_us, end) = self._looks[0], self._looks[-1]
        return (end - start) * 1_000_000 // (to_us - from_us)

    def _move(self, motion: Motion, at_us: int, position: int, still_us: int) -> list[Sighting]:
        motion.low, motion.high = min(motion.low, position), max(motion.high, position)
        if still_us >= (FIRST_REST_US if motion.rest is None and not motion.sign else STOPPED_US):
            return self._come_to_rest(motion, at_us)
        self._weigh(motion, position)
        if motion.sign and self._beyond_doubt(motion, position):
            return self._start(motion, at_us, position)
        if motion.rest is not None and not motion.sign and at_us - motion.began_us >= MOVED_US:
            self._leave(position, at_us, position)
            return self._moved(motion.rest, position)
        return []

    def _weigh(self, motion: Motion, position: int) -> None:
        """Detect a spin: far enough in one direction, and fast enough for several samples.

        Far enough is the width of a section.
        """
        speed = self._speed()
        sign = 1 if speed > 0 else -1
        swift = abs(speed) >= self._sensor.counts(START_MDEG_S)
        if speed * motion.fastest < 0 or abs(speed) > abs(motion.fastest):
            motion.fastest = speed
        motion.swift = (motion.swift + sign if motion.swift * sign > 0 else sign) if swift else 0
        if abs(motion.swift) >= START_LOOKS and motion.travel(sign, position) >= self._section:
            motion.sign = sign

    def _beyond_doubt(self, motion: Motion, position: int) -> bool:
        """Return True if this is the spin and not the hand that winds the wheel back."""
        fast = abs(self._speed()) >= self._sensor.counts(SURE_MDEG_S)
        return fast or 2 * motion.travel(motion.sign, position) >= self._turn

    def _come_to_rest(self, motion: Motion, at_us: int) -> list[Sighting]:
        if motion.sign:  # a spin, and a weak one: it never went beyond doubt
            started = self._start(motion, at_us, self._low)
            turning = self._turning
            assert turning is not None
            return started + self._finish(turning)
        self._motion = None
        rest, self._rest = motion.rest, (self._low + self._high) // 2
        return self._moved(rest, self._rest) if rest is not None else []

    def _moved(self, rest: int, position: int) -> list[Sighting]:
        moved = position - rest
        if 4 * abs(moved) < self._section:
            return []
        return [Moved(abs(moved) * 1000 // self._turn * (1 if moved > 0 else -1))]

    # --- a spin -------------------------------------------------------------------------------------------------------

    def _start(self, motion: Motion, at_us: int, position: int) -> list[Sighting]:
        sign, rest = motion.sign, motion.rest
        origin = motion.low if sign > 0 else motion.high
        lost = 0 if rest is None else sign * (rest - origin)
        # The brakes look from the next sample on, so what came before is the hand's way.
        brakes = Brakes(self._sensor, self.envelope, self._sections)
        self._turning = Turning(sign, origin, lost, at_us, brakes, motion.travel(sign, position))
        if rest is None:
            self._turning.flaws.add(Flaw.SAMPLE_GAP)
        section = None if rest is None else self._place(2 * rest + 1)[0]
        self._motion = None
        return [Started(self._sensor.direction(sign), section, self._release_mrpm(motion))]

    def _release_mrpm(self, motion: Motion) -> int | None:
        """Return the spin's highest speed, once it is slower again.

        Before that the hand may still pull.
        """
        fastest = motion.sign * motion.fastest
        free = RELEASED_PART * (fastest - motion.sign * self._speed()) >= fastest > 0
        return fastest * 60_000 // self._turn if free and motion.rest is not None else None

    def _spin(self, spin: Turning, at_us: int, position: int, still_us: int) -> list[Sighting]:
        travel = spin.sign * (position - spin.origin)
        spin.farthest = max(spin.farthest, travel)
        spin.brakes.turn_to(at_us, travel)
        self._check(spin, travel, position)
        said = self._home.turned_to(position) + self._turns(spin)
        if not spin.late and at_us - spin.began_us >= TIMEOUT_US:
            spin.late = True
            said.append(Raised(Code.WHEEL_SPIN_TIMEOUT))
        return said + self._finish(spin) if still_us >= STOPPED_US else said

    def _check(self, spin: Turning, travel: int, position: int) -> None:
        back = spin.farthest - travel
        thrown = -spin.sign * self._speed() > self._sensor.counts(KICK_MDEG_S)
        if back > self._section or (thrown and back > self._still):
            spin.flaws.add(Flaw.REVERSAL)
        if spin.pause is not None and 4 * abs(position - spin.pause) >= self._section:
            spin.flaws.add(Flaw.INTERFERENCE)

    def _turns(self, spin: Turning) -> list[Sighting]:
        whole = (spin.counted - 2 * self._still) // self._turn
        said: list[Sighting] = [Turned(turns) for turns in range(spin.told + 1, whole + 1)]
        spin.told = max(spin.told, whole)
        return said

    def _finish(self, spin: Turning) -> list[Sighting]:
        spin.brakes.rest()
        middle = self._low + self._high
        self._turning, self._motion, self._rest = None, None, middle // 2
        flaws = spin.flaws | self._home.flaws | self._index_flaws(spin)
        if spin.brakes.touched:
            flaws.add(Flaw.INTERFERENCE)
        section, margin, on_peg = self._place(middle + 1)
        if section is None and not on_peg:
            flaws.add(Flaw.POSITION_UNKNOWN)
        if not flaws:
            self.envelope.learn(spin.brakes.hardest)
        turns_milli = max(0, spin.counted - 2 * self._still) * 1000 // self._turn  # rather too few than too many
        direction, found = self._sensor.direction(spin.sign), tuple(flaw for flaw in Flaw if flaw in flaws)
        over: list[Sighting] = [Cleared(Code.WHEEL_SPIN_TIMEOUT)] if spin.late else []
        return [*over, Stopped(Spin(direction, turns_milli, section, margin, on_peg, found, self._pegs.name))]

    def _index_flaws(self, spin: Turning) -> set[Flaw]:
        """Counts and index marks must agree about the turns, to one."""
        if not self._sensor.indexed:
            return set()
        turns = (spin.farthest - spin.lost) // self._turn
        return {Flaw.INDEX_DISAGREES} if abs(turns - spin.sign * self._home.net_edges) > 1 else set()

    def _place(self, doubled: int) -> tuple[int | None, int, bool]:
        """Return section, margin and whether a peg is there, at twice a position.

        A count is an interval with a middle, hence twice.
        """
        if self._home.zero is None or not self._home.sure:
            return None, 0, False
        angle_mdeg = (doubled - 2 * self._home.zero) * TURN_MDEG // (2 * self._turn) % TURN_MDEG
        margin_mdeg = self._pegs.margin_at(angle_mdeg)
        drift_mdeg = abs(self._home.error) * TURN_MDEG // self._turn
        on_peg = margin_mdeg - drift_mdeg < self._pegs.zone_mdeg
        return None if on_peg else self._pegs.section_at(angle_mdeg), margin_mdeg, on_peg

    # --- doubts -------------------------------------------------------------------------------------------------------

    def _doubt(self, followed: Followed, at_us: int) -> list[Sighting]:
        match followed:
            case Followed.REJECTED:
                return self._troubles.meet(Code.WHEEL_IMPOSSIBLE_SPEED, at_us)
            case Followed.LOST | Followed.GAP:
                return self._missed(at_us, lost=followed is Followed.LOST)
            case Followed.GOOD | Followed.REPEATED:
                return []

    def _missed(self, at_us: int, *, lost: bool) -> list[Sighting]:
        """Handle a gap in the samples.

        Nobody saw what happened in it, so stillness begins anew and a spin has no result.
        """
        self._since_us = at_us
        self._low = self._high = self._track.position
        self._looks.clear()
        self._looked_us = at_us if self._looked_us is not None else None
        if self._turning is not None:
            self._turning.flaws.add(Flaw.SAMPLE_GAP)
        elif self._motion is not None:
            self._motion.rest = None
        elif lost and not self._unmoved():
            self._leave(None, at_us, self._track.position)
        forgotten = self._home.forget() if lost else []
        return forgotten + self._troubles.meet(Code.WHEEL_SAMPLE_GAP, at_us)

    def _unmoved(self) -> bool:
        """Return True if the wheel is where it rested before its turns were lost."""
        still = self._rest is not None and abs(self._track.position - self._rest) <= self._still
        return still and self._sensor.absolute

    def _troubled(self, at_us: int, trouble: Trouble) -> list[Sighting]:
        said: list[Sighting] = []
        if Trouble.QUADRATURE in trouble:
            said += self._troubles.meet(Code.WHEEL_QUADRATURE, at_us) + self._home.forget()
        if Trouble.WORD in trouble:
            said += self._troubles.meet(Code.WHEEL_ENCODER_WORD, at_us)
        return said
