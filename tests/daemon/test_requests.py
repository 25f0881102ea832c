"""What subscribers ask a whole daemon for over a real broker, and two daemons for one table."""

import json
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tablectl.proof.document import read_proof
from tablectl.proof.judge import judge
from tests.support.broker import Broker
from tests.support.daemon import Daemon
from tests.support.feed import Feed
from tests.support.live_table import Table, daemon_at
from tests.support.patience import PATIENCE_S

PREFIX = "tablectl/v1/demo/q-demo"
ALL = '["round", "bet", "card", "draw", "wheel", "dice", "fault", "fairness", "audit"]'
SUBSCRIBERS = {
    "subscribers.cctv.may": '["replay", "recall", "status", "bookmark", "acknowledge", "prove"]',
    "subscribers.cctv.reads": ALL,
    "subscribers.cctv.role": "surveillance",
    "subscribers.floor.may": '["acknowledge", "replay"]',
    "subscribers.floor.reads": '["round"]',
    "subscribers.floor.role": "dealer",
}


@dataclass(slots=True)
class Asker:
    """A subscriber with mosquitto's own clients."""

    broker: Broker
    feed: Feed

    def ask(self, path: str, *options: str, **body: Any) -> None:
        # A table subscribes to requests before it speaks.
        Feed.until(lambda: self.feed.last("/q-demo/status") is not None)
        command = ["mosquitto_pub", "-V", "mqttv5", "-q", "1", "-p", str(self.broker.port)]
        subprocess.run([*command, "-t", f"{PREFIX}/req/{path}", "-m", json.dumps(body), *options], check=True)

    def answer(self, path: str, **body: Any) -> dict[str, Any]:
        """Asks, again where nobody heard it, and returns the answer on the asker's own topic."""
        user, transaction = path.partition("/")[0], body["transaction"]

        def answered() -> bool:
            return self.feed.last(f"/answer/{user}/{transaction}") is not None

        self.ask(path, **body)
        try:
            Feed.until(answered, PATIENCE_S / 3)
        except AssertionError:  # the table's connection broke meanwhile: it was sent to nobody
            self.ask(path, **body)
            Feed.until(answered)
        answer = self.feed.last(f"/answer/{user}/{transaction}")
        assert answer is not None
        assert answer["transaction"] == transaction
        return answer

    def replayed(self, user: str, transaction: str) -> tuple[list[bytes], dict[str, Any]]:
        """The events of a replay, and its last message."""

        def came() -> list[bytes]:
            topic = f"{PREFIX}/replay/{user}/{transaction}"
            return [payload for name, _, payload in self.feed.messages() if name == topic]

        Feed.until(lambda: came() and b'"complete"' in came()[-1])
        *events, end = came()
        return events, json.loads(end)

    def events(self, *families: str) -> list[bytes]:
        """The live events of these families, once each, in order."""
        topics = {f"{PREFIX}/event/{family}" for family in families}
        return list(dict.fromkeys(payload for name, _, payload in self.feed.messages() if name in topics))


@pytest.fixture(name="daemon")
def _daemon(tmp_path: Path, broker: Broker) -> Iterator[Daemon]:
    daemon = daemon_at(broker, tmp_path, **SUBSCRIBERS)
    yield daemon
    daemon.kill()


@pytest.fixture(name="asker")
def _asker(broker: Broker, feed: Feed) -> Asker:
    return Asker(broker, feed)


def settled(feed: Feed) -> list[str]:
    return [event["subject"] for event in feed.events() if event["type"] == "mo.tablectl.round.settled.v1"]


def play(table: Table, feed: Feed, rounds: int = 1) -> None:
    before = len(settled(feed))
    for _ in range(rounds):
        table.play()
    Feed.until(lambda: len(settled(feed)) == before + rounds)


def test_replay_gives_the_stored_bytes_of_what_he_reads(table: Table, feed: Feed, asker: Asker) -> None:
    table.begin()
    play(table, feed)
    asker.ask("cctv/replay", transaction="x1", **{"from": "0000000000000001", "to": None})
    events, end = asker.replayed("cctv", "x1")
    live = asker.events("round", "bet", "card", "fault", "fairness", "audit")
    assert events == live[: len(events)]
    assert (end["complete"], int(end["last"])) == (True, len(events))
    asker.ask("floor/replay", transaction="x2", **{"from": "1", "to": end["last"]})
    events, other = asker.replayed("floor", "x2")
    assert events == asker.events("round")
    assert other["last"] == end["last"]


