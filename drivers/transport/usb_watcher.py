"""Watcher of the kernel's USB list that reports unexpected devices to the table.

It looks when the kernel says that something changed, and now and then in any case. The kernel's files may make their
reader wait for a device, so they are read outside the loop.
"""

import asyncio
import contextlib
import socket
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import field, replace
from functools import partial
from pathlib import Path
from typing import Final

from drivers.transport.usb_allowlist import Expected, UsbDevice, Word, describe
from tablectl.core.facts import Body, FaultCleared, FaultRaised
from tablectl.core.faults import Code
from tablectl.lazy_dataclass import dataclass
from tablectl.network import in_thread


def read_uevent(data: bytes) -> UsbDevice | None:
    """Decode an event: the USB device that was plugged in just now, else None.

    Its names aren't in it: read them from the kernel while the device is still there.
    """
    parts = (part.partition("=") for part in data.decode("utf-8", "replace").split("\0")[1:])
    said = {key: value for key, _, value in parts}
    wanted = (said.get("ACTION"), said.get("SUBSYSTEM"), said.get("DEVTYPE"))
    *above, name = said.get("DEVPATH", "").split("/")
    try:
        vendor, product, _ = (int(number, 16) for number in said.get("PRODUCT", "").split("/"))
        class_ = int(said.get("TYPE", "0").partition("/")[0])
    except ValueError:
        return None
    if wanted != ("add", "usb", "usb_device") or "-" not in name:
        return None
    return UsbDevice(name, vendor, product, serial=None, controller=controller_in(above), class_=class_)


def controller_in(above: list[str]) -> str:
    """Return the controller of a device's bus; "" where there is none.

    It is the part of the path before the root hub's.
    """
    root = next((nth for nth, part in enumerate(above) if part.startswith("usb") and part[3:].isdigit()), 0)
    return above[root - 1] if root else ""


DEVICES: Final = Path("/sys/bus/usb/devices")
UEVENTS: Final = 15
"""NETLINK_KOBJECT_UEVENT (linux/netlink.h), which the standard library has no name for."""

FROM_THE_KERNEL: Final = 1
"""The group of listeners to the kernel itself; udev's own word is another one."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How often it is looked, and how long something has to be so, in seconds.

    Args:
        look_s: between two looks where nothing is heard from the kernel.
        rest_s: at least so long between two looks, however much the kernel says.
        wait_s: how long an adapter may take to have its serial port.
        gone_s: a device that is away for so long is gone; one that flaps is told once.
    """

    look_s: float = 2.0
    rest_s: float = 0.1
    wait_s: float = 5.0
    gone_s: float = 2.0


@dataclass(slots=True)
class Strangers:
    """Unexpected devices, from one look to the next.

    Args:
        tell: reports a fact.
        standing: the detail of the fault that the journal holds as present; None where it holds none.
    """

    tell: Callable[[Body], None]
    standing: str | None = None
    pace: Pace = field(default_factory=Pace)
    _here: dict[UsbDevice, float] = field(default_factory=dict[UsbDevice, float])
    _waits: dict[str, float] = field(default_factory=dict[str, float])
    _is_first: bool = True

    def look(self, expected: Expected, devices: Sequence[UsbDevice], passed: Sequence[UsbDevice], now_s: float) -> None:
        """Judges what is there now, and what came in between and may have gone again.

        Args:
            now_s: of the monotonic clock.
        """
        names = {device.name for device in devices}
        words = {one: expected.judge(one) for one in (*devices, *passed) if one in devices or one.name not in names}
        waits = [one.name for one, word in words.items() if word is Word.WAITS]
        self._waits = {name: self._waits.get(name, now_s) for name in waits}
        # Without what comes a moment after the device itself.
        strange = [
            replace(one, interfaces=(), ttys=())
            for one, word in words.items()
            if self._is_strange(word, one.name, now_s)
        ]
        fresh = [one for one in strange if one not in self._here]
        self._here |= dict.fromkeys(strange, now_s)
        self._here = {one: seen_s for one, seen_s in self._here.items() if now_s - seen_s <= self.pace.gone_s}
        if fresh:
            self._raise(describe(list(self._here)))
        elif not self._here and self.standing is not None:
            self._clear()
        self._is_first = False

    def _is_strange(self, word: Word, name: str, now_s: float) -> bool:
        waited = word is Word.WAITS and now_s - self._waits[name] >= self.pace.wait_s
        return waited or word is Word.STRANGE

    def _raise(self, detail: str) -> None:
        if self._is_first and self.standing == detail:
            return  # as it was when the daemon ended
        if self.standing is not None:
            self._clear()  # so that the next one is told of by a message of its own
        self.standing = detail
        self.tell(FaultRaised(Code.USB_UNEXPECTED, detail=detail))

    def _clear(self) -> None:
        self.standing = None
        self.tell(FaultCleared(Code.USB_UNEXPECTED))


