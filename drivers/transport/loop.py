"""Transport loop of every driver: open the port, pass bytes on, set timers."""

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from drivers.transport.serial_tcp import Link, LinkClosedError, WrongDeviceError, open_link, parse_address
from tablectl.core.facts import Stamp
from tablectl.core.protocols import Clock
from tablectl.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from drivers.transport.usb_pipe import UsbLink


@dataclass(frozen=True, slots=True)
class Port:
    """Where a device is attached.

    Args:
        address: `serial:<path>`, `tcp://<host>:<port>` or `usb:<vendor>:<product>[:<serial>]`.
        baudrate: bits per second of a serial line.
        base_dir: where relative paths begin.
        simulated: whether a simulator stands there; only then may it be a pseudo-terminal.
        usb_backend: what stands for the USB system; libusb, if not given.
    """

    address: str
    baudrate: int
    base_dir: Path
    simulated: bool = False
    usb_backend: Any = None


OpenLink: TypeAlias = "Link | UsbLink"
USB = "usb:"


def check_address(address: str) -> None:
    """Refuses an address that `open_port` can't use.

    Raises:
        AddressError: it is none.
    """
    if address.startswith(USB):
        from drivers.transport.usb import parse_usb_address

        parse_usb_address(address)
    else:
        parse_address(address)


async def open_port(port: Port) -> OpenLink:
    """The open link to `port`.

    Raises:
        LinkError: it can't be opened, or something simulated is there that wasn't declared.
    """
    if port.address.startswith(USB):
        from drivers.transport.usb import parse_usb_address
        from drivers.transport.usb_pipe import open_usb_link

        return await open_usb_link(parse_usb_address(port.address), port.usb_backend)
    link = await open_link(parse_address(port.address), baudrate=port.baudrate, base_dir=port.base_dir)
    if link.is_simulated and not port.simulated:
        link.close()
        msg = f"{link.name} is a pseudo-terminal, so its device is simulated: declare it with simulated = true"
        raise WrongDeviceError(msg)
    return link


class Listener(Protocol):
    """The driver's side of a conversation; none of it may wait."""

    def received(self, data: bytes, at: Stamp) -> None:
        """Takes bytes that were read `at`."""
        ...

    def woken(self, at: Stamp) -> None:
        """Does what is due."""
        ...

    def next_deadline(self) -> float | None:
        """When to be woken at the latest, in seconds of the clock; None for not at all."""
        ...


class Conversation:
    """An open link whose bytes go to a listener inside the loop's read callback.

    An error of the listener doesn't come out but ends `run` with that error, so that neither the loop nor the table's
    writer, from which acknowledgements come, swallows or suffers it.
    """

    def __init__(self, link: OpenLink, listener: Listener, clock: Clock) -> None:
        self._link = link
        self._listener = listener
        self._clock = clock
        self._loop = asyncio.get_running_loop()
        self._ended: asyncio.Future[None] = self._loop.create_future()
        self._alarm: asyncio.TimerHandle | None = None

    async def run(self, begin: Callable[[], None]) -> None:
        """Calls `begin`, then reads until something ends it.

        Raises:
            LinkError: the link ended, or the listener ends it.
        """
        self._link.closed.add_done_callback(self._lost)
        try:
            self.do(begin)
            if not self._ended.done():
                self._link.start(self._received)
            await self._ended
        finally:
            if not self._ended.cancel() and not self._ended.cancelled():
                self._ended.exception()  # seen, also where `run` was cancelled at the same moment
            self._link.closed.remove_done_callback(self._lost)
            if self._alarm is not None:
                self._alarm.cancel()

    def do(self, act: Callable[[], None]) -> None:
        """Does something that belongs to the conversation, and looks anew when to wake up."""
        try:
            act()
            self._set_alarm()
        except Exception as error:  # noqa: BLE001  # It ends `run`, whatever it is.
            if not self._ended.done():
                self._ended.set_exception(error)

    def _received(self, data: bytes) -> None:
        self.do(partial(self._listener.received, data, self._clock.now()))

    def _set_alarm(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        deadline_s = self._listener.next_deadline()
        if deadline_s is not None and not self._ended.done():
            wait_s = max(0.0, deadline_s - self._clock.monotonic_s())
            self._alarm = self._loop.call_later(wait_s, self.do, lambda: self._listener.woken(self._clock.now()))

    def _lost(self, closed: asyncio.Future[LinkClosedError]) -> None:
        if not self._ended.done():
            self._ended.set_exception(closed.result())
