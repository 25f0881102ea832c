"""The devices on our link as the contract asks them: a new device's tests are one more entry."""

from dataclasses import dataclass
from typing import Final

from drivers import buzzer, dice, display, draw, shoe, shuffler
from drivers.record import Device
from tablectl.core.effects import (
    BlankDisplay,
    Command,
    RequestDraw,
    RunSelfTest,
    ShowDraw,
    ShowTestPattern,
    ShuffleCards,
    Signal,
    SoundSignal,
)
from tablectl.core.faults import Code
from tablectl.core.outcomes import Series
from tests.extension import door_contact


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What the contract has to know of a device besides its record.

    Args:
        called: its kind, as people are told.
        faults: the number of the catalogue for each of its own.
        otherwise: the fault of a number that nobody knows.
        found: the faults that its driver finds, which a restart ends.
        keeps_faults: whether what it reported stands until it says otherwise, restarted or not.
        status: the report in which its driver notes its state once it is attached; empty where there is none.
    """

    device: Device
    called: str
    faults: dict[int, int]
    otherwise: Code = Code.UNKNOWN_MESSAGE
    found: tuple[Code, ...] = ()
    keeps_faults: bool = False
    status: str = ""

    def code(self, number: int) -> Code:
        """The fault of the catalogue that this number of the device is."""
        return Code(self.faults.get(number, self.otherwise))


ENTRIES: Final = (
    Entry(
        device=shuffler.DEVICE,
        called="shuffler",
        faults={**{number: 300 + number for number in range(1, 16)}, 255: 317},
        otherwise=Code.SHUFFLER_UNKNOWN_ERROR,
        keeps_faults=True,
    ),
    Entry(
        device=draw.DEVICE,
        called="draw system",
        faults={1: 401, 2: 402, 3: 403, 4: 404, 5: 409},
        otherwise=Code.DRAW_UNKNOWN_ERROR,
        found=(Code.DRAW_TIMEOUT,),
        status="rng_status",
    ),
    Entry(
        device=display.DEVICE,
        called="display",
        faults={1: 411, 2: 412},
        otherwise=Code.DRAW_UNKNOWN_ERROR,
        found=(Code.DISPLAY_MISMATCH,),
    ),
    Entry(
        device=dice.DEVICE,
        called="dice reader",
        faults={number: 600 + number for number in range(1, 11)},
        status="dice_status",
    ),
    Entry(device=buzzer.DEVICE, called="buzzer", faults={number: 620 + number for number in range(1, 5)}),
    Entry(
        device=shoe.LINK_DEVICE,
        called="shoe",
        faults={**{number: 200 + number for number in range(1, 9)}, 9: 212},
        otherwise=Code.SHOE_UNKNOWN_ERROR,
        status="shoe_status",
    ),
    Entry(device=door_contact.DEVICE, called="device of kind 6", faults={1: 111}, status="door_status"),
)

COMMANDS: Final[tuple[Command, ...]] = (
    ShuffleCards(1),
    RequestDraw(1, "t-1"),
    RunSelfTest(1),
    SoundSignal(1, Signal.TIME_IS_UP),
    ShowDraw(1, Series.UPPER, 3),
    BlankDisplay(1),
    ShowTestPattern(1),
)
"""One of each that a table gives."""
