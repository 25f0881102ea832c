"""A simulated device at a port and its driver with its surroundings, the same for every kind of device."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import pytest
from hypothesis import strategies as st

from drivers.link.device import DeviceSession
from drivers.link.driver import LinkedDevice
from drivers.link.frame import FrameType, NakReason
from drivers.link.handler import DeviceHandler, LinkSettings
from drivers.link.host import HostSession
from drivers.link.notices import COMMAND_ID, CommandReplied, EventReceived, IdentityReceived
from drivers.sim.link_device import LinkEnd
from drivers.sim.pty import FarEnd, PtyEnd
from drivers.sim.usb import SimulatedUsb
from drivers.transport.serial_tcp import LinkClosedError
from tablectl.core.effects import Command
from tablectl.core.facts import Body, FaultCleared, FaultRaised
from tablectl.core.facts.reports import DeviceAttached
from tablectl.core.faults import Code
from tablectl.core.protocols import DeviceCounters
from tests.support.told import MovableClock, Told

NAME = "device"


class Device(Protocol):
    """A simulated device on the link."""

    line: LinkEnd

    def close(self) -> None: ...


class CommandedDriver(Protocol):
    """A driver that takes commands."""

    def command(self, command: Command) -> None: ...
    def counters(self) -> DeviceCounters: ...
    async def run(self, up: Callable[[], None]) -> None: ...


DeviceT = TypeVar("DeviceT", bound=Device)
DriverT = TypeVar("DriverT", bound=CommandedDriver)


@dataclass(slots=True)
class Bench(Generic[DeviceT, DriverT]):
    """A device at a port, and a driver with its surroundings.

    Args:
        settings: the driver's, where its module makes others of them.
        usb_backend: the simulated USB system, where the port is on it.
    """

    port: FarEnd
    device: DeviceT
    told: Told
    clock: MovableClock
    driver: DriverT
    settings: Any = None
    usb_backend: SimulatedUsb | None = None

    async def unplug(self, task: asyncio.Task[None]) -> None:
        await self.port.unplug()
        with pytest.raises(LinkClosedError):
            await task

    async def attached(self, times: int = 1) -> None:
        await self.told.nth(DeviceAttached, times)

    def drop_what_the_host_writes(self) -> None:
        self.port.on_bytes = None

    def hear_the_host_again(self) -> None:
        self.port.on_bytes = self.device.line.hear

    def answer_in_vain(self, when: Callable[[], object]) -> None:
        """The device hears the host; what it says to that is lost while `when` is true, its heartbeat isn't."""

        def hear(data: bytes) -> None:
            self.port.stall()
            self.device.line.hear(data)
            if when():
                self.port.drop()
            self.port.resume()

        self.port.on_bytes = hear

    def know_no_command(self) -> None:
        """The device answers every command with a NAK."""

        def hear(data: bytes) -> None:
            session = self.device.line.session
            out = session.receive(data, asyncio.get_running_loop().time())
            self.port.write(out.data)
            for received in out.notices:
                detail = COMMAND_ID.pack(received.command_id)
                session._send_nak(NakReason.MALFORMED, FrameType.COMMAND, detail)
            self.port.write(session._out().data)

        self.port.on_bytes = hear

    def answer_nonsense(self) -> None:
        """The device answers every command with something unknown."""

        def hear(data: bytes) -> None:
            session, now_s = self.device.line.session, asyncio.get_running_loop().time()
            out = session.receive(data, now_s)
            self.port.write(out.data)
            for command in out.notices:
                self.port.write(session.reply(command.command_id, b"\x77", now_s).data)

        self.port.on_bytes = hear


def link_driver(handler: Callable[..., DeviceHandler[Any, Any, Any]]) -> Callable[..., LinkedDevice]:
    """Makes drivers of a kind of device on our link."""

    def make(
        chosen: LinkSettings,
        told: Told,
        clock: MovableClock,
        *,
        delivered: str = "",
        usb_backend: Any = None,
        **own: Any,
    ) -> LinkedDevice:
        own_part = handler(chosen.name, **own)
        return LinkedDevice(chosen, own_part, told, clock, delivered=delivered, usb_backend=usb_backend)

    return make


def settings(folder: Path) -> LinkSettings:
    """What a driver on the link has to know to find the device at `folder`/port."""
    return LinkSettings(NAME, "serial:port", 115200, folder, simulated=True)


@asynccontextmanager
async def at_port(
    folder: Path, device: Callable[[FarEnd], DeviceT], driver: Callable[[LinkSettings, Told, MovableClock], DriverT]
) -> AsyncGenerator[Bench[DeviceT, DriverT]]:
    """The device is plugged in at `folder`/port, where the driver must look for it."""
    async with at_end(PtyEnd(link=folder / "port"), device, partial(driver, settings(folder))) as bench:
        yield bench


@asynccontextmanager
async def at_end(
    port: FarEnd, device: Callable[[FarEnd], DeviceT], driver: Callable[[Told, MovableClock], DriverT]
) -> AsyncGenerator[Bench[DeviceT, DriverT]]:
    """The device is plugged in at this end of a wire, at whose other end the driver must look for it."""
    await port.plug()
    simulated, told, clock = device(port), Told(), MovableClock()
    yield Bench(port, simulated, told, clock, driver(told, clock))
    simulated.close()
    await port.unplug()


def momentary(code: Code, detail: str = "") -> list[Body]:
    return [FaultRaised(code, NAME, detail), FaultCleared(code, NAME)]


def said(told: Told, *without: type[Any]) -> list[Body]:
    """What a driver told, without what every device says when it is attached."""
    return [body for body in told.bodies if not isinstance(body, (DeviceAttached, *without))]


@st.composite
def cuts(draw: st.DrawFn, size: int = 400) -> list[int]:
    """Where a stream is cut."""
    return sorted(draw(st.sets(st.integers(1, size), max_size=30)))


def pieces(data: bytes, at: list[int]) -> list[bytes]:
    ends = [0, *(cut for cut in at if cut < len(data)), len(data)]
    return [data[first:last] for first, last in pairwise(ends)]


def carried(payloads: list[bytes], at: list[int]) -> list[bytes]:
    """What arrives of a device's events over a line that cuts its bytes."""
    device, host = DeviceSession(boot=7, identity=b"x", started_s=0.0), HostSession()
    host.start(0.0)
    for notice in host.receive(device.start().data, 0.0).notices:
        assert isinstance(notice, IdentityReceived)
    host.accept(0.0)
    data = b"".join(device.event(payload, 0.0).data for payload in payloads)
    notices = [notice for piece in pieces(data, at) for notice in host.receive(piece, 0.0).notices]
    return [notice.payload for notice in notices if isinstance(notice, EventReceived)]


def asked(bodies: list[bytes], answer: Callable[[bytes], bytes], at: list[int]) -> list[bytes]:
    """What the host hears of the answers to its commands over a line that cuts the bytes of both directions."""
    device, host = DeviceSession(boot=7, identity=b"x", started_s=0.0), HostSession()
    host.start(0.0)
    host.receive(device.start().data, 0.0)
    host.accept(0.0)
    replies: list[bytes] = []
    for number, body in enumerate(bodies):
        for piece in pieces(host.command(number, body, 0.0).data, at):
            for command in device.receive(piece, 0.0).notices:
                for part in pieces(device.reply(command.command_id, answer(command.body), 0.0).data, at):
                    notices = host.receive(part, 0.0).notices
                    replies += [notice.body for notice in notices if isinstance(notice, CommandReplied)]
    return replies
