"""All kinds of devices; whoever needs a list of them derives it from here."""

from typing import Final

from drivers import buzzer, dice, display, draw, shoe, shuffler, wheel
from drivers.record import Device
from tablectl.core.effects import Command

DEVICES: Final[tuple[Device, ...]] = (
    shoe.DEVICE,
    shoe.LINK_DEVICE,
    shuffler.DEVICE,
    draw.DEVICE,
    display.DEVICE,
    display.LED_BOARD,
    wheel.QSB,
    wheel.DEVICE,
    dice.DEVICE,
    buzzer.DEVICE,
)


def kinds() -> tuple[str, ...]:
    """The kinds of devices, each once."""
    return tuple(dict.fromkeys(device.kind for device in DEVICES))


def linked() -> tuple[Device, ...]:
    """The devices on our link."""
    return tuple(device for device in DEVICES if device.protocol == "link")


def device_of(kind: str, protocol: str) -> Device:
    """The record of a kind of device that speaks this protocol.

    Raises:
        LookupError: there is none.
    """
    for device in DEVICES:
        if (device.kind, device.protocol) == (kind, protocol):
            return device
    msg = f"there is no {kind} that speaks {protocol}"
    raise LookupError(msg)


def commanded(command: type[Command]) -> str:
    """The kind of device that carries a command of this type out."""
    return next(device.kind for device in DEVICES if command in device.commands)
