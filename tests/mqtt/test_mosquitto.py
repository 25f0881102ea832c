"""The shipped configuration of mosquitto: every role on every topic, tried with its own certificate."""

import asyncio
import datetime
import ipaddress
import socket
import subprocess
from collections.abc import AsyncGenerator, Generator, Iterator
from contextlib import aclosing, asynccontextmanager, contextmanager
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tablectl.features.demo.processes import free_port
from tablectl.mqtt.client import BrokerAwayError, Connection
from tablectl.mqtt.message import Message
from tablectl.mqtt.settings import BrokerSettings, Tls
from tablectl.rule_tables import shipped
from tests.support.feed import Feed
from tests.support.patience import PATIENCE_S
from tests.support.witness import Board

HERE = "/etc/mosquitto/tablectl"
Q1, Q2 = "tablectl/v1/macau/q1", "tablectl/v1/macau/q2"

STATES = ("status", "health", "device/shoe/status", "round/state", "round/phase", "board", "fairness")
EVENTS = tuple(
    f"event/{name}" for name in ("round", "bet", "card", "draw", "wheel", "dice", "fault", "fairness", "audit")
)
META = ("meta/info", "meta/asyncapi", "checkpoint")
CARDS = ("restricted/card",)
ASKERS = ("recorder", "cctv", "pit", "q1", "mallory")
REQUESTS = tuple(f"req/{user}/{verb}" for user in ASKERS for verb in ("replay", "prove"))
ANSWERS = tuple(f"{kind}/{user}/x1" for kind in ("answer", "replay") for user in ASKERS)
TOPICS = (*STATES, *EVENTS, *META, *CARDS, *REQUESTS, *ANSWERS)


def own(user: str) -> set[str]:
    """What comes back to a user."""
    return {f"answer/{user}/x1", f"replay/{user}/x1"}


READS = {
    "q1": {"status", "checkpoint", *REQUESTS, *own("q1")},
    "recorder": {*STATES, *EVENTS, *META, *own("recorder")},
    "cctv": {*STATES, *EVENTS, *META, *CARDS, *own("cctv")},
    "pit": {*STATES, "event/fault", *own("pit")}
    - {"round/state", "fairness"},  # bettors, stakes and cards; what dealers throw
    "mallory": own("mallory"),
}
"""What each user may read at table q1; `mallory` has a certificate and no section."""

WRITES = {
    "q1": {*STATES, *EVENTS, *META, *CARDS, *ANSWERS, "req/q1/replay", "req/q1/prove"},
    **{user: {f"req/{user}/replay", f"req/{user}/prove"} for user in ("recorder", "cctv", "pit", "mallory")},
}
"""What each user may write at table q1."""


@dataclass(slots=True)
class Site:
    """A broker with the shipped configuration, and certificates for everybody."""

    folder: Path
    port: int

    def settings(self, user: str) -> BrokerSettings:
        tls = Tls(str(self.folder / "ca.pem"), str(self.folder / f"{user}.pem"), str(self.folder / f"{user}.key"))
        return BrokerSettings("127.0.0.1", self.port, tls=tls)


