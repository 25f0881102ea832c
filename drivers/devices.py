"""All kinds of devices, and the fault that a failed link is.

A device's package is imported with its first use, because a table has few of them.
"""

from collections.abc import Container, Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import Final, NamedTuple

from drivers.record import Device
from drivers.transport.serial_tcp import (
    AddressError,
    LinkError,
    PortBusyError,
    PortChangedError,
    PortMissingError,
    PortRefusedError,
    UnansweredError,
    WrongDeviceError,
)
from tablectl.core.effects import Command
from tablectl.core.faults import Code


class Listed(NamedTuple):
    """A kind of device on one wire protocol, and its record as `<module>:<name>`."""

    kind: str
    protocol: str
    record: str


DEVICES: Final[tuple[Listed, ...]] = (
    Listed("shoe", "angel_eye", "drivers.shoe:DEVICE"),
    Listed("shoe", "link", "drivers.shoe:LINK_DEVICE"),
    Listed("shuffler", "link", "drivers.shuffler:DEVICE"),
    Listed("draw", "link", "drivers.draw:DEVICE"),
    Listed("display", "link", "drivers.display:DEVICE"),
    Listed("display", "am03127", "drivers.display:LED_BOARD"),
    Listed("wheel", "qsb", "drivers.wheel:QSB"),
    Listed("wheel", "usb", "drivers.wheel:DEVICE"),
    Listed("dice", "link", "drivers.dice:DEVICE"),
    Listed("buzzer", "link", "drivers.buzzer:DEVICE"),
)


def kinds() -> tuple[str, ...]:
    """The kinds of devices, each once."""
    return tuple(dict.fromkeys(device.kind for device in DEVICES))


def protocols() -> tuple[str, ...]:
    """The protocols that devices speak, each once."""
    return tuple(dict.fromkeys(device.protocol for device in DEVICES))


def linked_kinds() -> tuple[str, ...]:
    """The kinds of devices on our link."""
    return tuple(device.kind for device in DEVICES if device.protocol == "link")


def records() -> tuple[Device, ...]:
    """The records of all devices; this imports every one."""
    return tuple(map(_record, DEVICES))


def linked() -> tuple[Device, ...]:
    """The records of the devices on our link."""
    return tuple(device for device in records() if device.protocol == "link")


def device_of(kind: str, protocol: str) -> Device:
    """The record of a kind of device that speaks this protocol.

    Raises:
        LookupError: there is none.
    """
    for device in DEVICES:
        if (device.kind, device.protocol) == (kind, protocol):
            return _record(device)
    msg = f"there is no {kind} that speaks {protocol}"
    raise LookupError(msg)


def commanded(command: type[Command], present: Container[str]) -> str:
    """The kind of device that carries out a command of this type.

    Args:
        present: the kinds that are asked first, because they are imported already.
    """
    ordered = sorted(DEVICES, key=lambda device: device.kind not in present)
    return next(device.kind for device in ordered if command in _record(device).commands)


@cache
def _record(listed: Listed) -> Device:
    module, _, name = listed.record.partition(":")
    record: Device = getattr(import_module(module), name)
    return record


# A port that can't be had because of its permissions needs the same person as one that isn't there.
_FAULTS: Mapping[type[LinkError], Code] = MappingProxyType(
    {
        AddressError: Code.PORT_MISSING,
        PortMissingError: Code.PORT_MISSING,
        PortRefusedError: Code.PORT_MISSING,
        PortBusyError: Code.PORT_BUSY,
        PortChangedError: Code.PORT_CHANGED,
        UnansweredError: Code.SILENT,
        WrongDeviceError: Code.WRONG_DEVICE,
    }
)


def fault_of(error: Exception) -> Code | None:
    """Return the fault that `error` stands for.

    None where it is no link's error but a mistake in a program.
    """
    return _FAULTS.get(type(error), Code.LINK_LOST) if isinstance(error, LinkError) else None
