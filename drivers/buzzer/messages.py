"""What a buzzer can say and be told, as values."""

from dataclasses import dataclass
from enum import IntEnum

from drivers.messages import FaultCleared, FaultRaised, NotUnderstood


class BuzzerFault(IntEnum):
    """What a buzzer can complain of, or name as a reason."""

    NO_CURRENT = 1
    STUCK_ON = 2
    MUTED = 3
    UNVERIFIED = 4
    UNRECOGNISED = 255


class Pattern(IntEnum):
    """What it sounds like."""

    TIME_IS_UP = 1
    NO_MORE_BETS = 2


@dataclass(frozen=True, slots=True)
class Sounded:
    """The operation `op` sounded; `verified`: it was heard or its current was measured."""

    op: int
    verified: bool


@dataclass(frozen=True, slots=True)
class NotSounded:
    """The operation `op` didn't sound, because of the fault `number`."""

    op: int
    number: int


Event = Sounded | NotSounded | FaultRaised | FaultCleared | NotUnderstood


@dataclass(frozen=True, slots=True)
class Sound:
    """Sound once; the same `op` given again changes nothing."""

    op: int
    pattern: Pattern


@dataclass(frozen=True, slots=True)
class AskStatus:
    """What became of `op`?"""

    op: int


Command = Sound | AskStatus
