"""Message codec of a dice reader or shaker on the device link.

    event    01 | flaw | n | n faces            throw: a `Flaw`, and a byte for each die, 1 to 6, 0 where unread
             02                                 shaking
             03                                 settled
             06                                 cover opened
             07                                 cover closed
    command  01                                 status
    reply    04 | motion | 00 or 01             status: a `Motion`; whether the cover is open

Faults and the other replies are those of every kind (drivers/link/messages.py). Source: docs/protocols/link.md,
"Dice reader or shaker".
"""

from enum import Enum, IntEnum
from typing import Final

from drivers.link.messages import FAULT_ROWS, Answer, Codec, Fault, ReplyKind, reply_rows
from drivers.link.table import Counted, Messages, row
from tablectl.lazy_dataclass import dataclass


class DiceFault(IntEnum):
    """The faults of a dice reader or shaker."""

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
    """The reason why a throw isn't valid."""

    NONE = 0
    COCKED = 1
    STACKED = 2
    OUTSIDE = 3
    MISSING = 4
    EXTRA = 5
    UNSURE = 6
    MOVED = 7


MOST_DICE: Final = 8


@dataclass(frozen=True, slots=True)
class Thrown:
    """Report that a throw came to rest.

    `flaw` is the number of the flaw; a face of 0 is one that couldn't be read.
    """

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


@dataclass(frozen=True, slots=True)
class GetStatus:
    """The device's state is asked for."""


class Motion(Enum):
    """The motion of the dice."""

    RESTING = 0
    SHAKEN = 1
    SETTLING = 2


@dataclass(frozen=True, slots=True)
class Status:
    """The device's state."""

    motion: Motion
    cover_open: bool


Event = Thrown | Shaking | Settled | CoverOpened | CoverClosed

EVENTS: Final = Messages[Event | Fault](
    row(1, Thrown, flaw="B", dice=Counted(MOST_DICE)),
    row(2, Shaking),
    row(3, Settled),
    row(6, CoverOpened),
    row(7, CoverClosed),
    *FAULT_ROWS,
)
COMMANDS: Final = Messages[GetStatus](row(1, GetStatus))
REPLIES: Final = Messages[Status | Answer](row(ReplyKind.REPORT, Status, motion="B", cover_open="?"), *reply_rows())
CODEC: Final[Codec[Event, GetStatus, Status]] = Codec(EVENTS, COMMANDS, REPLIES, DiceFault)
