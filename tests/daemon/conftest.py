"""What a live table is tried with: a broker, a subscriber that is not ours, and a shoe at its port."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.broker import Broker, private_broker
from tests.support.daemon import Daemon
from tests.support.feed import Feed
from tests.support.live_table import Table, daemon_at
from tests.support.shoe import Shoe


@pytest.fixture(name="idle_broker")
def _idle_broker(mosquitto: Path, tmp_path: Path) -> Iterator[Broker]:
    """A broker that the test starts itself."""
    (tmp_path / "broker").mkdir()
    with private_broker(mosquitto, tmp_path / "broker") as broker:
        yield broker


@pytest.fixture(name="broker")
def _broker(idle_broker: Broker) -> Broker:
    idle_broker.start()
    return idle_broker


@pytest.fixture(name="idle_feed")
def _idle_feed(idle_broker: Broker, tmp_path: Path) -> Iterator[Feed]:
    """A subscriber that the test starts itself."""
    feed = Feed(idle_broker, tmp_path / "feed")
    yield feed
    feed.stop()


@pytest.fixture(name="feed")
def _feed(broker: Broker, idle_feed: Feed) -> Feed:
    idle_feed.start()
    return idle_feed


@pytest.fixture(name="shoe")
def _shoe(tmp_path: Path) -> Iterator[Shoe]:
    (tmp_path / "run").mkdir()
    shoe = Shoe(tmp_path / "run" / "shoe")
    shoe.plug()
    yield shoe
    shoe.unplug()


@pytest.fixture(name="daemon")
def _daemon(idle_broker: Broker, tmp_path: Path) -> Iterator[Daemon]:
    daemon = daemon_at(idle_broker, tmp_path)
    yield daemon
    daemon.kill()


@pytest.fixture(name="table")
def _table(daemon: Daemon, shoe: Shoe) -> Table:
    return Table(daemon, shoe)
