"""Draw systems."""

from typing import Final

from drivers.draw.codec import CODEC
from drivers.draw.device import FAULTS, DrawHandler
from drivers.link.identity import Kind
from drivers.record import Device
from tablectl.core.effects import RequestDraw, RunSelfTest

DEVICE: Final = Device(
    "draw",
    "drivers.sim.draw:SimulatedDraw",
    number=Kind.DRAW,
    handler=DrawHandler,
    codec=CODEC,
    faults=FAULTS,
    commands=(RequestDraw, RunSelfTest),
    self_test=RunSelfTest(operation=1),
)
