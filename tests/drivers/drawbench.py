"""A simulated draw system at a port, and its driver."""

from drivers.draw.codec import DrawFault
from drivers.link.driver import LinkedDevice
from drivers.sim.draw import SimulatedDraw
from tablectl.core.effects import RequestDraw
from tablectl.core.facts import Body
from tablectl.core.facts.reports import DrawCommitted, DrawFailed
from tablectl.core.faults import Code
from tablectl.core.outcomes import Series
from tests.drivers.linkbench import NAME, Bench
from tests.support.told import Told

DRAW_ID = 0x1234_5678_9ABC_DEF0
REQUEST = RequestDraw(DRAW_ID, "t-7")
DrawBench = Bench[SimulatedDraw, LinkedDevice]


def kept(bench: DrawBench, draw_id: int = DRAW_ID) -> DrawCommitted:
    """The fact that the simulator's own memory of a draw would be."""
    series, combination = bench.device._store[draw_id].result
    return DrawCommitted(NAME, draw_id, [Series.UPPER, Series.LOWER][series], combination)


def outcomes(told: Told) -> list[Body]:
    return [body for body in told.bodies if isinstance(body, DrawCommitted | DrawFailed)]


async def told_nothing_more(bench: DrawBench) -> None:
    """What the device says next is the next thing told."""
    bench.device.raise_fault(DrawFault.ENTROPY_SLOW)
    await bench.told.until(lambda: bench.told.raised(Code.DRAW_ENTROPY_SLOW))
