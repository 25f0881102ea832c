"""A whole daemon with a real pty, a real disk and a real broker, seen from outside."""

import json
import os
import re
import resource
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tablectl.app.parts import StartError
from tablectl.app.run import run
from tablectl.core.cards import PACK
from tablectl.shell.rules import shipped
from tests.support.broker import Broker, private_broker
from tests.support.daemon import Daemon, DaemonGoneError, fork_server
from tests.support.feed import Feed
from tests.support.shoe import Shoe
from tests.support.whole import assert_whole, flaws, lacks, received, stored

CARDS = ("As", "Kd", "2c", "Qs", "Qd", "7h")
"""Place 1 gets As 2c Qd, the dealer Kd Qs 7h."""

SHORT = 32 << 10


@pytest.fixture(name="broker")
def _broker(mosquitto: Path, tmp_path: Path) -> Iterator[Broker]:
    (tmp_path / "broker").mkdir()
    with private_broker(mosquitto, tmp_path / "broker") as broker:
        yield broker


@pytest.fixture(name="shoe")
def _shoe(tmp_path: Path) -> Iterator[Shoe]:
    (tmp_path / "run").mkdir()
    shoe = Shoe(tmp_path / "run" / "shoe")
    shoe.plug()
    yield shoe
    shoe.unplug()


@pytest.fixture(name="daemon")
def _daemon(tmp_path: Path, broker: Broker, shoe: Shoe) -> Iterator[Daemon]:
    settings = {
        "mqtt.url": broker.url,
        "mqtt.timeout_s": "1.0",
        "paths.state": str(tmp_path / "state"),
        "paths.runtime": str(tmp_path / "run"),
    }
    daemon = Daemon(fork_server(), shipped("tables/q-poker.demo.toml"), tmp_path, settings)
    yield daemon
    if daemon.process is not None:
        daemon.kill()


@pytest.fixture(name="feed")
def _feed(broker: Broker, tmp_path: Path) -> Iterator[Feed]:
    feed = Feed(broker, tmp_path / "feed")
    yield feed
    feed.stop()


class Table:
    """A dealer at the daemon's console, and the shoe in his hands."""

    def __init__(self, daemon: Daemon, shoe: Shoe) -> None:
        self.daemon = daemon
        self.shoe = shoe
        self.asked = 0

    def begin(self) -> None:
        self.daemon.start()
        self.daemon.sign_on("ana", "1111")
        Feed.until(lambda: self.device("shoe")["attached"])

    def device(self, name: str) -> dict[str, Any]:
        known: list[dict[str, Any]] = self.daemon.state()["devices"]
        return next((item for item in known if item["name"] == name), {"attached": False})

    def fault(self, code: int) -> dict[str, Any] | None:
        return next((item for item in self.daemon.state()["faults"] if item["code"] == code), None)

    def ask(self, verb: str, **fields: Any) -> None:
        state = self.daemon.state()
        self.asked += 1
        name = f"{os.getpid()}-{self.asked}-{verb}"
        self.daemon.ask(verb, name, round_id=state["round_id"], seen=state["seen"], **fields)

    def open(self) -> None:
        self.ask("confirm_pack")
        self.ask("open_round")
        self.ask("bet", place=1, bettor="ann", bet="versus_dealer", stake="100")

    def deal(self, cards: tuple[str, ...] = CARDS) -> None:
        for card in cards:
            before = self.daemon.state()["seen"]
            self.shoe.draw(card)
            Feed.until(lambda seen=before: self.daemon.state()["seen"] > seen)

    def show(self) -> None:
        self.ask("open_hand", place=1)
        self.ask("decide", place=1, bettor="ann", decision="play")
        self.ask("open_hand", place="dealer")

    def play(self) -> None:
        self.open()
        self.deal()
        self.show()


@pytest.fixture(name="table")
def _table(daemon: Daemon, shoe: Shoe) -> Table:
    return Table(daemon, shoe)


def sequences(feed: Feed) -> list[int]:
    """The events' numbers in the order of their first arrival."""
    return list(dict.fromkeys(int(event["sequence"]) for event in feed.events()))


