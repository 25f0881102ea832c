"""A wheel that goes exactly where a test sends it, at 512 samples in a second and 8192 counts in a turn."""

from dataclasses import dataclass, field

from drivers.wheel.tracking.events import Cleared, Raised, Sighting, Stopped
from drivers.wheel.tracking.tracker import WheelWatch
from drivers.wheel.tracking.unwrap import Sensor, Trouble
from tablectl.core.faults import Code
from tablectl.core.outcomes import Spin
from tablectl.core.wheel_pegs import even_pegs

TURN = 8192
SECTION = TURN / 52
ABSOLUTE = Sensor(8192, absolute=True, indexed=False)
RATE = 512
PEGS = even_pegs(52, version="t", guard_mdeg=650, lag_mdeg=50)
BRAKING = 1200.0  # counts per second in a second, 53 degrees
TOP = 10_000.0  # counts per second, 1.2 turns


@dataclass(slots=True)
class Wheel:
    """A wheel that goes exactly where it is sent, and a watch on it."""

    sensor: Sensor = field(default_factory=lambda: Sensor(TURN, absolute=True, indexed=False))
    watch: WheelWatch = field(init=False)
    at: float = 0.0
    ticks: int = 0
    speed: float = 0.0
    seen: list[Sighting] = field(default_factory=list[Sighting])
    passes: bool = True
    trouble: Trouble = Trouble.NONE
    sends: bool = True

    def __post_init__(self) -> None:
        self.watch = WheelWatch(self.sensor, PEGS)

    def step(self, moved: float = 0.0) -> None:
        """One sample later, so much further."""
        before, self.at, self.ticks = self.at, self.at + moved, self.ticks + 1
        mark = (max(before // TURN, self.at // TURN)) * TURN if before // TURN != self.at // TURN else None
        index = int(mark) % self.sensor.modulus if mark is not None and self.sensor.indexed and self.passes else None
        if self.sends:
            count, at_us = int(self.at // 1) % self.sensor.modulus, self.ticks * 1_000_000 // RATE
            self.seen += self.watch.take(at_us, count, index=index, trouble=self.trouble)

    def rest(self, lasts_s: float = 2.0) -> None:
        for _ in range(round(lasts_s * RATE)):
            self.step()
        self.speed = 0.0

    def go(self, to_speed: float, lasts_s: float) -> None:
        """Changes its speed evenly."""
        steps = round(lasts_s * RATE)
        change = (to_speed - self.speed) / steps
        for _ in range(steps):
            self.speed += change
            self.step(self.speed / RATE)

    def coast(self, to_speed: float = 0.0) -> None:
        """Slows down by itself."""
        self.go(to_speed, abs(self.speed - to_speed) / BRAKING)

    def spin(self, top: float = TOP) -> None:
        """From rest to rest."""
        self.go(top, 0.5)
        self.coast()
        self.rest()

    def of(self, kind: type) -> list[Sighting]:
        return [sighting for sighting in self.seen if isinstance(sighting, kind)]

    @property
    def result(self) -> Spin:
        (stopped,) = [sighting for sighting in self.seen if isinstance(sighting, Stopped)]
        return stopped.spin

    def raised(self) -> list[Code]:
        return [sighting.code for sighting in self.seen if isinstance(sighting, Raised)]

    def cleared(self) -> list[Code]:
        return [sighting.code for sighting in self.seen if isinstance(sighting, Cleared)]


def at_section(section: float, sensor: Sensor | None = None) -> Wheel:
    """A wheel at rest in the middle of a section."""
    wheel = Wheel(sensor or Sensor(TURN, absolute=True, indexed=False))
    wheel.at = (section - 0.5) * SECTION
    wheel.rest()
    return wheel


def counter(section: float = 10) -> Wheel:
    return at_section(section, Sensor(TURN))


def known_counter() -> Wheel:
    """A counter whose zero is known and confirmed, at rest."""
    wheel = counter()
    wheel.spin()
    wheel.seen.clear()
    return wheel
