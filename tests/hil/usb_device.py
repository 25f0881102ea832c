"""What USB devices are, by their descriptors: the ones that a table has, and one that nobody expects."""

import struct
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from drivers.sim.usb import VENDOR

CDC_PRODUCT: Final = 0x0003
SENSOR_PRODUCT: Final = 0x0001
LINK_PRODUCT: Final = 0x0002
KEYBOARDS: Final = 0x046D
DATA_IN, DATA_OUT, NOTICES = 0x82, 0x02, 0x83
VENDOR_IN, VENDOR_OUT = 0x81, 0x01
BULK, INTERRUPT = 2, 3
_STRING: Final = 3

_CDC = bytes((5, 0x24, 0, 0x10, 1, 5, 0x24, 1, 0, 1, 4, 0x24, 2, 2, 5, 0x24, 6, 0, 1))
"""Descriptors of a serial adapter by the class of communication devices: header, calls, what it can, the union."""


class Speed(IntEnum):
    """Of the device."""

    FULL = 1
    HIGH = 2


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One end of a pipe.

    Args:
        address: from 0x80 on to the host.
        kind: `BULK` or `INTERRUPT`.
        size: of its largest packet.
    """

    address: int
    kind: int
    size: int
    interval: int = 0


@dataclass(frozen=True, slots=True)
class Interface:
    """What one of a device's functions is.

    Args:
        class_: class, subclass and protocol.
        extra: descriptors of the class.
    """

    class_: tuple[int, int, int]
    endpoints: tuple[Endpoint, ...]
    extra: bytes = b""


@dataclass(frozen=True, slots=True)
class About:
    """What a device's descriptors say."""

    vendor: int
    product: int
    maker: str
    model: str
    serial: str
    interfaces: tuple[Interface, ...]
    class_: tuple[int, int, int] = (0, 0, 0)
    speed: Speed = Speed.HIGH

    def device(self) -> bytes:
        """The device's descriptor."""
        about = (18, 1, 0x0200, *self.class_, 64, self.vendor, self.product, 0x0100, 1, 2, 3, 1)
        return struct.pack("<BBHBBBBHHHBBBB", *about)

    def configuration(self) -> bytes:
        """The only configuration's, with all that is in it."""
        body = b""
        for number, one in enumerate(self.interfaces):
            body += struct.pack("<9B", 9, 4, number, 0, len(one.endpoints), *one.class_, 0) + one.extra
            for end in one.endpoints:
                body += struct.pack("<BBBBHB", 7, 5, end.address, end.kind, end.size, end.interval)
        return struct.pack("<BBHBBBBB", 9, 2, 9 + len(body), len(self.interfaces), 1, 0, 0x80, 50) + body

    def string(self, number: int) -> bytes | None:
        """One of its names."""
        if number == 0:
            return b"\x04\x03\x09\x04"
        if number > 3:
            return None
        text = (self.maker, self.model, self.serial)[number - 1].encode("utf-16-le")
        return bytes((len(text) + 2, _STRING)) + text


def adapter(serial: str, *, speed: Speed = Speed.HIGH) -> About:
    """A USB serial adapter by the standard's own class (CDC-ACM)."""
    size = 512 if speed is Speed.HIGH else 64
    control = Interface((2, 2, 1), (Endpoint(NOTICES, INTERRUPT, 16, 8),), _CDC)
    data = Interface((10, 0, 0), (Endpoint(DATA_OUT, BULK, size), Endpoint(DATA_IN, BULK, size)))
    return About(VENDOR, CDC_PRODUCT, "tablectl", "adapter", serial, (control, data), (2, 0, 0), speed)


def linked(serial: str) -> About:
    """A device on our link over USB."""
    pair = (Endpoint(VENDOR_OUT, BULK, 512), Endpoint(VENDOR_IN, BULK, 512))
    return About(VENDOR, LINK_PRODUCT, "tablectl", "simulated", serial, (Interface((0xFF, 0, 0), pair),))


def sensor(maker: str, model: str, serial: str) -> About:
    """A wheel's sensor."""
    one = Interface((0xFF, 0, 0), (Endpoint(VENDOR_IN, BULK, 512),))
    return About(VENDOR, SENSOR_PRODUCT, maker, model, serial, (one,))


def keyboard(product: int, serial: str) -> About:
    """A keyboard, which no table has a use for."""
    report = bytes((9, 0x21, 0x11, 1, 0, 1, 0x22, 63, 0))
    one = Interface((3, 1, 1), (Endpoint(0x81, INTERRUPT, 8, 10),), report)
    return About(KEYBOARDS, product, "Somebody", "USB Keyboard", serial, (one,))