def test_recall_gives_the_last_rounds_and_is_on_record(table: Table, feed: Feed, asker: Asker) -> None:
    table.begin()
    play(table, feed, rounds=3)
    names = settled(feed)
    data = asker.answer("cctv/recall", transaction="r1", rounds=2)["data"]
    assert [each["round_id"] for each in data["rounds"]] == names[-2:]
    assert {each["end"] for each in data["rounds"]} == {"settled"}
    events, end = asker.replayed("cctv", "r1")
    decoded = [json.loads(payload) for payload in events]
    assert {event["correlationid"] for event in decoded} == set(names[-2:])
    kinds = [event["type"] for event in decoded]
    assert (kinds[0], kinds[-1]) == ("mo.tablectl.round.opened.v1", "mo.tablectl.round.settled.v1")
    assert data["rounds"][-1]["to"] == decoded[-1]["sequence"]
    (audited,) = [event for event in feed.events() if event["type"] == "mo.tablectl.audit.recalled.v1"]
    assert audited["data"] == {"by": "cctv", "rounds": names[-2:]}
    assert end["last"] == audited["sequence"]  # a correction could have come after the round's end


def test_bookmark_and_acknowledgement_bear_the_name_of_the_topic(table: Table, feed: Feed, asker: Asker) -> None:
    table.begin()
    Feed.until(lambda: table.fault(102) is not None)  # nobody has plugged the shuffler in
    marked = asker.answer("cctv/bookmark", transaction="b1", note="camera 4", by="ana", sequence="1")
    again = asker.answer("cctv/bookmark", transaction="b1", note="camera 4", by="ana", sequence="1")
    assert "record" in marked["data"]
    assert "record" in again["data"]
    asker.answer("cctv/acknowledge", transaction="a1", code=102, device="shuffler", by="ana")
    Feed.until(lambda: any(event["type"].endswith("fault.acknowledged.v1") for event in feed.events()))
    (bookmark,) = [event for event in feed.events() if event["type"] == "mo.tablectl.audit.bookmark.v1"]
    first = feed.events()[0]["id"]
    assert bookmark["data"] == {"by": "cctv", "note": "camera 4", "marks": first}
    (seen,) = [event["data"] for event in feed.events() if event["type"].endswith("fault.acknowledged.v1")]
    assert (seen["by"], seen["code"], seen["device"]) == ("cctv", 102, "shuffler")


def test_acknowledgement_needs_the_role_and_the_fault(table: Table, asker: Asker) -> None:
    table.begin()
    denied = asker.answer("floor/acknowledge", transaction="a1", code=106, device="shoe")
    assert denied["error"]["code"] == "role"
    refused = asker.answer("floor/acknowledge", transaction="a2", code=901, device="shoe")
    assert refused["error"]["code"] == "no_such_fault"


def test_malformed_request_is_answered_and_recorded_nowhere(table: Table, asker: Asker) -> None:
    table.begin()
    answer = asker.answer("cctv/bookmark", transaction="m1", note="two\nlines")
    assert answer["error"]["code"] == "malformed"
    assert answer["error"]["message"]
    assert not [event for event in asker.feed.events() if event["type"].endswith("bookmark.v1")]


def test_proof_of_round_holds_and_is_under_published_checkpoint(table: Table, feed: Feed, asker: Asker) -> None:
    table.begin()
    play(table, feed)
    name = settled(feed)[-1]
    Feed.until(lambda: checkpoint_size(feed) >= int(feed.events()[-1]["sequence"]))
    document = asker.answer("cctv/prove", transaction="p1", round_id=name)["data"]
    proof = read_proof(json.dumps(document).encode())
    judge(proof, proof.public)
    info = feed.last("/meta/info")
    assert info is not None
    assert document["public_key"] == info["data"]["public_key"]
    missing = asker.answer("cctv/prove", transaction="p2", round_id="never-1")
    assert missing["error"]["code"] == "unknown_round"


