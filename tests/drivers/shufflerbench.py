"""A simulated shuffler at the end of a wire of any kind, and its driver."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from drivers.link.driver import LinkedDevice
from drivers.link.handler import LinkSettings
from drivers.shuffler.device import SHUFFLE_TIMEOUT_S, ShufflerHandler
from drivers.sim.pty import PtyEnd
from drivers.sim.shuffler import SimulatedShuffler
from drivers.sim.usb import SimulatedUsb
from drivers.sim.usb_tree import UsbEnd, described
from tablectl.core.facts.reports import DeviceNoted
from tests.drivers.linkbench import NAME, Bench, at_end, link_driver
from tests.support.told import MovableClock, Told

shuffler_driver = link_driver(ShufflerHandler)

OP = 0x1234_5678_9ABC_DEF0
ADDRESSES = {"serial": "serial:port", "usb": "usb:1209:0002:SIM-1"}
"""Where the driver looks for the shuffler on each wire."""

ShufflerBench = Bench[SimulatedShuffler, LinkedDevice]


@asynccontextmanager
async def at_wire(wire: str, folder: Path) -> AsyncGenerator[ShufflerBench]:
    """The shuffler at a serial port in the folder, or on USB."""
    end = PtyEnd(link=folder / "port") if wire == "serial" else UsbEnd(described("tablectl", "simulated", "SIM-1"))
    bus = SimulatedUsb(end.usb) if isinstance(end, UsbEnd) else None
    settings = LinkSettings(NAME, ADDRESSES[wire], 115200, folder, simulated=True)

    def driver(told: Told, clock: MovableClock) -> LinkedDevice:
        return shuffler_driver(settings, told, clock, usb_backend=bus)

    async with at_end(end, SimulatedShuffler, driver) as bench:
        bench.settings, bench.usb_backend = settings, bus
        yield bench


def another(
    bench: ShufflerBench,
    *,
    told: Told | None = None,
    delivered: str = "",
    timeout_s: float = SHUFFLE_TIMEOUT_S,
    **changes: Any,
) -> LinkedDevice:
    """A driver beside the bench's own, or after it, with other settings."""
    settings = replace(bench.settings, **changes)
    return shuffler_driver(
        settings,
        told or bench.told,
        bench.clock,
        timeout_s=timeout_s,
        delivered=delivered,
        usb_backend=bench.usb_backend,
    )


async def let_time_pass(bench: ShufflerBench) -> None:
    """Longer than the longest wait for a reply; the device is heard, so it isn't silent."""
    bench.clock.ahead_s += 3.3
    heard = len(bench.told.of(DeviceNoted))
    bench.device.open_lid()
    await bench.told.nth(DeviceNoted, heard + 1)
    await asyncio.sleep(0.01)
