"""The driver of a shuffler on our device link."""

from collections.abc import Callable
from typing import Any, Final

from drivers.linked import LinkedDevice
from drivers.shuffler.settings import Expected, ShufflerSettings
from drivers.shuffler.telling import ShufflerDuty
from tablectl.core.effects import Command
from tablectl.core.ports import Clock, DeviceCounters, Teller

__all__ = ["Expected", "ShufflerDriver", "ShufflerSettings"]


class ShufflerDriver:
    """One shuffler, over all its connections.

    Args:
        delivered: the last delivery that the journal holds of it (`Device.delivered`), so that a restart of
            the daemon neither loses nor repeats an event.
        usb_backend: what stands for the USB system; libusb, if not given.
    """

    def __init__(
        self, settings: ShufflerSettings, tell: Teller, clock: Clock, *, delivered: str = "", usb_backend: Any = None
    ) -> None:
        """Prepares it; nothing is opened before `run`.

        Raises:
            AddressError: the address can't be used.
        """
        duty = ShufflerDuty(settings.name, settings.timeout_s)
        self._device: Final = LinkedDevice(settings, duty, tell, clock, delivered=delivered, usb_backend=usb_backend)

    @property
    def name(self) -> str:
        """The device's name at this table."""
        return self._device.name

    def command(self, command: Command) -> None:
        """Asks for a shuffle, now or once the device is there; again for the same number does nothing."""
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
