"""A wheel's driver whose readings somebody watches: they are never facts, so a driver's own door doesn't give them."""

import asyncio
from collections.abc import Callable
from typing import Any, Final

from drivers.conversation import Conversation, Listener, Port, open_port
from drivers.link import UnansweredError, WrongDeviceError
from drivers.usb import UsbStream, open_usb, parse_usb_address
from drivers.wheel import qsb
from drivers.wheel.connection import SILENT_S, Memory, QsbConnection, UsbConnection, WheelSettings
from drivers.wheel.qsb import Register, Reply
from drivers.wheel.telling import Telling
from drivers.wheel.usb_sensor import (
    ENDPOINT_IN,
    IDENTITY_BYTES,
    MAX_TRANSFER,
    VENDOR_REQUEST_IDENTITY,
    SensorIdentity,
    decode_identity,
    decode_packet,
)
from tablectl.core.facts import Stamp
from tablectl.core.ports import Clock, DeviceCounters, Teller
from tablectl.core.wheel_sensor import Sensor
from tablectl.tools.probe import Watcher


class WatchedWheel:
    """The driver's own connections, with a second reader of the same bytes beside each."""

    def __init__(
        self, settings: WheelSettings, tell: Teller, clock: Clock, watcher: Watcher, *, usb_backend: Any = None
    ) -> None:
        """Prepares it; nothing is opened before `run`.

        Args:
            usb_backend: what stands for the USB system; libusb, if not given.
        """
        self._usb_backend = usb_backend
        self._memory: Final = Memory(settings, Telling(settings.name, tell), clock)
        self._watcher = watcher

    @property
    def name(self) -> str:
        """The device's name at this table."""
        return self._memory.settings.name

    def counters(self) -> DeviceCounters:
        """What came so far; a frame is a line or a transfer."""
        counted, told = self._memory.counted, self._memory.telling.told
        silent_s = None if counted.frame_s is None else self._memory.clock.monotonic_s() - counted.frame_s
        return DeviceCounters(counted.bytes, counted.frames, counted.rejected, told, silent_s)

    async def run(self, up: Callable[[], None]) -> None:
        """Connects and reports facts and readings until the link ends.

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
            watched = WatchedLines(connection, chosen, self._watcher)
            await Conversation(link, watched, self._memory.clock).run(connection.begin)
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
            self._watcher.fitted(_sensor(self._memory.settings, identity))
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
                msg = f"{stream.name} is silent: unplug it and plug it in again"
                raise UnansweredError(msg) from None
            if isinstance(item, Exception):
                raise item
            watch_transfer(item[0], self._watcher)
            connection.received(*item)


class WatchedLines:
    """A QSB's listener that shows its readings to a watcher before it takes them itself."""

    def __init__(self, inner: Listener, settings: WheelSettings, watcher: Watcher) -> None:
        self._inner = inner
        self._watcher = watcher
        self._reader = qsb.LineReader()
        self._clock = qsb.Clock()
        self._counter = qsb.ClearedCounter(settings.counts_per_turn)
        watcher.fitted(Sensor(settings.counts_per_turn, positive=settings.positive, index_width=settings.index_width))

    def received(self, data: bytes, at: Stamp) -> None:
        """Takes bytes that were read `at`."""
        for line in self._reader.feed(data):
            if isinstance(line, Reply) and (line.kind, line.register) == ("s", Register.COUNT):
                self._show(line)
        self._inner.received(data, at)

    def woken(self, at: Stamp) -> None:
        """Does what is due."""
        self._inner.woken(at)

    def next_deadline(self) -> float | None:
        """When to be woken at the latest."""
        return self._inner.next_deadline()

    def _show(self, line: Reply) -> None:
        at_us = self._clock.read(line.ticks)
        if at_us is not None:
            reading = self._counter.read(at_us, line.value)
            self._watcher.sample(reading.at_us, reading.count, reading.index)


def watch_transfer(data: bytes, watcher: Watcher) -> None:
    """Shows the readings of our own sensor's transfer."""
    packet = decode_packet(data)
    for reading in packet.readings if packet is not None else ():
        watcher.sample(reading.at_us, reading.count, reading.index)


def _sensor(settings: WheelSettings, identity: SensorIdentity) -> Sensor:
    kind = (identity.counts_per_turn, identity.absolute, identity.indexed)
    return Sensor(*kind, settings.positive, settings.index_width)
