"""Card shufflers."""

from typing import Final

from drivers.link.identity import Kind
from drivers.record import Device
from drivers.shuffler.codec import CODEC, OrderRedactor
from drivers.shuffler.device import FAULTS, ShufflerHandler
from tablectl.core.effects import ShuffleCards

DEVICE: Final = Device(
    "shuffler",
    "drivers.sim.shuffler:SimulatedShuffler",
    number=Kind.SHUFFLER,
    handler=ShufflerHandler,
    codec=CODEC,
    faults=FAULTS,
    commands=(ShuffleCards,),
    redactor=OrderRedactor,
)
