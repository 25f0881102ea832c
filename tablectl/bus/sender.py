"""Writes a flow's messages to a connection, each on its topic and with its properties."""

from collections.abc import Callable, Sequence
from typing import Final

from tablectl.bus.client import Connection
from tablectl.bus.flow import Item, Letter
from tablectl.bus.properties import event_properties, state_properties
from tablectl.core.ports import StoredEvent

TOO_LARGE: Final = 0x95
"""The reason code of a letter that is larger than the broker takes."""

HEAD_ROOM: Final = 1024
"""Bytes of a message besides its payload, at most: topic and properties."""


class Sender:
    """What one connection is given to send.

    Args:
        prefix: of all topics, without a slash at the end.
        render_state: the payload of a state topic now; empty: there is nothing to say on it yet.
        past: state topics that are cleared: of an empty message a broker keeps nothing.
    """

    def __init__(
        self, connection: Connection, prefix: str, render_state: Callable[[str], bytes], past: Sequence[str] = ()
    ) -> None:
        self._connection = connection
        self._prefix = prefix
        self._render_state = render_state
        self._past = frozenset(past)

    def send(self, item: Item) -> int | None:
        """Writes the message; returns its id, or None where nothing was written."""
        if isinstance(item, StoredEvent):
            return self._connection.publish(
                f"{self._prefix}/{item.topic}", item.payload, properties=event_properties(item)
            )
        if isinstance(item, Letter):
            return self._send_letter(item)
        if item in self._past:
            return self._connection.publish(f"{self._prefix}/{item}", b"", retain=True)
        payload = self._render_state(item)
        return self.publish_state(item, payload) if payload and self._fits(payload) else None

    def publish_state(self, topic: str, payload: bytes) -> int:
        """Writes a state; returns the message's id."""
        properties = state_properties(payload)
        return self._connection.publish(f"{self._prefix}/{topic}", payload, retain=True, properties=properties)

    def _send_letter(self, letter: Letter) -> int | None:
        if not self._fits(letter.payload):
            letter.answered(TOO_LARGE)
            return None
        return self._connection.publish(letter.topic, letter.payload, properties=letter.properties)

    def _fits(self, payload: bytes) -> bool:
        """Whether the broker takes so much: it would hang up on more, and on what comes after it as well."""
        return len(payload) + HEAD_ROOM <= self._connection.takes
