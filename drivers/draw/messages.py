"""What a draw system can say and be told, as values."""

from dataclasses import dataclass
from enum import Enum, IntEnum

from drivers.messages import FaultCleared, FaultRaised, NotUnderstood


class DrawFault(IntEnum):
    """What a draw system can complain of, or name as a reason."""

    RNG_REPETITION = 1
    RNG_PROPORTION = 2
    RNG_STARTUP = 3
    ENTROPY_SLOW = 4
    STORAGE = 5
    POWER_LOST = 6  # only a reason: the power went after a draw was accepted and before it was made
    SELF_TESTING = 7  # only a reason: the self-test runs
    UNRECOGNISED = 255


@dataclass(frozen=True, slots=True)
class Drawn:
    """The result of a draw as it came: `series` and `combination` may be impossible."""

    series: int
    combination: int


@dataclass(frozen=True, slots=True)
class Committed:
    """The draw `draw_id` was made and is kept."""

    draw_id: int
    drawn: Drawn


@dataclass(frozen=True, slots=True)
class NotDrawn:
    """Nothing was drawn under `draw_id`, and never will be, because of the fault `number`."""

    draw_id: int
    number: int


@dataclass(frozen=True, slots=True)
class SelfTestEnded:
    """The supervised self-test is over; `number` is the fault that it found, 0 for none."""

    number: int


Event = Committed | NotDrawn | SelfTestEnded | FaultRaised | FaultCleared | NotUnderstood


@dataclass(frozen=True, slots=True)
class MakeDraw:
    """Draw under `draw_id`, for the round `round_name`; the same id given again changes nothing."""

    draw_id: int
    round_name: str = ""


@dataclass(frozen=True, slots=True)
class GetDraw:
    """What became of the draw `draw_id`?"""

    draw_id: int


@dataclass(frozen=True, slots=True)
class GetRngStatus:
    """How is the random source?"""


@dataclass(frozen=True, slots=True)
class RunSelfTest:
    """Test the random source from the start; what it finds comes as `SelfTestEnded`."""


Command = MakeDraw | GetDraw | GetRngStatus | RunSelfTest


class RngState(Enum):
    """How the random source is."""

    GOOD = 0
    TESTING = 1
    FAILED = 2


@dataclass(frozen=True, slots=True)
class RngStatus:
    """How the random source is; `number` is the fault with FAILED, `samples` how many were tested since the start."""

    state: RngState
    number: int
    samples: int