def checkpoint_size(feed: Feed) -> int:
    """The size in the newest checkpoint: its second line."""
    sizes = re.findall(rb"/checkpoint [01] [^\n]+\n(\d+)\n", feed.output.read_bytes())
    return int(sizes[-1]) if sizes else 0


def test_status_says_what_the_state_topics_say(table: Table, feed: Feed, asker: Asker) -> None:
    table.begin()
    table.open()
    data = asker.answer("cctv/status", transaction="s1")["data"]
    assert data["round"]["phase"] == "betting"
    status = feed.last("/q-demo/status")
    assert status is not None
    assert data["status"] == status["data"]
    assert data["health"]["journal"]["sequence"] >= 2


def test_fresh_install_answers_no_request(broker: Broker, feed: Feed, asker: Asker, tmp_path: Path) -> None:
    daemon = daemon_at(broker, tmp_path)
    daemon.start()
    Feed.until(lambda: feed.last("/health") is not None)
    for verb in ("replay", "recall", "status", "bookmark", "acknowledge", "prove"):
        asker.ask(f"cctv/{verb}", transaction="x1", **{"from": "1", "note": "n", "code": 102, "rounds": 1})
    daemon.sign_on("ana", "1111")  # an event that comes after whatever an answer would have been
    Feed.until(lambda: any(event["type"].endswith("signed_on.v1") for event in feed.events()))
    assert [name for name, _, _ in feed.messages() if "/answer/" in name or "/replay/" in name] == []
    assert daemon.stop() == 0


@pytest.mark.parametrize(("protocol", "answered"), [("5", "answer/cctv/mine"), ("3.1.1", "answer/cctv/x1")])
def test_version_of_mqtt_is_configured_and_decides_where_answers_go(
    broker: Broker, feed: Feed, asker: Asker, tmp_path: Path, protocol: str, answered: str
) -> None:
    daemon = daemon_at(broker, tmp_path, **SUBSCRIBERS, **{"mqtt.protocol": f'"{protocol}"'})
    daemon.start()
    response = ("-D", "publish", "response-topic", f"{PREFIX}/answer/cctv/mine")
    asker.ask("cctv/status", *response, transaction="x1")
    Feed.until(lambda: [name for name, _, _ in feed.messages() if "/answer/" in name])
    assert {name for name, _, _ in feed.messages() if "/answer/" in name} == {f"{PREFIX}/{answered}"}
    assert daemon.stop() == 0


def test_history_board_counts_the_rounds_also_after_a_restart(table: Table, feed: Feed) -> None:
    table.begin()
    play(table, feed, rounds=2)
    names = settled(feed)
    Feed.until(lambda: board(feed)["rounds"] == 2)
    assert [each["round_id"] for each in board(feed)["last"]] == names
    assert sum(each["count"] for each in board(feed)["counts"].values()) == 2
    table.daemon.kill()
    shown = len([name for name, _, _ in feed.messages() if name.endswith("/board")])
    table.begin()
    Feed.until(lambda: len([name for name, _, _ in feed.messages() if name.endswith("/board")]) > shown)
    Feed.until(lambda: board(feed)["rounds"] == 2)
    assert [each["round_id"] for each in board(feed)["last"]] == names


def board(feed: Feed) -> dict[str, Any]:
    last = feed.last("/board")
    return last["data"] if last else {"rounds": -1}


def test_second_daemon_elsewhere_waits_and_takes_over(table: Table, broker: Broker, feed: Feed, tmp_path: Path) -> None:
    table.begin()
    play(table, feed)
    log = feed.events()[-1]["source"]
    other = daemon_at(broker, tmp_path / "other")
    (tmp_path / "other").mkdir()
    other.start()
    other.sign_on("ana", "1111")
    Feed.until(lambda: any(fault["code"] == 803 for fault in other.state()["faults"]))
    Feed.until(lambda: any(b'"state":"passive"' in payload for _, _, payload in feed.messages()))
    play(table, feed)
    assert {event["source"] for event in feed.events()} == {log}
    assert table.fault(803) is None
    assert table.daemon.stop() == 0
    Feed.until(lambda: len({event["source"] for event in feed.events()}) == 2)
    Feed.until(lambda: not any(fault["code"] == 803 for fault in other.state()["faults"]))
    assert other.stop() == 0
