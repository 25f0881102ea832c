"""Events that the wheel tracker finds in the samples."""

from typing import Final

from tablectl.core.faults import Code
from tablectl.core.outcomes import Direction, Spin
from tablectl.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Started:
    """A spin began.

    Args:
        section: at the indicator before; None where it isn't known.
        release_mrpm: thousandths of a turn in a minute when the hand let go; None where it still pulled.
    """

    direction: Direction
    section: int | None
    release_mrpm: int | None = None


@dataclass(frozen=True, slots=True)
class Turned:
    """The spin has this many whole turns; each number comes once."""

    turns: int


@dataclass(frozen=True, slots=True)
class Stopped:
    """The spin is over."""

    spin: Spin


@dataclass(frozen=True, slots=True)
class Moved:
    """Movement of the wheel at rest that was no spin.

    In thousandths of a turn, positive where counts rise.
    """

    turns_milli: int


@dataclass(frozen=True, slots=True)
class Raised:
    """A fault stands."""

    code: Code
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Cleared:
    """A fault's cause is gone."""

    code: Code


Sighting = Started | Turned | Stopped | Moved | Raised | Cleared


RECOVERED_US: Final = 1_000_000


class Troubles:
    """Which troubles a sensor has, by the last time of each."""

    def __init__(self) -> None:
        self._last_us: dict[Code, int] = {}

    def meet(self, code: Code, at_us: int) -> list[Sighting]:
        """Takes one; it is told when it is the first of its kind."""
        known = code in self._last_us
        self._last_us[code] = at_us
        return [] if known else [Raised(code)]

    def recovered(self, at_us: int) -> list[Sighting]:
        """Tells what is over."""
        if not self._last_us:
            return []
        over = [code for code, last_us in self._last_us.items() if not 0 <= at_us - last_us < RECOVERED_US]
        for code in over:
            del self._last_us[code]
        return [Cleared(code) for code in over]
