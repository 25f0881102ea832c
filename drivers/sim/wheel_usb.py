# pyright: reportIncompatibleMethodOverride=false
"""A simulated USB system in this process with wheel sensors on it: what pyusb asks of libusb, it asks of this."""

import array
import asyncio
import errno
import math
import random
import struct
import threading
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import usb.backend
import usb.core

from drivers.wheel.readings import Defect, Reading
from drivers.wheel.usb_sensor import (
    ENDPOINT_IN,
    MAX_TRANSFER,
    Packet,
    SensorIdentity,
    encode_identity,
    encode_packet,
)

VENDOR, PRODUCT = 0x1209, 0x0001  # for private tests; a device that is sold has numbers of its own
IDLE_S = 0.05
IN_A_PACKET = 16
_SPAN = 1 << 32
_STRING, _ENGLISH = 0x03, 0x0409


@dataclass(slots=True)
class UsbPlug:
    """One device on the simulated bus; `send` may be called from any thread."""

    identity: SensorIdentity
    vendor: int = VENDOR
    product: int = PRODUCT
    transfers: deque[bytes] = field(default_factory=deque[bytes])
    present: bool = True
    stalled: bool = False
    taken: bool = False
    news: threading.Condition = field(default_factory=threading.Condition)

    def send(self, *packets: Packet) -> None:
        """Has packets ready for the host."""
        self.send_bytes(*[encode_packet(packet) for packet in packets])

    def send_bytes(self, *transfers: bytes) -> None:
        """Has transfers ready, whatever is in them."""
        with self.news:
            self.transfers.extend(transfers)
            self.news.notify_all()

    def unplug(self) -> None:
        """Pulls it out: what the host had not read is lost."""
        with self.news:
            self.present = False
            self.transfers.clear()
            self.news.notify_all()

    def plug(self) -> None:
        """Plugs it in again."""
        with self.news:
            self.present, self.taken = True, False

    def stall(self) -> None:
        """Gives the host nothing, as a hub that hangs."""
        self.stalled = True

    def resume(self) -> None:
        """Gives all at once."""
        with self.news:
            self.stalled = False
            self.news.notify_all()

    def take(self, timeout_s: float) -> bytes:
        """The next transfer.

        Raises:
            USBError: the device is gone, or there was none in time.
        """
        with self.news:
            self.news.wait_for(lambda: not self.present or (self.transfers and not self.stalled), timeout_s)
            if not self.present:
                raise _gone()
            if self.stalled or not self.transfers:
                raise usb.core.USBTimeoutError("timed out", None, errno.ETIMEDOUT)
            return self.transfers.popleft()


class SimulatedUsb(usb.backend.IBackend):  # type: ignore[misc]  # pyusb has no types
    """The USB system, as pyusb's backend."""

    def __init__(self, *plugs: UsbPlug) -> None:
        super().__init__()
        self.plugs = plugs

    def enumerate_devices(self) -> list[UsbPlug]:
        """What is plugged in."""
        return [plug for plug in self.plugs if plug.present]

    def get_parent(self, dev: UsbPlug) -> None:
        """No hub is simulated."""
        del dev

    def get_device_descriptor(self, dev: UsbPlug) -> Any:
        """The device's."""
        return SimpleNamespace(
            bLength=18, bDescriptorType=1, bcdUSB=0x0200, bDeviceClass=0, bDeviceSubClass=0, bDeviceProtocol=0,
            bMaxPacketSize0=64, idVendor=dev.vendor, idProduct=dev.product, bcdDevice=0x0100, iManufacturer=1,
            iProduct=2, iSerialNumber=3, bNumConfigurations=1, address=self.plugs.index(dev) + 1, bus=1,
            port_number=1, port_numbers=(1,), speed=3,
        )  # fmt: skip

    def get_configuration_descriptor(self, dev: UsbPlug, config: int) -> Any:
        """The only one."""
        del dev
        return _at(config, bLength=9, bDescriptorType=2, wTotalLength=25, bNumInterfaces=1, bConfigurationValue=1,
                   iConfiguration=0, bmAttributes=0x80, bMaxPower=50, extra_descriptors=b"")  # fmt: skip

    def get_interface_descriptor(self, dev: UsbPlug, intf: int, alt: int, config: int) -> Any:
        """The only one."""
        del dev
        return _at(intf + alt + config, bLength=9, bDescriptorType=4, bInterfaceNumber=0, bAlternateSetting=0,
                   bNumEndpoints=1, bInterfaceClass=0xFF, bInterfaceSubClass=0, bInterfaceProtocol=0, iInterface=0,
                   extra_descriptors=b"")  # fmt: skip

    def get_endpoint_descriptor(self, dev: UsbPlug, ep: int, intf: int, alt: int, config: int) -> Any:
        """The only one: bulk, to the host."""
        del dev
        return _at(ep + intf + alt + config, bLength=7, bDescriptorType=5, bEndpointAddress=ENDPOINT_IN, bmAttributes=2,
                   wMaxPacketSize=MAX_TRANSFER, bInterval=0, bRefresh=0, bSynchAddress=0,
                   extra_descriptors=b"")  # fmt: skip

    def open_device(self, dev: UsbPlug) -> UsbPlug:
        """Fails when it is gone."""
        return _there(dev)

    def close_device(self, dev_handle: UsbPlug) -> None:
        """Nothing is kept open."""
        del dev_handle

    def set_configuration(self, dev_handle: UsbPlug, config_value: int) -> None:
        """Fails when it is gone."""
        del config_value
        _there(dev_handle)

    def get_configuration(self, dev_handle: UsbPlug) -> int:
        """The only one."""
        _there(dev_handle)
        return 1

    def claim_interface(self, dev_handle: UsbPlug, intf: int) -> None:
        """Fails when it is taken."""
        del intf
        if _there(dev_handle).taken:
            raise usb.core.USBError("Resource busy", None, errno.EBUSY)
        dev_handle.taken = True

    def release_interface(self, dev_handle: UsbPlug, intf: int) -> None:
        """Another may take it."""
        del intf
        dev_handle.taken = False

    def bulk_read(self, dev_handle: UsbPlug, ep: int, intf: int, buff: "array.array[int]", timeout: int) -> int:
        """The next transfer."""
        del ep, intf
        return _fill(buff, dev_handle.take(timeout / 1000))

    def ctrl_transfer(
        self,
        dev_handle: UsbPlug,
        bmRequestType: int,  # noqa: N803
        bRequest: int,  # noqa: N803
        wValue: int,  # noqa: N803
        wIndex: int,  # noqa: N803
        data: "array.array[int]",
        timeout: int,
    ) -> int:
        """Its names, and who it is."""
        del wIndex, timeout
        match bmRequestType, bRequest:
            case 0x80, 0x06 if wValue >> 8 == _STRING:
                return _fill(data, _string(_there(dev_handle).identity, wValue & 0xFF))
            case 0xC0, 1:
                return _fill(data, encode_identity(_there(dev_handle).identity))
            case _:
                raise usb.core.USBError("Pipe error", None, errno.EPIPE)