@pytest.fixture(scope="module", name="site")
def _site(mosquitto: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("site")
    make_certificates(folder, "broker", *ASKERS, "q2", "setter")
    access = shipped("mosquitto/acl").read_text("utf-8")
    (folder / "acl").write_text(f"{access}\nuser setter\ntopic readwrite #\n", "utf-8")
    with running(mosquitto, folder) as port:
        yield Site(folder, port)


@contextmanager
def running(program: Path, folder: Path) -> Generator[int]:
    """Mosquitto with the shipped configuration, this test's folder, port and user in it; gives the port."""
    port, text = free_port(), shipped("mosquitto/tablectl.conf").read_text("utf-8")
    changes = {HERE: str(folder), "listener 8883": f"listener {port} 127.0.0.1", "/var/lib/mosquitto/": f"{folder}/"}
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    (folder / "broker.conf").write_text(f"{text}\nuser root\n", "utf-8")
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen([str(program), "-c", str(folder / "broker.conf")], stdout=log, stderr=log)
        try:
            Feed.until(lambda: answers(port) or process.poll() is not None)
            assert process.poll() is None, (folder / "log").read_text()
            yield port
        finally:
            process.terminate()
            process.wait(PATIENCE_S)


def answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@dataclass(slots=True)
class Party:
    """One user's connection: what came, and how their publishes were answered."""

    connection: Connection
    board: Board
    came: list[Message]
    answers: dict[int, int]

    async def written(self, topic: str, payload: bytes) -> bool:
        """Publishes; whether the broker took it."""
        mid = self.connection.publish(topic, payload)
        await self.board.until(lambda: mid in self.answers)
        return self.answers[mid] < 0x80


@asynccontextmanager
async def party(site: Site, user: str, board: Board) -> AsyncGenerator[Party]:
    """A user who is subscribed to all that the broker lets them read."""
    async with Connection(site.settings(user), f"test-{user}") as connection, asyncio.TaskGroup() as group:
        one = Party(connection, board, [], {})

        def answered(mid: int, code: int) -> None:
            one.answers[mid] = code
            board.changed()

        connection.answered = answered
        await connection.subscribe(["#"])
        listening = group.create_task(listen(one))
        yield one
        listening.cancel()


async def listen(one: Party) -> None:
    async with aclosing(one.connection.messages()) as messages:
        async for message in messages:
            one.came.append(message)
            one.board.changed()


@pytest.mark.parametrize("user", READS)
async def test_each_role_reads_what_it_shall_and_nothing_else(site: Site, user: str) -> None:
    board = Board()
    async with party(site, "setter", board) as setter, party(site, user, board) as reader:
        for topic in TOPICS:
            assert await setter.written(f"{Q1}/{topic}", b"r")
        # What is allowed to everybody comes last: then nothing else is still on its way.
        assert await setter.written(f"{Q1}/answer/{user}/last", b"r")
        await board.until(lambda: any(message.topic.endswith("/last") for message in reader.came))
        read = {message.topic.removeprefix(f"{Q1}/") for message in reader.came} - {f"answer/{user}/last"}
    assert {topic: topic in read for topic in TOPICS} == {topic: topic in READS[user] for topic in TOPICS}


@pytest.mark.parametrize("user", WRITES)
async def test_each_role_writes_what_it_shall_and_nothing_else(site: Site, user: str) -> None:
    board = Board()
    async with party(site, "setter", board) as witness, party(site, user, board) as writer:
        written = {topic: await writer.written(f"{Q1}/{topic}", b"w") for topic in TOPICS}
        assert written == {topic: topic in WRITES[user] for topic in TOPICS}
        await board.until(lambda: len(witness.came) >= len(WRITES[user]))
        came = [message.topic.removeprefix(f"{Q1}/") for message in witness.came]
        assert sorted(came) == sorted(WRITES[user])


async def test_table_writes_and_reads_nothing_of_another_table(site: Site) -> None:
    board = Board()
    async with party(site, "setter", board) as setter, party(site, "q1", board) as table:
        for topic in (*STATES, *EVENTS, *META, *CARDS, *ANSWERS):
            assert not await table.written(f"{Q2}/{topic}", b"w"), topic
            assert await setter.written(f"{Q2}/{topic}", b"r")
        assert await setter.written(f"{Q1}/status", b"last")
        await board.until(lambda: any(message.payload == b"last" for message in table.came))
        elsewhere = {message.topic for message in table.came if message.topic.startswith(Q2)}
        assert elsewhere == {f"{Q2}/{topic}" for topic in own("q1")}


async def test_nobody_comes_in_without_a_certificate_of_the_house(site: Site, tmp_path: Path) -> None:
    bare = Tls(str(site.folder / "ca.pem"))
    with pytest.raises(BrokerAwayError):
        await _connect(BrokerSettings("127.0.0.1", site.port, tls=bare))
    make_certificates(tmp_path, "cctv")
    forged = Tls(str(site.folder / "ca.pem"), str(tmp_path / "cctv.pem"), str(tmp_path / "cctv.key"))
    with pytest.raises(BrokerAwayError):
        await _connect(BrokerSettings("127.0.0.1", site.port, tls=forged))
    with pytest.raises(BrokerAwayError):
        await _connect(BrokerSettings("127.0.0.1", site.port))


async def test_user_name_that_is_typed_does_not_replace_the_certificates(site: Site) -> None:
    board = Board()
    given = site.settings("pit")
    settings = BrokerSettings("127.0.0.1", given.port, username="q1", password="x", tls=given.tls)
    async with Connection(settings, "liar") as connection:
        answers: dict[int, int] = {}
        connection.answered = answers.__setitem__
        mid = connection.publish(f"{Q1}/event/round", b"forged")
        await board.until(lambda: mid in answers)
        assert answers[mid] >= 0x80


def test_every_role_and_topic_was_tried() -> None:
    assert len(list(product(READS, TOPICS))) == len(READS) * len(TOPICS) == 5 * 40
    assert READS.keys() == WRITES.keys()


async def _connect(settings: BrokerSettings) -> None:
    async with Connection(settings, "stranger") as connection:
        await connection.subscribe(["#"])


def make_certificates(folder: Path, *names: str) -> None:
    """An authority, and from it a certificate for each name."""
    authority, issuer = ec.generate_private_key(ec.SECP256R1()), named("an authority")
    ca = certificate(issuer, authority, issuer, authority, is_authority=True)
    (folder / "ca.pem").write_bytes(ca.public_bytes(serialization.Encoding.PEM))
    for name in names:
        key = ec.generate_private_key(ec.SECP256R1())
        made = certificate(named(name), key, issuer, authority, is_authority=False)
        (folder / f"{name}.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
        pem, pkcs8 = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
        (folder / f"{name}.key").write_bytes(key.private_bytes(pem, pkcs8, serialization.NoEncryption()))


def named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])


def certificate(
    subject: x509.Name,
    key: ec.EllipticCurvePrivateKey,
    issuer: x509.Name,
    signer: ec.EllipticCurvePrivateKey,
    *,
    is_authority: bool,
) -> x509.Certificate:
    now = datetime.datetime.now(datetime.UTC)
    address = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(address, critical=False)
        .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
        .sign(signer, hashes.SHA256())
    )
