"""A buzzer's messages to bytes and back."""

import struct

from drivers.buzzer.messages import AskStatus, BuzzerFault, Command, Event, NotSounded, Pattern, Sound, Sounded
from drivers.messages import FaultCleared, FaultRaised, NotUnderstood, decode_fault, encode_fault

SOUNDED, NOT_SOUNDED = 1, 2
SOUND, STATUS = 1, 2
RESULT_SIZE = 1
_OP = struct.Struct("<Q")
_OP_BYTE = struct.Struct("<QB")
_FAULTS = {fault.value: fault for fault in BuzzerFault}
_PATTERNS = {pattern.value: pattern for pattern in Pattern}


def fault_name(number: int) -> str:
    """The fault of this number, for people."""
    return _FAULTS.get(number, BuzzerFault.UNRECOGNISED).name.lower()


def decode_event(payload: bytes) -> Event:
    """The event in an EVENT frame."""
    kind = payload[0] if payload else -1
    if kind not in {SOUNDED, NOT_SOUNDED}:
        return decode_fault(payload)
    if len(payload) != 1 + _OP_BYTE.size or (kind == SOUNDED and payload[-1] > 1):
        return NotUnderstood(kind)
    op, number = _OP_BYTE.unpack_from(payload, 1)
    return Sounded(op, bool(number)) if kind == SOUNDED else NotSounded(op, number)


def encode_event(event: Event) -> bytes:
    """The payload of `event`, for the device's end.

    Raises:
        ValueError: `event` is one that only a decoder makes.
    """
    match event:
        case Sounded(op=op, verified=verified):
            return bytes((SOUNDED,)) + _OP_BYTE.pack(op, verified)
        case NotSounded(op=op, number=number):
            return bytes((NOT_SOUNDED,)) + _OP_BYTE.pack(op, number)
        case FaultRaised() | FaultCleared():
            return encode_fault(event)
        case NotUnderstood():
            msg = f"{event} has no payload"
            raise ValueError(msg)


def encode_command(command: Command) -> bytes:
    """The body of a COMMAND frame, after the command's id."""
    match command:
        case Sound(op=op, pattern=pattern):
            return bytes((SOUND,)) + _OP_BYTE.pack(op, pattern)
        case AskStatus(op=op):
            return bytes((STATUS,)) + _OP.pack(op)


def decode_command(body: bytes) -> Command | NotUnderstood:
    """The command in a COMMAND frame's body, for the device's end."""
    kind, rest = body[0] if body else -1, body[1:]
    if kind == SOUND and len(rest) == _OP_BYTE.size and rest[-1] in _PATTERNS:
        op, pattern = _OP_BYTE.unpack(rest)
        return Sound(op, _PATTERNS[pattern])
    return AskStatus(*_OP.unpack(rest)) if kind == STATUS and len(rest) == _OP.size else NotUnderstood(kind)