@dataclass(slots=True)
class UsbWatch:
    """Watches USB until cancelled.

    Args:
        ports: of the table's devices, absolute where they are serial.
        others: what else is expected, as `<vendor>:<product>[:<serial>]`.
        devices: where the kernel lists them.
        blind: is told why nothing can be seen, once for each reason.
    """

    strangers: Strangers
    ports: Sequence[str]
    others: Sequence[str]
    devices: Path = DEVICES
    blind: Callable[[str], None] = lambda _why: None
    _why: str = ""

    async def run(self) -> None:
        """Looks again and again."""
        loop, pace = asyncio.get_running_loop(), self.strangers.pace
        with _heard(self.devices) as news:
            while True:
                passed, news.came = news.came, []
                news.event.clear()
                await self._look(passed, loop.time())
                await asyncio.sleep(pace.rest_s)
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(pace.look_s):
                        await news.event.wait()

    async def _look(self, passed: Sequence[UsbDevice], now_s: float) -> None:
        try:
            devices = await in_thread("look at USB", lambda: list(usb_devices(self.devices)))
            ttys = await in_thread("look at ports", partial(ttys_of, self.ports))
            expected = Expected(self.ports, self.others, ttys)
        except OSError as error:
            if str(error) != self._why:
                self._why = str(error)
                self.blind(self._why)
            return
        self.strangers.look(expected, devices, passed, now_s)


def usb_devices(folder: Path = DEVICES) -> Iterator[UsbDevice]:
    """Return the devices that are plugged in, root hubs left out.

    There are none where the kernel has no USB.

    Raises:
        OSError: the list can't be read.
    """
    try:
        names = sorted(each.name for each in folder.iterdir())
    except FileNotFoundError:
        return
    for name in names:
        if "-" in name and ":" not in name:
            with contextlib.suppress(OSError, ValueError):  # it goes away just now
                yield _device(folder, name, [each for each in names if each.startswith(f"{name}:")])


def ttys_of(ports: Sequence[str]) -> frozenset[str]:
    """The kernel's names of the serial ports that these lead to now."""
    paths = [port.removeprefix("serial:") for port in ports if port.startswith("serial:")]
    return frozenset(path.resolve().name for path in map(Path, paths) if path.exists())


# --- inside -----------------------------------------------------------------------------------------------------------


def _device(folder: Path, name: str, interfaces: Sequence[str]) -> UsbDevice:
    here = folder / name
    above = str(here.resolve()).split("/")[:-1]
    return UsbDevice(
        name,
        int(_said(here / "idVendor"), 16),
        int(_said(here / "idProduct"), 16),
        _said(here / "serial"),
        _said(here / "manufacturer"),
        _said(here / "product"),
        controller_in(above),
        int(_said(here / "bDeviceClass") or "0", 16),
        tuple(_kinds(folder / each) for each in interfaces),
        tuple(tty for each in interfaces for tty in _ttys(folder / each)),
    )


def _kinds(interface: Path) -> tuple[int, int]:
    return int(_said(interface / "bInterfaceClass"), 16), int(_said(interface / "bInterfaceSubClass"), 16)


def _ttys(interface: Path) -> Iterator[str]:
    """Return the ports of an adapter.

    With usbserial they are in the interface's folder, otherwise in a folder of theirs.
    """
    for each in (*interface.glob("ttyUSB*"), *interface.glob("tty/tty*")):
        yield each.name


def _said(path: Path) -> str:
    """Read a file of the kernel; "" where there is none."""
    try:
        return path.read_text("utf-8", "replace").strip()
    except OSError:
        return ""


@dataclass(slots=True)
class _News:
    """Events since the last look."""

    event: asyncio.Event = field(default_factory=asyncio.Event)
    came: list[UsbDevice] = field(default_factory=list[UsbDevice])


@contextlib.contextmanager
def _heard(folder: Path) -> Generator[_News]:
    """Listen to the kernel's USB events, where that is allowed; else yield no news."""
    news, loop = _News(), asyncio.get_running_loop()
    listening = _listening() if folder == DEVICES else None
    if listening is None:
        yield news
        return
    with listening:
        loop.add_reader(listening, _take, listening, news)
        try:
            yield news
        finally:
            loop.remove_reader(listening)


def _listening() -> socket.socket | None:
    try:
        made = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_NONBLOCK, UEVENTS)
    except OSError:
        return None
    try:
        made.bind((0, FROM_THE_KERNEL))
    except OSError:
        made.close()
        return None
    return made


def _take(listening: socket.socket, news: _News) -> None:
    try:
        data, (sender, _) = listening.recvfrom(16384)
    except BlockingIOError:
        return
    except OSError:  # more was said than could be kept: a look will tell
        news.event.set()
        return
    if sender == 0 and b"\0SUBSYSTEM=usb\0" in data:
        device = read_uevent(data)
        news.came += [device] if device is not None else []
        news.event.set()
