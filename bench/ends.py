"""The two ends of a table's wire: the shoe's pty, where bytes go in, and a subscriber, where messages come out.

Both are as bare as they can be, so that what is timed between them is the table and not its measure.
"""

import os
import socket
import struct
import time
import tty
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from bench.figures import UnmeasuredError

TIMEOUT_S = 30.0
"""Longer than anything takes on a busy machine: it only ends a bench that would wait for ever."""
COPIES = 3
COPY_BYTES = 8
_SUITS = {"d": 1, "c": 2, "s": 3, "h": 4}
_RANKS = {"A": 1, "T": 10, "J": 11, "Q": 12, "K": 13} | {str(number): number for number in range(2, 10)}


@dataclass(slots=True)
class Pty:
    """A serial port's far end.

    Args:
        link: the name under which the host finds it; None to give only the kernel's own.
    """

    link: Path | None = None
    master: int = -1
    slave: int = -1

    def plug(self) -> None:
        """Makes the port."""
        self.master, self.slave = os.openpty()
        tty.setraw(self.slave)
        if self.link is not None:
            self.link.symlink_to(self.path)

    @property
    def path(self) -> str:
        """The port as the kernel names it."""
        return os.ttyname(self.slave)

    def unplug(self) -> None:
        """Takes the port away."""
        os.close(self.master)
        os.close(self.slave)


@dataclass(slots=True)
class Shoe:
    """What a shoe writes when a card leaves it."""

    port: Pty
    _sequence: int = 0

    def copy(self, card: str) -> bytes:
        """One of the three copies of the next card's report."""
        self._sequence = (self._sequence + 1) % 10
        body = b"%dD" % self._sequence + bytes((0x80 | 0x10, 0x80 | _SUITS[card[1]] << 4 | _RANKS[card[0]])) + b"\x03"
        check = 0
        for byte in body:
            check ^= byte
        return b"\x05" + body + b"%02X" % check

    def draw(self, card: str) -> None:
        """Reports a card."""
        os.write(self.port.master, self.copy(card) * COPIES)


@dataclass(slots=True)
class Subscriber:
    """An MQTT 5 subscriber on a blocking socket: it knows when bytes came, and little else.

    The libraries spend some tenths of a millisecond on a message, which would hide part of what is measured.
    """

    port: int
    filters: tuple[str, ...]
    at_ns: int = 0
    _socket: socket.socket = field(default_factory=socket.socket)
    _bytes: bytearray = field(default_factory=bytearray)

    def connect(self) -> None:
        """Connects and subscribes, QoS 1."""
        self._socket = socket.create_connection(("127.0.0.1", self.port), TIMEOUT_S)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._send(0x10, _text("MQTT") + b"\x05\x02" + struct.pack(">H", 600) + b"\0" + _text("bench-subscriber"))
        self._expect(0x20)
        topics = b"".join(_text(topic) + b"\x01" for topic in self.filters)
        self._send(0x82, struct.pack(">HB", 1, 0) + topics)
        self._expect(0x90)

    def close(self) -> None:
        """Hangs up."""
        self._socket.close()

    def until(self, wanted: Callable[[str, bytes], bool]) -> bytes:
        """The payload of the next message that is wanted; its bytes came at `at_ns` of the monotonic clock."""
        while True:
            topic, payload = self._message(*self._packet())
            if wanted(topic, payload):
                return payload

    def drain(self) -> None:
        """Takes what has come, without a look at it."""
        self._socket.settimeout(0)
        try:
            while True:
                self._message(*self._packet())
        except BlockingIOError:
            pass
        finally:
            self._socket.settimeout(TIMEOUT_S)

    def _expect(self, kind: int) -> None:
        got, body = self._packet()
        if got != kind or (kind == 0x90 and max(body[3:]) >= 0x80):
            raise UnmeasuredError("the broker doesn't let the subscriber in")

    def _message(self, kind: int, body: bytes) -> tuple[str, bytes]:
        """Topic and payload of a PUBLISH; acknowledges it."""
        if kind & 0xF0 != 0x30:
            return "", b""
        end = 2 + int.from_bytes(body[:2])
        topic, rest = body[2:end].decode(), end
        if kind & 0x06:
            self._send(0x40, body[end : end + 2])
            rest += 2
        length, size = _length(body, rest)
        return topic, body[rest + size + length :]

    def _packet(self) -> tuple[int, bytes]:
        while (whole := self._whole()) is None:
            self._receive()
        start, end = whole
        kind, body = self._bytes[0], bytes(self._bytes[start:end])
        del self._bytes[:end]
        return kind, body

    def _whole(self) -> tuple[int, int] | None:
        """Where the first packet's body lies, once all of it is here."""
        if len(self._bytes) < 2 or (len(self._bytes) < 5 and self._bytes[-1] & 0x80):
            return None
        length, size = _length(self._bytes, 1)
        end = 1 + size + length
        return (1 + size, end) if len(self._bytes) >= end else None

    def _receive(self) -> None:
        try:
            data = self._socket.recv(65536)
        except TimeoutError:
            raise UnmeasuredError(f"no message came within {TIMEOUT_S:g} s") from None
        self.at_ns = time.monotonic_ns()
        if not data:
            raise UnmeasuredError("the broker hung up on the subscriber")
        self._bytes += data

    def _send(self, kind: int, body: bytes) -> None:
        length, head = len(body), bytearray([kind])
        while length > 0x7F:
            head.append(length & 0x7F | 0x80)
            length >>= 7
        self._socket.sendall(bytes(head) + bytes([length]) + body)


def _length(data: bytes | bytearray, at: int) -> tuple[int, int]:
    """MQTT's variable byte integer at this place, and how many bytes it takes."""
    value = size = 0
    while True:
        byte = data[at + size]
        value |= (byte & 0x7F) << 7 * size
        size += 1
        if not byte & 0x80:
            return value, size


def _text(text: str) -> bytes:
    return struct.pack(">H", len(text)) + text.encode()
