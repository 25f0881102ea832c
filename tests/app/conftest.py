"""What a live table is tried with: a broker, a subscriber that is not ours, and a shoe at its port."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.broker import Broker, private_broker
from tests.support.feed import Feed
from tests.support.shoe import Shoe


@pytest.fixture(name="broker")
def _broker(mosquitto: Path, tmp_path: Path) -> Iterator[Broker]:
    (tmp_path / "broker").mkdir()
    with private_broker(mosquitto, tmp_path / "broker") as broker:
        broker.start()
        yield broker


@pytest.fixture(name="feed")
def _feed(broker: Broker, tmp_path: Path) -> Iterator[Feed]:
    feed = Feed(broker, tmp_path / "feed")
    feed.start()
    yield feed
    feed.stop()


@pytest.fixture(name="shoe")
def _shoe(tmp_path: Path) -> Iterator[Shoe]:
    (tmp_path / "run").mkdir()
    shoe = Shoe(tmp_path / "run" / "shoe")
    shoe.plug()
    yield shoe
    shoe.unplug()
