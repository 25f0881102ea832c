"""Driver of one device on the device link, over all its connections.

The identity comes first, each fact is reported once, and nothing is done twice.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final, TypedDict

from drivers.link.connection import Connection, Deliveries, Memory
from drivers.link.handler import DeviceHandler, LinkSettings
from drivers.transport.loop import Port, check_address, open_port
from tablectl.core.effects import Command
from tablectl.core.protocols import Clock, DeviceCounters, Teller


class Lasting(TypedDict, total=False):
    """The optional arguments of a driver on our link.

    Args:
        delivered: the last delivery that the journal holds of the device (`Device.delivered`), so that a restart
            of the daemon neither loses nor repeats an event.
        usb_backend: what stands for the USB system; libusb, if not given.
    """

    delivered: str
    usb_backend: Any


class LinkedDevice:
    """The driver of any device on our link.

    Args:
        handler: of this kind of device.
        delivered: as in `Lasting`.
        usb_backend: as in `Lasting`.
    """

    def __init__(
        self,
        settings: LinkSettings,
        handler: DeviceHandler[Any, Any, Any],
        tell: Teller,
        clock: Clock,
        *,
        delivered: str = "",
        usb_backend: Any = None,
    ) -> None:
        """Prepares it; nothing is opened before `run`.

        Raises:
            AddressError: the address can't be used.
        """
        check_address(settings.address)
        self._memory: Final = Memory(settings, handler, tell, clock, Deliveries(delivered))
        self._usb_backend = usb_backend
        self._before = DeviceCounters()

    @property
    def name(self) -> str:
        """The device's name at this table."""
        return self._memory.settings.name

    def command(self, command: Command) -> None:
        """Send a command, now or once the device is attached.

        A repeated command, and one that isn't for this kind of device, does nothing.
        """
        if self._memory.handler.on_command(command, self._memory.clock.monotonic_s()):
            self.ask()

    def ask(self) -> None:
        """Asks the device now what its handler wants to know."""
        if (connection := self._memory.connection) is not None:
            connection.within(connection.ask)

    def counters(self) -> DeviceCounters:
        """Return the counters of all connections up to now."""
        current = self._memory.connection
        counted = self._before if current is None else current.counted(self._before)
        return replace(counted, facts=self._memory.told)

    async def run(self, up: Callable[[], None]) -> None:
        """Connects and reports facts until the link ends.

        Raises:
            LinkError: it ended, there is none, nobody answers, or the device isn't the approved one.
        """
        chosen = self._memory.settings
        port = Port(
            chosen.address,
            chosen.baudrate,
            chosen.base_dir,
            simulated=chosen.simulated,
            usb_backend=self._usb_backend,
        )
        link = await open_port(port)
        connection = self._memory.connection = Connection(self._memory, link, up)
        try:
            await connection.run()
        finally:
            self._before = replace(connection.counted(self._before), silent_s=None)
            self._memory.connection = None
            link.close()
            await link.released()
