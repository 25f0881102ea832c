"""Cables in memory: bytes between a simulated device and the daemon's driver, and all that happens to them."""

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from drivers.diagnostics.capture import TAP, Way
from drivers.transport.serial_tcp import Address, LinkClosedError, PortBusyError, PortMissingError, SerialAddress
from tests.simulation.virtual import VirtualLoop

GARBLE: Final = 0x55
PER_BYTE_S: Final = 1e-5
OPENS_S: Final = (0.002, 0.06)
"""How long a port takes to open, at least and at most: a console may listen before its devices are there."""


@dataclass(slots=True)
class Weather:
    """How often a chunk of bytes is hurt on its way; each from 0 to 1."""

    lost: float = 0.0
    doubled: float = 0.0
    corrupted: float = 0.0
    delayed: float = 0.0
    torn: float = 0.0

    @property
    def total(self) -> float:
        """How often anything happens."""
        return self.lost + self.doubled + self.corrupted + self.delayed + self.torn


class Lane:
    """One way of a cable: bytes arrive in the order sent, whatever delays them."""

    def __init__(self, chance: random.Random, note: Callable[[str], None]) -> None:
        self.weather = Weather()
        self._chance = chance
        self._note = note
        self._free_s = 0.0

    def carry(self, data: bytes, loop: VirtualLoop, deliver: Callable[[bytes], None]) -> None:
        """Brings bytes to the other end, later, hurt, or not at all."""
        for piece, extra_s in self._hurt(data):
            due_s = loop.time() + len(piece) * PER_BYTE_S + extra_s + self._chance.random() * 0.001
            self._free_s = max(due_s, self._free_s)
            loop.call_at(self._free_s, deliver, piece)

    def _hurt(self, data: bytes) -> list[tuple[bytes, float]]:
        weather, chance = self.weather, self._chance
        fate = chance.random()
        if fate >= weather.total:
            return [(data, 0.0)]
        for name in ("lost", "doubled", "corrupted", "delayed", "torn"):
            fate -= getattr(weather, name)
            if fate < 0:
                self._note(name)
                return self._hurt_so(name, data)
        return [(data, 0.0)]

    def _hurt_so(self, how: str, data: bytes) -> list[tuple[bytes, float]]:
        chance = self._chance
        match how:
            case "lost":
                return []
            case "doubled":
                return [(data, 0.0), (data, 0.0)]
            case "corrupted":
                at = chance.randrange(len(data))
                hurt = bytes((data[at] ^ chance.randrange(1, 256),))
                return [(data[:at] + hurt + data[at + 1 :], 0.0)]
            case "delayed":
                return [(data, chance.uniform(0.05, 1.5))]
            case _:
                at = chance.randrange(1, len(data)) if len(data) > 1 else 0
                return [(data[:at], 0.0), (data[at:], chance.uniform(0.0, 0.05))] if at else [(data, 0.0)]


