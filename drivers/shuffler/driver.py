"""The driver of a shuffler on our device link."""

from typing import Unpack

from drivers.duty import LinkSettings
from drivers.linked import Lasting, LinkedDevice
from drivers.shuffler.telling import ShufflerDuty
from tablectl.core.ports import Clock, Teller

SHUFFLE_TIMEOUT_S = 240.0


def shuffler_driver(
    settings: LinkSettings,
    tell: Teller,
    clock: Clock,
    *,
    timeout_s: float = SHUFFLE_TIMEOUT_S,
    **lasting: Unpack[Lasting],
) -> LinkedDevice:
    """One shuffler, over all its connections; a shuffle that is asked for again by the same number is done once.

    Args:
        timeout_s: how long a shuffle may take.

    Raises:
        AddressError: the address can't be used.
    """
    return LinkedDevice(settings, ShufflerDuty(settings.name, timeout_s), tell, clock, **lasting)
