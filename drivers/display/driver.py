"""The driver of a display, on our device link or an LED board: a draw counts as shown once the display says so."""

from typing import Unpack

from drivers.display.board import Board
from drivers.display.connection import LedBoard
from drivers.display.telling import DisplayDuty
from drivers.duty import LinkSettings
from drivers.linked import Lasting, LinkedDevice
from tablectl.core.ports import Clock, Teller


def display_driver(
    settings: LinkSettings, tell: Teller, clock: Clock, *, board: Board | None = None, **lasting: Unpack[Lasting]
) -> LinkedDevice | LedBoard:
    """One display, over all its connections.

    Args:
        board: the LED board that it is; None where it is on our link. A board says nothing of itself, so it can't
            be compared with the approved device.

    Raises:
        AddressError: the address can't be used.
        ValueError: an LED board's number or texts can't be.
    """
    if board is not None:
        return LedBoard(settings, board, tell, clock)
    return LinkedDevice(settings, DisplayDuty(settings.name), tell, clock, **lasting)