def complete(feed: Feed, settled: int) -> bool:
    kinds = [event["type"] for event in {event["id"]: event for event in feed.events()}.values()]
    return kinds.count("mo.tablectl.round.settled.v1") >= settled


def assert_complete_and_ordered(feed: Feed) -> None:
    """What came is what the journal holds, by a judge that knows none of our code."""
    numbers = sequences(feed)
    assert numbers == list(range(1, len(numbers) + 1))
    journal = feed.output.parent / "state" / "journal.db"
    came, held = received(feed.output), stored(journal)
    # Events that are still on their way, as the end of a fault, are behind all that came.
    assert flaws(came, held[: len(numbers)]) == []


def assert_all_of_it(feed: Feed) -> None:
    """To the journal's last event: what has yet to come is waited for."""
    journal = feed.output.parent / "state" / "journal.db"
    Feed.until(lambda: not lacks(feed.output, journal))
    assert_whole(feed.output, journal)


def test_a_round_goes_from_shoe_bytes_to_a_settled_message(broker: Broker, feed: Feed, table: Table) -> None:
    broker.start()
    feed.start()
    table.begin()
    table.play()
    Feed.until(lambda: complete(feed, 1))
    assert_complete_and_ordered(feed)
    settled = feed.events()[-1]
    assert settled["data"]["settlement"]["places"][0]["bets"][0] == {
        "bettor": "ann",
        "bet": "versus_dealer",
        "stake": "100.00",
        "outcome": "win",
        "net": "100.00",
        "commission": "0.00",
    }
    assert settled["simulated"] is True
    assert settled["subject"] == settled["correlationid"] == settled["data"]["round_id"]


def test_no_open_message_names_a_card_before_it_is_turned_up(broker: Broker, feed: Feed, table: Table) -> None:
    broker.start()
    feed.start()
    table.begin()
    table.open()
    table.deal()
    Feed.until(lambda: len([e for e in feed.events() if e["type"] == "mo.tablectl.card.dealt.v1"]) == len(CARDS))
    named = re.compile(rb'"(' + b"|".join(card.encode() for card in PACK) + rb')"')
    said = [payload for name, _, payload in feed.messages() if not name.endswith("/meta/asyncapi")]  # it has examples
    assert [payload for payload in said if named.search(payload)] == []
    assert not named.search(json.dumps(table.daemon.state()).encode())
    log = (table.daemon.folder / "daemon.log").read_bytes()
    assert not named.search(log)
    table.show()
    Feed.until(lambda: complete(feed, 1))
    revealed = [e for e in feed.events() if e["type"] == "mo.tablectl.round.revealed.v1"]
    assert [(e["data"]["place"], sorted(e["data"]["cards"])) for e in revealed] == [
        (1, ["2c", "As", "Qd"]),
        ("dealer", ["7h", "Kd", "Qs"]),
    ]


def test_the_table_plays_on_without_a_broker_and_catches_up(broker: Broker, feed: Feed, table: Table) -> None:
    table.begin()
    for _ in range(3):
        table.play()
    broker.start()
    feed.start()
    Feed.until(lambda: complete(feed, 3))
    assert_complete_and_ordered(feed)
    assert_all_of_it(feed)


@pytest.mark.parametrize("trouble", ["killed", "frozen"])
def test_a_broker_that_goes_and_returns_misses_nothing(broker: Broker, feed: Feed, table: Table, trouble: str) -> None:
    broker.start()
    feed.start()
    table.begin()
    table.play()
    Feed.until(lambda: complete(feed, 1))
    if trouble == "killed":
        feed.stop()
        broker.kill()
    else:
        broker.freeze()
    table.play()
    Feed.until(lambda: table.fault(801) is not None)
    table.play()
    if trouble == "killed":
        broker.start()
        feed.start()
    else:
        broker.thaw()
    Feed.until(lambda: complete(feed, 3))
    assert_complete_and_ordered(feed)
    Feed.until(lambda: table.fault(801) is None)
    assert_all_of_it(feed)


