"""A shuffler's messages to bytes and back."""

import struct
from collections.abc import Callable
from enum import IntEnum

from drivers.messages import NotUnderstood
from drivers.shuffler.messages import (
    Abort,
    AskStatus,
    CardOrderReceived,
    Command,
    Event,
    EventKind,
    FaultCleared,
    FaultCode,
    FaultRaised,
    LidClosed,
    LidOpened,
    PacketDelivered,
    Shuffle,
    ShuffleCompleted,
    ShuffleStarted,
)

_NOTHING = struct.Struct("<")
_OP = struct.Struct("<Q")
_OP_COUNT = struct.Struct("<QH")
_TWO = struct.Struct("<BB")
_ONE = struct.Struct("<B")
_FAULTS = {code.value: code for code in FaultCode}


class _CommandKind(IntEnum):
    """The first byte of a command's body."""

    SHUFFLE = 1
    STATUS = 2
    ABORT = 3


def fault_of(number: int) -> FaultCode:
    """The fault of this number."""
    return _FAULTS.get(number, FaultCode.UNRECOGNISED)


def _raised(number: int) -> Event:
    return FaultRaised(fault_of(number), number)


def _cleared(number: int) -> Event:
    return FaultCleared(fault_of(number), number)


_EVENTS: dict[int, tuple[struct.Struct, Callable[..., Event]]] = {
    EventKind.SHUFFLE_STARTED: (_OP, ShuffleStarted),
    EventKind.SHUFFLE_COMPLETED: (_OP_COUNT, ShuffleCompleted),
    EventKind.PACKET_DELIVERED: (_TWO, PacketDelivered),
    EventKind.FAULT_RAISED: (_ONE, _raised),
    EventKind.FAULT_CLEARED: (_ONE, _cleared),
    EventKind.LID_OPENED: (_NOTHING, LidOpened),
    EventKind.LID_CLOSED: (_NOTHING, LidClosed),
}


def decode_event(payload: bytes) -> Event:
    """The event in an EVENT frame; of a card order nothing but that it came."""
    kind = payload[0] if payload else -1
    if kind == EventKind.CARD_ORDER:
        return CardOrderReceived()
    layout, build = _EVENTS.get(kind, (None, None))
    if layout is None or build is None or len(payload) != 1 + layout.size:
        return NotUnderstood(kind)
    return build(*layout.unpack_from(payload, 1))


def encode_event(event: Event) -> bytes:
    """The payload of `event`, for the device's end.

    Raises:
        ValueError: `event` is one that only a decoder makes.
    """
    match event:
        case ShuffleStarted(op=op):
            return bytes((EventKind.SHUFFLE_STARTED,)) + _OP.pack(op)
        case ShuffleCompleted(op=op, count=count):
            return bytes((EventKind.SHUFFLE_COMPLETED,)) + _OP_COUNT.pack(op, count)
        case PacketDelivered(number_in_shuffle=number, count=count):
            return bytes((EventKind.PACKET_DELIVERED, number, count))
        case FaultRaised(number=number):
            return bytes((EventKind.FAULT_RAISED, number))
        case FaultCleared(number=number):
            return bytes((EventKind.FAULT_CLEARED, number))
        case LidOpened():
            return bytes((EventKind.LID_OPENED,))
        case LidClosed():
            return bytes((EventKind.LID_CLOSED,))
        case CardOrderReceived() | NotUnderstood():
            msg = f"{event} has no payload"
            raise ValueError(msg)


def encode_command(command: Command) -> bytes:
    """The body of a COMMAND frame, after the command's id."""
    match command:
        case Shuffle(op=op):
            return bytes((_CommandKind.SHUFFLE,)) + _OP.pack(op)
        case AskStatus(op=op):
            return bytes((_CommandKind.STATUS,)) + _OP.pack(op)
        case Abort():
            return bytes((_CommandKind.ABORT,))


def decode_command(body: bytes) -> Command | NotUnderstood:
    """The command in a COMMAND frame's body, for the device's end."""
    kind = body[0] if body else -1
    if kind in {_CommandKind.SHUFFLE, _CommandKind.STATUS} and len(body) == 1 + _OP.size:
        (op,) = _OP.unpack_from(body, 1)
        return Shuffle(op) if kind == _CommandKind.SHUFFLE else AskStatus(op)
    return Abort() if body == bytes((_CommandKind.ABORT,)) else NotUnderstood(kind)
