"""Buzzers."""

from typing import Final

from drivers.buzzer.codec import CODEC
from drivers.buzzer.device import FAULTS, BuzzerHandler
from drivers.link.identity import Kind
from drivers.record import Device
from tablectl.core.effects import SoundSignal

DEVICE: Final = Device(
    "buzzer",
    "drivers.sim.buzzer:SimulatedBuzzer",
    number=Kind.BUZZER,
    handler=BuzzerHandler,
    codec=CODEC,
    faults=FAULTS,
    commands=(SoundSignal,),
)
