"""Two real sessions, and what a plain subscriber saw of them."""

import os
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tablectl.core.facts import FairnessWeighed
from tablectl.history.statistics.evidence_account import Account
from tablectl.history.statistics.fairness_monitor import Budget, Monitor
from tablectl.rule_tables import shipped
from tests.contract.capture import Message, read_capture, subscriber
from tests.contract.envelope import decoded, rest_of
from tests.crash.dealing import finish_round, play, tables
from tests.support.broker import Broker, private_broker
from tests.support.daemon import Daemon, RefusedError, fork_server
from tests.support.feed import Feed
from tests.support.patience import PATIENCE_S
from tests.support.shoe import Shoe
from tests.support.warm import tablectl_path

SEED = 5
ROUNDS = 20
"""In so many rounds of this seed everything goes wrong once that the demonstration knows of."""


@pytest.fixture(name="broker", scope="session")
def _broker(mosquitto: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    with private_broker(mosquitto, tmp_path_factory.mktemp("broker")) as broker:
        broker.start()
        yield broker


@pytest.fixture(name="played", scope="session")
def _played(broker: Broker, tmp_path_factory: pytest.TempPathFactory) -> list[Message]:
    """A night in which all goes on undisturbed outside, and everything goes wrong at the table."""
    output = tmp_path_factory.mktemp("played") / "messages"
    rounds = f"demo --rounds {ROUNDS} --speed 0 --seed {SEED} --irregular 0.9 --broker {broker.url}"
    with subscriber(broker, output):
        subprocess.run([tablectl_path(), *rounds.split()], check=True, capture_output=True, timeout=PATIENCE_S)
        Feed.until(lambda: status(read_capture(output)) == "stopped")
    return read_capture(output)


@pytest.fixture(name="troubled", scope="session")
def _troubled(mosquitto: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Message]]:
    """A daemon killed in the middle of a round, started with other settings, and a shoe that misbehaves."""
    folder = tmp_path_factory.mktemp("troubled")
    (folder / "run").mkdir()
    shoe = Shoe(folder / "run" / "shoe")
    shoe.plug()
    with private_broker(mosquitto, tmp_path_factory.mktemp("other")) as broker:
        broker.start()
        daemon = _daemon(folder, broker)
        try:
            with subscriber(broker, folder / "messages"):
                _trouble(daemon, shoe, broker, lambda: read_capture(folder / "messages"))
            yield read_capture(folder / "messages")
        finally:
            shoe.unplug()
            if daemon.process is not None:
                daemon.kill()


@pytest.fixture(name="late", scope="session")
def _late(mosquitto: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Message]]:
    """Hands are open when the broker hears of the table for the first time; then the round is played to its end."""
    folder = tmp_path_factory.mktemp("late")
    with private_broker(mosquitto, tmp_path_factory.mktemp("frozen")) as broker:
        broker.start()
        with subscriber(broker, folder / "messages"), tables(Feed(broker, folder), folder) as make:
            broker.freeze()
            dealer = make("late")
            while dealer.daemon.state()["phase"] != "deciding":
                play(dealer, 1, lambda _: "")
            broker.thaw()
            Feed.until(lambda: _came(read_capture(folder / "messages"), "event/round", b"round.revealed"))
            finish_round(dealer)
            assert dealer.daemon.stop() == 0
            Feed.until(lambda: status(read_capture(folder / "messages")) == "stopped")
        yield read_capture(folder / "messages")


def status(messages: list[Message]) -> str:
    """What the table last said of itself."""
    said = [decoded(message)["data"]["state"] for message in messages if rest_of(message) == "status"]
    return str(said[-1]) if said else ""


def _daemon(folder: Path, broker: Broker) -> Daemon:
    settings = {
        "mqtt.url": broker.url,
        "paths.state": str(folder / "state"),
        "paths.runtime": str(folder / "run"),
        "subscribers.cctv.may": '["recall", "bookmark", "replay", "status"]',
        "subscribers.cctv.reads": '["round", "card", "audit"]',
    }
    return Daemon(fork_server(), shipped("tables/q-poker.demo.toml"), folder, settings)


