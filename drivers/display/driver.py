"""The driver of a display, on our device link or an LED board: a draw counts as shown once the display says so."""

from collections.abc import Callable
from typing import Any, Final

from drivers.display.connection import LedBoard
from drivers.display.settings import DisplaySettings, Expected, Protocol
from drivers.display.telling import DisplayDuty
from drivers.linked import LinkedDevice
from tablectl.core.effects import Command, ShowTestPattern
from tablectl.core.ports import Clock, DeviceCounters, Teller

__all__ = ["DisplayDriver", "DisplaySettings", "Expected", "Protocol"]


class DisplayDriver:
    """One display, over all its connections.

    Args:
        delivered: the last delivery that the journal holds of it (`Device.delivered`), so that a restart of
            the daemon neither loses nor repeats an event.
        usb_backend: what stands for the USB system; libusb, if not given.
    """

    def __init__(
        self, settings: DisplaySettings, tell: Teller, clock: Clock, *, delivered: str = "", usb_backend: Any = None
    ) -> None:
        """Prepares it; nothing is opened before `run`.

        Raises:
            AddressError: the address can't be used.
            ValueError: an LED board's number or texts can't be.
        """
        self._duty: Final = DisplayDuty(settings.name)
        self._device: Final = (
            LedBoard(settings, tell, clock)
            if settings.protocol is Protocol.AM03127
            else LinkedDevice(settings, self._duty, tell, clock, delivered=delivered, usb_backend=usb_backend)
        )

    @property
    def name(self) -> str:
        """The device's name at this table."""
        return self._device.name

    def command(self, command: Command) -> None:
        """Shows a draw or nothing, now or once the display is there; what is shown already does nothing.

        A test pattern waits while a draw is shown, and the next picture ends it.
        """
        if not isinstance(command, ShowTestPattern):
            self._device.command(command)
        elif isinstance(self._device, LedBoard):
            self._device.cannot("test_pattern")
        else:
            self._duty.want_test_pattern()
            self._device.ask()

    def counters(self) -> DeviceCounters:
        """What came so far."""
        return self._device.counters()

    async def run(self, up: Callable[[], None]) -> None:
        """Connects and reports facts until the link ends.

        Raises:
            LinkError: it ended, there is none, nobody answers, or the device isn't the approved one.
        """
        await self._device.run(up)
