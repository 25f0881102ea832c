"""One connection: who it reaches, what it says when it can't, what it carries."""

import asyncio
import datetime
import gc
import ipaddress
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tablectl.features.demo.processes import free_port
from tablectl.mqtt.client import BrokerAwayError, BrokerRefusedError, Connection
from tablectl.mqtt.message import Message
from tablectl.mqtt.reconnect import delays, subscribe
from tablectl.mqtt.settings import BrokerSettings, Tls, parse_broker_url
from tests.mqtt.conftest import Rig
from tests.support.authority import Authority
from tests.support.broker import Broker
from tests.support.patience import PATIENCE_S, SCALE
from tests.support.witness import witness


@pytest.mark.parametrize(
    ("url", "settings"),
    [
        ("mqtt://broker", BrokerSettings("broker", 1883)),
        ("mqtt://broker:1884/", BrokerSettings("broker", 1884)),
        ("mqtt://table%2D1@192.0.2.9:1883", BrokerSettings("192.0.2.9", 1883, "table-1")),
        ("mqtts://broker", BrokerSettings("broker", 8883, tls=Tls())),
        ("mqtt://[fe80::1]:99", BrokerSettings("fe80::1", 99)),
    ],
)
def test_address_gives_its_settings(url: str, settings: BrokerSettings) -> None:
    assert parse_broker_url(url) == settings


@pytest.mark.parametrize(
    ("url", "complaint"),
    [
        ("broker:1883", "begins with mqtt://"),
        ("http://broker", "begins with mqtt://"),
        ("", "begins with mqtt://"),
        ("mqtt://", "the host is missing, as in mqtt://broker.example"),
        ("mqtts://:8883", "the host is missing, as in mqtts://broker.example"),
        ("mqtt://broker:port", "the port is a number from 1 to 65535"),
        ("mqtt://broker:0", "the port is a number from 1 to 65535"),
        ("mqtt://broker:70000", "the port is a number from 1 to 65535"),
        ("mqtt://broker/topic", "nothing follows the port"),
        ("mqtt://broker?x=1", "nothing follows the port"),
        ("mqtt://[fe80::1", "Invalid IPv6 URL"),
    ],
)
def test_wrong_address_is_refused_in_words(url: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=r"^broker address") as refused:
        parse_broker_url(url)
    assert complaint in str(refused.value)


def test_password_in_an_address_is_refused_and_not_repeated() -> None:
    with pytest.raises(ValueError, match="leave the password out") as refused:
        parse_broker_url("mqtt://table:secret@broker")
    assert "secret" not in str(refused.value)
    assert "secret" not in repr(BrokerSettings("broker", password="secret"))


def test_delays_double_up_to_their_limit_and_differ_by_chance() -> None:
    waits = delays(0.2, 5.0)
    for limit_s in (0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0, 5.0):
        assert limit_s / 2 <= next(waits) <= limit_s
    assert len({next(delays()) for _ in range(20)}) > 10


async def test_every_answer_of_the_broker_comes_with_its_reason(rig: Rig, broker: Broker) -> None:
    broker.allow("topic read #", "topic write good")
    broker.start()
    answers: dict[int, int] = {}
    async with witness(broker.port, rig.board) as seen, Connection(rig.settings, "c") as connection:
        connection.answered = answers.__setitem__
        good = connection.publish("good", b"1")
        bad = connection.publish("bad", b"2", retain=True)
        await rig.board.until(lambda: len(answers) == 2 and seen.messages)
        assert answers == {good: 0x00, bad: 0x87}
        assert [message.topic.value for message in seen.messages] == ["good"]


async def test_publish_is_on_the_wire_before_it_returns() -> None:
    async with deaf_broker() as port, Connection(BrokerSettings("127.0.0.1", port), "c") as connection:
        connection.publish("t", b"x" * 100)
        assert not connection._paho.want_write()


async def test_message_larger_than_the_sockets_buffer_arrives_whole(rig: Rig, broker: Broker) -> None:
    broker.start()
    large = bytes(range(256)) * 40_000
    async with witness(broker.port, rig.board) as seen, Connection(rig.settings, "c") as connection:
        connection.publish("large", large)
        connection.publish("small", b"after")
        await rig.board.until(lambda: len(seen.messages) == 2)
        assert [message.payload for message in seen.messages] == [large, b"after"]


