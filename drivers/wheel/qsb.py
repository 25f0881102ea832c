"""The US Digital QSB encoder adapter (docs/protocols/wheel.md), without input or output.

Its lines carry no check characters, so a damaged digit can look like a reading. What follows from that stands
with `Clock` and `ClearedCounter`: nothing but a refused reading, or a position whose next check fails.
"""

import re
from dataclasses import dataclass
from enum import IntEnum

from drivers.wheel.readings import Reading

BAUDRATE = 230_400
TICKS_PER_S = 512
REPLY_BYTES = 26
FIXED_REPLIES = 0x0000_000F
CLEARED_BY_INDEX = 0x23
"""Four counts in a period, and the index mark sets the count to 0."""

MAX_LINE = 64
LONGEST_JUMP = TICKS_PER_S
_SPAN = 1 << 32
_REPLY = re.compile(rb"([wrs]) ([0-9A-F]{2}) ([0-9A-F]{8}) ([0-9A-F]{8}) !\r\n")
_BANNER = re.compile(rb"\s*QSB-[A-Z] +[0-9A-F]{2}!\s*")


class Register(IntEnum):
    """The registers in use."""

    MODE = 0x03
    THRESHOLD = 0x0B
    INTERVAL = 0x0C
    TIMESTAMP = 0x0D
    COUNT = 0x0E
    VERSION = 0x14
    REPLIES = 0x15


@dataclass(frozen=True, slots=True)
class Reply:
    """A line in the fixed form; `kind` is `w`, `r` or `s`."""

    kind: str
    register: int
    value: int
    ticks: int


@dataclass(frozen=True, slots=True)
class Banner:
    """The adapter has begun anew."""


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that says nothing."""


Line = Reply | Banner | BadLine


def encode_write(register: Register, value: int) -> bytes:
    """The command that sets a register."""
    return b"W%02X%08X\r\n" % (register, value)


def encode_read(register: Register) -> bytes:
    """The command that asks for a register."""
    return b"R%02X\r\n" % register


def encode_stream(register: Register) -> bytes:
    """The command that has a register sent again and again."""
    return b"S%02X\r\n" % register


def encode_reply(reply: Reply) -> bytes:
    """A line as the adapter sends it."""
    return b"%c %02X %08X %08X !\r\n" % (reply.kind.encode(), reply.register, reply.value, reply.ticks)


class LineReader:
    """Makes lines of bytes."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[Line]:
        """The lines that end in `data`."""
        *whole, rest = (self._rest + data).split(b"\n")
        lines = [_line(line + b"\n") for line in whole]
        if len(rest) > MAX_LINE:
            lines.append(BadLine())
            rest = rest[-1:]
        self._rest = rest
        return lines


def _line(data: bytes) -> Line:
    found = _REPLY.fullmatch(data)
    if found is not None:
        kind, register, value, ticks = found.groups()
        return Reply(kind.decode(), int(register, 16), int(value, 16), int(ticks, 16))
    return Banner() if _BANNER.fullmatch(data) else BadLine()


class Clock:
    """Microseconds without wrapping from the adapter's ticks, which begin anew after 2^32."""

    def __init__(self) -> None:
        self._ticks: int | None = None
        self._total = 0

    def read(self, ticks: int) -> int | None:
        """The time of a reading; None where it is a second and more away from the last one's and must be damaged."""
        moved = 0 if self._ticks is None else (ticks - self._ticks + _SPAN // 2) % _SPAN - _SPAN // 2
        if not -LONGEST_JUMP < moved < LONGEST_JUMP:
            return None
        self._ticks = ticks
        self._total += moved
        return self._total * 1_000_000 // TICKS_PER_S


class ClearedCounter:
    """Makes a count that goes on of one that the index mark sets to 0.

    At the mark the way since the last reading isn't in the counts, so it is taken from the speed before; the mark is
    where the new count says. If a damaged digit looks like a mark, that mark is in the wrong place, which is seen.
    """

    def __init__(self, counts_per_turn: int) -> None:
        self._tolerance = max(8, counts_per_turn // 1024)
        self._last: tuple[int, int] | None = None  # time and signed raw count
        self._speed = (0, 1)  # counts moved, in so many microseconds
        self._count = 0

    def read(self, at_us: int, raw: int) -> Reading:
        """The reading that goes on from the one before."""
        signed = raw - _SPAN if raw >= _SPAN // 2 else raw
        if self._last is None or at_us <= self._last[0]:
            self._last = self._last or (at_us, signed)
            return Reading(at_us, self._count % _SPAN)
        elapsed_us, moved = at_us - self._last[0], signed - self._last[1]
        expected = self._speed[0] * elapsed_us // self._speed[1]
        self._last = at_us, signed
        if abs(moved - expected) > self._tolerance and abs(signed) <= abs(expected) + self._tolerance:
            self._count += expected
            return Reading(at_us, self._count % _SPAN, (self._count - signed) % _SPAN)
        self._speed = moved, elapsed_us
        self._count += moved
        return Reading(at_us, self._count % _SPAN)
