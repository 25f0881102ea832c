"""One simulated device at its port, its cable, and the shape of a fault's trigger."""

from collections.abc import Awaitable, Callable, Mapping
from importlib import import_module
from typing import Any, Final, TypeVar

from drivers.devices import device_of
from drivers.sim.display import SimulatedLed
from drivers.sim.link_device import LinkEnd, SimulatedLinkDevice
from drivers.sim.pty import FarEnd
from drivers.sim.shoe import SimulatedShoe
from drivers.sim.wheel import SimulatedWheel
from tablectl.lazy_dataclass import dataclass

T = TypeVar("T")

Simulator = SimulatedLinkDevice[Any, Any, Any] | SimulatedShoe | SimulatedLed | SimulatedWheel

LINKED_SHOE: Final = "linked_shoe"
"""A shoe on our link, among the devices that can have a fault: an Angel Eye has others."""

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
    def linked(self) -> SimulatedLinkDevice[Any, Any, Any]:
        """The simulator as a device on our link.

        Raises:
            CannotTriggerError: it isn't on our link.
        """
        if not isinstance(self.simulator, SimulatedLinkDevice):
            raise CannotTriggerError("this fault belongs to a device on our link")
        return self.simulator

    @property
    def line(self) -> LinkEnd:
        """Its end of our link; raises as `linked`."""
        return self.linked.line


def simulator_at(port: FarEnd, settings: Mapping[str, Any], *, seed: int, speed: float) -> Simulator:
    """The simulator of a configured device, on this port.

    Args:
        settings: the device's table in the configuration.
        seed: of all that is chance.
        speed: how many of its seconds pass in one; 0 takes no time.

    Raises:
        LookupError: there is no such device.
    """
    module, _, name = device_of(str(settings["kind"]), str(settings["protocol"])).simulator.partition(":")
    made: Simulator = getattr(import_module(module), name).at(port, settings, seed=seed, speed=speed)
    return made


def kind_of(kind: str, protocol: str) -> str:
    """The device's name among triggers."""
    return device_of(kind, protocol).name


Act = Callable[[Stand], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Trigger:
    """The way that one fault comes and goes.

    Args:
        kinds: the devices that can have it.
        begin: brings its cause about.
        end: takes the cause away; None where it is over at once.
        needs: what has to happen at the table before the fault is reported; empty where nothing has to.
    """

    kinds: frozenset[str]
    begin: Act
    end: Act | None = None
    needs: str = ""


async def unplug(stand: Stand) -> None:
    """Pulls the cable."""
    await (stand.simulator if isinstance(stand.simulator, SimulatedWheel) else stand.port).unplug()


async def plug(stand: Stand) -> None:
    """Puts the cable back."""
    stand.port.free()
    await (stand.simulator if isinstance(stand.simulator, SimulatedWheel) else stand.port).plug()
