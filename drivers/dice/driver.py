"""The driver of a dice reader or shaker on our device link: each throw is told once, and one that is flawed says so."""

from typing import Any

from drivers.dice.settings import DiceSettings, Expected
from drivers.dice.telling import DiceDuty
from drivers.linked import LinkedDevice
from tablectl.core.ports import Clock, Teller

__all__ = ["DiceSettings", "Expected", "dice_driver"]


def dice_driver(
    settings: DiceSettings, tell: Teller, clock: Clock, *, delivered: str = "", usb_backend: Any = None
) -> LinkedDevice:
    """One dice reader or shaker, over all its connections; people throw the dice, so it takes no command.

    Args:
        delivered: the last delivery that the journal holds of it (`Device.delivered`), so that a restart of
            the daemon neither loses nor repeats an event.
        usb_backend: what stands for the USB system; libusb, if not given.

    Raises:
        AddressError: the address can't be used.
    """
    duty = DiceDuty(settings.name, settings.dice)
    return LinkedDevice(settings, duty, tell, clock, delivered=delivered, usb_backend=usb_backend)
