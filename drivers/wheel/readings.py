"""What every wheel sensor's codec makes of its bytes."""

from dataclasses import dataclass
from enum import Flag
from typing import Protocol

from tablectl.core.wheel_sensor import Sensor


class Defect(Flag):
    """What the sensor says is wrong with a reading."""

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


class Watcher(Protocol):
    """Whoever looks on: readings are never facts, so a driver tells nobody else of them."""

    def fitted(self, sensor: Sensor) -> None:
        """A sensor begins, anew or for the first time."""
        ...

    def sample(self, at_us: int, count: int, index: int | None) -> None:
        """Takes a reading: the device's time, the raw counter, and the counter at the index mark if that came by."""
        ...
