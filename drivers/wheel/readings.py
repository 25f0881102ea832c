"""What every wheel sensor's codec makes of its bytes."""

from dataclasses import dataclass
from enum import Flag


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
