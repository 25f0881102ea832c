"""Cables that are pulled and put back again and again: how soon a device counts again, and what grows by it."""

import asyncio
import gc
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from bench.figures import Figure, percentile
from drivers.link.driver import LinkedDevice
from drivers.link.handler import LinkSettings
from drivers.shoe.device import ShoeDriver, ShoeSettings
from drivers.shuffler.device import ShufflerHandler
from drivers.sim.pty import PtyEnd
from drivers.sim.shoe import SimulatedShoe
from drivers.sim.shuffler import SimulatedShuffler
from drivers.sim.wheel import EVEN, SimulatedWheel
from drivers.transport.serial_tcp import LinkError
from drivers.wheel.connection import WheelSettings
from drivers.wheel.device import WheelDriver
from tablectl.core.facts import Body
from tablectl.core.facts.reports import CardDrawn
from tablectl.core.protocols import Driver
from tablectl.daemon.host.clock import SystemClock
from tests.drivers.linkbench import link_driver

shuffler_driver = link_driver(ShufflerHandler)

WITHIN_S = 20.0
MOST_GROWN_KIB = 512.0
SETTLING = 1000
"""Cycles before the first that counts: until then the allocator gives each thread that opens a port its own room."""


@dataclass(slots=True)
class Told:
    """Counts what a driver tells, keeps when the last of it came, and makes it durable in the loop's next turn."""

    count: int = 0
    cards: int = 0
    at_ns: int = 0
    news: asyncio.Event = field(default_factory=asyncio.Event)

    def __call__(self, body: Body, *, stored: Callable[[], None] | None = None, **_: object) -> None:
        self.at_ns = time.monotonic_ns()
        self.count += 1
        self.cards += isinstance(body, CardDrawn)
        if stored is not None:
            asyncio.get_running_loop().call_soon(stored)
        self.news.set()

    async def until(self, happened: Callable[[], bool]) -> None:
        """Waits until what is told makes it true."""
        async with asyncio.timeout(WITHIN_S):
            while not happened():
                self.news.clear()
                await self.news.wait()


Make = Callable[[Path, Told], Driver]


async def replugged(folder: Path, make: Make, cycles: int) -> list[Figure]:
    """Pulled and put back so often: how long the device takes to count again, and what grows."""
    port, told = PtyEnd(link=folder / "port"), Told()
    driver = make(folder, told)
    far = _far_end(driver, port)
    took_s: list[float] = []
    memory_kib = descriptors = 0.0
    for number in range(cycles + SETTLING):
        if number == SETTLING:
            memory_kib, descriptors = private_kib(), _descriptors()
        took_s.append(await _cycle(port, driver, far))
    grown, left = private_kib() - memory_kib, _descriptors() - descriptors
    name = f"{driver.name}, unplugged {cycles:,} times"
    return [
        Figure(f"{name}: plugged until it counts", 1000 * percentile(took_s, 0.5), "ms"),
        Figure(f"{name}: memory grown", grown, "KiB", target=MOST_GROWN_KIB, digits=0),
        Figure(f"{name}: descriptors left", left, "", target=0.0, digits=0),
    ]


async def _cycle(port: PtyEnd, driver: Driver, far: object) -> float:
    """Plugs, waits until the device counts, unplugs; how long it took to count."""
    up = asyncio.Event()
    if isinstance(far, SimulatedWheel):
        await far.plug()
    else:
        await port.plug()
    begun_s = time.monotonic()
    running = asyncio.create_task(driver.run(up.set))
    async with asyncio.timeout(WITHIN_S):
        await up.wait()
        took_s = time.monotonic() - begun_s
        await (far.unplug() if isinstance(far, SimulatedWheel) else port.unplug())
        with suppress(LinkError):
            await running
    return took_s


def _far_end(driver: Driver, port: PtyEnd) -> object:
    match driver:
        case WheelDriver():
            return SimulatedWheel(port, speed=0)
        case LinkedDevice():
            return SimulatedShuffler(port)
        case _:
            return SimulatedShoe(port)


def shoe_driver(folder: Path, told: Told) -> Driver:
    return ShoeDriver(ShoeSettings("shoe", "serial:port", 4800, folder, simulated=True), told, SystemClock())


def cabled_shuffler(folder: Path, told: Told) -> Driver:
    return shuffler_driver(
        LinkSettings("shuffler", "serial:port", 115_200, folder, simulated=True), told, SystemClock()
    )


def wheel_driver(folder: Path, told: Told) -> Driver:
    return WheelDriver(WheelSettings("wheel", "serial:port", folder, EVEN, simulated=True), told, SystemClock())


def private_kib() -> float:
    gc.collect()
    lines = Path("/proc/self/smaps_rollup").read_text("ascii").splitlines()[1:]
    sizes = {line.split(":")[0]: int(line.split()[1]) for line in lines}
    return float(sizes["Private_Dirty"] + sizes["Private_Clean"])


def _descriptors() -> float:
    return float(len(list(Path("/proc/self/fd").iterdir())))
