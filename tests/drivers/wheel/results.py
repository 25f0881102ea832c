"""A spin, and what the wheel's driver told of it."""

from drivers.sim.wheel import SimulatedWheel
from tablectl.core.facts.reports import SpinStopped
from tablectl.core.outcomes import Spin
from tests.support.told import Told

NAME = "wheel"


async def result(told: Told, number: int = 1) -> Spin:
    """The result of the spin of this number, once it is told."""
    return (await told.nth(SpinStopped, number)).spin


async def spin_once(wheel: SimulatedWheel) -> None:
    """Some sixteen seconds of a wheel's own time."""
    await wheel.spin(7.0)