class Wire:
    """A device's end (`drivers.sim.pty.FarEnd`), and the port that the daemon opens at the other."""

    def __init__(self, name: str, world: VirtualLoop, chance: random.Random, note: Callable[[str], None]) -> None:
        self.name = name
        self.on_bytes: Callable[[bytes], None] | None = None
        self.to_host = Lane(chance, note)
        self.to_device = Lane(chance, note)
        self.is_plugged = True
        self.is_occupied = False
        self.link: SimulatedLink | None = None
        self._world = world
        self._opening = random.Random(name)
        self._held: bytearray | None = None
        self._garble = 0

    def opens_s(self) -> float:
        """How long the port takes to open this time."""
        return self._opening.uniform(*OPENS_S)

    async def plug(self) -> None:
        """Puts the cable in."""
        self.is_plugged = True

    async def unplug(self) -> None:
        """Pulls the cable."""
        self.pull()

    def pull(self) -> None:
        """Pulls the cable, at once."""
        self.is_plugged = False
        if self._held is not None:
            self._held.clear()
        if (link := self.link) is not None:
            self.link = None
            link.loop.call_soon(link.lose, "is gone; plug it in")

    def write(self, data: bytes) -> None:
        """Sends bytes to the host."""
        hurt, whole = data[: self._garble], data[self._garble :]
        self._garble -= len(hurt)
        self.inject(bytes(byte ^ GARBLE for byte in hurt) + whole)

    def inject(self, data: bytes) -> None:
        """Puts bytes on the wire that the device never sent."""
        if self._held is not None:
            self._held += data
        elif self.is_plugged and self.link is not None:
            self.to_host.carry(data, self.link.loop, self.link.arrive)

    def garble(self, count: int) -> None:
        """Damages the next bytes that the device writes."""
        self._garble = count

    def stall(self) -> None:
        """Holds everything back."""
        self._held = bytearray() if self._held is None else self._held

    def resume(self) -> None:
        """Lets all that was held go in one burst."""
        held, self._held = bytes(self._held or b""), None
        if held:
            self.inject(held)

    def drop(self) -> None:
        """Loses what is held back."""
        if self._held is not None:
            self._held.clear()

    def occupy(self) -> bool:
        """Has another program take the port; False while the host has it."""
        self.is_occupied = self.link is None
        return self.is_occupied

    def free(self) -> None:
        """That program lets it go."""
        self.is_occupied = False

    def hear(self, data: bytes) -> None:
        """Takes what the host wrote."""
        if self.is_plugged:
            self.to_device.carry(data, self._world, self._heard)

    def _heard(self, data: bytes) -> None:
        if self.is_plugged and self.on_bytes is not None:
            self.on_bytes(data)


class SimulatedLink:
    """What the daemon has of an open port; the same face as `drivers.transport.serial_tcp.Link`."""

    def __init__(self, wire: Wire, loop: VirtualLoop) -> None:
        self.name = wire.name
        self.serial = ""
        self.is_simulated = True
        self.loop = loop
        self.closed: asyncio.Future[LinkClosedError] = loop.create_future()
        self.bytes_in = 0
        self.bytes_out = 0
        self._wire = wire
        self._tap = TAP.get()
        self._on_bytes: Callable[[bytes], None] | None = None

    def start(self, on_bytes: Callable[[bytes], None]) -> None:
        """Begins to read."""
        self._raise_if_closed()
        self._on_bytes = on_bytes

    def write(self, data: bytes) -> None:
        """Sends bytes."""
        self._raise_if_closed()
        self.bytes_out += len(data)
        if self._tap is not None:
            self._tap(Way.OUT, data)
        self._wire.hear(data)

    def close(self) -> None:
        """Ends the link."""
        if self._wire.link is self:
            self._wire.link = None
        self.lose("was closed by this program")

    async def released(self) -> None:
        """Waits until the port may be opened again."""

    def arrive(self, data: bytes) -> None:
        """Takes bytes that the device sent."""
        if self.closed.done() or self._wire.link is not self or self._on_bytes is None:
            return
        self.bytes_in += len(data)
        if self._tap is not None:
            self._tap(Way.IN, data)
        self._on_bytes(data)

    def lose(self, why: str) -> None:
        """The link has ended."""
        if not self.closed.done():
            self.closed.set_result(LinkClosedError(f"{self.name} {why}"))

    def _raise_if_closed(self) -> None:
        if self.closed.done():
            raise LinkClosedError(str(self.closed.result()))


async def open_wire(wires: dict[str, Wire], loop: VirtualLoop, address: Address) -> SimulatedLink:
    """An open link to the wire of this name.

    Raises:
        PortMissingError: its cable is out.
        PortBusyError: another program has it.
    """
    assert isinstance(address, SerialAddress)
    name = Path(address.path).name
    wire = wires[name]
    await asyncio.sleep(wire.opens_s())
    if not wire.is_plugged:
        raise PortMissingError(f"there is no device at {name}: plug it in, or correct the path")
    if wire.is_occupied or (wire.link is not None and not wire.link.loop.is_dead):
        raise PortBusyError(f"{name} is used by another program: stop that program")
    wire.link = SimulatedLink(wire, loop)
    return wire.link
