# pyright: reportIncompatibleMethodOverride=false
"""Simulated USB system in this process; pyusb calls it in place of libusb."""

import array
import errno
import struct
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import field
from types import SimpleNamespace
from typing import Any

import usb.backend
import usb.core

from tablectl.lazy_dataclass import dataclass

VENDOR = 0x1209  # for private tests; a device that is sold has numbers of its own
MAX_TRANSFER = 512
_STRING, _ENGLISH = 0x03, 0x0409
_DESCRIPTOR, _VENDOR_REQUEST = (0x80, 0x06), 0xC0


@dataclass(frozen=True, slots=True)
class Description:
    """Descriptors of a device.

    Args:
        endpoints: their addresses, all bulk; those from 0x80 on go to the host.
    """

    maker: str
    model: str
    serial: str
    product: int
    endpoints: tuple[int, ...]
    vendor: int = VENDOR


@dataclass(slots=True)
class UsbPlug:
    """One device on the simulated bus; all of it may be called from any thread.

    Args:
        answer: what it answers to a vendor request; None where it knows no such one.
        heard: gets what the host writes, in the host's thread.
        taken: whether some program has it.
        times: how often it was plugged in; what was opened before is of no use.
    """

    about: Description
    answer: Callable[[int], bytes | None] = lambda _request: None
    heard: Callable[[bytes], None] = lambda _data: None
    transfers: deque[bytes] = field(default_factory=deque[bytes])
    present: bool = True
    stalled: bool = False
    taken: bool = False
    times: int = 0
    halted: set[int] = field(default_factory=set[int])
    news: threading.Condition = field(default_factory=threading.Condition)

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
            self.halted.clear()
            self.news.notify_all()

    def plug(self) -> None:
        """Plugs it in again."""
        with self.news:
            self.present, self.taken = True, False
            self.times += 1

    def take_hold(self) -> bool:
        """Has a program take it; False where another one has it."""
        with self.news:
            free, self.taken = not self.taken, True
        return free

    def stall(self) -> None:
        """Gives the host nothing, as a hub that hangs."""
        self.stalled = True

    def resume(self) -> None:
        """Gives all at once."""
        with self.news:
            self.stalled = False
            self.news.notify_all()

    def set_back(self) -> None:
        """Begins anew at all endpoints."""
        with self.news:
            self.transfers.clear()
            self.halted.clear()

    def halt(self, endpoint: int) -> None:
        """Halt an endpoint: it answers with STALL until the host clears that.

        What was ready to be sent is gone.
        """
        with self.news:
            self.halted.add(endpoint)
            if endpoint & 0x80:
                self.transfers.clear()
            self.news.notify_all()

    def take(self, endpoint: int, timeout_s: float) -> bytes:
        """The next transfer to the host.

        Raises:
            USBError: the device is gone, the endpoint is halted, or there was none in time.
        """
        with self.news:
            self.news.wait_for(
                lambda: not self.present or endpoint in self.halted or bool(self.transfers and not self.stalled),
                timeout_s,
            )
            self._raise_if_not(endpoint)
            if self.stalled or not self.transfers:
                raise _late()
            return self.transfers.popleft()

    def give(self, endpoint: int, data: bytes, timeout_s: float) -> None:
        """Takes a transfer from the host.

        Raises:
            USBError: the device is gone, the endpoint is halted, or nothing takes it in time.
        """
        with self.news:
            self.news.wait_for(lambda: not (self.present and self.stalled) or endpoint in self.halted, timeout_s)
            self._raise_if_not(endpoint)
            if self.stalled:
                raise _late()
        self.heard(data)

    def _raise_if_not(self, endpoint: int) -> None:
        if not self.present:
            raise _gone()
        if endpoint in self.halted:
            raise usb.core.USBError("Pipe error", None, errno.EPIPE)


@dataclass(frozen=True, slots=True)
class _Opened:
    """A device as a program has it open."""

    plug: UsbPlug
    times: int

    def there(self) -> UsbPlug:
        """The device, if it was not pulled out since.

        Raises:
            USBError: it was.
        """
        if not self.plug.present or self.plug.times != self.times:
            raise _gone()
        return self.plug


