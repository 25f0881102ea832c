"""What tests of the recorder share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.reader.record_postgres import Postgres, private_postgres
from tests.reader.record_table import Table
from tests.support.broker import Broker, private_broker


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A server for all of them; each takes a database of its own."""
    with private_postgres() as server:
        yield server


@pytest.fixture
def broker(mosquitto: Path, tmp_path: Path) -> Iterator[Broker]:
    """A broker of the test's own."""
    (tmp_path / "broker").mkdir()
    with private_broker(mosquitto, tmp_path / "broker") as made:
        made.start()
        yield made


@pytest.fixture
def table(broker: Broker) -> Table:
    """A table that publishes there."""
    return Table(broker.port)


@pytest.fixture(autouse=True)
def brisk(monkeypatch: pytest.MonkeyPatch) -> None:
    """A recorder in a test's own process looks around more often: nobody is to be spared there."""
    monkeypatch.setattr("tablectl.features.recorder.recorder.LOOK_S", 0.02)
    monkeypatch.setattr("tablectl.features.recorder.replays.PAUSE_S", 0.02)
