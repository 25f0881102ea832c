"""The driver of a draw system on our device link: each draw is made once and told once."""

from collections.abc import Callable
from typing import Any, Final

from drivers.draw.settings import DrawSettings, Expected
from drivers.draw.telling import DrawDuty
from drivers.linked import LinkedDevice
from tablectl.core.effects import Command, RunSelfTest
from tablectl.core.ports import Clock, DeviceCounters, Teller

__all__ = ["DrawDriver", "DrawSettings", "Expected"]


class DrawDriver:
    """One draw system, over all its connections.

    Args:
        delivered: the last delivery that the journal holds of it (`Device.delivered`), so that a restart of
            the daemon neither loses nor repeats an event.
        usb_backend: what stands for the USB system; libusb, if not given.
    """

    def __init__(
        self, settings: DrawSettings, tell: Teller, clock: Clock, *, delivered: str = "", usb_backend: Any = None
    ) -> None:
        """Prepares it; nothing is opened before `run`.

        Raises:
            AddressError: the address can't be used.
        """
        self._duty: Final = DrawDuty(settings.name, settings.timeout_s)
        self._device: Final = LinkedDevice(
            settings, self._duty, tell, clock, delivered=delivered, usb_backend=usb_backend
        )

    @property
    def name(self) -> str:
        """The device's name at this table."""
        return self._device.name

    def command(self, command: Command) -> None:
        """Asks for a draw or a self-test, now or once the device is there; what comes of it is a fact."""
        if isinstance(command, RunSelfTest):
            self._duty.want_self_test()
            self._device.ask()
        else:
            self._device.command(command)

    def counters(self) -> DeviceCounters:
        """What came so far."""
        return self._device.counters()

    async def run(self, up: Callable[[], None]) -> None:
        """Connects and reports facts until the link ends.

        Raises:
            LinkError: it ended, there is none, nobody answers, or the device isn't the approved one.
        """
        await self._device.run(up)
