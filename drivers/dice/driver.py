"""The driver of a dice reader or shaker on our device link: each throw is told once, and one that is flawed says so."""

from typing import Unpack

from drivers.dice.telling import DiceDuty
from drivers.duty import LinkSettings
from drivers.linked import Lasting, LinkedDevice
from tablectl.core.ports import Clock, Teller


def dice_driver(
    settings: LinkSettings, tell: Teller, clock: Clock, *, dice: int = 3, **lasting: Unpack[Lasting]
) -> LinkedDevice:
    """One dice reader or shaker, over all its connections; people throw the dice, so it takes no command.

    Args:
        dice: how many dice one throw has.

    Raises:
        AddressError: the address can't be used.
    """
    return LinkedDevice(settings, DiceDuty(settings.name, dice), tell, clock, **lasting)
