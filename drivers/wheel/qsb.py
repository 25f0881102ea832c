"""US Digital QSB encoder adapter (docs/protocols/wheel.md): sans-I/O codec.

    command  W rr dddddddd CR LF             set a register
             R rr CR LF                      read a register
             S rr CR LF                      stream a register
    reply    k _ rr _ dddddddd _ tttttttt _ ! CR LF    26 bytes, once register 15 is F

`rr` is the register, `d` its value and `t` the time in 1/512 s, all in upper-case hexadecimal; `k` is w, r or s and
`_` a blank. The other blanks above aren't sent.

Its lines carry no check characters, so a damaged digit can look like a reading. The consequences are handled in
`Clock` and `ClearedCounter`: nothing but a refused reading, or a position whose next check fails.
"""

import re
from collections import deque
from enum import IntEnum

from drivers.wheel.facts import Reading
from tablectl.lazy_dataclass import dataclass

BAUDRATE = 230_400
TICKS_PER_S = 512
REPLY_BYTES = 26
FIXED_REPLIES = 0x0000_000F
CLEARED_BY_INDEX = 0x23
"""Four counts in a period, and the index mark sets the count to 0."""

MAX_LINE = 64
LONGEST_JUMP = TICKS_PER_S
CLOSE = 64
TRAIL = 5
FASTEST = 4
"""Turns in a second; no hand turns a wheel faster."""

DAMAGED_IN_A_ROW = 3
"""So many impossible counts one after the other are where the counter is now."""
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
    """Microseconds without wrapping from the adapter's ticks, which wrap at 2^32."""

    def __init__(self) -> None:
        self._ticks: int | None = None
        self._refused: int | None = None
        self._total = 0

    def read(self, ticks: int) -> int | None:
        """The time of a reading.

        None where it is a second and more away from the last one's and so must be damaged, unless the one before
        was refused as well and fits to it: then nothing came for so long.
        """
        moved = 0 if self._ticks is None else _apart(ticks, self._ticks)
        before, self._refused = self._refused, ticks
        if abs(moved) >= LONGEST_JUMP and (before is None or not 0 < _apart(ticks, before) <= CLOSE):
            return None
        self._ticks, self._refused = ticks, None
        self._total += moved
        return self._total * 1_000_000 // TICKS_PER_S


def _apart(ticks: int, before: int) -> int:
    """How much later one tick is than another."""
    return (ticks - before + _SPAN // 2) % _SPAN - _SPAN // 2


class ClearedCounter:
    """Makes a count that goes on of one that the index mark sets to 0.

    At the mark the way since the last reading isn't in the counts. It is taken from the speed before, and where that
    fits the mark's place of the turn before to a few counts, exactly from there. If a damaged digit looks like a
    mark, that mark is in the wrong place, which is seen.
    """

    def __init__(self, counts_per_turn: int) -> None:
        self._turn = counts_per_turn
        self._fits = max(4, counts_per_turn // 2048)
        self._tolerance = 2 * self._fits
        self._signed = 0
        self._count = 0
        self._trail: deque[tuple[int, int]] = deque(maxlen=TRAIL)  # times and counts since the mark
        self._mark: int | None = None  # the count at the mark, within a turn
        self._side = 0  # of the mark, where the last sure reading was
        self._damaged = 0

    def read(self, at_us: int, raw: int) -> Reading:
        """The reading that goes on from the one before."""
        signed = raw - _SPAN if raw >= _SPAN // 2 else raw
        if not self._trail:
            self._signed = signed
        elif at_us <= self._trail[-1][0]:
            return Reading(at_us, self._count % _SPAN)
        moved, expected = signed - self._signed, self._expected(at_us)
        far = abs(expected) + self._tolerance
        # A count that was cleared differs from the last one by more than the wheel moves, or nothing was cleared.
        cleared = abs(moved - expected) > self._tolerance and abs(signed) <= far < abs(moved)
        if not cleared and self._impossible(at_us, moved):
            return Reading(at_us, (self._count + moved) % _SPAN)
        self._signed = signed
        if cleared:
            self._clear(signed, expected)
        else:
            self._count += moved
        self._trail.append((at_us, self._count))
        passed = self._crossed(signed) or cleared
        return Reading(at_us, self._count % _SPAN, (self._count - signed) % _SPAN if passed else None)

    def _impossible(self, at_us: int, moved: int) -> bool:
        """Return True if the wheel can't have come so far.

        Then a digit is damaged, and nothing is learned from it.
        """
        farthest = 0
        if self._trail:
            farthest = FASTEST * self._turn * (at_us - self._trail[-1][0]) // 1_000_000 + self._tolerance
        self._damaged = self._damaged + 1 if self._trail and abs(moved) > farthest else 0
        if self._damaged >= DAMAGED_IN_A_ROW:
            self._damaged = 0
            self._trail.clear()
        return self._damaged > 0

    def _expected(self, at_us: int) -> int:
        """Estimate how far the wheel has come since the last reading, by its recent speed."""
        if len(self._trail) < TRAIL:
            return 0
        (from_us, start), (to_us, end) = self._trail[0], self._trail[-1]
        return (end - start) * (at_us - to_us) // (to_us - from_us)

    def _clear(self, signed: int, expected: int) -> None:
        """Goes on past the mark."""
        count = self._count + expected
        if self._mark is not None:
            half = self._turn // 2
            off = (count - signed - self._mark + half) % self._turn - half
            count -= off if abs(off) <= self._fits else 0
        self._count, self._mark = count, (count - signed) % self._turn
        self._side = 0

    def _crossed(self, signed: int) -> bool:
        """Return True if the wheel came back over the mark, with nothing to be cleared."""
        if abs(signed) <= self._tolerance or self._mark is None:
            return False
        side = 1 if signed > 0 else -1
        crossed, self._side = self._side == -side, side
        return crossed
