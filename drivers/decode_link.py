"""What the frames of our link mean, in words; a card is named only where that is asked for."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from types import MappingProxyType
from typing import Any, Final

from drivers.buzzer import codec as buzzer
from drivers.dice import codec as dice
from drivers.display import codec as display
from drivers.draw import codec as draw
from drivers.frames import Frame, FrameReader, FrameType, NakReason
from drivers.identity import Kind, decode_identity
from drivers.messages import decode_fault, decode_reply
from drivers.session import COMMAND_ID, EVENT_NUMBER
from drivers.shoe import link_codec as shoe
from drivers.shoe.link_messages import Drawn
from drivers.shuffler import codec as shuffler
from tablectl.core.cards import PACK, rank_of, suit_of

HIDDEN: Final = "(hidden)"


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
        "shoe": Messages(shoe.decode_event, shoe.decode_command, shoe.decode_shoe_reply),
        "buzzer": Messages(
            buzzer.decode_event, buzzer.decode_command, lambda body: decode_reply(body, result_size=buzzer.RESULT_SIZE)
        ),
    }
)


class LinkExplainer:
    """Our link; each direction is a stream of its own."""

    def __init__(self, kind: str, *, cards: bool) -> None:
        self._reader = FrameReader()
        self._kind = kind
        self._cards = cards

    @property
    def rejected(self) -> int:
        """Frames that were begun and can't be taken."""
        return self._reader.counters.rejected

    def feed(self, data: bytes) -> list[str]:
        """What became whole with `data`, a line for each frame."""
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
        if known is None:
            return f"{len(payload)} bytes of a device of unknown kind"
        said = decoded(known)
        return self._card(said) if isinstance(said, Drawn) else words_of(said)

    def _card(self, drawn: Drawn) -> str:
        named = _CARDS.get((drawn.rank, drawn.suit), "unread") if self._cards else HIDDEN
        return f"Drawn (card {named})"


_KIND_NAMES: Final[Mapping[int, str]] = MappingProxyType(
    {
        Kind.SHUFFLER: "shuffler",
        Kind.DICE: "dice",
        Kind.DRAW: "draw",
        Kind.DISPLAY: "display",
        Kind.BUZZER: "buzzer",
        Kind.SHOE: "shoe",
    }
)
_CARDS: Final = {(rank_of(card), suit_of(card)): str(card) for card in PACK}


def _on_one_line(text: str) -> str:
    """The text, or its form in a program where a terminal would obey a part of it: a device may say anything."""
    return text if text.isprintable() else text.encode("unicode_escape").decode("ascii")


def words_of(value: Any, instead: Mapping[str, str] = MappingProxyType({})) -> str:
    """A decoded message in words: its name and its fields.

    Args:
        instead: what to say for a field that may not be told.
    """
    if isinstance(value, Enum):
        return value.name.lower()
    if not is_dataclass(value):
        return value.hex(" ") if isinstance(value, bytes) else _on_one_line(str(value))
    told = [(field.name, instead.get(field.name, getattr(value, field.name))) for field in fields(value)]
    inside = ", ".join(f"{name} {words_of(item)}" for name, item in told)
    return type(value).__name__ + (f" ({inside})" if inside else "")
