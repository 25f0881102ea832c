"""State of one motion and of one spin; positions are in counts."""

from dataclasses import field

from drivers.wheel.tracking.brake import Brakes
from tablectl.core.outcomes import Flaw
from tablectl.lazy_dataclass import dataclass


@dataclass(slots=True)
class Motion:
    """Motion of the wheel since it left its rest.

    Args:
        rest: where it was before, None where nobody saw.
    """

    rest: int | None
    began_us: int
    low: int
    high: int
    swift: int = 0  # looks in a row that were fast enough for a spin, negative where counts fell
    sign: int = 0  # of the spin that it is, 0 while it is none
    fastest: int = 0  # counts per second, in the direction of the last swift look

    def travel(self, sign: int, position: int) -> int:
        """Return the distance with this sign from the furthest point on the other side."""
        return position - self.low if sign > 0 else self.high - position


@dataclass(slots=True)
class Turning:
    """Spin under way.

    All lengths are in its own direction and from the wind-back's furthest point.

    Args:
        lost: what was turned from rest less, because of the wind-back.
    """

    sign: int
    origin: int
    lost: int
    began_us: int
    brakes: Brakes
    farthest: int = 0
    told: int = 0
    late: bool = False
    pause: int | None = None
    flaws: set[Flaw] = field(default_factory=set[Flaw])

    @property
    def counted(self) -> int:
        """Return the spin's counted length.

        It is the smaller of the distances from rest and from the wind-back's end.
        """
        return min(self.farthest, self.farthest - self.lost)