def _there(plug: UsbPlug) -> UsbPlug:
    if not plug.present:
        raise _gone()
    return plug


def _gone() -> usb.core.USBError:
    return usb.core.USBError("No such device (it may have been disconnected)", None, errno.ENODEV)


def _at(number: int, **descriptor: object) -> Any:
    """The only descriptor of its kind."""
    if number:
        raise IndexError(number)
    return SimpleNamespace(**descriptor)


def _string(identity: SensorIdentity, number: int) -> bytes:
    if not number:
        return struct.pack("<BBH", 4, _STRING, _ENGLISH)
    text = (identity.maker, identity.model, identity.serial)[number - 1].encode("utf-16-le")
    return bytes((2 + len(text), _STRING)) + text


def _fill(buffer: "array.array[int]", data: bytes) -> int:
    buffer[: len(data)] = array.array("B", data)
    return len(data)


class SimulatedSensor:
    """A sensor on the simulated bus and the wheel that it looks at; it sends at rest too, until `stop`.

    Args:
        noise_counts: how far the encoder's edges are off, at most.
    """

    def __init__(self, plug: UsbPlug, *, seed: int = 0, angle_deg: float = 3.0, noise_counts: float = 0.6) -> None:
        self.plug = plug
        self.angle_deg = angle_deg
        self._random = random.Random(seed)
        self._noise = noise_counts
        self._loop = asyncio.get_running_loop()
        self._at_us = self._seq = self._index_number = self._index_count = 0
        self._turns: int = math.floor(angle_deg / 360.0)
        self._begins = 0 if plug.identity.absolute else self._random.randrange(_SPAN)
        self._sent_s = self._loop.time()
        self._alarm = self._loop.call_soon(self._idle)

    def follow(self, angles_deg: Iterable[float], *, lost: range = range(0), defect: Defect = Defect.NONE) -> None:
        """Turns the wheel through these angles, one for each interval, as fast as the host can read.

        Args:
            lost: the numbers of the packets that don't arrive.
            defect: what it says is wrong with the first reading.
        """
        angles = list(angles_deg)
        for number, first in enumerate(range(0, len(angles), IN_A_PACKET)):
            packet = self._packet(angles[first : first + IN_A_PACKET], defect if not number else Defect.NONE)
            if number not in lost:
                self.plug.send(packet)

    def stop(self) -> None:
        """Sends no more."""
        self._alarm.cancel()

    def _idle(self) -> None:
        now_s = self._loop.time()
        steps = max(1, int((now_s - self._sent_s) * 1_000_000) // self.plug.identity.interval_us)
        self._sent_s = now_s
        self.follow([self.angle_deg] * steps)
        self._alarm = self._loop.call_later(IDLE_S, self._idle)

    def _packet(self, angles_deg: list[float], defect: Defect) -> Packet:
        identity = self.plug.identity
        readings: list[Reading] = []
        for angle in angles_deg:
            readings.append(self._reading(angle, defect if not readings else Defect.NONE))
        self._seq = (self._seq + 1) % (1 << 16)
        index = (self._index_number, self._index_count)
        return Packet(self._seq, identity.boot, *index, identity.interval_us, tuple(readings))

    def _reading(self, angle_deg: float, defect: Defect) -> Reading:
        identity = self.plug.identity
        modulus = identity.counts_per_turn if identity.absolute else _SPAN
        off = self._random.random() * 2 * self._noise - self._noise
        count = math.floor(angle_deg * identity.counts_per_turn / 360.0 + off) + self._begins
        turns, before = math.floor(angle_deg / 360.0), self._turns
        self.angle_deg, self._turns = angle_deg, turns
        at_us, self._at_us = self._at_us, self._at_us + identity.interval_us
        index = None
        if turns != before and identity.indexed:
            index = self._index_count = (max(turns, before) * identity.counts_per_turn + self._begins) % modulus
            self._index_number = (self._index_number + 1) % (1 << 16)
        return Reading(at_us, count % modulus, index, defect)
