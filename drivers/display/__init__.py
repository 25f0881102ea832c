"""Displays of a draw: on our link, and LED boards."""

from typing import Final

from drivers.display.codec import CODEC
from drivers.display.device import FAULTS, DisplayHandler
from drivers.link.identity import Kind
from drivers.record import Device
from tablectl.core.effects import BlankDisplay, ShowDraw, ShowTestPattern

_COMMANDS: Final = (ShowDraw, BlankDisplay, ShowTestPattern)

DEVICE: Final = Device(
    "display",
    "drivers.sim.display:SimulatedDisplay",
    number=Kind.DISPLAY,
    handler=DisplayHandler,
    codec=CODEC,
    faults=FAULTS,
    commands=_COMMANDS,
    self_test=ShowTestPattern(operation=1),
)
LED_BOARD: Final = Device(
    "display",
    "drivers.sim.display:SimulatedLed",
    "am03127",
    9600,
    variant="led_board",
    commands=_COMMANDS,
    self_test=ShowTestPattern(operation=1),
)
