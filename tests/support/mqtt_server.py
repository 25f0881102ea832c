"""Small brokers that answer as a test says: a code to CONNECT, an end after it, a limit that they don't tell."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

CONNECT, PUBLISH, SUBSCRIBE, DISCONNECT = 1, 3, 8, 14


@dataclass(slots=True)
class MqttServer:
    """Lets every client in, answers every message of QoS 1, until something else is set.

    Args:
        connack: the whole answer to CONNECT.
        goodbye: sent after that answer, before it hangs up; None stays.
        most: bytes of a packet; it hangs up on a larger one without a word.
        events: how many events are acknowledged; all that follow are taken without a word.
        changed: called after everything that comes.
    """

    connack: bytes = bytes([0x20, 3, 0, 0, 0])
    goodbye: bytes | None = None
    most: int = 1 << 28
    events: int = 1 << 28
    changed: Callable[[], None] = lambda: None
    connects: list[bytes] = field(default_factory=list[bytes])
    published: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    port: int = 0

    @asynccontextmanager
    async def listening(self) -> AsyncGenerator["MqttServer"]:
        """It listens inside."""
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        async with server:
            yield self

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while (packet := await self._packet(reader)) is not None:
                writer.write(self._answer(*packet))
                await writer.drain()
                self.changed()
                if packet[0] >> 4 == CONNECT and self.goodbye is not None:
                    writer.write(self.goodbye)
                    break
        writer.close()

    async def _packet(self, reader: asyncio.StreamReader) -> tuple[int, bytes] | None:
        kind, length, shift = (await reader.readexactly(1))[0], 0, 0
        while True:
            byte = (await reader.readexactly(1))[0]
            length |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
        return None if length > self.most else (kind, await reader.readexactly(length))

    def _answer(self, head: int, body: bytes) -> bytes:
        match head >> 4:
            case 1:  # CONNECT
                self.connects.append(body)
                return self.connack
            case 3:  # PUBLISH of QoS 1, answered by PUBACK
                end = 2 + int.from_bytes(body[:2], "big")
                topic = body[2:end].decode()
                self.published.append((topic, len(body)))
                self.events -= "/event/" in topic
                if self.events < 0 and "/event/" in topic:
                    return b""
                return bytes([0x40, 2]) + body[end : end + 2]
            case 8:  # SUBSCRIBE
                return bytes([0x90, 4]) + body[:2] + bytes([0, 1])
            case 12:  # PINGREQ
                return bytes([0xD0, 0])
            case _:
                return b""


def refusing(code: int) -> bytes:
    """A CONNACK of MQTT 5 with this reason code."""
    return bytes([0x20, 3, 0, code, 0])


def refusing_311(code: int) -> bytes:
    """A CONNACK of MQTT 3.1.1 with this return code."""
    return bytes([0x20, 2, 0, code])


def ending(code: int) -> bytes:
    """A DISCONNECT of MQTT 5 with this reason code."""
    return bytes([0xE0, 2, code, 0])
