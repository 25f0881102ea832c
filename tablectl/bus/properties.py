"""The MQTT 5 properties of our messages."""

from collections.abc import Sequence
from typing import Final

from tablectl.core.ports import StoredEvent

_CLOUDEVENT: Final = "application/cloudevents+json; charset=utf-8"
_JSON: Final = "application/json; charset=utf-8"
_CONTENT_TYPE: Final = 0x03
_CORRELATION: Final = 0x09
_USER_PROPERTY: Final = 0x26
_ENVELOPE_BYTES: Final = 512
"""The envelope's fields stand at the beginning of a payload; `data` may have some of the same names."""


class MessageProperties:
    """The MQTT 5 properties of a publish, ready as bytes: paho's own take longer to build than all the rest.

    Args:
        content_type: MIME type of the payload.
        user: names and values for subscribers that don't want to look into the payload.
        correlation: what the asker wants to find in his answer.
    """

    __slots__ = ("_packed",)

    def __init__(
        self, content_type: str, user: Sequence[tuple[str, str]] = (), correlation: bytes | None = None
    ) -> None:
        body = bytes([_CONTENT_TYPE]) + _text(content_type)
        if correlation is not None:
            body += bytes([_CORRELATION]) + len(correlation).to_bytes(2, "big") + correlation
        body += b"".join(bytes([_USER_PROPERTY]) + _text(name) + _text(value) for name, value in user)
        self._packed = _length(len(body)) + body

    def pack(self) -> bytes:
        """The bytes, as paho asks for them."""
        return self._packed


def event_properties(event: StoredEvent, correlation: bytes | None = None) -> MessageProperties:
    """What a subscriber may want to know of an event before it reads the payload."""
    head = event.payload[:_ENVELOPE_BYTES]
    found = [("sequence", f"{event.sequence:016d}")]
    for name in ("type", "subject"):
        _, mark, rest = head.partition(f'"{name}":"'.encode())
        value, end, _ = rest.partition(b'"')
        if mark and end:
            found.append((name, value.decode()))
    return MessageProperties(_CLOUDEVENT, found, correlation)


def answer_properties(correlation: bytes | None) -> MessageProperties:
    """The properties of an answer."""
    return MessageProperties(_JSON, (), correlation)


def state_properties(payload: bytes) -> MessageProperties | None:
    """The properties of a state message; None for raw text."""
    return _STATE if payload.startswith(b'{"specversion"') else None


def _text(text: str) -> bytes:
    encoded = text.encode()
    return len(encoded).to_bytes(2, "big") + encoded


def _length(count: int) -> bytes:
    """MQTT's variable byte integer."""
    low, high = count & 0x7F, count >> 7
    return bytes([low]) if high == 0 else bytes([low | 0x80]) + _length(high)


_STATE: Final = MessageProperties(_CLOUDEVENT)
