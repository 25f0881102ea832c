"""Packets of a connection, cut out of large reads, and its messages in order.

paho asks the socket for each part of a packet by itself, and builds every property of a message, of which two are
wanted; aiomqtt makes two tasks for each message. That took more than half of a recorder's processor time.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any, Final, cast

from tablectl.mqtt.message import Message

_AT_ONCE: Final = 1 << 16
_DONE, _PROTOCOL_ERROR = 0, 2
"""Results as paho numbers them."""

_RESPONSE_TOPIC, _CORRELATION, _SUBSCRIPTION = 0x08, 0x09, 0x0B
_BYTES: Final = {0x01: 1, 0x02: 4, 0x23: 2}
"""Sizes of a PUBLISH packet's properties: payload format, message expiry, topic alias."""

_TEXTS: Final = {0x03: 1, _RESPONSE_TOPIC: 1, _CORRELATION: 1, 0x26: 2}
"""How many texts its other properties are: content type, response topic, correlation data, user property."""


class Incoming:
    """Takes over from a paho client what it reads.

    Args:
        paho: the client, before it connects.
        mqtt5: whether messages have properties.
    """

    def __init__(self, paho: Any, *, mqtt5: bool) -> None:
        self._paho = paho
        self._mqtt5 = mqtt5
        self._receive: Callable[[int], bytes] = paho._sock_recv  # noqa: SLF001
        self._read: Callable[[], int] = paho.loop_read
        self._buffer: bytes = b""
        self._at = 0
        self._messages: deque[Message] = deque()
        self._news = asyncio.Event()
        paho._sock_recv, paho.loop_read = self._take, self._read_all  # noqa: SLF001
        paho._handle_publish = self._publish  # noqa: SLF001

    async def wait(self, ended: "asyncio.Future[None]") -> bool:
        """Wait for a message; return False at the connection's end."""
        while not self._messages and not ended.done():
            self._news.clear()
            ended.add_done_callback(self._wake)
            try:
                await self._news.wait()
            finally:
                ended.remove_done_callback(self._wake)
        return bool(self._messages)

    def next(self) -> Message:
        """The message that was waited for."""
        return self._messages.popleft()

    def _wake(self, _ended: object) -> None:
        self._news.set()

    def _take(self, count: int) -> bytes:
        if self._at == len(self._buffer):
            self._buffer = self._receive(_AT_ONCE)
            self._at = 0
        begin, self._at = self._at, min(self._at + count, len(self._buffer))
        return self._buffer[begin : self._at]

    def _read_all(self, _most: int = 1) -> int:
        """Handle each packet of which the beginning is here."""
        result = self._read()
        while self._at < len(self._buffer) and not result:
            result = self._read()
        return result

    def _publish(self) -> int:
        packet = self._paho._in_packet  # noqa: SLF001
        try:
            message, number = read_publish(packet["command"], bytes(packet["packet"]), mqtt5=self._mqtt5)
        except ValueError:
            return _PROTOCOL_ERROR
        self._messages.append(message)
        self._news.set()
        if not number:
            return _DONE
        return cast("int", self._paho._send_puback(number))  # noqa: SLF001


def read_publish(head: int, body: bytes, *, mqtt5: bool) -> tuple[Message, int]:
    """Read a PUBLISH packet: the message, and its packet id, 0 for QoS 0.

    Properties that can't be read are left out: a broker may keep such a message, which would end every connection.

    Args:
        head: the first byte of its fixed header.
        body: all that follows the fixed header.

    Raises:
        ValueError: it isn't one, or of QoS 2, which nobody asks for.
    """
    quality = head >> 1 & 3
    end = 2 + int.from_bytes(body[:2], "big")
    begin = end + 2 * quality
    size, begin = _number(body, begin) if mqtt5 else (0, begin)
    if quality > 1 or begin + size > len(body):
        raise ValueError("not a PUBLISH packet of QoS 0 or 1")
    wanted = _wanted(body[begin : begin + size]) if size else {}
    number = int.from_bytes(body[end : end + 2], "big") if quality else 0
    topic = wanted.get(_RESPONSE_TOPIC)
    message = Message(
        body[2:end].decode(),
        body[begin + size :],
        head & 1 == 1,
        topic.decode("utf-8", "replace") if topic is not None else None,
        wanted.get(_CORRELATION),
    )
    return message, number


def _wanted(properties: bytes) -> dict[int, bytes]:
    """The texts among a message's properties; none where one can't be read."""
    found: dict[int, bytes] = {}
    at = 0
    while at < len(properties):
        kind, at = properties[at], at + 1
        if kind in _BYTES:
            at += _BYTES[kind]
        elif kind == _SUBSCRIPTION:
            _, at = _number(properties, at)
        elif kind not in _TEXTS:
            return {}
        for _ in range(_TEXTS.get(kind, 0)):
            begin = at + 2
            at = begin + int.from_bytes(properties[at:begin], "big")
            found[kind] = properties[begin:at]
    return found if at == len(properties) else {}


def _number(data: bytes, at: int) -> tuple[int, int]:
    """A variable byte integer, as far as it is here, and where it ends."""
    value = shift = 0
    while at < len(data):
        value |= (data[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 0x80:
            break
    return value, at
