"""Explanation of a wire's bytes in words: one frame, or a captured stream.

It uses the same codecs as the drivers. Cards are named only where that is asked for: a card that came out of a shoe may
lie face down.
"""

import re
from typing import Any, Final, Protocol

from drivers.devices import linked_kinds, protocols
from drivers.diagnostics.explain_link import HIDDEN, LinkExplainer, words_of
from drivers.display import am03127
from drivers.shoe.angel_eye import FrameParser
from drivers.shoe.reports import CardDrawn, CardRetransmitted
from drivers.wheel import qsb, usb_sensor

PROTOCOLS: Final = protocols()
KINDS: Final = linked_kinds()


class DecodeError(ValueError):
    """These bytes can't be explained: why."""


class Explainer(Protocol):
    """Explains a stream that may be cut anywhere, and counts what it can't explain."""

    @property
    def rejected(self) -> int:
        """Frames, lines or bytes that were begun and can't be taken."""
        ...

    def feed(self, data: bytes) -> list[str]:
        """Explain the frames that `data` completes, in a line each."""
        ...


def explainer(protocol: str, kind: str = "", *, cards: bool = False) -> Explainer:
    """Return an explainer for a stream of this protocol.

    Args:
        kind: of the device, for `link`; empty where nobody knows it before its identity comes.
        cards: whether cards may be named.

    Raises:
        DecodeError: there is no such protocol or kind.
    """
    match protocol:
        case "link" if kind in {"", *KINDS}:
            return LinkExplainer(kind, cards=cards)
        case "link":
            raise DecodeError(f"a device on our link is a {', '.join(KINDS)}, not a {kind!r}")
        case "angel_eye":
            return _ShoeExplainer(cards=cards)
        case "am03127":
            return _LedExplainer()
        case "qsb":
            return _QsbExplainer()
        case "usb":
            return _UsbExplainer()
        case _:
            raise DecodeError(f"there is no protocol {protocol!r}, only: {', '.join(PROTOCOLS)}")


def explain(protocol: str, text: str, kind: str = "", *, cards: bool = False) -> list[str]:
    """Explain one frame, or several.

    Args:
        text: the bytes in hexadecimal; blanks, colons and `0x` don't matter.

    Raises:
        DecodeError: it isn't hexadecimal, or no whole frame of this protocol.
    """
    data = read_hex(text)
    explaining = explainer(protocol, kind, cards=cards)
    if protocol == "link":
        data = b"\0" + data + b"\0"  # a frame without the zero bytes around it is one, too
    lines = explaining.feed(data)
    if not lines:
        damaged = "damaged or of another protocol" if explaining.rejected else "not whole"
        raise DecodeError(f"no {protocol} frame in these {len(data)} bytes: {damaged}")
    return lines


def read_hex(text: str) -> bytes:
    """The bytes in a text of hexadecimal digits.

    Raises:
        DecodeError: it is none.
    """
    bare = re.sub(r"0x|[\s:,]", "", text, flags=re.IGNORECASE)
    try:
        data = bytes.fromhex(bare)
    except ValueError:
        raise DecodeError("bytes are pairs of hexadecimal digits, as 05 31 44") from None
    if not data:
        raise DecodeError("there are no bytes")
    return data


class _ShoeExplainer:
    """Explainer of the Angel Eye shoe's reports and replies.

    Each of a report's three copies is explained for itself.
    """

    def __init__(self, *, cards: bool) -> None:
        self._parser = FrameParser()
        self._cards = cards

    @property
    def rejected(self) -> int:
        return self._parser.counters.rejected + self._parser.counters.garbage_bytes

    def feed(self, data: bytes) -> list[str]:
        return [self._line(item) for item in self._parser.feed(data)]

    def _line(self, item: Any) -> str:
        report = getattr(item, "report", None)
        if report is None:
            return words_of(item)
        hides = isinstance(report, CardDrawn | CardRetransmitted) and not self._cards
        return f"seq {item.seq}: {words_of(report, {'card': HIDDEN} if hides else {})}"


class _LedExplainer:
    """An LED board's answers, and the frames that it is given."""

    def __init__(self) -> None:
        self._answers = am03127.AnswerReader()
        self._frames = b""

    @property
    def rejected(self) -> int:
        return self._answers.stray

    def feed(self, data: bytes) -> list[str]:
        if data[:1] == b"<" or self._frames:
            return self._given(data)
        return [answer.value for answer in self._answers.feed(data)]

    def _given(self, data: bytes) -> list[str]:
        *whole, self._frames = (self._frames + data).split(b"<E>")
        self._frames = self._frames[-256:]
        return [_led_frame(frame) for frame in whole]


def _led_frame(frame: bytes) -> str:
    found = re.fullmatch(rb"<ID([0-9A-F]{2})>(.+)([0-9A-F]{2})", frame, re.DOTALL)
    if found is None:
        return f"damaged: {len(frame)} bytes"
    check = 0
    for byte in found[2]:
        check ^= byte
    fits = "" if check == int(found[3], 16) else ", with wrong check characters"
    return f"board {int(found[1], 16)} is given {found[2].decode('ascii', 'replace')}{fits}"


class _QsbExplainer:
    """A QSB's lines, and the commands that it is given."""

    def __init__(self) -> None:
        self._reader = qsb.LineReader()
        self.rejected = 0

    def feed(self, data: bytes) -> list[str]:
        lines: list[str] = []
        for line in data.splitlines():
            if command := re.fullmatch(rb"([WRS])([0-9A-F]{2})([0-9A-F]{8})?", line):
                value = f" {int(command[3], 16)}" if command[3] else ""
                verb = {b"W": "set", b"R": "read", b"S": "stream"}[command[1]]
                lines.append(f"{verb} {_register(int(command[2], 16))}{value}")
        return lines or [self._line(line) for line in self._reader.feed(data)]

    def _line(self, line: qsb.Line) -> str:
        match line:
            case qsb.Reply(kind=kind, register=register, value=value, ticks=ticks):
                return f"{kind} {_register(register)} {value} at tick {ticks}"
            case qsb.Banner():
                return "banner: it began anew"
            case qsb.BadLine():
                self.rejected += 1
                return "damaged line"


def _register(number: int) -> str:
    return next((item.name.lower() for item in qsb.Register if item == number), f"register {number:02x}")


class _UsbExplainer:
    """Our USB sensor's transfers; each piece is a whole one."""

    def __init__(self) -> None:
        self.rejected = 0

    def feed(self, data: bytes) -> list[str]:
        packet = usb_sensor.decode_packet(data)
        if packet is not None:
            first, last = packet.readings[0], packet.readings[-1]
            span = f"{len(packet.readings)} readings from {first.count} at {first.at_us} us to {last.count}"
            return [f"packet {packet.seq} boot {packet.boot:08x}: {span}, index {packet.index_number}"]
        identity = usb_sensor.decode_identity(data)
        if identity is not None:
            return [words_of(identity)]
        self.rejected += 1
        return []
