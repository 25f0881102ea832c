"""How each fault of the catalogue is brought about: what a simulated device or its cable has to do for it.

A fault that no simulator can bring about has its reason beside the table; a test sees to it that every device fault
of the catalogue is in one of the two.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from drivers.sim.stand import CannotTriggerError as CannotTriggerError
from drivers.sim.stand import Stand as Stand
from drivers.sim.stand import Trigger as Trigger
from drivers.sim.stand import kind_of as kind_of
from drivers.sim.stand import plug as plug
from drivers.sim.stand import unplug as unplug
from drivers.sim.trigger_cards import SHOE, SHUFFLER
from drivers.sim.trigger_links import LINKS
from drivers.sim.trigger_results import DICE_AND_BUZZER, DRAW, WHEEL
from tablectl.core.faults import Code

TRIGGERS: Final[Mapping[Code, Trigger]] = MappingProxyType(
    {**LINKS, **SHOE, **SHUFFLER, **DRAW, **WHEEL, **DICE_AND_BUZZER}
)

NOT_HERE: Final[Mapping[Code, str]] = MappingProxyType(
    {
        Code.SHOE_CARDS_DISAGREE: "a person at the console names other cards than the shoe read",
        Code.WHEEL_QUADRATURE: "a QSB says nothing of it; our USB sensor does, whose bus is simulated inside a test",
        Code.WHEEL_ENCODER_WORD: "a QSB says nothing of it; our USB sensor does, whose bus is simulated inside a test",
        Code.WHEEL_SECOND_SENSOR: "no second sensor is connected, so no driver reports it",
        Code.WHEEL_CALIBRATION: "a table of pegs that can't be used stops the start; no driver reports it",
    }
)
"""Why a fault can't come from a simulator at a port."""


def trigger_for(code: int, kind: str) -> Trigger:
    """How the fault of this number is brought about at a device of this kind.

    Raises:
        CannotTriggerError: there is no such fault, or it can't be brought about there.
    """
    known = next((item for item in Code if item == code), None)
    if known is None:
        raise CannotTriggerError(f"the catalogue has no fault {code}")
    trigger = TRIGGERS.get(known)
    if trigger is None:
        raise CannotTriggerError(f"fault {code} has no trigger: {NOT_HERE.get(known, 'it is no fault of a device')}")
    if kind not in trigger.kinds:
        raise CannotTriggerError(
            f"fault {code} can't come from a {kind}, only from: {', '.join(sorted(trigger.kinds))}"
        )
    return trigger
