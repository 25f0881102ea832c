"""What tests of the recorder share."""

from collections.abc import Iterator

import pytest

from tests.reader.record_postgres import Postgres, private_postgres


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A server for all of them; each takes a database of its own."""
    with private_postgres() as server:
        yield server


@pytest.fixture(autouse=True)
def brisk(monkeypatch: pytest.MonkeyPatch) -> None:
    """A recorder in a test's own process looks around more often: nobody is to be spared there."""
    monkeypatch.setattr("tablectl.features.recorder.recorder.LOOK_S", 0.02)
    monkeypatch.setattr("tablectl.features.recorder.replays.PAUSE_S", 0.02)
