"""Shoes that read the card they give out: Angel Eye shoes, and shoes on our link."""

from typing import Final

from drivers.link.identity import Kind
from drivers.record import Device
from drivers.shoe.link import CODEC
from drivers.shoe.link_device import FAULTS, LinkedShoeHandler

DEVICE: Final = Device("shoe", "drivers.sim.shoe:SimulatedShoe", "angel_eye", 4800)
LINK_DEVICE: Final = Device(
    "shoe",
    "drivers.sim.shoe:SimulatedLinkedShoe",
    variant="linked_shoe",
    number=Kind.SHOE,
    handler=LinkedShoeHandler,
    codec=CODEC,
    faults=FAULTS,
)
