"""Message codec of a buzzer on the device link.

    event    01 | op, 8 bytes | 00 or 01        sounded; whether it was verified by its own ear or current sensor
             02 | op, 8 bytes | fault           not sounded
    command  01 | op, 8 bytes | pattern         sound: 1 time is up, 2 no more bets
             02 | op, 8 bytes                   status
    reply    03 | 02 | 00 or 01                 status: done; whether it was verified

Faults and the other replies are those of every kind (drivers/link/messages.py). Source: docs/protocols/link.md,
"Buzzer".
"""

from enum import IntEnum
from typing import Final, Never

from drivers.link.messages import FAULT_ROWS, Answer, Codec, Fault, reply_rows
from drivers.link.table import Messages, row
from tablectl.lazy_dataclass import dataclass


class BuzzerFault(IntEnum):
    """The faults of a buzzer, also as reasons."""

    NO_CURRENT = 1
    STUCK_ON = 2
    MUTED = 3
    UNVERIFIED = 4
    UNRECOGNISED = 255


class Pattern(IntEnum):
    """The sound of a signal."""

    TIME_IS_UP = 1
    NO_MORE_BETS = 2


@dataclass(frozen=True, slots=True)
class Sounded:
    """Report that the operation `op` sounded.

    `verified`: it was heard, or its current was measured.
    """

    op: int
    verified: bool


@dataclass(frozen=True, slots=True)
class NotSounded:
    """The operation `op` didn't sound, because of the fault `number`."""

    op: int
    number: int


@dataclass(frozen=True, slots=True)
class Sound:
    """Sound once; the same `op` given again changes nothing."""

    op: int
    pattern: Pattern


@dataclass(frozen=True, slots=True)
class AskStatus:
    """The outcome of `op` is asked for."""

    op: int


Event = Sounded | NotSounded
Command = Sound | AskStatus

EVENTS: Final = Messages[Event | Fault](
    row(1, Sounded, op="Q", verified="?"),
    row(2, NotSounded, op="Q", number="B"),
    *FAULT_ROWS,
)
COMMANDS: Final = Messages[Command](
    row(1, Sound, op="Q", pattern="B"),
    row(2, AskStatus, op="Q"),
)
REPLIES: Final = Messages[Answer](*reply_rows(result="1s"))
CODEC: Final[Codec[Event, Command, Never]] = Codec(EVENTS, COMMANDS, REPLIES, BuzzerFault)  # pyright: ignore[reportUnknownVariableType, reportArgumentType]
