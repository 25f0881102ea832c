"""The device link over USB: a byte stream over a pair of bulk endpoints.

It looks like a serial line. libusb's calls wait, so one thread reads and one writes; all that they meet is handed to
the loop, and nothing else of this program runs in them.
"""

import asyncio
import contextlib
import errno
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any, Final

import usb.core
import usb.util

from drivers.diagnostics.capture import TAP, Way
from drivers.transport.serial_tcp import MAX_UNSENT, LinkClosedError, PortRefusedError
from drivers.transport.usb import INTERFACE, LET_GO_S, UsbAddress, open_device, serial_of
from tablectl.network import begin

ENDPOINT_IN: Final = 0x81
ENDPOINT_OUT: Final = 0x01
READ_TIMEOUT_MS: Final = 50
MAX_TRANSFER: Final = 512
VENDOR_CLASS: Final = 0xFF
WAITING_TRANSFERS: Final = 64
"""So many that the loop has not taken yet; then nothing is read, and the bus holds the device back."""


class UsbLink:
    """An open link, read from `start` on; `closed` is done when it has ended.

    Args:
        device: as pyusb has it, its interface claimed and its serial number read.
    """

    def __init__(self, device: Any, address: UsbAddress) -> None:
        self.name: Final = str(address)
        self.serial: Final = serial_of(device)
        self.is_simulated: Final = False  # only its identity can tell
        self._loop: Final = asyncio.get_running_loop()
        self.closed: Final[asyncio.Future[LinkClosedError]] = self._loop.create_future()
        self.bytes_in = 0
        self.bytes_out = 0
        self._device = device
        self._tap: Final = TAP.get()
        self._on_bytes: Callable[[bytes], None] | None = None
        self._outgoing: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._unsent = 0
        self._slots: Final = threading.Semaphore(WAITING_TRANSFERS)
        self._stopping: Final = threading.Event()
        self._halted: set[int] = set()  # endpoints with no whole transfer since; each thread minds its own
        self._threads: list[threading.Thread] = []
        self._letting_go: Future[None] | None = None
        self._begin(self._send)

    def start(self, on_bytes: Callable[[bytes], None]) -> None:
        """Begin to read.

        Args:
            on_bytes: called in the loop with each piece of data; must be quick.

        Raises:
            LinkClosedError: it has ended already.
        """
        self._raise_if_closed()
        self._on_bytes = on_bytes
        self._begin(self._receive)

    def write(self, data: bytes) -> None:
        """Send `data` without waiting.

        Bytes that the device doesn't take at once wait in a bounded queue.

        Raises:
            LinkClosedError: the link has ended, or the device has taken nothing for the last 64 KiB.
        """
        self._raise_if_closed()
        if self._unsent + len(data) > MAX_UNSENT:
            self._lose("takes no more bytes")
            self._raise_if_closed()
        self._unsent += len(data)
        self._outgoing.put(data)

    def close(self) -> None:
        """End the link and drop the bytes that wait to be sent.

        A second call does nothing.
        """
        self._lose("was closed by this program")

    async def released(self) -> None:
        """Wait, after `closed`, until the device may be opened again.

        A bus that hangs isn't waited for.
        """
        if self._letting_go is not None:
            await asyncio.wait([asyncio.wrap_future(self._letting_go)], timeout=LET_GO_S)

    # --- in the loop

    def _begin(self, work: Callable[[], None]) -> None:
        thread = threading.Thread(target=work, name=f"{work.__name__} {self.name}", daemon=True)
        self._threads.append(thread)
        thread.start()

    def _raise_if_closed(self) -> None:
        if self.closed.done():
            raise LinkClosedError(str(self.closed.result()))

    def _came(self, data: bytes) -> None:
        self._slots.release()
        if self.closed.done():
            return
        self.bytes_in += len(data)
        if self._tap is not None:
            self._tap(Way.IN, data)
        if self._on_bytes is not None:
            self._on_bytes(data)

    def _went(self, data: bytes) -> None:
        self._unsent -= len(data)
        self.bytes_out += len(data)
        if self._tap is not None:
            self._tap(Way.OUT, data)

    def _lose(self, why: str) -> None:
        if self.closed.done():
            return
        self._stopping.set()
        self._outgoing.put(None)
        self._letting_go = begin(f"close {self.name}", self._let_go)
        self.closed.set_result(LinkClosedError(f"{self.name} {why}"))

    # --- in threads

    def _receive(self) -> None:
        while not self._stopping.is_set():
            if not self._slots.acquire(timeout=READ_TIMEOUT_MS / 1000):
                continue
            data = self._transferred(ENDPOINT_IN, self._taken)
            if data is None:
                return
            if data:
                self._tell(self._came, data)
            else:
                self._slots.release()

    def _send(self) -> None:
        while (data := self._outgoing.get()) is not None:
            while data and not self._stopping.is_set():
                took = self._transferred(ENDPOINT_OUT, partial(self._given, data))
                if took is None:
                    return
                self._tell(self._went, took)
                data = data[len(took) :]

    def _taken(self) -> bytes:
        return bytes(self._device.read(ENDPOINT_IN, MAX_TRANSFER, READ_TIMEOUT_MS))

    def _given(self, data: bytes) -> bytes:
        return data[: self._device.write(ENDPOINT_OUT, data, READ_TIMEOUT_MS)]

    def _transferred(self, endpoint: int, transfer: Callable[[], bytes]) -> bytes | None:
        """Try a transfer and return its bytes; None if the link has ended.

        They are empty where nothing was transferred in time.
        """
        try:
            carried = self._tried(endpoint, transfer)
        except usb.core.USBError as error:
            self._tell(self._lose, f"is gone ({error.strerror}); plug it in")
            return None
        return carried

    def _tried(self, endpoint: int, transfer: Callable[[], bytes]) -> bytes:
        try:
            carried = transfer()
        except usb.core.USBTimeoutError:
            carried = b""
        except usb.core.USBError as error:
            if error.errno != errno.EPIPE or endpoint in self._halted:
                raise
            # The device has halted the endpoint. What got lost comes again: the link's frames see to that.
            self._halted.add(endpoint)
            self._device.clear_halt(endpoint)
            return b""
        self._halted.discard(endpoint)
        return carried

    def _tell(self, what: Callable[..., None], *about: object) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody is left to tell
            self._loop.call_soon_threadsafe(what, *about)

    def _let_go(self) -> None:
        for thread in self._threads:
            thread.join()
        with contextlib.suppress(usb.core.USBError):
            usb.util.dispose_resources(self._device)


