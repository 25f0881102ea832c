"""The driver of a dice reader or shaker on our device link: each throw is told once, and one that is flawed says so."""

from collections.abc import Callable
from typing import Any, Final

from drivers.dice.settings import DiceSettings, Expected
from drivers.dice.telling import DiceDuty
from drivers.linked import LinkedDevice
from tablectl.core.effects import Command
from tablectl.core.ports import Clock, DeviceCounters, Teller

__all__ = ["DiceDriver", "DiceSettings", "Expected"]


class DiceDriver:
    """One dice reader or shaker, over all its connections.

    Args:
        delivered: the last delivery that the journal holds of it (`Device.delivered`), so that a restart of
            the daemon neither loses nor repeats an event.
        usb_backend: what stands for the USB system; libusb, if not given.
    """

    def __init__(
        self, settings: DiceSettings, tell: Teller, clock: Clock, *, delivered: str = "", usb_backend: Any = None
    ) -> None:
        """Prepares it; nothing is opened before `run`.

        Raises:
            AddressError: the address can't be used.
        """
        duty = DiceDuty(settings.name, settings.dice)
        self._device: Final = LinkedDevice(settings, duty, tell, clock, delivered=delivered, usb_backend=usb_backend)

    @property
    def name(self) -> str:
        """The device's name at this table."""
        return self._device.name

    def command(self, command: Command) -> None:
        """Does nothing: people throw the dice."""
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
