"""A simulated wheel behind a QSB at a port, and its driver."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from drivers.sim.pty import PtyEnd
from drivers.sim.wheel import EVEN, SimulatedWheel
from drivers.wheel.connection import WheelSettings
from drivers.wheel.device import WheelDriver
from tablectl.core.facts.reports import DeviceAttached, SpinStopped
from tests.drivers.wheel.results import NAME
from tests.support.told import MovableClock, Told, nothing, running


@pytest.fixture
def settings(tmp_path: Path) -> WheelSettings:
    """The driver's settings."""
    return WheelSettings(NAME, "serial:port", tmp_path, EVEN, simulated=True)


@pytest.fixture
async def wheel(port: PtyEnd) -> SimulatedWheel:
    """The wheel, which spins in no time."""
    return SimulatedWheel(port, seed=5, speed=0)


@pytest.fixture
def driver(settings: WheelSettings, told: Told, clock: MovableClock) -> WheelDriver:
    """The driver of the wheel at the port."""
    return WheelDriver(settings, told, clock)


@pytest.fixture
async def up(driver: WheelDriver, wheel: SimulatedWheel, told: Told) -> AsyncIterator[asyncio.Task[None]]:
    """The driver at work, the wheel known to it."""
    async with running(driver.run(nothing)) as task:
        await told.nth(DeviceAttached)
        await wheel.spin()
        await told.nth(SpinStopped)
        told.reports.clear()
        yield task