async def test_nobody_there_is_told_with_address_and_what_to_do() -> None:
    settings = BrokerSettings("127.0.0.1", free_port())
    with pytest.raises(BrokerAwayError) as away:
        await connect(settings)
    assert str(away.value) == (
        f"the broker at {settings.address} doesn't answer (Connection refused): "
        "check that it runs and that the address is right"
    )


async def test_unknown_host_is_away() -> None:
    with pytest.raises(BrokerAwayError, match=r"broker\.invalid:1883 doesn't answer"):
        await connect(BrokerSettings("broker.invalid"))


async def test_wrong_password_is_refused_and_says_so(rig: Rig, broker: Broker) -> None:
    broker.anonymous = False
    broker.admit("table", "right")
    broker.start()
    with pytest.raises(BrokerRefusedError, match=r"doesn't let us in.*check the user name and the password"):
        await connect(replace(rig.settings, username="table", password="wrong"))
    await connect(replace(rig.settings, username="table", password="right"))


async def test_silent_server_costs_no_more_than_the_timeout() -> None:
    async with silent_server() as port:
        started_s = asyncio.get_running_loop().time()
        with pytest.raises(BrokerAwayError, match="no answer in time"):
            await connect(BrokerSettings("127.0.0.1", port, timeout_s=0.3))
        assert asyncio.get_running_loop().time() - started_s < 5 * SCALE  # nothing else ever ends it


