"""The only opener of USB devices.

Its thread reads, stamps and hands over, and does nothing else.
"""

import asyncio
import contextlib
import errno
import re
import threading
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import libusb_package
import usb.core
import usb.util

from drivers.diagnostics.capture import TAP, Way
from drivers.transport.serial_tcp import (
    AddressError,
    LinkClosedError,
    PortBusyError,
    PortMissingError,
    PortRefusedError,
)
from tablectl.core.facts import Stamp
from tablectl.lazy_dataclass import dataclass
from tablectl.network import in_thread

READ_TIMEOUT_MS = 100
INTERFACE = 0
REQUEST_TIMEOUT_MS = 500
LET_GO_S = 2.0
"""How long a device is waited for at its end, which may be the daemon's."""

_DEVICE_TO_HOST_VENDOR = 0xC0
_GONE = frozenset({errno.ENODEV, errno.ENOENT, errno.ENXIO})


@dataclass(frozen=True, slots=True)
class UsbAddress:
    """A USB device, by vendor and product; `serial` empty means the only one there."""

    vendor: int
    product: int
    serial: str = ""

    def __str__(self) -> str:
        named = f":{self.serial}" if self.serial else ""
        return f"usb:{self.vendor:04x}:{self.product:04x}{named}"


def parse_usb_address(text: str) -> UsbAddress:
    """Parse `usb:<vendor>:<product>[:<serial>]`.

    Vendor and product have four hexadecimal digits each.

    Raises:
        AddressError: it is none.
    """
    found = re.fullmatch(r"usb:([0-9A-Fa-f]{4}):([0-9A-Fa-f]{4})(?::(\S+))?", text)
    if found is None:
        msg = f"address {text!r} is not complete: write usb:<vendor>:<product>:<serial>, as usb:1209:0001:W-0001"
        raise AddressError(msg)
    return UsbAddress(int(found[1], 16), int(found[2], 16), found[3] or "")


Check = Callable[[Any, UsbAddress], None]


class UsbStream:
    """An open device whose transfers come into `inbox`, each with its time of arrival.

    The inbox's last item is the error that ended it. The caller bounds the memory by emptying the inbox in time: it
    holds at most the transfers that the device sent since.
    """

    def __init__(self, device: Any, address: UsbAddress, now: Callable[[], Stamp]) -> None:
        self.name: Final = str(address)
        self.inbox: Final[asyncio.Queue[tuple[bytes, Stamp] | LinkClosedError]] = asyncio.Queue()
        self._device = device
        self._now = now
        self._tap: Final = TAP.get()
        self._loop: Final = asyncio.get_running_loop()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    async def request(self, number: int, length: int) -> bytes:
        """Send a vendor request and return the device's answer.

        Raises:
            LinkClosedError: it doesn't answer, or is gone.
        """
        return await in_thread(f"ask {self.name}", partial(self._request, number, length))

    def start(self, endpoint: int, size: int) -> None:
        """Begins to read transfers of at most `size` bytes."""
        name = f"read {self.name}"
        self._thread = threading.Thread(target=self._read, args=(endpoint, size), name=name, daemon=True)
        self._thread.start()

    async def close(self) -> None:
        """End reading and release the device, within the time of one read.

        A bus that hangs isn't waited for.
        """
        self._stopping.set()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LET_GO_S):
                await in_thread(f"close {self.name}", self._let_go)

    def _request(self, number: int, length: int) -> bytes:
        try:
            answer = self._device.ctrl_transfer(_DEVICE_TO_HOST_VENDOR, number, 0, 0, length, REQUEST_TIMEOUT_MS)
        except usb.core.USBError as error:
            msg = f"{self.name} doesn't answer a request: {error.strerror}"
            raise LinkClosedError(msg) from error
        return bytes(answer)

    def _read(self, endpoint: int, size: int) -> None:
        while not self._stopping.is_set():
            try:
                data = bytes(self._device.read(endpoint, size, READ_TIMEOUT_MS))
            except usb.core.USBTimeoutError:
                continue
            except usb.core.USBError as error:
                self._hand_over(LinkClosedError(f"{self.name} is gone ({error.strerror}); plug it in"))
                return
            if self._tap is not None:
                self._tap(Way.IN, data)
            self._hand_over((data, self._now()))

    def _hand_over(self, item: tuple[bytes, Stamp] | LinkClosedError) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody is left to tell
            self._loop.call_soon_threadsafe(self.inbox.put_nowait, item)

    def _let_go(self) -> None:
        if self._thread is not None:
            self._thread.join()
        with contextlib.suppress(usb.core.USBError):
            usb.util.dispose_resources(self._device)


