"""USB devices that belong to the table or its machine.

A device belongs where its numbers or its socket are a configured device's and it can do nothing but carry data. A
keyboard in the shuffler's socket is not the shuffler, whatever its numbers are.
"""

import re
from collections.abc import Sequence
from enum import Enum
from typing import Final

from tablectl.lazy_dataclass import dataclass

HUB_CLASS: Final = 0x09
DATA_CLASSES: Final = frozenset({(0x02, 0x02), (0x0A, 0x00), (0xFF, None)})
"""What a device of a table is made of, as class and subclass: CDC-ACM (USB CDC 1.2), its data, the vendor's own."""

NAME_MOST: Final = 60
TOLD_MOST: Final = 4

_ID: Final = re.compile(r"([0-9a-f]{4}):([0-9a-f]{4})(?::(.+))?", re.IGNORECASE)
_BY_PATH: Final = re.compile(r"(?P<controller>.+)-usb(?:v[23])?-0:(?P<socket>[0-9.]+):\d+\.\d+(?:-port\d+)?")
_BY_ID: Final = re.compile(r"(?:usb-(?P<whole>.+)-if[0-9a-f]{2}(?:-port\d+)?|(?P<serial>.+)-[0-9a-f]{2})")
_NO_PATH: Final = re.compile(r"[^0-9A-Za-z#+\-.:=@_/]")


@dataclass(frozen=True, slots=True)
class UsbDevice:
    """A device as the kernel lists it.

    Args:
        name: its bus and sockets, as `1-2.4`.
        controller: what its bus hangs on, as `0000:00:08.0`; empty where that isn't known.
        serial: None where it was gone before anybody could ask.
        class_: the whole device's; 0 where each interface has its own.
        interfaces: class and subclass of each that is there already.
        ttys: the serial ports that it is behind, as `ttyUSB0`.
    """

    name: str
    vendor: int
    product: int
    serial: str | None = ""
    maker: str = ""
    model: str = ""
    controller: str = ""
    class_: int = 0
    interfaces: tuple[tuple[int, int], ...] = ()
    ttys: tuple[str, ...] = ()

    @property
    def socket(self) -> str:
        """The sockets from the controller to it, as `2.4`."""
        return self.name.partition("-")[2]

    @property
    def is_hub(self) -> bool:
        """Return True if it is a hub and nothing else."""
        return self.class_ == HUB_CLASS and all(kind == HUB_CLASS for kind, _ in self.interfaces)

    @property
    def only_carries_data(self) -> bool:
        """Return True if all its interfaces so far are those of a table's devices."""
        return all((kind, sub) in DATA_CLASSES or (kind, None) in DATA_CLASSES for kind, sub in self.interfaces)

    def __str__(self) -> str:
        """Numbers, names, serial number and socket, for people."""
        named = _shown(" ".join(part for part in (self.maker, self.model) if part))
        serial = f"serial {_shown(self.serial)}" if self.serial else "no serial number"
        parts = (f"{self.vendor:04x}:{self.product:04x}", named, serial, f"socket {self.name}")
        return ", ".join(part for part in parts if part)


class Word(Enum):
    """Verdict on a device."""

    KNOWN = "it belongs here"
    WAITS = "it may be an adapter whose serial port isn't there yet"
    STRANGE = "nobody expects it"


@dataclass(frozen=True, slots=True)
class Expected:
    """Devices that the configuration knows.

    Args:
        ports: of the table's devices, as `usb:<vendor>:<product>[:<serial>]` or `serial:<path>`.
        others: what belongs to the machine, as `<vendor>:<product>[:<serial>]`.
        ttys: the serial ports that the paths lead to now, as `ttyUSB0`.
    """

    ports: Sequence[str] = ()
    others: Sequence[str] = ()
    ttys: frozenset[str] = frozenset()

    def judge(self, device: UsbDevice) -> Word:
        """Judge a device."""
        if device.is_hub or any(_has_numbers(device, one) for one in self.others):
            return Word.KNOWN
        if not device.only_carries_data:
            return Word.STRANGE
        if any(_is_at(device, port) for port in self.ports) or self.ttys.intersection(device.ttys):
            return Word.KNOWN
        return Word.WAITS if any(map(_says_nothing, self.ports)) else Word.STRANGE


def describe(devices: Sequence[UsbDevice]) -> str:
    """Return devices as a text of bounded length for people."""
    more = f"; and {len(devices) - TOLD_MOST} more" if len(devices) > TOLD_MOST else ""
    return "; ".join(map(str, devices[:TOLD_MOST])) + more


def _is_at(device: UsbDevice, port: str) -> bool:
    scheme, _, where = port.partition(":")
    if scheme == "usb":
        return _has_numbers(device, where)
    name = where.rpartition("/")[2]
    if scheme != "serial" or _says_nothing(port):
        return False
    if "/by-path/" in where:
        return _is_in_socket(device, name)
    return _is_named(device, name)


def _has_numbers(device: UsbDevice, wanted: str) -> bool:
    found = _ID.fullmatch(wanted)
    if found is None or (device.vendor, device.product) != (int(found[1], 16), int(found[2], 16)):
        return False
    return found[3] is None or device.serial in {None, found[3]}


def _is_in_socket(device: UsbDevice, name: str) -> bool:
    """Return True if the device is in the socket of a udev name.

    Source: ID_PATH, udev-builtin-path_id.
    """
    found = _BY_PATH.fullmatch(name)
    return (
        found is not None and found["socket"] == device.socket and found["controller"].endswith(device.controller or "")
    )


def _is_named(device: UsbDevice, name: str) -> bool:
    """Return True if a udev name holds the device's serial number.

    Source: ID_SERIAL, ID_SERIAL_SHORT, written as udev writes it.
    """
    found = _BY_ID.fullmatch(name)
    if found is None or device.serial == "":
        return False
    if device.serial is None:
        return True
    mangled = _NO_PATH.sub("_", device.serial.strip())
    return found["serial"] == mangled or bool(found["whole"] and found["whole"].endswith(f"_{mangled}"))


def _says_nothing(port: str) -> bool:
    """Return True if a port's name doesn't identify its device, as `/dev/ttyUSB0`."""
    return port.startswith("serial:/") and "/by-path/" not in port and "/by-id/" not in port


def _shown(text: str) -> str:
    """A stranger's own words, on one line and not too long."""
    shown = "".join(sign if sign.isprintable() else "\ufffd" for sign in text)
    return shown if len(shown) <= NAME_MOST else shown[: NAME_MOST - 1] + "…"
