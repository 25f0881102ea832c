"""A draw system's messages to bytes and back."""

import struct

from drivers.draw.messages import (
    Command,
    Committed,
    DrawFault,
    Drawn,
    Event,
    GetDraw,
    GetRngStatus,
    MakeDraw,
    NotDrawn,
    RngState,
    RngStatus,
    RunSelfTest,
    SelfTestEnded,
)
from drivers.messages import (
    FaultCleared,
    FaultRaised,
    NotUnderstood,
    Reply,
    ReplyKind,
    decode_fault,
    decode_reply,
    encode_fault,
)

COMMITTED, NOT_DRAWN, SELF_TEST_ENDED = 1, 2, 6
MAKE_DRAW, GET_DRAW, GET_RNG_STATUS, RUN_SELF_TEST = 1, 2, 3, 4
MAX_ROUND_NAME = 47
"""So many bytes of the round's name fit beside the draw id."""
_ID = struct.Struct("<Q")
_ID_DRAWN = struct.Struct("<QBB")
_ID_NUMBER = struct.Struct("<QB")
_DRAWN = struct.Struct("<BB")
_STATUS = struct.Struct("<BBQ")
_FAULTS = {fault.value: fault for fault in DrawFault}


def fault_name(number: int) -> str:
    """The fault of this number, for people."""
    return _FAULTS.get(number, DrawFault.UNRECOGNISED).name.lower()


def decode_event(payload: bytes) -> Event:
    """The event in an EVENT frame."""
    kind, rest = payload[:1], payload[1:]
    if kind == bytes((COMMITTED,)) and len(rest) == _ID_DRAWN.size:
        draw_id, series, combination = _ID_DRAWN.unpack(rest)
        return Committed(draw_id, Drawn(series, combination))
    if kind == bytes((NOT_DRAWN,)) and len(rest) == _ID_NUMBER.size:
        return NotDrawn(*_ID_NUMBER.unpack(rest))
    if kind == bytes((SELF_TEST_ENDED,)) and len(rest) == 1:
        return SelfTestEnded(rest[0])
    return decode_fault(payload)


def encode_event(event: Event) -> bytes:
    """The payload of `event`, for the device's end.

    Raises:
        ValueError: `event` is one that only a decoder makes.
    """
    match event:
        case Committed(draw_id=draw_id, drawn=drawn):
            return bytes((COMMITTED,)) + _ID_DRAWN.pack(draw_id, drawn.series, drawn.combination)
        case NotDrawn(draw_id=draw_id, number=number):
            return bytes((NOT_DRAWN,)) + _ID_NUMBER.pack(draw_id, number)
        case SelfTestEnded(number=number):
            return bytes((SELF_TEST_ENDED, number))
        case FaultRaised() | FaultCleared():
            return encode_fault(event)
        case NotUnderstood():
            msg = f"{event} has no payload"
            raise ValueError(msg)


def encode_command(command: Command) -> bytes:
    """The body of a COMMAND frame, after the command's id; of a long round name the beginning."""
    match command:
        case MakeDraw(draw_id=draw_id, round_name=name):
            return bytes((MAKE_DRAW,)) + _ID.pack(draw_id) + name.encode("ascii", "replace")[:MAX_ROUND_NAME]
        case GetDraw(draw_id=draw_id):
            return bytes((GET_DRAW,)) + _ID.pack(draw_id)
        case GetRngStatus():
            return bytes((GET_RNG_STATUS,))
        case RunSelfTest():
            return bytes((RUN_SELF_TEST,))


def decode_command(body: bytes) -> Command | NotUnderstood:
    """The command in a COMMAND frame's body, for the device's end."""
    kind, rest = body[:1], body[1:]
    if kind == bytes((MAKE_DRAW,)) and len(rest) >= _ID.size and rest[_ID.size :].isascii():
        return MakeDraw(_ID.unpack_from(rest)[0], rest[_ID.size :].decode("ascii"))
    if kind == bytes((GET_DRAW,)) and len(rest) == _ID.size:
        return GetDraw(*_ID.unpack(rest))
    if body == bytes((GET_RNG_STATUS,)):
        return GetRngStatus()
    return RunSelfTest() if body == bytes((RUN_SELF_TEST,)) else NotUnderstood(body[0] if body else -1)


def encode_result(drawn: Drawn) -> bytes:
    """The result of a done draw, in a status."""
    return _DRAWN.pack(drawn.series, drawn.combination)


def decode_result(result: bytes) -> Drawn:
    """The result of a done draw, from a status."""
    return Drawn(*_DRAWN.unpack(result))


def encode_rng_status(status: RngStatus) -> bytes:
    """The body of the REPLY to `GetRngStatus`."""
    return bytes((ReplyKind.REPORT,)) + _STATUS.pack(status.state.value, status.number, status.samples)


def decode_draw_reply(body: bytes) -> Reply | RngStatus:
    """The reply in a REPLY frame's body."""
    if body[:1] == bytes((ReplyKind.REPORT,)) and len(body) == 1 + _STATUS.size and body[1] <= RngState.FAILED.value:
        state, number, samples = _STATUS.unpack_from(body, 1)
        return RngStatus(RngState(state), number, samples)
    return decode_reply(body, result_size=_DRAWN.size)