def test_a_refused_event_is_a_fault_and_nothing_overtakes_it(broker: Broker, feed: Feed, table: Table) -> None:
    broker.allow("topic readwrite tablectl/#", "topic deny tablectl/v1/+/+/event/card")
    broker.start()
    feed.start()
    table.begin()
    table.play()
    Feed.until(lambda: table.fault(802) is not None)
    refused = table.fault(802)
    assert refused is not None
    assert "event/card" in refused["detail"]
    assert "mo.tablectl.card.dealt.v1" not in [event["type"] for event in feed.events()]
    assert_complete_and_ordered(feed)
    broker.allow("topic readwrite tablectl/#")
    broker.reload()
    Feed.until(lambda: complete(feed, 1))
    assert_complete_and_ordered(feed)
    Feed.until(lambda: table.fault(802) is None)
    assert_all_of_it(feed)


def test_the_state_topics_say_what_the_contract_asks(broker: Broker, feed: Feed, table: Table) -> None:
    broker.start()
    table.begin()
    table.open()
    feed.start()  # after the fact: what a late subscriber gets is retained
    Feed.until(lambda: feed.last("/health") is not None and feed.last("/device/shoe/status") is not None)
    status, info = feed.last("/q-demo/status"), feed.last("/meta/info")
    assert status is not None
    assert info is not None
    assert set(status["data"]) == {"state", "session", "log", "since", "version"}
    assert status["data"]["state"] == "degraded"  # the shuffler isn't there
    assert "sequence" not in status
    assert re.fullmatch(r"[0-9a-f]{8}-\d+", status["id"])
    assert info["data"]["fingerprint"].startswith("sha256:")
    shoe, shuffler = feed.last("/device/shoe/status"), feed.last("/device/shuffler/status")
    assert shoe is not None
    assert shuffler is not None
    assert (shoe["data"]["state"], shoe["data"]["simulated"]) == ("ready", True)
    assert (shuffler["data"]["state"], [f["code"] for f in shuffler["data"]["faults"]]) == ("lost", [102])
    round_state = feed.last("/round/state")
    assert round_state is not None
    assert round_state["data"]["phase"] == "betting"
    assert set(round_state["data"]["waiting"]) == {"en", "pt", "zh-Hant"}
    first = dict(reversed([(topic, retained) for topic, retained, _ in feed.messages()]))
    # A daemon that has just begun may still be publishing: what it says live isn't retained, an event never is.
    assert [topic for topic, retained, _ in feed.messages() if retained and "/event/" in topic] == []
    assert {"status", "info", "state"} <= {topic.rpartition("/")[2] for topic, retained in first.items() if retained}


def test_a_killed_daemon_is_lost_and_a_stopped_one_says_so(broker: Broker, feed: Feed, table: Table) -> None:
    broker.start()
    feed.start()
    table.begin()
    Feed.until(lambda: status_of(feed) == "degraded")
    table.daemon.kill()
    Feed.until(lambda: status_of(feed) == "lost")
    lost = feed.last("/q-demo/status")
    table.begin()
    Feed.until(lambda: status_of(feed) == "degraded")
    again = feed.last("/q-demo/status")
    assert lost is not None
    assert again is not None
    assert lost["data"]["session"] != again["data"]["session"]
    assert lost["data"]["log"] == again["data"]["log"]
    assert table.daemon.stop() == 0
    Feed.until(lambda: status_of(feed) == "stopped")


def status_of(feed: Feed) -> str:
    status = feed.last("/q-demo/status")
    return str(status["data"]["state"]) if status else ""


def test_an_unplugged_shoe_stops_what_needs_it_and_comes_back_by_itself(
    broker: Broker, feed: Feed, table: Table
) -> None:
    broker.start()
    feed.start()
    table.begin()
    table.open()
    table.deal(CARDS[:2])
    table.shoe.unplug()
    Feed.until(lambda: not table.device("shoe")["attached"])
    assert "shoe" in table.daemon.state()["waiting"]["en"].lower()
    table.shoe.link.unlink()
    table.shoe.plug()
    Feed.until(lambda: table.device("shoe")["attached"])
    table.deal(CARDS[2:])
    table.ask("count_cards", count=len(CARDS))
    table.show()
    Feed.until(lambda: complete(feed, 1))
    raised = [(e["data"]["code"], e["data"]["device"]) for e in feed.events() if e["type"].endswith("fault.raised.v1")]
    assert (101, "shoe") in raised or (102, "shoe") in raised


