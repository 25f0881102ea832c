"""A device that isn't shipped: the contact of a cabinet's door, which shows what a new device takes."""

from typing import Final

from drivers.record import Device
from tests.extension.door_contact.codec import CODEC
from tests.extension.door_contact.device import FAULTS, NUMBER, DoorContactHandler

DEVICE: Final = Device(
    "door_contact",
    "tests.extension.door_contact.simulator:SimulatedDoorContact",
    number=NUMBER,
    handler=DoorContactHandler,
    codec=CODEC,
    faults=FAULTS,
)
