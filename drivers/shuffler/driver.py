"""The driver of a shuffler on our device link."""

from typing import Any

from drivers.linked import LinkedDevice
from drivers.shuffler.settings import Expected, ShufflerSettings
from drivers.shuffler.telling import ShufflerDuty
from tablectl.core.ports import Clock, Teller

__all__ = ["Expected", "ShufflerSettings", "shuffler_driver"]


def shuffler_driver(
    settings: ShufflerSettings, tell: Teller, clock: Clock, *, delivered: str = "", usb_backend: Any = None
) -> LinkedDevice:
    """One shuffler, over all its connections; a shuffle that is asked for again by the same number is done once.

    Args:
        delivered: the last delivery that the journal holds of it (`Device.delivered`), so that a restart of
            the daemon neither loses nor repeats an event.
        usb_backend: what stands for the USB system; libusb, if not given.

    Raises:
        AddressError: the address can't be used.
    """
    duty = ShufflerDuty(settings.name, settings.timeout_s)
    return LinkedDevice(settings, duty, tell, clock, delivered=delivered, usb_backend=usb_backend)