def _trouble(daemon: Daemon, shoe: Shoe, broker: Broker, seen: Callable[[], list[Message]]) -> None:
    daemon.start()
    with pytest.raises(AssertionError, match="wrong_pin"):
        daemon.sign_on("ana", "0000")
    daemon.sign_on("ana", "1111")
    _until_attached(daemon, "shoe")
    with pytest.raises(RefusedError):
        _ask(daemon, "bet", place=1, bettor="ann", bet="versus_dealer", stake="100")
    _after_one_more(daemon, partial(shoe.draw, "As"))
    _after_one_more(daemon, partial(_reach_cut_card, shoe))
    _ask(daemon, "name_material", kind="pack", name="P-17")
    _ask(daemon, "confirm_pack")
    _ask(daemon, "open_round")
    _ask(daemon, "bet", place=1, bettor="ann", bet="versus_dealer", stake="100")
    for card in ("Kd", "Qs"):
        _after_one_more(daemon, partial(shoe.draw, card))
    daemon.kill()
    Feed.until(lambda: status(seen()) == "lost")
    _suspect(daemon.folder / "state")
    daemon.overrides = {**daemon.overrides, "console.sign_on_timeout_s": "1234"}
    daemon.start()
    daemon.sign_on("rui", "2222")
    _until_attached(daemon, "shoe")
    _void_and_correct(daemon)
    _ask_from_outside(broker, seen)
    assert daemon.stop() == 0
    Feed.until(lambda: status(seen()) == "stopped")


def _suspect(state: Path) -> None:
    """The killed daemon had found evidence of a long past, and an alarm, and didn't come to tell them."""
    found = [FairnessWeighed("hands", "dealer", "7.250000000", 4000, "6.100000000", alarm) for alarm in (False, True)]
    account = Account(Monitor(Budget(20, 1)), due={(each.stream, each.subject, each.alarm): each for each in found})
    with closing(sqlite3.connect(state / "journal.db")) as journal, journal:
        journal.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", ("fairness", account.kept()))


def _void_and_correct(daemon: Daemon) -> None:
    killed_in = daemon.state()["round_id"]
    _ask(daemon, "void_round", reason="the daemon was killed")
    second = {"person": "ana", "pin": "1111"}
    for amount, reason in (("100", "her stake stayed"), ("-50", "half of it had been given back")):
        changes = [{"bettor": "ann", "amount": amount}]
        _ask(daemon, "correct_round", corrects=killed_in, reason=reason, changes=changes, second=second)


def _ask_from_outside(broker: Broker, seen: Callable[[], list[Message]]) -> None:
    _send(broker, "recall", '{"transaction": "r1", "rounds": 3}')
    _send(broker, "bookmark", '{"transaction": "b1", "note": "look at this"}')
    _send(broker, "status", '{"transaction": "s1"}')
    _send(broker, "bookmark", '{"transaction": "b2"}')
    _send(broker, "replay", '{"transaction": "p1", "from": "0000000000000001"}')
    Feed.until(lambda: all(_came(seen(), rest) for rest in ("answer/cctv/b1", "answer/cctv/b2", "answer/cctv/s1")))
    Feed.until(lambda: _came(seen(), "replay/cctv/p1", b'"complete"'))
    Feed.until(lambda: _came(seen(), "event/fairness", b".fairness.alarm."))  # told after the evidence


def _send(broker: Broker, verb: str, body: str) -> None:
    topic = f"tablectl/v1/demo/q-demo/req/cctv/{verb}"
    subprocess.run(["mosquitto_pub", "-V", "5", "-q", "1", "-p", str(broker.port), "-t", topic, "-m", body], check=True)


def _came(messages: list[Message], rest: str, part: bytes = b"") -> bool:
    return any(rest_of(message) == rest and part in message.payload for message in messages)


def _until_attached(daemon: Daemon, name: str) -> None:
    Feed.until(lambda: any(item["attached"] for item in daemon.state()["devices"] if item["name"] == name))


def _ask(daemon: Daemon, verb: str, **fields: Any) -> None:
    state = daemon.state()
    name = f"{os.getpid()}-{state['seen']}-{verb}"
    daemon.ask(verb, name, round_id=state["round_id"], seen=state["seen"], **fields)


def _after_one_more(daemon: Daemon, do: Callable[[], None]) -> None:
    before = daemon.state()["seen"]
    do()
    Feed.until(lambda: daemon.state()["seen"] > before)


def _reach_cut_card(shoe: Shoe) -> None:
    shoe.sequence = (shoe.sequence + 1) % 10
    body = b"%dC\x03" % shoe.sequence
    check = 0
    for byte in body:
        check ^= byte
    os.write(shoe.master, (b"\x05" + body + b"%02X" % check) * 3)
