"""Which fault of the catalogue a failed link is."""

from collections.abc import Mapping
from types import MappingProxyType

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
from tablectl.core.faults import Code

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