async def test_server_that_hangs_up_at_once_is_noticed_at_once() -> None:
    async def hang_up(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    server = await asyncio.start_server(hang_up, "127.0.0.1", 0)
    async with server, asyncio.timeout(PATIENCE_S):
        with pytest.raises(BrokerAwayError):
            await connect(BrokerSettings("127.0.0.1", server.sockets[0].getsockname()[1], timeout_s=10 * PATIENCE_S))


async def test_abandoned_attempt_leaves_no_connection_behind(rig: Rig, broker: Broker) -> None:
    broker.start()
    for turns in range(12):
        task = asyncio.get_running_loop().create_task(connect(rig.settings))
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
    gc.collect()
    await connect(rig.settings)


async def test_lost_connection_ends_the_messages_and_fails_the_publish(rig: Rig, broker: Broker) -> None:
    broker.start()
    async with Connection(rig.settings, "c") as connection:
        broker.kill()
        with pytest.raises(BrokerAwayError):
            async for _ in connection.messages():
                pass
        with pytest.raises(BrokerAwayError, match="hung up"):
            connection.publish("t", b"")


async def test_topic_that_may_not_be_read_is_refused_by_name() -> None:
    async with deaf_broker() as port, Connection(BrokerSettings("127.0.0.1", port), "c") as connection:
        with pytest.raises(BrokerRefusedError, match="doesn't let us read event/card: check its ACL"):
            await connection.subscribe(["event/card"])


async def test_tls_speaks_to_the_right_authority_only(rig: Rig, broker: Broker, tmp_path: Path) -> None:
    ca, other = tmp_path / "ca.pem", tmp_path / "other.pem"
    make_certificate(ca, tmp_path / "key.pem")
    make_certificate(other, tmp_path / "otherkey.pem")
    broker.lines = (f"certfile {ca}", f"keyfile {tmp_path / 'key.pem'}")
    broker.start()
    encrypted = replace(rig.settings, timeout_s=5, tls=Tls(str(ca)))
    async with Connection(encrypted, "c") as connection:
        await connection.subscribe(["t"])
        connection.publish("t", b"x" * 100_000)
        async with aclosing(connection.messages()) as messages:
            assert len((await anext(messages)).payload) == 100_000
    with pytest.raises(BrokerAwayError, match="check its certificate and our settings for TLS"):
        await connect(replace(encrypted, tls=Tls(str(other))))
    with pytest.raises(BrokerAwayError, match="No such file"):
        await connect(replace(encrypted, tls=Tls(str(tmp_path / "none.pem"))))


@pytest.mark.filterwarnings("ignore:unclosed <ssl.SSLSocket:ResourceWarning")  # paho drops a failed one
async def test_the_next_connection_reads_the_tls_files_again(rig: Rig, broker: Broker, tmp_path: Path) -> None:
    authority, other = Authority(tmp_path), Authority(tmp_path, "other")
    server, ours, stranger = authority.sign("broker"), authority.sign("q1"), other.sign("q1")
    broker.lines = (f"certfile {server.cert}", f"keyfile {server.key}", f"cafile {authority.file}")
    broker.lines += ("require_certificate true",)
    broker.start()
    settings = replace(rig.settings, timeout_s=5, tls=Tls(authority.file, stranger.cert, stranger.key))
    with pytest.raises(BrokerAwayError):
        await connect(settings)
    for new, old in ((ours.cert, stranger.cert), (ours.key, stranger.key)):
        await asyncio.to_thread(Path(new).replace, old)
    await connect(settings)


async def test_connection_need_not_hear_itself(rig: Rig, broker: Broker) -> None:
    broker.start()
    async with Connection(rig.settings, "c") as connection:
        await connection.subscribe(["a"], hear_self=False)
        await connection.subscribe(["b"])
        connection.publish("a", b"1")
        connection.publish("b", b"2")
        async with aclosing(connection.messages()) as messages:
            assert await anext(messages) == Message("b", b"2")


async def test_window_is_what_the_broker_grants(rig: Rig, broker: Broker) -> None:
    broker.lines = ("max_inflight_messages 2",)
    broker.start()
    async with Connection(rig.settings, "c") as connection:
        assert connection.window == 2


async def test_subscription_outlives_its_broker(rig: Rig, broker: Broker) -> None:
    broker.start()
    told: list[bool] = []

    def tell(error: BrokerAwayError | None) -> None:
        told.append(error is None)
        rig.board.changed()

    got: list[Message] = []
    async with asyncio.TaskGroup() as group:
        listening = group.create_task(collect(rig, got, tell))
        await rig.board.until(lambda: told == [True])
        await publish(rig.settings, b"one")
        await rig.board.until(lambda: len(got) == 1)
        broker.kill()
        await rig.board.until(lambda: told[-1] is False)
        broker.start()
        await rig.board.until(lambda: told[-1] is True)
        await publish(rig.settings, b"two")
        await rig.board.until(lambda: len(got) == 2)
        listening.cancel()
    assert got == [Message("a/b", b"one"), Message("a/b", b"two")]


async def test_subscription_that_is_refused_ends(rig: Rig, broker: Broker) -> None:
    broker.anonymous = False
    broker.start()
    with pytest.raises(BrokerRefusedError):
        async for _ in subscribe(rig.settings, ["#"], "c", lambda _: None):
            pass


async def connect(settings: BrokerSettings) -> None:
    async with Connection(settings, "c"):
        pass


async def publish(settings: BrokerSettings, payload: bytes) -> None:
    answered = asyncio.Event()
    async with Connection(settings, "p") as connection:
        connection.answered = lambda _mid, _code: answered.set()
        connection.publish("a/b", payload)
        await answered.wait()


async def collect(rig: Rig, got: list[Message], tell: Callable[[BrokerAwayError | None], None]) -> None:
    async with aclosing(subscribe(rig.settings, ["a/#"], "c", tell)) as messages:
        async for message in messages:
            got.append(message)
            rig.board.changed()


@asynccontextmanager
async def silent_server() -> AsyncGenerator[int]:
    """The port of a server that takes connections and never says a word."""

    async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(-1)
        writer.close()

    server = await asyncio.start_server(listen, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


@asynccontextmanager
async def deaf_broker() -> AsyncGenerator[int]:
    """The port of a server that lets every client in, refuses a first subscription, answers nothing else."""

    async def let_in(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly((await reader.readexactly(2))[1])
        writer.write(bytes([0x20, 3, 0, 0, 0]))  # CONNACK: success, no properties
        with suppress(asyncio.IncompleteReadError):
            kind, length = await reader.readexactly(2)
            if kind == 0x82:  # SUBSCRIBE
                mid = (await reader.readexactly(length))[:2]
                writer.write(bytes([0x90, 4]) + mid + bytes([0, 0x87]))  # SUBACK: not authorized
        await reader.read(-1)
        writer.close()

    server = await asyncio.start_server(let_in, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


def make_certificate(certificate: Path, key_file: Path) -> None:
    """A certificate for 127.0.0.1 that signs itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "test broker")])
    now = datetime.datetime.now(datetime.UTC)
    address = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(address, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    certificate.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    pem, pkcs8 = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    key_file.write_bytes(key.private_bytes(pem, pkcs8, serialization.NoEncryption()))
