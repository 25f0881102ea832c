"""`tablectl tail` against a real broker."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import aiomqtt
import pytest
from click.testing import CliRunner

from tablectl.cli import main
from tablectl.core.events.audit import SignedOn
from tablectl.core.events.round import CutReached
from tablectl.features.tail.tail import TailOptions, follow
from tablectl.mqtt.client import BrokerRefusedError
from tablectl.mqtt.message import Message
from tablectl.mqtt.reconnect import subscribe
from tablectl.mqtt.settings import broker_settings
from tests.reader.messages import came, status
from tests.support.broker import Broker, private_broker
from tests.support.patience import PATIENCE_S
from tests.support.witness import Board

EVENT = CutReached("r")


@dataclass(slots=True)
class Tail:
    """A running tail and what it printed."""

    options: TailOptions
    board: Board = field(default_factory=Board)
    lines: list[str] = field(default_factory=list[str])
    notes: list[str] = field(default_factory=list[str])

    async def run(self) -> int:
        """Its exit status."""
        return await follow(self.options, self._feed, self._out, self._note)

    def _feed(self, filters: tuple[str, ...], told: Callable[[Exception | None], None]) -> AsyncGenerator[Message]:
        return subscribe(broker_settings(self.options.broker), filters, "tail", told)

    def _out(self, line: str) -> None:
        self.lines.append(line)
        self.board.changed()

    def _note(self, line: str) -> None:
        self.notes.append(line)
        self.board.changed()


@pytest.fixture
def broker(mosquitto: Path, tmp_path: Path) -> Iterator[Broker]:
    with private_broker(mosquitto, tmp_path) as made:
        yield made


@pytest.fixture
def tail(broker: Broker) -> Tail:
    return Tail(TailOptions(broker.url))


async def publish(broker: Broker, *messages: Message) -> None:
    async with aiomqtt.Client("127.0.0.1", broker.port) as client:
        for message in messages:
            await client.publish(message.topic, message.payload, qos=1)


async def test_tail_waits_for_its_broker_and_ends_on_ctrl_c(broker: Broker, tail: Tail) -> None:
    task = asyncio.get_running_loop().create_task(tail.run())
    await tail.board.until(lambda: any("trying again" in note for note in tail.notes))
    broker.start()
    await tail.board.until(lambda: tail.notes[-1] == "connected; waiting for events")
    await publish(broker, status("ready"), came(EVENT, 1), came(SignedOn("lei", "dealer"), 2))
    await tail.board.until(lambda: len(tail.lines) == 3)
    os.kill(os.getpid(), signal.SIGINT)
    assert await task == 0
    assert tail.lines == [
        "00:00:00.123  table is ready",
        "00:00:00.123  #1  the cut card came",
        "00:00:00.123  #2  lei signed on: dealer",
    ]
    assert tail.notes[-1] == "complete from 1 to 2"


async def test_tail_that_missed_an_event_says_which_and_fails(broker: Broker, tail: Tail) -> None:
    broker.start()
    tail.options = replace(tail.options, count=2)
    task = asyncio.get_running_loop().create_task(tail.run())
    await tail.board.until(lambda: tail.notes)
    await publish(broker, came(EVENT, 1), came(EVENT, 4))
    assert await task == 1
    assert tail.lines[-1] == "── up to 4, missing: 2–3"
    assert tail.notes[-1] == "up to 4, missing: 2–3"


async def test_tail_goes_on_after_its_broker_came_back(broker: Broker, tail: Tail) -> None:
    broker.start()
    tail.options = replace(tail.options, count=2)
    task = asyncio.get_running_loop().create_task(tail.run())
    await tail.board.until(lambda: tail.notes)
    await publish(broker, came(EVENT, 1))
    await tail.board.until(lambda: tail.lines)
    broker.kill()
    await tail.board.until(lambda: "trying again" in tail.notes[-1])
    broker.start()
    await tail.board.until(lambda: tail.notes[-1].startswith("connected"))
    await publish(broker, came(EVENT, 2))
    assert await task == 0


async def test_raw_tail_prints_payloads_byte_for_byte(broker: Broker, tail: Tail) -> None:
    broker.start()
    tail.options = replace(tail.options, raw=True, count=1)
    task = asyncio.get_running_loop().create_task(tail.run())
    await tail.board.until(lambda: tail.notes)
    await publish(broker, came(EVENT, 1))
    assert await task == 0
    assert [line.encode() for line in tail.lines] == [came(EVENT, 1).payload]


async def test_tail_of_one_table_hears_no_other(broker: Broker, tail: Tail) -> None:
    broker.start()
    tail.options = replace(tail.options, site="macau", table="q2", count=1)
    task = asyncio.get_running_loop().create_task(tail.run())
    await tail.board.until(lambda: tail.notes)
    other = came(EVENT, 9)
    await publish(broker, other, replace(other, topic=other.topic.replace("/q1/", "/q2/")))
    assert await task == 0
    assert len(tail.lines) == 1


async def test_tail_that_the_broker_refuses_ends(broker: Broker, tail: Tail) -> None:
    broker.anonymous = False
    broker.start()
    with pytest.raises(BrokerRefusedError):
        await tail.run()


def test_wrong_address_is_told_in_one_line() -> None:
    result = CliRunner().invoke(main, ["tail", "--broker", "http://broker"])
    assert result.exit_code == 2
    assert result.output == "tablectl tail: broker address 'http://broker': it begins with mqtt:// or mqtts://\n"


def test_missing_password_file_is_told_in_one_line(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["tail", "--password-file", str(tmp_path / "none")])
    assert result.exit_code == 2
    assert "No such file" in result.output


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (["--site", "a/b"], "without / + #"),
        (["--table", "#"], "without / + #"),
        (["--ca", "/nowhere/ca.pem"], "does not exist"),
        (["--ca", __file__], "certificates go with mqtts://"),
    ],
)
def test_what_no_broker_could_answer_is_refused_at_once(wrong: list[str], told: str) -> None:
    result = CliRunner().invoke(main, ["tail", *wrong])
    assert result.exit_code == 2
    assert told in result.output


def test_reader_that_has_seen_enough_ends_tail_without_a_word(broker: Broker) -> None:
    broker.start()
    asyncio.run(publish_retained(broker, status("ready")))
    command = [sys.executable, "-m", "tablectl", "tail", "--broker", broker.url, "--json"]
    reading, writing = os.pipe()
    os.close(reading)
    ended = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, timeout=PATIENCE_S, check=False)
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (141, "connected; waiting for events\n")


async def publish_retained(broker: Broker, message: Message) -> None:
    async with aiomqtt.Client("127.0.0.1", broker.port) as client:
        await client.publish(message.topic, message.payload, qos=1, retain=True)
