"""A broker that ends, forgets, freezes or is cut off in the midst of rounds: nothing is missing, nothing is twice."""

import random
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.outside.table import Broker, Subscriber, Table, free_port, until


class Wire:
    """A relay before the broker, which is cut after so many bytes, each time anew."""

    def __init__(self, broker: int, chance: random.Random) -> None:
        self.port, self.cuts, self.most = free_port(), 0, 0
        self._broker, self._chance = broker, chance
        self._sockets: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self._accept, daemon=True).start()

    def stop(self) -> None:
        self._listener.close()
        for each in self._sockets:
            each.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                far = socket.create_connection(("127.0.0.1", self._broker))
                self._sockets += near, far
                left = [self._chance.randrange(self.most) if self.most else 1 << 40]
                for one, other in ((near, far), (far, near)):
                    threading.Thread(target=self._relay, args=(one, other, left), daemon=True).start()

    def _relay(self, one: socket.socket, other: socket.socket, left: list[int]) -> None:
        with suppress(OSError):
            while data := one.recv(4096):
                sent = data[: max(0, left[0])]
                left[0] -= len(data)
                other.sendall(sent)
                if left[0] <= 0:
                    self.cuts += 1
                    break
        for each in (one, other):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)


@pytest.fixture(name="wire")
def _wire(broker: Broker) -> Iterator[Wire]:
    wire = Wire(broker.port, random.Random(1))
    yield wire
    wire.stop()


def is_whole(seen: Subscriber, rounds: int) -> bool:
    return len(seen.of_type("round.void.v1")) == rounds and seen.is_proved()


def in_order(seen: Subscriber) -> bool:
    """Whether the first arrivals came in the order of their numbers."""
    names = list(dict.fromkeys(name for name in map(_id_of, seen.events())))
    return names == sorted(names)


def _id_of(payload: bytes) -> str:
    return str(payload.partition(b'"id":"')[2].partition(b'"')[0].decode())


@pytest.mark.parametrize("failures", [3, pytest.param(12, marks=[pytest.mark.long, pytest.mark.timeout(900)])])
@pytest.mark.parametrize("how", ["ends", "freezes"])
def test_broker_that_fails_in_rounds_gets_all_in_order(
    table: Table, seen: Subscriber, broker: Broker, how: str, failures: int
) -> None:
    table.start()
    for _ in range(failures):
        table.play()
        if how == "ends":
            broker.stop()
        else:
            broker.send(signal.SIGSTOP)
        assert table.ask("open_round")["accepted"]
        assert table.send(table.bet())["accepted"]
        if how == "ends":
            broker.start()
        else:
            broker.send(signal.SIGCONT)
        assert table.ask("void_round", reason="the wheel broke")["accepted"]
    until(lambda: is_whole(seen, 2 * failures))
    assert all(len(contents) == 1 for contents in seen.contents().values())
    assert in_order(seen)


def test_every_cut_of_the_wire_is_made_good(tmp_path: Path, wire: Wire, seen: Subscriber) -> None:
    table = Table(tmp_path, wire.port)
    try:
        wire.most = 40_000
        table.start()
        for _ in range(6):
            table.play()
        until(lambda: wire.cuts > 3)
        wire.most = 0
        until(lambda: is_whole(seen, 6))
        assert all(len(contents) == 1 for contents in seen.contents().values())
        assert in_order(seen)
    finally:
        table.kill()


def test_forged_messages_on_the_tables_topics_change_nothing(table: Table, seen: Subscriber) -> None:
    table.start()
    table.play()
    until(seen.is_proved)
    last = seen.events()[-1]
    for topic, payload in (
        ("event/round", last.replace(b"void", b"paid")),
        ("board", b"\xff" * 100),
        ("status", b'{"data":{"state":"stopped"}}'),
        ("round/state", b"[" * 5000),
        ("meta/info", b"{}"),
        ("health", b""),
    ):
        seen.keep(topic, payload)
    seen.ask("nobody", "bookmark", {"transaction": "a", "note": "forged"})
    seen.ask("sam", "acknowledge", {"transaction": "b", "code": 804})
    before = table.state()["seen"]
    table.play()
    until(lambda: len(seen.of_type("round.void.v1")) == 2)
    assert table.state()["seen"] > before
    assert seen.of_type("audit.bookmark.v1") == []
    assert not any(topic.startswith(("answer/", "replay/")) for topic, _, _ in list(seen.messages))
