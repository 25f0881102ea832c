"""The far end of QEMU's usb-redir: the host side of its protocol 0.7, without input or output.

A `Session` is one connection of the machine. It is given bytes and gives bytes; what the device is and does is a
`Function`'s to say. The protocol is described in usbredir's own docs/usb-redirection-protocol.md.
"""

import struct
from collections import defaultdict, deque
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final, Protocol

from tests.hil.usb_device import About

VERSION: Final = b"tablectl dev rig"
HELLO_BYTES: Final = 64


class Kind(IntEnum):
    """The kinds of frames that are used here."""

    HELLO = 0
    CONNECT = 1
    DISCONNECT = 2
    RESET = 3
    INTERFACES = 4
    ENDPOINTS = 5
    SET_CONFIGURATION = 6
    GET_CONFIGURATION = 7
    CONFIGURATION = 8
    SET_ALTERNATE = 9
    GET_ALTERNATE = 10
    ALTERNATE = 11
    START_INTERRUPT = 15
    STOP_INTERRUPT = 16
    INTERRUPTS = 17
    CANCEL = 21
    CONTROL = 100
    BULK = 101
    INTERRUPT = 103


class Status(IntEnum):
    """How a transfer ended."""

    DONE = 0
    CANCELLED = 1
    STALL = 4


LONG_NUMBERS: Final = 1 << 5
LONG_TRANSFERS: Final = 1 << 6
ABILITIES: Final = 1 << 1 | 1 << 3 | 1 << 4 | LONG_NUMBERS | LONG_TRANSFERS
"""Device version, disconnect ack, packet sizes, 64-bit numbers, 32-bit lengths."""

UNUSED: Final = 255
_DESCRIPTOR, _STATUS, _CLEAR_FEATURE = (0x80, 6), (0x80, 0), (0x02, 1)


class Function(Protocol):
    """What a device does."""

    about: About

    def ask(self, kind: int, request: int, value: int, length: int) -> bytes | None:
        """What it answers to a control request; None where it knows no such one."""
        ...

    def tell(self, kind: int, request: int, value: int, data: bytes) -> bool:
        """Takes a control request; False where it knows no such one."""
        ...

    def take(self, endpoint: int, data: bytes) -> None:
        """Takes a transfer."""
        ...

    def set_back(self) -> None:
        """Begins anew: a host has chosen its configuration, or has reset it."""
        ...