async def open_usb_link(address: UsbAddress, backend: Any = None) -> UsbLink:
    """An open link to the device at `address`; call its `start` to receive.

    Args:
        backend: what stands for the USB system; libusb, if not given.

    Raises:
        PortMissingError: there is no such device, or more than one.
        PortBusyError: another program has it.
        PortRefusedError: permission is missing, USB can't be used at all, or the device has no such endpoints.
    """
    return UsbLink(await open_device(address, backend, _refuse_unfit), address)


def _refuse_unfit(device: Any, address: UsbAddress) -> None:
    """Refuse a device whose first interface doesn't fit.

    It has to be of the vendor's class and have both bulk endpoints.

    Raises:
        PortRefusedError: it isn't, or lacks one.
    """
    interface = device.get_active_configuration()[(INTERFACE, 0)]
    kinds = {each.bEndpointAddress: usb.util.endpoint_type(each.bmAttributes) for each in interface}
    pair = (kinds.get(ENDPOINT_IN), kinds.get(ENDPOINT_OUT))
    if interface.bInterfaceClass != VENDOR_CLASS or pair != (usb.util.ENDPOINT_TYPE_BULK,) * 2:
        msg = f"{address} isn't on our link: it has no pair of bulk endpoints 81 and 01 of the vendor's own class"
        raise PortRefusedError(msg)
    serial_of(device)  # read here, where waiting does no harm; pyusb keeps it
