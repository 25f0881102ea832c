"""One table, its broker and a subscriber for each attack."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.outside.table import Broker, Subscriber, Table


@pytest.fixture(name="broker")
def _broker(mosquitto: Path, tmp_path: Path) -> Iterator[Broker]:
    broker = Broker(mosquitto, tmp_path)
    broker.start()
    yield broker
    broker.stop()


@pytest.fixture(name="seen")
def _seen(broker: Broker) -> Iterator[Subscriber]:
    subscriber = Subscriber(broker.port)
    yield subscriber
    subscriber.stop()


@pytest.fixture(name="table")
def _table(broker: Broker, tmp_path: Path) -> Iterator[Table]:
    table = Table(tmp_path, broker.port)
    yield table
    table.kill()
