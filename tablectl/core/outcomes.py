"""Outcomes of dice, draw and wheel, the same for a device, a fact and a rule."""

from enum import StrEnum
from typing import Final

from tablectl.lazy_dataclass import dataclass

Throw = tuple[int, ...]
"""The faces up, 1 to 6 each, one for each die, in any order."""

FACE_MIN: Final = 1
FACE_MAX: Final = 6

FACES: Final = range(FACE_MIN, FACE_MAX + 1)


COMBINATIONS: Final = 8
"""Combinations in each series; they are numbered from 1. Rule: 41/2003 art. 3(1)."""


class Series(StrEnum):
    """The two series of combinations.

    Rule: 41/2003 art. 3(1).
    """

    UPPER = "upper"
    LOWER = "lower"


@dataclass(frozen=True, slots=True)
class Draw:
    """Draw of the draw system.

    Rule: 41/2003 art. 6(1). The series that wasn't drawn takes the combination of the same number, so that the
    two together have every number from 1 to 8 once.

    Args:
        series: the series drawn.
        combination: 1 to 8.
    """

    series: Series
    combination: int


class Direction(StrEnum):
    """Which way a wheel turns, seen from the players."""

    CLOCKWISE = "cw"
    COUNTER_CLOCKWISE = "ccw"


class Flaw(StrEnum):
    """Flaw of a spin that a sensor can find, beside too few turns and rest on a peg.

    Each of them makes the spin no result; the sensor reports, the game decides.
    """

    REVERSAL = "reversal"
    INTERFERENCE = "interference"
    SAMPLE_GAP = "sample_gap"
    POSITION_UNKNOWN = "position_unknown"
    INDEX_DISAGREES = "index_disagrees"


@dataclass(frozen=True, slots=True)
class Spin:
    """One spin, from rest to rest.

    Args:
        turns_milli: thousandths of a turn in the spin's direction, rounded down; the smaller of what was turned
            from rest and from the furthest point of a wind-back.
        section: at the indicator, from 1; None exactly where it rests on a peg or isn't known.
        margin_mdeg: thousandths of a degree from the indicator to the nearest peg.
        calibration: version and hash of the table of pegs that was used; empty where a person read the wheel.
    """

    direction: Direction
    turns_milli: int
    section: int | None
    margin_mdeg: int
    on_peg: bool = False
    flaws: tuple[Flaw, ...] = ()
    calibration: str = ""
