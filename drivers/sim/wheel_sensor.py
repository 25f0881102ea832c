"""Simulated sensor of the wheel: an incremental encoder at a QSB."""

import math
import random
import re

from drivers.wheel.qsb import Register, Reply, encode_reply

BANNER = b"QSB-D  0E!\r\n"
_SPAN = 1 << 32
_VERSION = 7457 << 12 | 1 << 8 | 0x17
_COMMAND = re.compile(rb"[Ww][0-9A-Fa-f]{10}|[A-VX-Za-vx-z][0-9A-Fa-f]{2}")
"""What the adapter takes for a command; bytes that the line has damaged are none."""


class SimulatedEncoder:
    """Encoder counts of an angle, set to 0 by the index mark at angle 0.

    Its edges aren't exact.

    Args:
        noise_counts: how far an edge is off, at most.
    """

    def __init__(self, chance: random.Random, counts_per_turn: int, noise_counts: float, angle_deg: float) -> None:
        self.angle_deg = angle_deg
        self.lost = 0
        self.marked = True  # whether the index mark is seen
        self.false_mark = False
        self._mark_deg: float | None = None  # where the mark was passed that a false one may follow
        self._chance = chance
        self._counts_per_turn = counts_per_turn
        self._noise = noise_counts
        self._turns: int = math.floor(angle_deg / 360.0)
        self._zero = self._position()

    def turn_to(self, angle_deg: float) -> None:
        """Goes to an angle."""
        self.angle_deg = angle_deg
        turns = math.floor(angle_deg / 360.0)
        if turns != self._turns:
            mark, self._turns = max(turns, self._turns), turns
            if self.marked:
                self._zero, self.lost = mark * self._counts_per_turn, 0
            self._mark_deg = angle_deg if self.false_mark else None
        elif self._mark_deg is not None and abs(angle_deg - self._mark_deg) >= FALSE_MARK_DEG:
            self._zero, self.lost, self.false_mark, self._mark_deg = self._position(), 0, False, None

    def count(self) -> int:
        """The counter."""
        off = self._chance.random() * 2 * self._noise - self._noise
        return math.floor(self.angle_deg * self._counts_per_turn / 360.0 + off) - self._zero - self.lost

    def restart(self) -> None:
        """Counts from here."""
        self._zero, self.lost = self._position(), 0

    def _position(self) -> int:
        return math.floor(self.angle_deg * self._counts_per_turn / 360.0)


class SimulatedQsb:
    """The adapter: its commands and its stream."""

    def __init__(self, encoder: SimulatedEncoder) -> None:
        self.ticks = 0
        self.streaming = False
        self.skipped = 0
        self._encoder = encoder
        self._interval = 1
        self._heard = b""

    def restart(self) -> None:
        """As after power-up, and whenever the host opens the port anew."""
        self.ticks, self.streaming, self._interval = 0, False, 1
        self._encoder.restart()

    def tick(self) -> bytes:
        """Lets one 512th of a second pass; what it sends then."""
        self.ticks += 1
        if self.skipped:
            self.skipped -= 1
            return b""
        if not self.streaming or self.ticks % self._interval:
            return b""
        return encode_reply(Reply("s", Register.COUNT, self._encoder.count() % _SPAN, self.ticks % _SPAN))

    def hear(self, data: bytes) -> list[bytes]:
        """Process bytes of the host and return the replies."""
        *commands, self._heard = (self._heard + data).split(b"\r\n")
        return [self._answer(command) for command in commands if _COMMAND.fullmatch(command)]

    def _answer(self, command: bytes) -> bytes:
        kind, register = chr(command[0]).lower(), int(command[1:3], 16)
        value = int(command[3:], 16) if kind == "w" else _VERSION
        match kind, register:
            case "w", Register.REPLIES:
                self.restart()  # a host that begins has opened the port, and that resets the adapter
            case "w", Register.INTERVAL:
                self._interval = max(1, value)
            case "w", Register.TIMESTAMP:
                self.ticks = 0
            case "s", Register.COUNT:
                self.streaming, value = True, self._encoder.count() % _SPAN
            case _:
                pass
        return encode_reply(Reply(kind, register, value, self.ticks))


FALSE_MARK_DEG = 90.0
"""How far behind the index mark something may be taken for it."""
