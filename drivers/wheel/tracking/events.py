"""Events that the wheel tracker finds in the samples."""

from dataclasses import dataclass

from tablectl.core.faults import Code
from tablectl.core.outcomes import Direction, Spin


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
