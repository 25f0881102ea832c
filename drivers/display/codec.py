"""The messages of a display on our link to bytes and back."""

import struct

from drivers.display.messages import Blank, Command, DisplayFault, ReadDisplay, Reading, Seen, ShowDraw, ShowTestPattern
from drivers.messages import NotUnderstood, Reply, ReplyKind, decode_reply

SHOW, READ, BLANK, TEST_PATTERN = 1, 2, 3, 4
SEEN_DRAW = 1
_ID = struct.Struct("<Q")
_DRAW = struct.Struct("<QBB")
_FAULTS = {fault.value: fault for fault in DisplayFault}
_SEEN = {seen.value: seen for seen in Seen}


def fault_name(number: int) -> str:
    """The fault of this number, for people."""
    return _FAULTS.get(number, DisplayFault.UNRECOGNISED).name.lower()


def encode_command(command: Command) -> bytes:
    """The body of a COMMAND frame, after the command's id."""
    match command:
        case ShowDraw():
            return bytes((SHOW,)) + _draw(command)
        case ReadDisplay():
            return bytes((READ,))
        case Blank(draw_id=draw_id):
            return bytes((BLANK,)) + _ID.pack(draw_id)
        case ShowTestPattern():
            return bytes((TEST_PATTERN,))


def decode_command(body: bytes) -> Command | NotUnderstood:
    """The command in a COMMAND frame's body."""
    kind, rest = body[0] if body else -1, body[1:]
    if kind == SHOW and len(rest) == _DRAW.size:
        return ShowDraw(*_DRAW.unpack(rest))
    if kind == BLANK and len(rest) == _ID.size:
        return Blank(*_ID.unpack(rest))
    if kind == READ and not rest:
        return ReadDisplay()
    return ShowTestPattern() if kind == TEST_PATTERN and not rest else NotUnderstood(kind)


def encode_reading(reading: Reading) -> bytes:
    """The body of the REPLY to `ReadDisplay`."""
    seen = bytes((reading.value,)) if isinstance(reading, Seen) else bytes((SEEN_DRAW,)) + _draw(reading)
    return bytes((ReplyKind.REPORT,)) + seen


def decode_display_reply(body: bytes) -> Reply | Reading:
    """The reply in a REPLY frame's body."""
    if body[:2] == bytes((ReplyKind.REPORT, SEEN_DRAW)) and len(body) == 2 + _DRAW.size:
        return ShowDraw(*_DRAW.unpack_from(body, 2))
    if body[:1] == bytes((ReplyKind.REPORT,)) and len(body) == 2 and body[1] in _SEEN:
        return _SEEN[body[1]]
    return decode_reply(body, result_size=0)


def _draw(draw: ShowDraw) -> bytes:
    return _DRAW.pack(draw.draw_id, draw.series, draw.combination)