async def open_usb(address: UsbAddress, now: Callable[[], Stamp], *, backend: Any = None) -> UsbStream:
    """The open device.

    Args:
        now: stamps each transfer, in the reading thread.
        backend: what stands for the USB system; libusb, if not given.

    Raises:
        PortMissingError: there is no such device, or more than one.
        PortBusyError: another program has it.
        PortRefusedError: permission is missing, or USB can't be used at all.
    """
    return UsbStream(await open_device(address, backend), address, now)


async def open_device(address: UsbAddress, backend: Any, check: Check | None = None) -> Any:
    """Open the device at `address` by pyusb, its first interface claimed.

    It raises as `open_usb` does.

    Args:
        check: looks at it, in a thread where waiting does no harm, and refuses it with an error.
    """
    opening: Callable[[], Any] = partial(_opened, address, backend, check)
    return await in_thread(f"open {address}", opening, _dispose)


def _dispose(device: Any) -> None:
    usb.util.dispose_resources(device)


def serial_of(device: Any) -> str:
    """Return the serial number in a device's descriptor.

    It is empty where the descriptor names none, or may not be read.
    """
    try:
        return str(device.serial_number or "")
    except ValueError:  # how pyusb says that it has no strings for us
        return ""


def _opened(address: UsbAddress, backend: Any, check: Check | None) -> Any:
    try:
        device = _found(address, backend or libusb_package.get_libusb1_backend())
        # Set also where it is set: that sets both ends of each endpoint back, after a host that was killed.
        device.set_configuration()
        usb.util.claim_interface(device, INTERFACE)
    except usb.core.USBError as error:
        raise _port_error(address, error) from error
    except usb.core.NoBackendError as error:
        raise PortRefusedError(f"{address}: USB can't be used on this machine: {error}") from error
    return device if check is None else _checked(device, address, check)


def _checked(device: Any, address: UsbAddress, check: Check) -> Any:
    try:
        check(device, address)
    except BaseException:
        usb.util.dispose_resources(device)
        raise
    return device


def _found(address: UsbAddress, backend: Any) -> Any:
    wanted = {"idVendor": address.vendor, "idProduct": address.product}
    found: Any = usb.core.find(find_all=True, backend=backend, **wanted)
    devices = list(found)
    if address.serial:
        devices = [device for device in devices if serial_of(device) == address.serial]
    if len(devices) > 1:
        msg = f"there are {len(devices)} devices at {address}: write the serial number of the right one behind it"
        raise PortMissingError(msg)
    if not devices:
        raise PortMissingError(f"there is no device at {address}: plug it in, or correct the address")
    return devices[0]


def _port_error(address: UsbAddress, error: usb.core.USBError) -> Exception:
    if error.errno in _GONE:
        return PortMissingError(f"{address} went away while it was opened: plug it in")
    if error.errno == errno.EBUSY:
        return PortBusyError(f"{address} is used by another program: stop that program")
    if error.errno == errno.EACCES:
        return PortRefusedError(f"no permission for {address}: let this service's user have it by a udev rule")
    if error.errno == errno.EPERM:
        return PortRefusedError(f"this service's unit keeps {address} from it: allow char-usb_device in DeviceAllow")
    return PortRefusedError(f"{address} can't be used: {error.strerror}")
