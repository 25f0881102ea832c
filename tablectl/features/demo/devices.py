"""Simulated devices of a demonstration, each at the far end of its wire.

No other tool knows the simulators.
"""

import secrets
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

from drivers.sim.dice import SimulatedDice
from drivers.sim.display import SimulatedDisplay, SimulatedLed
from drivers.sim.draw import SimulatedDraw
from drivers.sim.link_device import SimulatedLinkDevice
from drivers.sim.pty import PtyEnd
from drivers.sim.shoe import SimulatedLinkedShoe, SimulatedShoe
from drivers.sim.shuffler import SimulatedShuffler
from drivers.sim.stand import Simulator, simulator_at
from drivers.sim.wheel import SimulatedWheel
from tablectl.lazy_dataclass import dataclass

REPORT_BYTES = 8
"""Length of one copy of a card's report: what one disturbance of the line hits."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Bench:
    """The devices by name, and the ends of the wires that they sit at."""

    ports: Mapping[str, PtyEnd]
    simulators: Mapping[str, Simulator]

    @property
    def shoe(self) -> SimulatedShoe | SimulatedLinkedShoe:
        """The shoe, whichever wire it is on."""
        shoes = (SimulatedShoe, SimulatedLinkedShoe)
        return next(item for item in self.simulators.values() if isinstance(item, shoes))

    @property
    def shuffler(self) -> SimulatedShuffler:
        """The shuffler."""
        return self._only(SimulatedShuffler)

    @property
    def wheel(self) -> SimulatedWheel:
        """The wheel."""
        return self._only(SimulatedWheel)

    @property
    def dice(self) -> SimulatedDice:
        """The dice and their reader."""
        return self._only(SimulatedDice)

    @property
    def draw(self) -> SimulatedDraw:
        """The draw system."""
        return self._only(SimulatedDraw)

    def show_wrongly(self) -> None:
        """The display goes on showing what it shows, whatever it is told."""
        display = self._only(SimulatedDisplay)
        display.broken = display.shown

    def show_rightly(self) -> None:
        """The display is mended."""
        self._only(SimulatedDisplay).broken = None

    def garble(self, name: str) -> None:
        """The next bytes of this device will arrive damaged."""
        self.ports[name].garble(REPORT_BYTES)

    async def unplug(self, name: str) -> None:
        """Pulls a device's cable."""
        await self.ports[name].unplug()

    async def plug_in(self, name: str) -> None:
        """Puts it back."""
        await self.ports[name].plug()

    def _only(self, kind: type[T]) -> T:
        return next(item for item in self.simulators.values() if isinstance(item, kind))


@asynccontextmanager
async def bench(devices: Mapping[str, Mapping[str, Any]], folder: Path, speed: float) -> AsyncGenerator[Bench]:
    """The simulators of a configuration's devices, on ports in this folder.

    Args:
        devices: the tables below `devices` in the configuration.
    """
    ports = {
        name: PtyEnd(link=folder / str(device["port"]).removeprefix("serial:")) for name, device in devices.items()
    }
    for port in ports.values():
        await port.plug()
    # A new boot number in every run: with the old one the table would take new reports for old ones.
    simulators = {
        name: simulator_at(ports[name], device, seed=secrets.randbits(32), speed=speed)
        for name, device in devices.items()
    }
    try:
        yield Bench(ports, simulators)
    finally:
        for simulator in simulators.values():
            if isinstance(simulator, SimulatedLinkDevice | SimulatedLed):
                simulator.close()
        for port in ports.values():
            await port.unplug()
