"""Dice readers and shakers."""

from typing import Final

from drivers.dice.codec import CODEC
from drivers.dice.device import FAULTS, DiceHandler
from drivers.link.identity import Kind
from drivers.record import Device

DEVICE: Final = Device(
    "dice", "drivers.sim.dice:SimulatedDice", number=Kind.DICE, handler=DiceHandler, codec=CODEC, faults=FAULTS
)
