"""What a display on our link can say and be told, as values."""

from dataclasses import dataclass
from enum import Enum, IntEnum

from drivers.messages import FaultCleared, FaultRaised, NotUnderstood


class DisplayFault(IntEnum):
    """What a display can complain of."""

    SEGMENT = 1
    STALE = 2
    UNRECOGNISED = 255


Event = FaultRaised | FaultCleared | NotUnderstood


@dataclass(frozen=True, slots=True)
class ShowDraw:
    """Show a draw: the two ranges that `series` (0 upper, 1 lower) and `combination` (1 to 8) stand for."""

    draw_id: int
    series: int
    combination: int


@dataclass(frozen=True, slots=True)
class ReadDisplay:
    """What is to be seen?"""


@dataclass(frozen=True, slots=True)
class Blank:
    """Show nothing: the draw `draw_id` is no longer valid."""

    draw_id: int


@dataclass(frozen=True, slots=True)
class ShowTestPattern:
    """Light everything, so that a person can see what doesn't."""


Command = ShowDraw | ReadDisplay | Blank | ShowTestPattern


class Seen(Enum):
    """What is to be seen, other than a draw."""

    NOTHING = 0
    TEST_PATTERN = 2
    SOMETHING_ELSE = 3


Reading = ShowDraw | Seen
"""What the display measures that it shows, which isn't what it was told to show."""
