"""The driver of a display, on our device link or an LED board: a draw counts as shown once the display says so."""

from typing import Any

from drivers.display.connection import LedBoard
from drivers.display.settings import DisplaySettings, Expected, Protocol
from drivers.display.telling import DisplayDuty
from drivers.linked import LinkedDevice
from tablectl.core.ports import Clock, Teller

__all__ = ["DisplaySettings", "Expected", "Protocol", "display_driver"]


def display_driver(
    settings: DisplaySettings, tell: Teller, clock: Clock, *, delivered: str = "", usb_backend: Any = None
) -> LinkedDevice | LedBoard:
    """One display, over all its connections.

    Args:
        delivered: the last delivery that the journal holds of it (`Device.delivered`), so that a restart of
            the daemon neither loses nor repeats an event.
        usb_backend: what stands for the USB system; libusb, if not given.

    Raises:
        AddressError: the address can't be used.
        ValueError: an LED board's number or texts can't be.
    """
    if settings.protocol is Protocol.AM03127:
        return LedBoard(settings, tell, clock)
    duty = DisplayDuty(settings.name)
    return LinkedDevice(settings, duty, tell, clock, delivered=delivered, usb_backend=usb_backend)
