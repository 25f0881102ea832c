"""Driver of a wheel's position sensor: readings to spins, and no commands."""

import asyncio
from collections.abc import Callable
from typing import Any, Final

from drivers.transport.loop import Conversation, Port, open_port
from drivers.transport.serial_tcp import AddressError, UnansweredError, WrongDeviceError, parse_address
from drivers.transport.usb import UsbStream, open_usb, parse_usb_address
from drivers.wheel.connection import SILENT_S, Memory, QsbConnection, UsbConnection, WheelSettings
from drivers.wheel.facts import Telling, Watcher
from drivers.wheel.tracking.unwrap import Sensor
from drivers.wheel.usb_sensor import ENDPOINT_IN, IDENTITY_BYTES, MAX_TRANSFER, VENDOR_REQUEST_IDENTITY, decode_identity
from tablectl.core.protocols import Clock, DeviceCounters, Teller


class WheelDriver:
    """One wheel sensor.

    Each connection watches anew: what the wheel did while nobody looked is not known and not guessed.
    """

    def __init__(
        self,
        settings: WheelSettings,
        tell: Teller,
        clock: Clock,
        *,
        delivered: str = "",
        watcher: Watcher | None = None,
        usb_backend: Any = None,
    ) -> None:
        """Prepares it; nothing is opened before `run`.

        Args:
            delivered: nothing, for a wheel sends nothing again.
            watcher: who sees every reading beside the facts.
            usb_backend: what stands for the USB system; libusb, if not given.

        Raises:
            AddressError: the address can't be used, or not with this protocol.
            ValueError: the encoder is too coarse to tell a peg.
        """
        del delivered
        _check_address(settings)
        Sensor(settings.counts_per_turn)
        self._memory: Final = Memory(settings, Telling(settings.name, tell), clock, watcher)
        self._usb_backend = usb_backend

    @property
    def name(self) -> str:
        """The device's name at this table."""
        return self._memory.settings.name

    def counters(self) -> DeviceCounters:
        """Return the counters; a frame is a line or a transfer."""
        counted, told = self._memory.counted, self._memory.telling.told
        silent_s = None if counted.frame_s is None else self._memory.clock.monotonic_s() - counted.frame_s
        return DeviceCounters(counted.bytes, counted.frames, counted.rejected, told, silent_s)

    async def run(self, up: Callable[[], None]) -> None:
        """Connects and reports facts until the link ends.

        Raises:
            LinkError: it ended, or there is none.
        """
        if self._memory.settings.protocol == "usb":
            await self._run_usb(up)
        else:
            await self._run_qsb(up)

    async def _run_qsb(self, up: Callable[[], None]) -> None:
        chosen = self._memory.settings
        link = await open_port(Port(chosen.address, chosen.baudrate, chosen.base_dir, simulated=chosen.simulated))
        try:
            connection = QsbConnection(self._memory, link.write, up)
            await Conversation(link, connection, self._memory.clock).run(connection.begin)
        finally:
            link.close()

    async def _run_usb(self, up: Callable[[], None]) -> None:
        clock, address = self._memory.clock, parse_usb_address(self._memory.settings.address)
        stream = await open_usb(address, clock.now, backend=self._usb_backend)
        try:
            identity = decode_identity(await stream.request(VENDOR_REQUEST_IDENTITY, IDENTITY_BYTES))
            if identity is None:
                raise WrongDeviceError(f"{stream.name} says nothing intelligible of itself")
            connection = UsbConnection(self._memory, identity, clock.now())
            up()
            stream.start(ENDPOINT_IN, MAX_TRANSFER)
            await self._read(stream, connection)
        finally:
            await stream.close()

    async def _read(self, stream: UsbStream, connection: UsbConnection) -> None:
        while True:
            try:
                async with asyncio.timeout(SILENT_S):
                    item = await stream.inbox.get()
            except TimeoutError:
                if not stream.inbox.empty():
                    continue  # the loop was held up, not the sensor
                msg = f"{stream.name} is silent: unplug it and plug it in again"
                raise UnansweredError(msg) from None
            if isinstance(item, Exception):
                raise item
            connection.received(*item)


def _check_address(settings: WheelSettings) -> None:
    match settings.protocol:
        case "usb":
            parse_usb_address(settings.address)
        case "qsb":
            parse_address(settings.address)
        case other:
            msg = f"a wheel has no protocol {other!r}: write qsb or usb"
            raise AddressError(msg)