def test_systemd_hears_ready_and_signs_of_life(broker: Broker, table: Table, tmp_path: Path) -> None:
    broker.start()
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(str(tmp_path / "notify"))
        systemd.settimeout(10)
        table.daemon.environment = {"NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "300000"}
        table.begin()
        heard = ""
        while "READY=1" not in heard or "WATCHDOG=1" not in heard:
            heard += systemd.recv(4096).decode() + "\n"
        assert table.daemon.stop() == 0
        while "STOPPING=1" not in heard:
            heard += systemd.recv(4096).decode() + "\n"


def test_a_disk_that_fails_at_the_start_ends_the_daemon_with_the_same_code(table: Table) -> None:
    table.begin()
    table.open()
    table.daemon.kill()
    assert (table.daemon.folder / "state" / "journal.db-wal").stat().st_size > SHORT
    given = [part for key, value in table.daemon.overrides.items() for part in ("--set", f"{key}={value}")]
    command = [sys.executable, "-m", "tablectl", "run", "--config", str(table.daemon.config), *given]
    limited = ["prlimit", f"--fsize={SHORT}", *command, "--set", "console.listen=127.0.0.1:0"]
    ended = subprocess.run(limited, capture_output=True, text=True, timeout=20, check=False)
    assert ended.returncode == os.EX_IOERR
    assert "Traceback" not in ended.stderr


def test_a_damaged_journal_ends_the_start_with_the_code_for_it(tmp_path: Path) -> None:
    (tmp_path / "journal.db").write_bytes(b"this is no database, nor was it ever one. " * 200)
    with pytest.raises(StartError, match="damaged") as told:
        run(shipped("tables/q-poker.demo.toml"), {"paths.state": str(tmp_path)})
    assert told.value.exit_code == os.EX_DATAERR


def fail_disk(daemon: Daemon) -> None:
    """From now on every write fails, as on a disk that is gone: the process may make no file longer.

    It may still say so in its log, which a test keeps in a short file.
    """
    assert daemon.process is not None
    assert daemon.process.pid is not None
    assert (daemon.folder / "state" / "journal.db-wal").stat().st_size > SHORT
    resource.prlimit(daemon.process.pid, resource.RLIMIT_FSIZE, (SHORT, resource.RLIM_INFINITY))


def test_a_disk_that_fails_ends_the_daemon_and_loses_nothing(broker: Broker, feed: Feed, table: Table) -> None:
    broker.start()
    feed.start()
    table.begin()
    table.open()
    before = table.daemon.state()["round"]
    fail_disk(table.daemon)
    with pytest.raises(DaemonGoneError):
        table.ask("bet", place=2, bettor="bob", bet="versus_dealer", stake="100")
    assert table.daemon.ended() == os.EX_IOERR
    assert "the journal can't be written" in (table.daemon.folder / "daemon.log").read_text()
    Feed.until(lambda: status_of(feed) == "degraded")
    assert [e["data"]["bettor"] for e in feed.events() if e["type"] == "mo.tablectl.bet.placed.v1"] == ["ann"]
    table.begin()
    after = table.daemon.state()["round"]
    assert after["bets"] == before["bets"]
    table.ask("count_cards", count=0)
    table.deal()
    table.show()
    Feed.until(lambda: complete(feed, 1))
    assert_complete_and_ordered(feed)


def test_a_second_daemon_for_the_table_is_turned_away(broker: Broker, table: Table) -> None:
    broker.start()
    table.begin()
    other = Daemon(table.daemon.context, table.daemon.config, table.daemon.folder, table.daemon.overrides)
    with pytest.raises(AssertionError, match="already runs this table"):
        other.start()
    assert other.process is not None
    assert other.process.exitcode == os.EX_TEMPFAIL
    table.play()
