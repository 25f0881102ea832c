"""The messages of a door contact, as values and as bytes."""

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from drivers.link.messages import FAULT_ROWS, Answer, Codec, Fault, ReplyKind, reply_rows
from drivers.link.table import Messages, row


class DoorFault(IntEnum):
    """The faults of a door contact."""

    STUCK = 1
    UNRECOGNISED = 255


@dataclass(frozen=True, slots=True)
class Opened:
    """The door was opened."""


@dataclass(frozen=True, slots=True)
class Closed:
    """The door was closed."""


@dataclass(frozen=True, slots=True)
class GetStatus:
    """The state of the door is asked for."""


@dataclass(frozen=True, slots=True)
class Status:
    """The state of the door."""

    is_open: bool


Event = Opened | Closed

EVENTS: Final = Messages[Event | Fault](row(1, Opened), row(2, Closed), *FAULT_ROWS)
COMMANDS: Final = Messages[GetStatus](row(1, GetStatus))
REPLIES: Final = Messages[Status | Answer](row(ReplyKind.REPORT, Status, is_open="?"), *reply_rows())
CODEC: Final[Codec[Event, GetStatus, Status]] = Codec(EVENTS, COMMANDS, REPLIES, DoorFault)
