"""A shuffler's messages to bytes and back."""

import struct
from collections.abc import Callable
from enum import IntEnum

from drivers.shuffler.messages import (
    Abort,
    Accepted,
    AskStatus,
    Capability,
    CardOrderReceived,
    Command,
    Event,
    EventKind,
    FaultCleared,
    FaultCode,
    FaultRaised,
    Identity,
    LidClosed,
    LidOpened,
    NotUnderstood,
    OperationState,
    OperationStatus,
    PacketDelivered,
    Refused,
    Reply,
    Shuffle,
    ShuffleCompleted,
    ShuffleStarted,
)

LAYOUT = 1
MAX_IDENTITY = 64
SIMULATED = 0x01
_IDENTITY = struct.Struct("<BBBH8s")
_NOTHING = struct.Struct("<")
_OP = struct.Struct("<Q")
_OP_COUNT = struct.Struct("<QH")
_TWO = struct.Struct("<BB")
_ONE = struct.Struct("<B")
_COUNT = struct.Struct("<H")
_FAULTS = {code.value: code for code in FaultCode}


class _CommandKind(IntEnum):
    """The first byte of a command's body."""

    SHUFFLE = 1
    STATUS = 2
    ABORT = 3


class _ReplyKind(IntEnum):
    """The first byte of a reply's body."""

    ACCEPTED = 1
    REFUSED = 2
    STATUS = 3


def _fault(number: int) -> FaultCode:
    return _FAULTS.get(number, FaultCode.UNRECOGNISED)


def _raised(number: int) -> Event:
    return FaultRaised(_fault(number), number)


def _cleared(number: int) -> Event:
    return FaultCleared(_fault(number), number)


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


def encode_reply(reply: Accepted | Refused | OperationStatus) -> bytes:
    """The body of a REPLY frame, after the command's id."""
    match reply:
        case Accepted():
            return bytes((_ReplyKind.ACCEPTED,))
        case Refused(code=code):
            return bytes((_ReplyKind.REFUSED, code))
        case OperationStatus(state=state, count=count, code=code):
            detail = b"" if count is None else _COUNT.pack(count)
            detail += b"" if code is None else bytes((code,))
            return bytes((_ReplyKind.STATUS, state.value)) + detail


def decode_reply(body: bytes) -> Reply:
    """The reply in a REPLY frame's body."""
    match tuple(body):
        case (_ReplyKind.ACCEPTED,):
            return Accepted()
        case (_ReplyKind.REFUSED, number):
            return Refused(_fault(number))
        case (_ReplyKind.STATUS, (0 | 1) as state):
            return OperationStatus(OperationState(state))
        case (_ReplyKind.STATUS, 2, low, high):
            return OperationStatus(OperationState.DONE, count=low | high << 8)
        case (_ReplyKind.STATUS, 3, number):
            return OperationStatus(OperationState.FAILED, code=_fault(number))
        case _:
            return NotUnderstood(body[0] if body else -1)


def encode_identity(identity: Identity) -> bytes:
    """The payload of IDENTITY.

    Raises:
        ValueError: it doesn't fit 64 bytes, or a name isn't printable ASCII.
    """
    flags = SIMULATED if identity.simulated else 0
    capabilities, firmware = identity.capabilities.value, bytes.fromhex(identity.firmware)
    head = _IDENTITY.pack(LAYOUT, identity.protocol, flags, capabilities, firmware)
    names = [name.encode("ascii") for name in (identity.maker, identity.model, identity.serial)]
    payload = head + b"".join(bytes((len(name),)) + name for name in names)
    if len(payload) > MAX_IDENTITY or decode_identity(payload) != identity:
        msg = f"an identity has at most {MAX_IDENTITY} bytes of printable names, this one {len(payload)}"
        raise ValueError(msg)
    return payload


def decode_identity(payload: bytes) -> Identity | None:
    """Who the device says it is, or None when it can't be understood."""
    if len(payload) < _IDENTITY.size or payload[0] != LAYOUT:
        return None
    _, protocol, flags, capabilities, firmware = _IDENTITY.unpack_from(payload)
    names = _names(payload[_IDENTITY.size :])
    if names is None:
        return None
    known = Capability(capabilities & sum(each.value for each in Capability))
    return Identity(*names, firmware.hex(), protocol, known, simulated=bool(flags & SIMULATED))


def _names(data: bytes) -> tuple[str, str, str] | None:
    names: list[str] = []
    while data:
        length = data[0]
        name = data[1 : 1 + length].decode("latin-1")
        if len(name) != length or not (name.isascii() and name.isprintable() and name):
            return None
        names.append(name)
        data = data[1 + length :]
    match names:
        case [maker, model, serial]:
            return maker, model, serial
        case _:
            return None
