"""A whole daemon with a real pty, a real disk and a real broker, seen from outside."""

import json
import re
import subprocess

import pytest

from tablectl.core.cards import PACK
from tests.support.broker import Broker
from tests.support.feed import Feed
from tests.support.live_table import CARDS, Table, assert_all_of_it, assert_complete_and_ordered, complete


def test_a_round_goes_from_shoe_bytes_to_a_settled_message(broker: Broker, feed: Feed, table: Table) -> None:
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


def test_no_open_message_names_card_before_it_is_turned_up(broker: Broker, feed: Feed, table: Table) -> None:
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


def test_the_table_plays_on_without_a_broker_and_catches_up(idle_broker: Broker, idle_feed: Feed, table: Table) -> None:
    table.begin()
    for _ in range(3):
        table.play()
    idle_broker.start()
    idle_feed.start()
    Feed.until(lambda: complete(idle_feed, 3))
    assert_complete_and_ordered(idle_feed)
    assert_all_of_it(idle_feed)


@pytest.mark.parametrize("trouble", ["killed", "frozen"])
def test_a_broker_that_goes_and_returns_misses_nothing(broker: Broker, feed: Feed, table: Table, trouble: str) -> None:
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


def test_a_refused_event_is_a_fault_and_nothing_overtakes_it(
    idle_broker: Broker, idle_feed: Feed, table: Table
) -> None:
    idle_broker.allow("topic readwrite tablectl/#", "topic deny tablectl/v1/+/+/event/card")
    idle_broker.start()
    idle_feed.start()
    table.begin()
    table.play()
    Feed.until(lambda: table.fault(802) is not None)
    refused = table.fault(802)
    assert refused is not None
    assert "event/card" in refused["detail"]
    assert "mo.tablectl.card.dealt.v1" not in [event["type"] for event in idle_feed.events()]
    assert_complete_and_ordered(idle_feed)
    idle_broker.allow("topic readwrite tablectl/#")
    idle_broker.reload()
    Feed.until(lambda: complete(idle_feed, 1))
    assert_complete_and_ordered(idle_feed)
    Feed.until(lambda: table.fault(802) is None)
    assert_all_of_it(idle_feed)


def until_kept(broker: Broker, topic: str) -> None:
    """Waits until the broker has this state of the table."""
    once = ["mosquitto_sub", "-p", str(broker.port), "-t", f"tablectl/v1/+/+/{topic}", "-C", "1", "-W", "30"]
    subprocess.run(once, check=True, stdout=subprocess.DEVNULL)


def test_the_state_topics_say_what_the_contract_asks(broker: Broker, idle_feed: Feed, table: Table) -> None:
    table.begin()
    table.open()
    for topic in ("status", "meta/info", "round/state", "health"):  # each is published before anybody listens
        until_kept(broker, topic)
    idle_feed.start()  # after the fact: what a late subscriber gets is retained
    Feed.until(lambda: idle_feed.last("/health") is not None and idle_feed.last("/device/shoe/status") is not None)
    status, info = idle_feed.last("/q-demo/status"), idle_feed.last("/meta/info")
    assert status is not None
    assert info is not None
    assert set(status["data"]) == {"state", "session", "log", "since", "version"}
    assert status["data"]["state"] == "degraded"  # the shuffler isn't there
    assert "sequence" not in status
    assert re.fullmatch(r"[0-9a-f]{8}-\d+", status["id"])
    assert info["data"]["fingerprint"].startswith("sha256:")
    shoe, shuffler = idle_feed.last("/device/shoe/status"), idle_feed.last("/device/shuffler/status")
    assert shoe is not None
    assert shuffler is not None
    assert (shoe["data"]["state"], shoe["data"]["simulated"]) == ("ready", True)
    assert (shuffler["data"]["state"], [f["code"] for f in shuffler["data"]["faults"]]) == ("lost", [102])
    round_state = idle_feed.last("/round/state")
    assert round_state is not None
    assert round_state["data"]["phase"] == "betting"
    assert set(round_state["data"]["waiting"]) == {"en", "pt", "zh-Hant"}
    first = dict(reversed([(topic, retained) for topic, retained, _ in idle_feed.messages()]))
    # A daemon that has just begun may still be publishing: what it says live isn't retained, an event never is.
    assert [topic for topic, retained, _ in idle_feed.messages() if retained and "/event/" in topic] == []
    assert {"status", "info", "state"} <= {topic.rpartition("/")[2] for topic, retained in first.items() if retained}


def test_unplugged_shoe_stops_its_users_and_recovers(broker: Broker, feed: Feed, table: Table) -> None:
    table.begin()
    table.open()
    table.deal(CARDS[:2])
    table.shoe.unplug()
    Feed.until(lambda: not table.device("shoe")["attached"])
    assert "reader" in table.daemon.state()["waiting"]["en"].lower()
    table.shoe.link.unlink()
    table.shoe.plug()
    Feed.until(lambda: table.device("shoe")["attached"])
    table.deal(CARDS[2:])
    table.ask("count_cards", count=len(CARDS))
    table.show()
    Feed.until(lambda: complete(feed, 1))
    raised = [(e["data"]["code"], e["data"]["device"]) for e in feed.events() if e["type"].endswith("fault.raised.v1")]
    assert (101, "shoe") in raised or (102, "shoe") in raised
