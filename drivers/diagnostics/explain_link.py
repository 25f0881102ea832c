"""Explanation of the device link's frames in words.

A card is named only where that is asked for.
"""

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from types import MappingProxyType
from typing import Any, Final

from drivers.devices import linked
from drivers.link.frame import Frame, FrameReader, FrameType, NakReason
from drivers.link.identity import decode_identity
from drivers.link.messages import Codec, FaultCleared, FaultRaised, Refused
from drivers.link.notices import COMMAND_ID, EVENT_NUMBER
from drivers.shoe.link import Drawn
from tablectl.core.cards import PACK, rank_of, suit_of

HIDDEN: Final = "(hidden)"


_CODECS: Final[Mapping[str, Codec[Any, Any, Any]]] = MappingProxyType(
    {device.kind: device.codec for device in linked() if device.codec is not None}
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
        """Explain the frames that `data` completes, in a line each."""
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
                return self._message(lambda known: known.events.decode(payload), payload)
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
        said = self._message(lambda known: known.commands.decode(body) if asked else known.replies.decode(body), body)
        return f"command {number:016x}: {said}"

    def _message(self, decoded: Callable[[Codec[Any, Any, Any]], Any], payload: bytes) -> str:
        """Explain a message; without the device's kind only its length.

        The message may tell of cards.
        """
        known = _CODECS.get(self._kind)
        if known is None:
            return f"{len(payload)} bytes of a device of unknown kind"
        said = decoded(known)
        if isinstance(said, FaultRaised | FaultCleared | Refused):
            return words_of(said, {"number": f"{said.number}, {known.fault_name(said.number)}"})
        if isinstance(said, Drawn):
            named = _CARDS.get((said.rank, said.suit), "unread") if self._cards else HIDDEN
            return f"Drawn (card {named})"
        return words_of(said)


_KIND_NAMES: Final[Mapping[int, str]] = MappingProxyType(
    {device.number: device.kind for device in linked() if device.number is not None}
)
_CARDS: Final = {(rank_of(card), suit_of(card)): str(card) for card in PACK}


def _on_one_line(text: str) -> str:
    """Return the text, escaped if a terminal would obey a part of it.

    A device may send anything.
    """
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
