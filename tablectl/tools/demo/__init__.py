"""A whole table without hardware: private broker, simulated devices, real daemon, people at its console."""

import secrets
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tablectl.core.cards import Card
from tablectl.tools.demo.hands import SHOE, SHUFFLER
from tablectl.tools.demo.options import Options as Options
from tablectl.tools.demo.options import Ports as Ports
from tablectl.tools.demo.stage import perform

if TYPE_CHECKING:
    from drivers.sim.pty import PtyEnd
    from drivers.sim.shoe import SimulatedShoe
    from drivers.sim.shuffler import SimulatedShuffler

REPORT_BYTES = 8
"""Length of one copy of a card's report."""

SHUFFLE_S = 4.0


def demo(options: Options, ports: Ports) -> int:
    """Plays the demo until its rounds are over or somebody ends it.

    Returns:
        The exit status: 0, or 1 where something broke, which one line on standard error names.
    """
    return perform(options, ports, _devices)


class _Bench:
    """Both devices on their ports."""

    def __init__(self, ports: "tuple[PtyEnd, PtyEnd]", shoe: "SimulatedShoe", shuffler: "SimulatedShuffler") -> None:
        self._shoe_port, self._shuffler_port = ports
        self._shoe = shoe
        self._shuffler = shuffler

    async def draw(self, card: Card) -> None:
        await self._shoe.draw(card)

    def deliver(self, count: int) -> None:
        self._shuffler.deliver_packet(count)

    def garble(self) -> None:
        self._shoe_port.garble(REPORT_BYTES)

    async def unplug_shoe(self) -> None:
        await self._shoe_port.unplug()

    async def plug_in_shoe(self) -> None:
        await self._shoe_port.plug()

    def jam(self) -> None:
        self._shuffler.jam()

    def free(self) -> None:
        self._shuffler.unjam()

    async def close(self) -> None:
        self._shuffler.close()
        await self._shoe_port.unplug()
        await self._shuffler_port.unplug()


@asynccontextmanager
async def _devices(folder: Path, speed: float) -> AsyncGenerator[_Bench]:
    """The simulated shoe and shuffler on ports in this folder; no other tool knows the simulators."""
    from drivers.sim.pty import PtyEnd
    from drivers.sim.shoe import SimulatedShoe
    from drivers.sim.shuffler import SimulatedShuffler

    ports = PtyEnd(link=folder / SHOE), PtyEnd(link=folder / SHUFFLER)
    for port in ports:
        await port.plug()
    # A new boot number in every run: with the old one the table would take new reports for old ones.
    shuffle_s = SHUFFLE_S / speed if speed else 0.0
    shuffler = SimulatedShuffler(ports[1], shuffle_s=shuffle_s, seed=secrets.randbits(32))
    bench = _Bench(ports, SimulatedShoe(ports[0]), shuffler)
    try:
        yield bench
    finally:
        await bench.close()
