"""Message codec of a shuffler on the device link.

    event    01 | op, 8 bytes                   shuffle started
             02 | op, 8 bytes | cards, 2 bytes  shuffle completed, cards counted
             03 | number | cards                packet delivered: its number since the shuffle, from 1
             06                                 lid opened
             07                                 lid closed
             08 | ...                           order of the cards: dropped unread, and taken for tampering
    command  01 | op, 8 bytes                   shuffle
             02 | op, 8 bytes                   status
             03                                 abort
    reply    03 | 02 | cards, 2 bytes           status: done, cards counted

The order of the cards is never taken from a shuffler: the codec drops the bytes of such a message, and no
value here could hold, log or publish them. Faults and the other replies are those of every kind
(drivers/link/messages.py). Source: docs/protocols/link.md, "Shuffler".
"""

from dataclasses import replace
from enum import IntEnum, IntFlag
from typing import Final, Never

from drivers.link.frame import Frame, FrameReader, FrameType, encode_frame
from drivers.link.messages import FAULT_ROWS, Answer, Codec, Fault, reply_rows
from drivers.link.notices import COMMAND_ID
from drivers.link.table import Dropped, Messages, NotUnderstood, row
from tablectl.lazy_dataclass import dataclass


class FaultCode(IntEnum):
    """The faults of a shuffler."""

    COUNT_SHORT = 1
    COUNT_OVER = 2
    MISSING_CARD = 3
    DUPLICATE_CARD = 4
    FOREIGN_CARD = 5
    CARD_FACE_UP = 6
    UNREADABLE_CARD = 7
    JAM = 8
    FEED_FAIL = 9
    EXIT_BLOCKED = 10
    SHUFFLE_TIMEOUT = 11
    RNG_FAULT = 12
    CAMERA_FAULT = 13
    LID_OPEN = 14
    DECK_CHANGED_MID_SHUFFLE = 15
    UNRECOGNISED = 255  # a number of a newer firmware: still a fault


class Capability(IntFlag):
    """The abilities of this shuffler, as bits."""

    NONE = 0
    SHUFFLE = 1
    STATUS = 2
    ABORT = 4
    DELIVERS_PACKETS = 8
    VERIFIES_DECK = 16


@dataclass(frozen=True, slots=True)
class ShuffleStarted:
    """The shuffle `op` began."""

    op: int


@dataclass(frozen=True, slots=True)
class ShuffleCompleted:
    """The shuffle `op` ended; `count` cards went through."""

    op: int
    count: int


@dataclass(frozen=True, slots=True)
class PacketDelivered:
    """Report that a packet of `count` cards lies at the exit.

    It is the `number_in_shuffle`th (from 1) since the shuffle.
    """

    number_in_shuffle: int
    count: int


@dataclass(frozen=True, slots=True)
class LidOpened:
    """The lid was opened."""


@dataclass(frozen=True, slots=True)
class LidClosed:
    """The lid was closed."""


@dataclass(frozen=True, slots=True)
class CardOrderReceived:
    """Card order sent by the device.

    The order was dropped; that it was sent at all is tampering.
    """


Event = ShuffleStarted | ShuffleCompleted | PacketDelivered | LidOpened | LidClosed | CardOrderReceived


class EventKind(IntEnum):
    """The first byte of an EVENT's payload."""

    SHUFFLE_STARTED = 1
    SHUFFLE_COMPLETED = 2
    PACKET_DELIVERED = 3
    FAULT_RAISED = 4
    FAULT_CLEARED = 5
    LID_OPENED = 6
    LID_CLOSED = 7
    CARD_ORDER = 8


@dataclass(frozen=True, slots=True)
class Shuffle:
    """Shuffle once; the same `op` given again changes nothing."""

    op: int


@dataclass(frozen=True, slots=True)
class AskStatus:
    """The outcome of `op` is asked for."""

    op: int


@dataclass(frozen=True, slots=True)
class Abort:
    """Stop whatever runs; the cards are suspect afterwards."""


Command = Shuffle | AskStatus | Abort

EVENTS: Final = Messages[Event | Fault](
    row(EventKind.SHUFFLE_STARTED, ShuffleStarted, op="Q"),
    row(EventKind.SHUFFLE_COMPLETED, ShuffleCompleted, op="Q", count="H"),
    row(EventKind.PACKET_DELIVERED, PacketDelivered, number_in_shuffle="B", count="B"),
    row(EventKind.LID_OPENED, LidOpened),
    row(EventKind.LID_CLOSED, LidClosed),
    row(EventKind.CARD_ORDER, CardOrderReceived, Dropped()),
    *FAULT_ROWS,
)
COMMANDS: Final = Messages[Command](
    row(1, Shuffle, op="Q"),
    row(2, AskStatus, op="Q"),
    row(3, Abort),
)
REPLIES: Final = Messages[Answer](*reply_rows(result="2s"))
"""The result of a shuffle is the count of its cards, two bytes."""

CODEC: Final[Codec[Event, Command, Never]] = Codec(EVENTS, COMMANDS, REPLIES, FaultCode)  # pyright: ignore[reportUnknownVariableType, reportArgumentType]


class OrderRedactor:
    """Filter that passes a shuffler's bytes on without any card order.

    It holds a piece until it is whole.
    """

    def __init__(self) -> None:
        self._reader = FrameReader()

    def __call__(self, data: bytes) -> bytes:
        """Return the part that may be kept of everything that became whole with `data`."""
        kept = b""
        for frame in self._reader.feed(data):
            kept += encode_frame(replace(frame, payload=_without_order(frame)))
        return kept


def _without_order(frame: Frame) -> bytes:
    """The payload; of one that isn't a message of a shuffler no more than its kind."""
    match frame.kind:
        case FrameType.EVENT:
            is_known = not isinstance(EVENTS.decode(frame.payload), NotUnderstood | CardOrderReceived)
            return frame.payload if is_known else frame.payload[:1]
        case FrameType.REPLY:
            is_known = not isinstance(REPLIES.decode(frame.payload[COMMAND_ID.size :]), NotUnderstood)
            return frame.payload if is_known else frame.payload[: COMMAND_ID.size + 1]
        case FrameType.IDENTITY | FrameType.NAK:
            return frame.payload
        case _:
            return b""
