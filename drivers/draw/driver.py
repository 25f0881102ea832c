"""The driver of a draw system on our device link: each draw is made once and told once."""

from typing import Unpack

from drivers.draw.telling import DrawDuty
from drivers.duty import LinkSettings
from drivers.linked import Lasting, LinkedDevice
from tablectl.core.ports import Clock, Teller

DRAW_TIMEOUT_S = 5.0


def draw_driver(
    settings: LinkSettings, tell: Teller, clock: Clock, *, timeout_s: float = DRAW_TIMEOUT_S, **lasting: Unpack[Lasting]
) -> LinkedDevice:
    """One draw system, over all its connections.

    Args:
        timeout_s: how long a draw may take.

    Raises:
        AddressError: the address can't be used.
    """
    return LinkedDevice(settings, DrawDuty(settings.name, timeout_s), tell, clock, **lasting)
