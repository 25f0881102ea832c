"""The simulated devices of a demonstration, each at the far end of its wire; no other tool knows the simulators."""

import secrets
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from drivers.sim.buzzer import SimulatedBuzzer
from drivers.sim.dice import SimulatedDice
from drivers.sim.display import SimulatedDisplay
from drivers.sim.draw import SimulatedDraw
from drivers.sim.led import SimulatedLed
from drivers.sim.pty import PtyEnd
from drivers.sim.shoe import SimulatedShoe
from drivers.sim.shoe_link import SimulatedLinkedShoe
from drivers.sim.shuffler import SimulatedShuffler
from drivers.sim.wheel import SimulatedWheel

REPORT_BYTES = 8
"""Length of one copy of a card's report: what one disturbance of the line hits."""

SHUFFLE_S = 4.0

T = TypeVar("T")

Linked = SimulatedShuffler | SimulatedDice | SimulatedDraw | SimulatedDisplay | SimulatedBuzzer | SimulatedLinkedShoe
Simulator = Linked | SimulatedShoe | SimulatedLed | SimulatedWheel


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
        devices: the tables below ``devices`` in the configuration.
    """
    ports = {name: PtyEnd(link=folder / _file(device)) for name, device in devices.items()}
    for port in ports.values():
        await port.plug()
    simulators = {name: _simulator(device, ports[name], speed) for name, device in devices.items()}
    try:
        yield Bench(ports, simulators)
    finally:
        for simulator in simulators.values():
            if isinstance(simulator, Linked | SimulatedLed):
                simulator.close()
        for port in ports.values():
            await port.unplug()


def _file(device: Mapping[str, Any]) -> str:
    """The port's file in the runtime folder."""
    return str(device["port"]).removeprefix("serial:")


def _simulator(device: Mapping[str, Any], port: PtyEnd, speed: float) -> Simulator:
    # A new boot number in every run: with the old one the table would take new reports for old ones.
    seed = secrets.randbits(32)
    match str(device["kind"]):
        case "shoe" if device["protocol"] == "link":
            return SimulatedLinkedShoe(port, seed=seed)
        case "shoe":
            return SimulatedShoe(port)
        case "shuffler":
            return SimulatedShuffler(port, shuffle_s=SHUFFLE_S / speed if speed else 0.0, seed=seed)
        case "dice":
            return SimulatedDice(port, seed=seed)
        case "draw":
            return SimulatedDraw(port, seed=seed)
        case "display" if device["protocol"] == "am03127":
            return SimulatedLed(port, board=int(device.get("board", 1)))
        case "display":
            return SimulatedDisplay(port, seed=seed)
        case "buzzer":
            return SimulatedBuzzer(port, seed=seed)
        case "wheel":
            return SimulatedWheel(port, seed=seed, speed=speed)
        case kind:
            raise ValueError(f"there is no simulator of a {kind}")
