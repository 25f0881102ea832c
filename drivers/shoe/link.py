"""Message codec of a shoe on the device link.

    event    01 | rank | suit                   card drawn: 2 to 14 (ace); 1 diamonds to 4 spades; 0, 0 where unread
             02                                 cut card reached
             06                                 lid opened
             07                                 lid closed
             08                                 locked
             09                                 unlocked
    command  01                                 status
    reply    04 | 00 or 01 | 00 or 01           status: whether the lid is open, whether the shoe is locked

Faults and the other replies are those of every kind (drivers/link/messages.py). Source: docs/protocols/link.md, "Shoe".
"""

from dataclasses import field
from enum import IntEnum
from typing import Final

from drivers.link.messages import FAULT_ROWS, Answer, Codec, Fault, ReplyKind, reply_rows
from drivers.link.table import Messages, row
from tablectl.lazy_dataclass import dataclass


class ShoeFault(IntEnum):
    """The faults of a shoe on our link."""

    CANNOT_READ = 1
    OVERDRAW = 2
    BUTTON_MISUSE = 3
    REVERSE_AT_EXIT = 4
    REVERSE_MIDWAY = 5
    CARD_CODE = 6
    DRAW_TIMEOUT = 7
    REPEATS_DISAGREE = 8
    LOCKED = 9
    UNRECOGNISED = 255


UNREAD = 0


@dataclass(frozen=True, slots=True)
class Drawn:
    """Report that a card left the shoe.

    Which one stays out of every text, because it may lie face down.

    Args:
        rank: 2 to 14 (ace 14) or `UNREAD`; any other number that came is kept.
        suit: 1 diamonds, 2 clubs, 3 hearts, 4 spades, or `UNREAD`; likewise.
    """

    rank: int = field(repr=False)
    suit: int = field(repr=False)


@dataclass(frozen=True, slots=True)
class CutReached:
    """The cut card came to the shoe's mouth."""


@dataclass(frozen=True, slots=True)
class LidOpened:
    """The lid was opened."""


@dataclass(frozen=True, slots=True)
class LidClosed:
    """The lid was closed."""


@dataclass(frozen=True, slots=True)
class Locked:
    """The shoe was locked."""


@dataclass(frozen=True, slots=True)
class Unlocked:
    """The shoe was unlocked."""


Noted = LidOpened | LidClosed | Locked | Unlocked
Event = Drawn | CutReached | Noted


@dataclass(frozen=True, slots=True)
class GetStatus:
    """The shoe's state is asked for."""


@dataclass(frozen=True, slots=True)
class Status:
    """The shoe's state."""

    lid_open: bool
    locked: bool


DRAWN: Final = 1
EVENTS: Final = Messages[Event | Fault](
    row(DRAWN, Drawn, rank="B", suit="B"),
    row(2, CutReached),
    row(6, LidOpened),
    row(7, LidClosed),
    row(8, Locked),
    row(9, Unlocked),
    *FAULT_ROWS,
)
COMMANDS: Final = Messages[GetStatus](row(1, GetStatus))
REPLIES: Final = Messages[Status | Answer](row(ReplyKind.REPORT, Status, lid_open="?", locked="?"), *reply_rows())
CODEC: Final[Codec[Event, GetStatus, Status]] = Codec(EVENTS, COMMANDS, REPLIES, ShoeFault)
