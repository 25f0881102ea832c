"""What bytes of a wire mean, in words: one frame, or a stream as it was captured.

The same codecs as the drivers'. Cards are named only where that is asked for: a card that came out of a shoe may
lie face down.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from types import MappingProxyType
from typing import Any, Final, Protocol

from drivers.buzzer import codec as buzzer
from drivers.dice import codec as dice
from drivers.display import am03127
from drivers.display import codec as display
from drivers.draw import codec as draw
from drivers.frames import Frame, FrameReader, FrameType, NakReason
from drivers.identity import Kind, decode_identity
from drivers.messages import decode_fault, decode_reply
from drivers.session import COMMAND_ID, EVENT_NUMBER
from drivers.shoe.angel_eye import FrameParser
from drivers.shoe.reports import CardDrawn, CardRetransmitted
from drivers.shuffler import codec as shuffler
from drivers.wheel import qsb, usb_sensor

HIDDEN: Final = "(hidden)"
PROTOCOLS: Final = ("angel_eye", "link", "am03127", "qsb", "usb")
KINDS: Final = ("shuffler", "dice", "draw", "display", "buzzer", "shoe")


class DecodeError(ValueError):
    """These bytes can't be explained: why."""


class Explainer(Protocol):
    """Explains a stream that may be cut anywhere, and counts what it can't explain."""

    @property
    def rejected(self) -> int:
        """Frames, lines or bytes that were begun and can't be taken."""
        ...

    def feed(self, data: bytes) -> list[str]:
        """What became whole with `data`, a line for each frame."""
        ...


@dataclass(frozen=True, slots=True)
class Messages:
    """The codec of one kind of device on our link."""

    event: Callable[[bytes], Any]
    command: Callable[[bytes], Any]
    reply: Callable[[bytes], Any]


_MESSAGES: Final[Mapping[str, Messages]] = MappingProxyType(
    {
        "shuffler": Messages(
            shuffler.decode_event, shuffler.decode_command, lambda body: decode_reply(body, result_size=2)
        ),
        "dice": Messages(dice.decode_event, dice.decode_command, dice.decode_dice_reply),
        "draw": Messages(draw.decode_event, draw.decode_command, draw.decode_draw_reply),
        "display": Messages(decode_fault, display.decode_command, display.decode_display_reply),
        "buzzer": Messages(
            buzzer.decode_event, buzzer.decode_command, lambda body: decode_reply(body, result_size=buzzer.RESULT_SIZE)
        ),
    }
)


def explainer(protocol: str, kind: str = "", *, cards: bool = False) -> Explainer:
    """What explains a stream of this protocol.

    Args:
        kind: of the device, for `link`; empty where nobody knows it before its identity comes.
        cards: whether cards may be named.

    Raises:
        DecodeError: there is no such protocol or kind.
    """
    match protocol:
        case "link" if kind in {"", *KINDS}:
            return _LinkExplainer(kind)
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
    """What one frame means, or several.

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


class _LinkExplainer:
    """Our link; each direction is a stream of its own."""

    def __init__(self, kind: str) -> None:
        self._reader = FrameReader()
        self._kind = kind

    @property
    def rejected(self) -> int:
        return self._reader.counters.rejected

    def feed(self, data: bytes) -> list[str]:
        return [self._line(frame) for frame in self._reader.feed(data)]

    def _line(self, frame: Frame) -> str:
        name = next((kind.name for kind in FrameType if kind == frame.kind), f"frame of type {frame.kind}")
        head = f"{name} seq {frame.seq} ack {frame.ack} boot {frame.boot:08x}" + " resent" * (frame.flags & 1)
        return f"{head}: {said}" if (said := self._said(frame)) else head

    def _said(self, frame: Frame) -> str:
        payload = frame.payload
        match frame.kind:
            case FrameType.IDENTITY:
                return self._identity(payload)
            case FrameType.EVENT:
                return self._message(lambda known: known.event(payload), payload)
            case FrameType.COMMAND | FrameType.REPLY if len(payload) >= COMMAND_ID.size:
                return self._about_command(frame.kind, payload)
            case FrameType.NAK if len(payload) >= 2:
                reason = next((item.name.lower() for item in NakReason if item == payload[0]), str(payload[0]))
                return f"{reason}, about a frame of type {payload[1]}"
            case FrameType.GET_EVENTS if len(payload) == EVENT_NUMBER.size:
                return f"from {EVENT_NUMBER.unpack(payload)[0]}"
            case _:
                return f"{len(payload)} bytes" if payload else ""

    def _identity(self, payload: bytes) -> str:
        identity = decode_identity(payload)
        if identity is None:
            return "not intelligible"
        self._kind = self._kind or _KIND_NAMES.get(identity.kind, "")
        return words_of(identity)

    def _about_command(self, kind: int, payload: bytes) -> str:
        (number,) = COMMAND_ID.unpack_from(payload)
        body = payload[COMMAND_ID.size :]
        asked = kind == FrameType.COMMAND
        said = self._message(lambda known: known.command(body) if asked else known.reply(body), body)
        return f"command {number:016x}: {said}"

    def _message(self, decoded: Callable[[Messages], Any], payload: bytes) -> str:
        """What a message says; without the device's kind only its length, for it may tell of cards."""
        known = _MESSAGES.get(self._kind)
        return words_of(decoded(known)) if known else f"{len(payload)} bytes of a device of unknown kind"


_KIND_NAMES: Final[Mapping[int, str]] = MappingProxyType(
    {
        Kind.SHUFFLER: "shuffler",
        Kind.DICE: "dice",
        Kind.DRAW: "draw",
        Kind.DISPLAY: "display",
        Kind.BUZZER: "buzzer",
    }
)


class _ShoeExplainer:
    """The Angel Eye shoe's reports, each of its three copies for itself, and its replies."""

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


def words_of(value: Any, instead: Mapping[str, str] = MappingProxyType({})) -> str:
    """A decoded message in words: its name and its fields.

    Args:
        instead: what to say for a field that may not be told.
    """
    if isinstance(value, Enum):
        return value.name.lower()
    if not is_dataclass(value):
        return value.hex(" ") if isinstance(value, bytes) else str(value)
    told = [(field.name, instead.get(field.name, getattr(value, field.name))) for field in fields(value)]
    inside = ", ".join(f"{name} {words_of(item)}" for name, item in told)
    return type(value).__name__ + (f" ({inside})" if inside else "")
