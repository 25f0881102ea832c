"""A simulated Angel Eye shoe at a port, and its driver."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from drivers.shoe.device import ShoeDriver, ShoeSettings
from drivers.sim.pty import PtyEnd
from drivers.sim.shoe import SimulatedShoe
from tablectl.core.facts.reports import DeviceAttached
from tests.drivers.angel_eye.cards import NAME
from tests.support.told import MovableClock, Told, nothing, running


@pytest.fixture
def settings(tmp_path: Path) -> ShoeSettings:
    """The driver's settings; it listens only."""
    return ShoeSettings(NAME, "serial:port", 9600, tmp_path, simulated=True, vote_window_s=0.05)


@pytest.fixture
async def shoe(port: PtyEnd, driver: ShoeDriver, told: Told) -> AsyncIterator[SimulatedShoe]:
    """The simulated shoe, with its driver at work."""
    async with running(driver.run(nothing)):
        await told.nth(DeviceAttached)
        told.reports.clear()
        yield SimulatedShoe(port)


@pytest.fixture
def driver(settings: ShoeSettings, told: Told, clock: MovableClock) -> ShoeDriver:
    """The driver of the shoe at the port."""
    return ShoeDriver(settings, told, clock)
