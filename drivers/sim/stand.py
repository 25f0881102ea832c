"""One simulated device at its port, its cable, and what a trigger of a fault is."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, TypeVar

from drivers.sim.buzzer import SimulatedBuzzer
from drivers.sim.dice import SimulatedDice
from drivers.sim.display import SimulatedDisplay
from drivers.sim.draw import SimulatedDraw
from drivers.sim.ends import FarEnd
from drivers.sim.led import SimulatedLed
from drivers.sim.linked import LinkEnd
from drivers.sim.shoe import SimulatedShoe
from drivers.sim.shoe_link import SimulatedLinkedShoe
from drivers.sim.shuffler import SimulatedShuffler
from drivers.sim.wheel import SimulatedWheel

T = TypeVar("T")

Linked = SimulatedShuffler | SimulatedDice | SimulatedDraw | SimulatedDisplay | SimulatedBuzzer | SimulatedLinkedShoe
Simulator = Linked | SimulatedShoe | SimulatedLed | SimulatedWheel


LINKED_SHOE: Final = "linked_shoe"
"""A shoe on our link, among the kinds of devices that can have a fault: an Angel Eye has others."""

LED_BOARD: Final = "led_board"
"""A display that can't be read back; its cable is all that it can have a fault of."""


class CannotTriggerError(Exception):
    """This fault can't be brought about at this device: why."""


@dataclass(slots=True)
class Stand:
    """One simulated device at its port."""

    simulator: Simulator
    port: FarEnd

    def be(self, kind: type[T]) -> T:
        """The simulator as one of this kind.

        Raises:
            CannotTriggerError: it is none.
        """
        if not isinstance(self.simulator, kind):
            msg = f"this fault belongs to a {kind.__name__.removeprefix('Simulated').lower()}"
            raise CannotTriggerError(msg)
        return self.simulator

    @property
    def line(self) -> LinkEnd:
        """Its end of our link.

        Raises:
            CannotTriggerError: it isn't on our link.
        """
        if isinstance(self.simulator, SimulatedShoe | SimulatedLed | SimulatedWheel):
            raise CannotTriggerError("this fault belongs to a device on our link")
        return self.simulator.line


def kind_of(kind: str, protocol: str) -> str:
    """What a device is, as triggers name it."""
    return {("shoe", "link"): LINKED_SHOE, ("display", "am03127"): LED_BOARD}.get((kind, protocol), kind)


Act = Callable[[Stand], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Trigger:
    """How one fault comes and goes.

    Args:
        kinds: the devices that can have it.
        begin: brings its cause about.
        end: takes the cause away; None where it is over at once.
        needs: what has to happen at the table before the fault is told; empty where nothing has to.
    """

    kinds: frozenset[str]
    begin: Act
    end: Act | None = None
    needs: str = ""


async def unplug(stand: Stand) -> None:
    """Pulls the cable."""
    if isinstance(stand.simulator, SimulatedWheel):
        await stand.simulator.unplug()
    else:
        await stand.port.unplug()


async def plug(stand: Stand) -> None:
    """Puts the cable back."""
    stand.port.free()
    if isinstance(stand.simulator, SimulatedWheel):
        await stand.simulator.plug()
    else:
        await stand.port.plug()
