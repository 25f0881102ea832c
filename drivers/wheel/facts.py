"""Facts from the events of a wheel; the samples themselves are never facts."""

from collections.abc import Callable, Iterable
from enum import Flag
from typing import Final

from drivers.wheel.tracking.events import Cleared, Moved, Raised, Sighting, Started, Stopped, Turned
from drivers.wheel.tracking.tracker import WheelWatch
from drivers.wheel.tracking.unwrap import Sensor, Trouble
from tablectl.core.facts import Body, FaultCleared, FaultRaised, Stamp
from tablectl.core.facts import reports as facts
from tablectl.core.faults import Code
from tablectl.core.protocols import Teller
from tablectl.lazy_dataclass import dataclass


class Defect(Flag):
    """Defect of a reading, as the sensor reports it."""

    NONE = 0
    QUADRATURE = 2
    WORD = 4


@dataclass(frozen=True, slots=True)
class Reading:
    """Where the wheel was.

    Args:
        at_us: by the device's clock.
        count: the raw counter, unsigned.
        index: the raw counter at the index mark, where that came by since the reading before.
    """

    at_us: int
    count: int
    index: int | None = None
    defect: Defect = Defect.NONE


LATE_S: Final = 1.0
_FORGIVEN: Final = 1_000
"""Two clocks may go apart by a thousandth."""

_ZERO_FAULTS = (
    Code.WHEEL_INDEX_MISSING,
    Code.WHEEL_INDEX_EXTRA,
    Code.WHEEL_DRIFT,
    Code.WHEEL_DRIFT_BLOCKS,
)

_TROUBLES: Final = {
    Defect.QUADRATURE.value: Trouble.QUADRATURE,
    Defect.WORD.value: Trouble.WORD,
    (Defect.QUADRATURE | Defect.WORD).value: Trouble.QUADRATURE | Trouble.WORD,
}


@dataclass(frozen=True, slots=True)
class Watcher:
    """Callbacks for readings, which are never facts.

    Args:
        fitted: called when a sensor begins, anew or for the first time.
        sample: called with each reading: the device's time in microseconds, the raw counter, and the counter at the
            index mark if the mark came by.
    """

    fitted: Callable[[Sensor], None]
    sample: Callable[[int, int, int | None], None]


class Telling:
    """Translator of wheel events to facts.

    It outlives a connection and knows which faults are present.
    """

    def __init__(self, name: str, tell: Teller) -> None:
        self.told = 0
        self._name = name
        self._tell = tell
        self._standing: set[Code] = set()

    def attached(self, fact: facts.DeviceAttached, at: Stamp) -> None:
        """Report the sensor, and the end of what only a running tracker could end."""
        self._say(fact, at)
        for code in sorted(self._standing - {Code.WHEEL_POSITION_UNKNOWN, *_ZERO_FAULTS}):
            self._clear(code, at)

    def see(self, sightings: Iterable[Sighting], at: Stamp) -> None:
        """Reports what was seen."""
        for sighting in sightings:
            self._one(sighting, at)

    def momentary(self, code: Code, detail: str, at: Stamp) -> None:
        """Reports a fault whose cause is over already."""
        self._say(FaultRaised(code, self._name, detail), at)
        self._say(FaultCleared(code, self._name), at)

    def _one(self, sighting: Sighting, at: Stamp) -> None:
        match sighting:
            case Started(direction, section, release_mrpm):
                self._say(facts.SpinStarted(self._name, direction, section, release_mrpm), at)
            case Turned(turns):
                self._say(facts.TurnCompleted(self._name, turns), at)
            case Stopped(spin):
                self._say(facts.SpinStopped(self._name, spin), at)
            case Moved(turns_milli):
                self._say(facts.WheelMoved(self._name, turns_milli), at)
            case Raised(code, detail):
                if code not in self._standing:
                    self._standing.add(code)
                    self._say(FaultRaised(code, self._name, detail), at)
            case Cleared(code):
                self._clear(code, at)
                if code is Code.WHEEL_POSITION_UNKNOWN:  # the mark came where it should: also after a reconnect
                    for other in _ZERO_FAULTS:
                        self._clear(other, at)

    def _clear(self, code: Code, at: Stamp) -> None:
        if code in self._standing:
            self._standing.discard(code)
            self._say(FaultCleared(code, self._name), at)

    def _say(self, body: Body, at: Stamp) -> None:
        self.told += 1
        self._tell(body, at=at)


class Pace:
    """Detector of readings that come later than they were made.

    An adapter that hung sends such a backlog. A simulator may send faster than time passes; nothing sends slower.
    """

    def __init__(self) -> None:
        self._least_us: int | None = None
        self._at_us = 0
        self._late = False

    def behind(self, device_us: int, host_us: int) -> bool:
        """Return True if a reading begins a backlog."""
        apart = host_us - device_us
        if self._least_us is None or apart < self._least_us:
            self._least_us = apart
        self._least_us += max(0, device_us - self._at_us) // _FORGIVEN if self._at_us else 0
        self._at_us = device_us
        was, self._late = self._late, apart - self._least_us > LATE_S * 1_000_000
        return self._late and not was


class Intake:
    """Hands readings to a watch, and what that sees to the table."""

    def __init__(self, watch: WheelWatch, telling: Telling, watcher: Watcher | None = None) -> None:
        self._watch = watch
        self._telling = telling
        self._watcher = watcher
        self._pace = Pace()

    def take(self, readings: Iterable[Reading], at: Stamp) -> None:
        """Takes the readings that came `at`."""
        latest_us: int | None = None
        for reading in readings:
            trouble = _TROUBLES[reading.defect.value] if reading.defect else Trouble.NONE
            latest_us = reading.at_us
            if self._watcher is not None:
                self._watcher.sample(latest_us, reading.count, reading.index)
            if seen := self._watch.take(latest_us, reading.count, index=reading.index, trouble=trouble):
                self._telling.see(seen, at)
        if latest_us is not None and self._pace.behind(latest_us, at.monotonic_ns // 1000):
            self._telling.momentary(Code.BACKLOG_BURST, "readings came late and at once", at)
