"""A drawing of numbers: the series that was drawn and which of its combinations."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

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
    """What the draw system has drawn.

    Rule: 41/2003 art. 6(1). The series that wasn't drawn takes the combination of the same number, so that the
    two together have every number from 1 to 8 once.

    Args:
        series: the series drawn.
        combination: 1 to 8.
    """

    series: Series
    combination: int
