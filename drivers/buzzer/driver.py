"""The driver of a buzzer on our device link: each signal sounds once, in time or not at all."""

from typing import Unpack

from drivers.buzzer.telling import BuzzerDuty
from drivers.duty import LinkSettings
from drivers.linked import Lasting, LinkedDevice
from tablectl.core.ports import Clock, Teller

SOUND_TIMEOUT_S = 5.0
FRESH_S = 3.0


def buzzer_driver(
    settings: LinkSettings,
    tell: Teller,
    clock: Clock,
    *,
    timeout_s: float = SOUND_TIMEOUT_S,
    fresh_s: float = FRESH_S,
    **lasting: Unpack[Lasting],
) -> LinkedDevice:
    """One buzzer, over all its connections; a signal that is asked for again by the same number sounds once.

    Args:
        timeout_s: how long a signal may take.
        fresh_s: how late a signal may begin; later it would mean something else.

    Raises:
        AddressError: the address can't be used.
    """
    return LinkedDevice(settings, BuzzerDuty(settings.name, timeout_s, fresh_s), tell, clock, **lasting)