@dataclass(slots=True)
class Session:
    """One connection of a machine with the device.

    Args:
        plugged: whether the device is in its socket.
        ready: transfers for the host, by endpoint.
        halted: the endpoints that answer with STALL until the host clears that.
    """

    function: Function
    plugged: bool = False
    ready: dict[int, deque[bytes]] = field(default_factory=lambda: defaultdict(deque))
    halted: set[int] = field(default_factory=set[int])
    _wanted: dict[int, deque[tuple[int, int]]] = field(default_factory=lambda: defaultdict(deque))
    _heard: bytes = b""
    _greeted: bool = False
    _configured: int = 0
    _shared: int = 0

    # --- what the device does

    def hello(self) -> bytes:
        """The first bytes of a connection."""
        return self._frame(Kind.HELLO, 0, VERSION.ljust(HELLO_BYTES, b"\0") + struct.pack("<I", ABILITIES))

    def plug(self) -> bytes:
        """Puts the device into its socket."""
        self.plugged = True
        return self._connected() if self._greeted else b""

    def unplug(self) -> bytes:
        """Pulls it out: what the host had not read is lost."""
        was, self.plugged = self.plugged, False
        self._forget()
        return self._frame(Kind.DISCONNECT, 0, b"") if self._greeted and was else b""

    def pump(self) -> bytes:
        """What goes out now that more is ready, or less is held back."""
        return b"".join([self._pumped(endpoint) for endpoint in list(self._wanted)])

    # --- what the machine does

    def receive(self, data: bytes) -> bytes:
        """Takes bytes of the machine; returns what it is answered."""
        self._heard += data
        out = b""
        while (frame := self._next_frame()) is not None:
            out += self._answer(*frame)
        return out

    def _next_frame(self) -> tuple[int, int, bytes] | None:
        head = struct.Struct("<IIQ" if self._shared & LONG_NUMBERS else "<III")
        if len(self._heard) < head.size:
            return None
        kind, length, number = head.unpack_from(self._heard)
        if len(self._heard) < head.size + length:
            return None
        body, self._heard = self._heard[head.size : head.size + length], self._heard[head.size + length :]
        return kind, number, body

    def _answer(self, kind: int, number: int, body: bytes) -> bytes:
        match kind:
            case Kind.HELLO:
                return self._greet(body)
            case Kind.SET_CONFIGURATION:
                self._configured = body[0]
                self._begin_anew()
                return self._frame(Kind.CONFIGURATION, number, bytes((Status.DONE, self._configured)))
            case Kind.GET_CONFIGURATION:
                return self._frame(Kind.CONFIGURATION, number, bytes((Status.DONE, self._configured)))
            case Kind.SET_ALTERNATE:
                return self._frame(Kind.ALTERNATE, number, bytes((Status.DONE, body[0], body[1])))
            case Kind.GET_ALTERNATE:
                return self._frame(Kind.ALTERNATE, number, bytes((Status.DONE, body[0], 0)))
            case Kind.START_INTERRUPT | Kind.STOP_INTERRUPT:
                return self._frame(Kind.INTERRUPTS, number, bytes((Status.DONE, body[0])))
            case Kind.RESET:
                self._begin_anew()
                return b""
            case Kind.CONTROL:
                return self._control(number, body)
            case Kind.BULK:
                return self._bulk(number, body)
            case Kind.CANCEL:
                return self._cancel(number)
            case _:
                return b""

    def _greet(self, body: bytes) -> bytes:
        its = struct.unpack_from("<I", body, HELLO_BYTES)[0] if len(body) > HELLO_BYTES else 0
        self._shared, self._greeted = its & ABILITIES, True
        return self._connected() if self.plugged else b""

    def _connected(self) -> bytes:
        about = self.function.about
        versions = (about.vendor, about.product, 0x0100)
        connect = struct.pack("<BBBBHHH", about.speed, *about.class_, *versions)
        return (
            self._frame(Kind.INTERFACES, 0, self._interfaces())
            + self._frame(Kind.ENDPOINTS, 0, self._endpoints())
            + self._frame(Kind.CONNECT, 0, connect)
        )

    def _interfaces(self) -> bytes:
        each = self.function.about.interfaces
        columns = [bytes(one.class_[nth] for one in each).ljust(32, b"\0") for nth in range(3)]
        return struct.pack("<I", len(each)) + bytes(range(len(each))).ljust(32, b"\0") + b"".join(columns)

    def _endpoints(self) -> bytes:
        kinds, intervals, interfaces, sizes = [UNUSED] * 32, [0] * 32, [0] * 32, [0] * 32
        kinds[0] = kinds[16] = 0
        sizes[0] = sizes[16] = 64
        for number, interface in enumerate(self.function.about.interfaces):
            for end in interface.endpoints:
                at = (end.address & 0x80) >> 3 | end.address & 15
                kinds[at], intervals[at], interfaces[at], sizes[at] = end.kind, end.interval, number, end.size
        return bytes(kinds) + bytes(intervals) + bytes(interfaces) + struct.pack("<32H", *sizes)

    # --- transfers

    def _bulk(self, number: int, body: bytes) -> bytes:
        endpoint, _, low, _ = struct.unpack_from("<BBHI", body)
        long = bool(self._shared & LONG_TRANSFERS)
        length = low | (struct.unpack_from("<H", body, 8)[0] << 16 if long else 0)
        if endpoint & 0x80:
            self._wanted[endpoint].append((number, length))
            return self._pumped(endpoint)
        if endpoint in self.halted:
            return self._ended(number, endpoint, Status.STALL, 0)
        self.function.take(endpoint, body[10 if long else 8 :])
        return self._ended(number, endpoint, Status.DONE, length)

    def _pumped(self, endpoint: int) -> bytes:
        out, wanted, ready = b"", self._wanted[endpoint], self.ready[endpoint]
        while wanted and (ready or endpoint in self.halted):
            number, most = wanted.popleft()
            if endpoint in self.halted:
                out += self._ended(number, endpoint, Status.STALL, 0)
                continue
            data = ready.popleft()
            if len(data) > most:
                ready.appendleft(data[most:])
            out += self._ended(number, endpoint, Status.DONE, len(data[:most]), data[:most])
        return out

    def _ended(self, number: int, endpoint: int, status: Status, length: int, data: bytes = b"") -> bytes:
        head = struct.pack("<BBHI", endpoint, status, length & 0xFFFF, 0)
        if self._shared & LONG_TRANSFERS:
            head += struct.pack("<H", length >> 16)
        return self._frame(Kind.BULK, number, head + data)

    def _cancel(self, number: int) -> bytes:
        out = b""
        for endpoint, wanted in self._wanted.items():
            for each in [one for one in wanted if one[0] == number]:
                wanted.remove(each)
                out += self._ended(number, endpoint, Status.CANCELLED, 0)
        return out

    def _control(self, number: int, body: bytes) -> bytes:
        endpoint, request, kind, _, value, index, length = struct.unpack_from("<BBBBHHH", body)
        if kind & 0x80:
            answer = self._asked(kind, request, value, length)
            status, data = (Status.STALL, b"") if answer is None else (Status.DONE, answer[:length])
            length = len(data)
        else:
            status, data = (Status.DONE if self._told(kind, request, value, index, body[10:]) else Status.STALL), b""
        head = struct.pack("<BBBBHHH", endpoint, request, kind, status, value, index, length)
        return self._frame(Kind.CONTROL, number, head + data)

    def _asked(self, kind: int, request: int, value: int, length: int) -> bytes | None:
        about = self.function.about
        if (kind, request) == _STATUS:
            return b"\0\0"
        if (kind, request) != _DESCRIPTOR:
            return self.function.ask(kind, request, value, length)
        match value >> 8:
            case 1:
                return about.device()
            case 2:
                return about.configuration()
            case 3:
                return about.string(value & 0xFF)
            case _:
                return None

    def _told(self, kind: int, request: int, value: int, index: int, data: bytes) -> bool:
        if (kind, request) == _CLEAR_FEATURE:
            self.halted.discard(index & 0xFF)
            return True
        return self.function.tell(kind, request, value, data)

    # --- inside

    def _begin_anew(self) -> None:
        self.halted.clear()
        self.ready.clear()
        self.function.set_back()

    def _forget(self) -> None:
        self._wanted.clear()
        self._configured = 0
        self._begin_anew()

    def _frame(self, kind: Kind, number: int, body: bytes) -> bytes:
        form = "<IIQ" if self._shared & LONG_NUMBERS and kind is not Kind.HELLO else "<III"
        return struct.pack(form, kind, len(body), number) + body