class SimulatedUsb(usb.backend.IBackend):  # type: ignore[misc]  # pyusb has no types
    """The USB system, as pyusb's backend."""

    def __init__(self, *plugs: UsbPlug) -> None:
        super().__init__()
        self.plugs = plugs

    def enumerate_devices(self) -> list[UsbPlug]:
        """Return the devices that are plugged in."""
        return [plug for plug in self.plugs if plug.present]

    def get_parent(self, dev: UsbPlug) -> None:
        """No hub is simulated."""
        del dev

    def get_device_descriptor(self, dev: UsbPlug) -> Any:
        """The device's."""
        return SimpleNamespace(
            bLength=18, bDescriptorType=1, bcdUSB=0x0200, bDeviceClass=0, bDeviceSubClass=0, bDeviceProtocol=0,
            bMaxPacketSize0=64, idVendor=dev.about.vendor, idProduct=dev.about.product, bcdDevice=0x0100,
            iManufacturer=1, iProduct=2, iSerialNumber=3, bNumConfigurations=1, address=self.plugs.index(dev) + 1,
            bus=1, port_number=1, port_numbers=(1,), speed=3,
        )  # fmt: skip

    def get_configuration_descriptor(self, dev: UsbPlug, config: int) -> Any:
        """The only one."""
        length = 18 + 7 * len(dev.about.endpoints)
        return _at(config, bLength=9, bDescriptorType=2, wTotalLength=length, bNumInterfaces=1, bConfigurationValue=1,
                   iConfiguration=0, bmAttributes=0x80, bMaxPower=50, extra_descriptors=b"")  # fmt: skip

    def get_interface_descriptor(self, dev: UsbPlug, intf: int, alt: int, config: int) -> Any:
        """The only one."""
        return _at(intf + alt + config, bLength=9, bDescriptorType=4, bInterfaceNumber=0, bAlternateSetting=0,
                   bNumEndpoints=len(dev.about.endpoints), bInterfaceClass=0xFF, bInterfaceSubClass=0,
                   bInterfaceProtocol=0, iInterface=0, extra_descriptors=b"")  # fmt: skip

    def get_endpoint_descriptor(self, dev: UsbPlug, ep: int, intf: int, alt: int, config: int) -> Any:
        """One of them, bulk."""
        return _at(intf + alt + config, bLength=7, bDescriptorType=5, bEndpointAddress=dev.about.endpoints[ep],
                   bmAttributes=2, wMaxPacketSize=MAX_TRANSFER, bInterval=0, bRefresh=0, bSynchAddress=0,
                   extra_descriptors=b"")  # fmt: skip

    def open_device(self, dev: UsbPlug) -> _Opened:
        """Fails when it is gone."""
        opened = _Opened(dev, dev.times)
        opened.there()
        return opened

    def close_device(self, dev_handle: _Opened) -> None:
        """Nothing is kept open."""
        del dev_handle

    def set_configuration(self, dev_handle: _Opened, config_value: int) -> None:
        """Sets its endpoints back: what waits there is lost. Fails when it is gone."""
        del config_value
        dev_handle.there().set_back()

    def get_configuration(self, dev_handle: _Opened) -> int:
        """The only one."""
        dev_handle.there()
        return 1

    def claim_interface(self, dev_handle: _Opened, intf: int) -> None:
        """Claim the interface.

        Raises:
            usb.core.USBError: it is taken.
        """
        del intf
        if not dev_handle.there().take_hold():
            raise usb.core.USBError("Resource busy", None, errno.EBUSY)

    def release_interface(self, dev_handle: _Opened, intf: int) -> None:
        """Another may take it."""
        del intf
        dev_handle.there().taken = False

    def bulk_read(self, dev_handle: _Opened, ep: int, intf: int, buff: "array.array[int]", timeout: int) -> int:
        """The next transfer."""
        del intf
        return _fill(buff, dev_handle.there().take(ep, timeout / 1000))

    def bulk_write(self, dev_handle: _Opened, ep: int, intf: int, data: "array.array[int]", timeout: int) -> int:
        """A transfer to the device."""
        del intf
        dev_handle.there().give(ep, data.tobytes(), timeout / 1000)
        return len(data)

    def clear_halt(self, dev_handle: _Opened, ep: int) -> None:
        """The endpoint may be used again."""
        dev_handle.there().halted.discard(ep)

    def ctrl_transfer(
        self,
        dev_handle: _Opened,
        bmRequestType: int,  # noqa: N803
        bRequest: int,  # noqa: N803
        wValue: int,  # noqa: N803
        wIndex: int,  # noqa: N803
        data: "array.array[int]",
        timeout: int,
    ) -> int:
        """Answer a request for a string descriptor, or one of the device's own.

        Raises:
            usb.core.USBError: it has no answer.
        """
        del wIndex, timeout
        device, answer = dev_handle.there(), None
        if (bmRequestType, bRequest) == _DESCRIPTOR and wValue >> 8 == _STRING:
            answer = _string(device.about, wValue & 0xFF)
        elif bmRequestType == _VENDOR_REQUEST:
            answer = device.answer(bRequest)
        if answer is None:
            raise usb.core.USBError("Pipe error", None, errno.EPIPE)
        return _fill(data, answer)


def _gone() -> usb.core.USBError:
    return usb.core.USBError("No such device (it may have been disconnected)", None, errno.ENODEV)


def _late() -> usb.core.USBError:
    return usb.core.USBTimeoutError("timed out", None, errno.ETIMEDOUT)


def _at(number: int, **descriptor: object) -> Any:
    """The only descriptor of its kind."""
    if number:
        raise IndexError(number)
    return SimpleNamespace(**descriptor)


def _string(about: Description, number: int) -> bytes:
    if not number:
        return struct.pack("<BBH", 4, _STRING, _ENGLISH)
    text = (about.maker, about.model, about.serial)[number - 1].encode("utf-16-le")
    return bytes((2 + len(text), _STRING)) + text


def _fill(buffer: "array.array[int]", data: bytes) -> int:
    buffer[: len(data)] = array.array("B", data)
    return len(data)
