"""Messages received and sent, and the MQTT 5 properties of those that are sent."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from tablectl.core.events import KINDS, TYPE_PREFIX
from tablectl.core.protocols import StoredEvent
from tablectl.lazy_dataclass import dataclass

PUBLISH: Final = 0x30
CLOUDEVENT: Final = "application/cloudevents+json; charset=utf-8"
_JSON: Final = "application/json; charset=utf-8"
_MESSAGE_EXPIRY: Final = 0x02
_CONTENT_TYPE: Final = 0x03
_CORRELATION: Final = 0x09
_USER_PROPERTY: Final = 0x26
EXPIRY_S: Final = 24 * 3600
"""Age at which a retained state is no more the present one; a table at work sends it again at half of it."""

_ENVELOPE_BYTES: Final = 512
"""The envelope's fields stand at the beginning of a payload; from `time` on, `data` may have some of the same names."""


@dataclass(frozen=True, slots=True)
class Will:
    """Message that the broker publishes, retained, for a lost connection.

    A connection is lost when it ends without a DISCONNECT.
    """

    topic: str
    payload: bytes


@dataclass(frozen=True, slots=True)
class Message:
    """Message received by a subscription.

    Args:
        retained: the broker had kept it from before the subscription.
        response_topic: Response Topic; MQTT 5 only.
        correlation: Correlation Data for the answer; MQTT 5 only.
    """

    topic: str
    payload: bytes
    retained: bool = False
    response_topic: str | None = None
    correlation: bytes | None = None


class MessageProperties:
    """MQTT 5 properties of a PUBLISH, packed.

    paho's own take longer to build than all the rest.

    Args:
        content_type: MIME type of the payload.
        user: names and values for subscribers that don't want to look into the payload.
        correlation: Correlation Data of the request that is answered.
        expiry_s: seconds after which the broker forgets the message; 0: it keeps it.
    """

    __slots__ = ("_packed",)

    def __init__(
        self,
        content_type: str,
        user: Sequence[tuple[str, str]] = (),
        correlation: bytes | None = None,
        expiry_s: int = 0,
    ) -> None:
        body = bytes([_CONTENT_TYPE]) + _text(content_type)
        if expiry_s:
            body += bytes([_MESSAGE_EXPIRY]) + expiry_s.to_bytes(4, "big")
        if correlation is not None:
            body += bytes([_CORRELATION]) + len(correlation).to_bytes(2, "big") + correlation
        body += b"".join([bytes([_USER_PROPERTY]) + _text(name) + _text(value) for name, value in user])
        self._packed = _length(len(body)) + body

    def pack(self) -> bytes:
        """Return the bytes, as paho asks for them."""
        return self._packed


def publish_packet(topic: str, payload: bytes, number: int, properties: bytes, *, retain: bool) -> bytes:
    """A PUBLISH packet of QoS 1.

    Args:
        number: its packet id.
        properties: packed, with their length; empty for MQTT 3.1.1.
    """
    rest = _text(topic) + number.to_bytes(2, "big") + properties
    return bytes([PUBLISH | 0x02 | retain]) + _length(len(rest) + len(payload)) + rest + payload


def event_properties(event: StoredEvent, correlation: bytes | None = None) -> MessageProperties:
    """Properties of an event: its sequence, type and subject."""
    user = [("sequence", f"{event.sequence:016d}")]
    if event.event is None:
        user += _type_and_subject(event.payload)
    else:
        user.append(("type", TYPE_PREFIX + KINDS[type(event.event)][1]))
        if subject := getattr(event.event, "round_id", None):
            user.append(("subject", subject))
    return MessageProperties(CLOUDEVENT, user, correlation)


def _type_and_subject(payload: bytes) -> list[tuple[str, str]]:
    """Return the type and subject in the bytes of an event that came from the journal."""
    head, _, _ = payload[:_ENVELOPE_BYTES].partition(b',"time":')
    found: list[tuple[str, str]] = []
    for name in ("type", "subject"):
        _, mark, rest = head.partition(f'"{name}":"'.encode())
        value, end, _ = rest.partition(b'"')
        if mark and end:
            found.append((name, value.decode()))
    return found


def answer_properties(correlation: bytes | None) -> MessageProperties:
    """Properties of an answer to a request."""
    return MessageProperties(_JSON, (), correlation)


def expires(topic: str) -> bool:
    """Return True for a state topic whose message the broker forgets after `EXPIRY_S`."""
    return topic not in {"status", "checkpoint"} and not topic.startswith("meta/")


def state_properties(topic: str, payload: bytes) -> MessageProperties | None:
    """Return the properties of a state message on a topic below the prefix.

    None for raw text and for an empty payload.
    """
    if not payload.startswith(b'{"specversion"'):
        return None
    return _EXPIRING_STATE if expires(topic) else _STATE


@lru_cache(maxsize=256)
def _text(text: str) -> bytes:
    """MQTT's UTF-8 string; types, topics and round ids come again and again."""
    encoded = text.encode()
    return len(encoded).to_bytes(2, "big") + encoded


def _length(count: int) -> bytes:
    """MQTT's variable byte integer."""
    low, high = count & 0x7F, count >> 7
    return bytes([low]) if high == 0 else bytes([low | 0x80]) + _length(high)


_STATE: Final = MessageProperties(CLOUDEVENT)
_EXPIRING_STATE: Final = MessageProperties(CLOUDEVENT, expiry_s=EXPIRY_S)
