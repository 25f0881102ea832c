"""The driver of a buzzer on our device link: each signal sounds once, in time or not at all."""

from typing import Any

from drivers.buzzer.settings import BuzzerSettings, Expected
from drivers.buzzer.telling import BuzzerDuty
from drivers.linked import LinkedDevice
from tablectl.core.ports import Clock, Teller

__all__ = ["BuzzerSettings", "Expected", "buzzer_driver"]


def buzzer_driver(
    settings: BuzzerSettings, tell: Teller, clock: Clock, *, delivered: str = "", usb_backend: Any = None
) -> LinkedDevice:
    """One buzzer, over all its connections; a signal that is asked for again by the same number sounds once.

    Args:
        delivered: the last delivery that the journal holds of it (`Device.delivered`), so that a restart of
            the daemon neither loses nor repeats an event.
        usb_backend: what stands for the USB system; libusb, if not given.

    Raises:
        AddressError: the address can't be used.
    """
    duty = BuzzerDuty(settings.name, settings.timeout_s, settings.fresh_s)
    return LinkedDevice(settings, duty, tell, clock, delivered=delivered, usb_backend=usb_backend)
