"""Face-down cards on `restricted/card`: nowhere unless it is switched on, and then only there."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tablectl.core.cards import PACK
from tests.support.asyncapi import channel_of, validator
from tests.support.broker import Broker
from tests.support.daemon import Daemon
from tests.support.feed import Feed
from tests.support.live_table import CARDS, Table, assert_all_of_it, daemon_at
from tests.support.shoe import Shoe

NAMED = re.compile(rb'"(' + b"|".join(card.encode() for card in PACK) + rb')"')
TOPIC = "tablectl/v1/demo/q-demo/restricted/card"


@pytest.fixture(name="daemon")
def _daemon(broker: Broker, tmp_path: Path) -> Iterator[Daemon]:
    daemon = daemon_at(broker, tmp_path, **{"mqtt.restricted_cards": "true"})
    yield daemon
    daemon.kill()


def read(feed: Feed) -> list[dict[str, Any]]:
    return [json.loads(payload) for topic, _, payload in feed.messages() if topic == TOPIC]


def elsewhere(feed: Feed) -> list[bytes]:
    """What names a card on any other topic; the description has examples."""
    others = [payload for topic, _, payload in feed.messages() if topic != TOPIC and not topic.endswith("/asyncapi")]
    return [payload for payload in others if NAMED.search(payload)]


def test_nothing_is_sent_there_unless_it_is_switched_on(broker: Broker, feed: Feed, tmp_path: Path, shoe: Shoe) -> None:
    table = Table(daemon_at(broker, tmp_path), shoe)
    table.begin()
    table.play()
    Feed.until(lambda: any(event["type"].endswith("round.settled.v1") for event in feed.events()))
    assert_all_of_it(feed)
    assert table.daemon.stop() == 0
    assert read(feed) == []
    assert b"restricted" not in b"".join(payload for topic, _, payload in feed.messages() if "/event/" in topic)


def test_cards_come_there_as_they_are_read_and_nowhere_else(feed: Feed, table: Table) -> None:
    table.begin()
    table.open()
    table.deal()
    Feed.until(lambda: len(read(feed)) == len(CARDS))
    assert [card["data"]["cards"] for card in read(feed)] == [[card] for card in CARDS]
    assert [card["data"]["place"] for card in read(feed)] == [1, "dealer"] * 3
    assert [card["data"]["index"] for card in read(feed)] == [1, 1, 2, 2, 3, 3]
    assert [int(card["sequence"]) for card in read(feed)] == [1, 2, 3, 4, 5, 6]
    assert elsewhere(feed) == []
    assert not NAMED.search((table.daemon.folder / "daemon.log").read_bytes())
    assert not NAMED.search(json.dumps(table.daemon.state()).encode())
    assert [retained for topic, retained, _ in feed.messages() if topic == TOPIC] == [False] * len(CARDS)


def test_unlogged_notices_leave_no_gap_in_numbers(feed: Feed, table: Table) -> None:
    table.begin()
    table.play()
    Feed.until(lambda: any(event["type"].endswith("round.settled.v1") for event in feed.events()))
    assert_all_of_it(feed)
    ids = {event["id"] for event in feed.events()}
    assert ids.isdisjoint(card["id"] for card in read(feed))


def test_what_comes_there_is_what_the_description_says(feed: Feed, table: Table) -> None:
    table.begin()
    table.open()
    table.deal()
    Feed.until(lambda: len(read(feed)) == len(CARDS))
    assert channel_of(TOPIC) == "restrictedCard"
    for card in read(feed):
        validator("card.read.v1", strict=True).validate(card)


def test_their_numbers_go_on_after_a_kill(feed: Feed, table: Table) -> None:
    table.begin()
    table.open()
    table.deal()
    Feed.until(lambda: len(read(feed)) == len(CARDS))
    table.daemon.kill()
    table.begin()
    table.ask("count_cards", count=len(CARDS))
    table.show()
    Feed.until(lambda: any(event["type"].endswith("round.settled.v1") for event in feed.events()))
    table.open()
    table.deal(CARDS[:2])
    Feed.until(lambda: len(read(feed)) == len(CARDS) + 2)
    assert [int(card["sequence"]) for card in read(feed)] == list(range(1, len(CARDS) + 3))


def test_what_a_broker_missed_comes_when_it_is_back(broker: Broker, feed: Feed, table: Table) -> None:
    table.begin()
    table.open()
    feed.stop()
    broker.kill()
    table.deal()
    broker.start()
    feed.start()
    Feed.until(lambda: len({card["id"] for card in read(feed)}) == len(CARDS))
    assert list(dict.fromkeys(int(card["sequence"]) for card in read(feed))) == [1, 2, 3, 4, 5, 6]


def test_broker_that_refuses_them_raises_fault_and_log_goes_on(broker: Broker, feed: Feed, table: Table) -> None:
    feed.stop()
    broker.stop()
    broker.allow("topic readwrite tablectl/#", "topic deny tablectl/v1/+/+/restricted/card")
    broker.start()
    feed.start()
    table.begin()
    table.play()
    Feed.until(lambda: any(event["type"].endswith("round.settled.v1") for event in feed.events()))
    Feed.until(lambda: table.fault(802) is not None)
    refused = table.fault(802)
    assert refused is not None
    assert "restricted/card" in refused["detail"]
    assert read(feed) == []
    broker.allow("topic readwrite tablectl/#")
    Feed.until(lambda: len(read(feed)) == len(CARDS))
    Feed.until(lambda: table.fault(802) is None)
