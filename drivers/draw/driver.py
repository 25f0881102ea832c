"""The driver of a draw system on our device link: each draw is made once and told once."""

from typing import Any

from drivers.draw.settings import DrawSettings, Expected
from drivers.draw.telling import DrawDuty
from drivers.linked import LinkedDevice
from tablectl.core.ports import Clock, Teller

__all__ = ["DrawSettings", "Expected", "draw_driver"]


def draw_driver(
    settings: DrawSettings, tell: Teller, clock: Clock, *, delivered: str = "", usb_backend: Any = None
) -> LinkedDevice:
    """One draw system, over all its connections.

    Args:
        delivered: the last delivery that the journal holds of it (`Device.delivered`), so that a restart of
            the daemon neither loses nor repeats an event.
        usb_backend: what stands for the USB system; libusb, if not given.

    Raises:
        AddressError: the address can't be used.
    """
    duty = DrawDuty(settings.name, settings.timeout_s)
    return LinkedDevice(settings, duty, tell, clock, delivered=delivered, usb_backend=usb_backend)
