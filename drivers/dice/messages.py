"""What a dice reader or shaker can say and be told, as values."""

from dataclasses import dataclass
from enum import Enum, IntEnum

from drivers.messages import FaultCleared, FaultRaised, NotUnderstood


class DiceFault(IntEnum):
    """What a dice reader or shaker can complain of."""

    MOTION = 1
    NO_ACK = 2
    SHAKE_TIMEOUT = 3
    SHAKE_WEAK = 4
    COVER_OPEN = 5
    COUNT = 6
    LOW_CONFIDENCE = 7
    READERS_DISAGREE = 8
    MOVED = 9
    READ_TIMEOUT = 10
    UNRECOGNISED = 255


class Flaw(IntEnum):
    """Why a throw isn't valid."""

    NONE = 0
    COCKED = 1
    STACKED = 2
    OUTSIDE = 3
    MISSING = 4
    EXTRA = 5
    UNSURE = 6
    MOVED = 7


MOST_DICE = 8


@dataclass(frozen=True, slots=True)
class Thrown:
    """A throw came to rest; `flaw` is the number that came, a face of 0 is one that couldn't be read."""

    dice: tuple[int, ...]
    flaw: int = Flaw.NONE


@dataclass(frozen=True, slots=True)
class Shaking:
    """The dice are being shaken."""


@dataclass(frozen=True, slots=True)
class Settled:
    """The dice are at rest and about to be read."""


@dataclass(frozen=True, slots=True)
class CoverOpened:
    """The cover was taken off."""


@dataclass(frozen=True, slots=True)
class CoverClosed:
    """The cover was put on."""


Event = Thrown | Shaking | Settled | CoverOpened | CoverClosed | FaultRaised | FaultCleared | NotUnderstood


@dataclass(frozen=True, slots=True)
class GetStatus:
    """How is the device?"""


class Motion(Enum):
    """What the dice do."""

    RESTING = 0
    SHAKEN = 1
    SETTLING = 2


@dataclass(frozen=True, slots=True)
class Status:
    """How the device is."""

    motion: Motion
    cover_open: bool
