"""PUBLISH packets as brokers send them, and as none should."""

import asyncio
from contextlib import aclosing
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as some
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from tablectl.mqtt.client import Connection
from tablectl.mqtt.incoming import read_publish
from tablectl.mqtt.message import Message
from tablectl.mqtt.settings import BrokerSettings
from tests.support.patience import PATIENCE_S


def packet(properties: bytes | None = None, number: bytes = b"\0\x07") -> bytes:
    """What follows the fixed header of a message "p" to "t"."""
    size = b"" if properties is None else bytes([len(properties)])
    return b"\0\x01t" + number + size + (properties or b"") + b"p"


def test_message_is_read_with_its_id_and_whether_kept() -> None:
    assert read_publish(0x32, packet(), mqtt5=False) == (Message("t", b"p"), 7)
    assert read_publish(0x31, packet(number=b""), mqtt5=False) == (Message("t", b"p", retained=True), 0)


def test_two_properties_of_all_are_read() -> None:
    """Built by paho itself, so with all that a PUBLISH may have."""
    all_of_them = cast("Any", Properties)(PacketTypes.PUBLISH)
    all_of_them.PayloadFormatIndicator = 1
    all_of_them.MessageExpiryInterval = 9
    all_of_them.TopicAlias = 3
    all_of_them.ContentType = "text"
    all_of_them.ResponseTopic = "to/me"
    all_of_them.CorrelationData = b"\0\xff"
    all_of_them.SubscriptionIdentifier = 300
    all_of_them.UserProperty = [("a", "b"), ("c", "")]
    packed = all_of_them.pack()
    read = read_publish(0x32, packet(packed[1:]), mqtt5=True)
    assert read == (Message("t", b"p", response_topic="to/me", correlation=b"\0\xff"), 7)


@pytest.mark.parametrize("unreadable", [b"\x7e", b"\x08\0\x02to\x7e", b"\x08\0\x09to", b"\x02\0", b"\x26\0\x01a"])
def test_properties_that_cannot_be_read_are_left_out(unreadable: bytes) -> None:
    assert read_publish(0x32, packet(unreadable), mqtt5=True) == (Message("t", b"p"), 7)


@given(some.integers(0x30, 0x3F), some.binary(max_size=40), some.booleans())
def test_other_bytes_are_a_message_or_an_error(head: int, body: bytes, mqtt5: bool) -> None:
    try:
        message, number = read_publish(head, body, mqtt5=mqtt5)
    except ValueError:
        return
    assert body.endswith(message.payload)
    assert number or not head & 2 or body[2 + len(message.topic.encode()) :][:2] == b"\0\0"


@pytest.mark.parametrize("cut", [1, 7, 1_000_000])
async def test_packets_are_whole_and_answered_however_cut(cut: int) -> None:
    numbers = range(1, 101)
    packets = [bytes([0x32, 7 + number]) + packet(b"", bytes([0, number])) + b"." * number for number in numbers]
    sent, answered = b"".join(packets), asyncio.get_running_loop().create_future()

    async def send(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly((await reader.readexactly(2))[1])
        writer.write(bytes([0x20, 3, 0, 0, 0]))  # CONNACK: success, no properties
        asked = await reader.readexactly((await reader.readexactly(2))[1])
        writer.write(bytes([0x90, 4]) + asked[:2] + bytes([0, 1]))  # SUBACK: granted
        for begin in range(0, len(sent), cut):
            writer.write(sent[begin : begin + cut])
            await writer.drain()
        answered.set_result(await reader.readexactly(4 * len(numbers)))
        writer.close()

    server = await asyncio.start_server(send, "127.0.0.1", 0)
    async with server, asyncio.timeout(PATIENCE_S):
        settings = BrokerSettings("127.0.0.1", server.sockets[0].getsockname()[1])
        async with Connection(settings, "c") as connection, aclosing(connection.messages()) as messages:
            await connection.subscribe(["t"])
            came = [(await anext(messages)).payload for _ in numbers]
            assert await answered == b"".join(bytes([0x40, 2, 0, number]) for number in numbers)
    assert came == [b"p" + b"." * number for number in numbers]
