"""Wheel position sensors: our own on USB, and encoders behind a US Digital QSB."""

from typing import Final

from drivers.record import Device

DEVICE: Final = Device("wheel", "drivers.sim.wheel:SimulatedWheel", "usb", 0)
QSB: Final = Device("wheel", "drivers.sim.wheel:SimulatedWheel", "qsb", 230_400)
