"""What tests of a driver at a port have: the port, a clock, and whoever is told."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from drivers.sim.pty import PtyEnd
from tests.support.told import MovableClock, Told


@pytest.fixture
async def port(tmp_path: Path) -> AsyncIterator[PtyEnd]:
    """A port that a simulated device is plugged in at."""
    end = PtyEnd(link=tmp_path / "port")
    await end.plug()
    yield end
    await end.unplug()


@pytest.fixture
async def told() -> Told:
    """What the driver tells."""
    return Told()


@pytest.fixture
def clock() -> MovableClock:
    """A clock that the test moves."""
    return MovableClock()
