"""Detection of attached devices: the machine's ports, and what answers at them."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import field
from pathlib import Path
from typing import Final, Protocol

from drivers import shoe
from drivers.devices import linked
from drivers.link.host import HostSession
from drivers.link.identity import Identity, decode_identity
from drivers.link.notices import IdentityReceived
from drivers.shoe.angel_eye import FrameParser
from drivers.shoe.reports import Copy
from drivers.transport.serial_tcp import LinkClosedError, LinkError, open_link, parse_address
from drivers.wheel import qsb
from tablectl.lazy_dataclass import dataclass

LINK_BAUDRATE: Final = 115_200
GREETING_S: Final = 2.0
"""How long a device may take to answer: some start anew when their port opens."""

QSB_S: Final = 1.0
STEP_S: Final = 0.1
BY_PATH, USB = Path("/dev/serial/by-path"), Path("/sys/bus/usb/devices")
WHEEL_SENSOR, LINK_OVER_USB = "1209:0001", "1209:0002"
"""What the devices of our own firmware say they are; numbers for private tests (config/udev)."""


@dataclass(frozen=True, slots=True)
class Found:
    """A port, and who is there.

    Args:
        port: as in a configuration.
        kind: of device; empty where nobody said anything that is understood.
        protocol: that it speaks.
        identity: who it says it is, where its wire can say that.
        trouble: why the port can't be used; empty where it can.
    """

    port: str
    kind: str = ""
    protocol: str = ""
    baudrate: int = 0
    identity: Identity | None = None
    trouble: str = ""


def serial_ports(by_path: Path = BY_PATH) -> list[str]:
    """Return the serial adapters by the USB socket that they are in.

    The socket names an adapter for good, even where two are the same.
    """
    return [f"serial:{path}" for path in sorted(by_path.glob("*"))]


def usb_devices(devices: Path = USB) -> list[Found]:
    """Return the USB devices of known numbers that are no serial adapters."""
    found: list[Found] = []
    for device in sorted(devices.glob("*")):
        number = f"{_said(device / 'idVendor')}:{_said(device / 'idProduct')}"
        serial = _said(device / "serial")
        port = f"usb:{number}:{serial}" if serial else f"usb:{number}"
        if number == WHEEL_SENSOR:
            found.append(Found(port, "wheel", "usb"))
        elif number == LINK_OVER_USB:
            found.append(Found(port, "", "link"))
    return found


async def detect(port: str, *, listen_s: float = 0.0) -> Found:
    """Identify the device at a port.

    It sends a HELLO of the device link, then one question to a QSB.

    Args:
        port: `serial:<path>` or `tcp://<host>:<port>`.
        listen_s: how long to wait besides for an Angel Eye shoe, which only speaks when a card comes.
    """
    tries: list[tuple[Talk, int, float]] = [
        (_OurLink(), LINK_BAUDRATE, GREETING_S),
        (_Qsb(), qsb.BAUDRATE, QSB_S),
        (_Shoe(), shoe.DEVICE.baudrate, listen_s),
    ]
    try:
        for talk, baudrate, within_s in tries:
            if within_s and await _answered(port, talk, baudrate, within_s):
                return talk.found(port)
    except LinkError as error:
        return Found(port, trouble=str(error))
    return Found(port)


class Talk(Protocol):
    """Detection of one protocol: bytes to send, and what the answer proves."""

    def step(self, data: bytes, now_s: float) -> bytes:
        """Return the bytes to send after `data` came.

        `data` is empty at the first call and whenever time has passed.
        """
        ...

    @property
    def understood(self) -> bool:
        """Return True if something came that only such a device sends."""
        ...

    def found(self, port: str) -> Found:
        """Return the device at the port, once it was understood."""
        ...


async def _answered(port: str, talk: Talk, baudrate: int, within_s: float) -> bool:
    """Return True if the device answered in time.

    Raises:
        LinkError: the port can't be used, or is gone.
    """
    loop = asyncio.get_running_loop()
    link = await open_link(parse_address(port), baudrate=baudrate, base_dir=Path("/"))
    heard = asyncio.Event()

    def take(data: bytes) -> None:
        if reply := talk.step(data, loop.time()):
            with suppress(LinkClosedError):  # `closed` says it as well
                link.write(reply)
        if talk.understood:
            heard.set()

    try:
        link.start(take)
        link.closed.add_done_callback(lambda _: heard.set())
        async with asyncio.timeout(within_s), asyncio.TaskGroup() as group:
            asking = group.create_task(_ask(take))
            await heard.wait()
            asking.cancel()
        if link.closed.done() and not talk.understood:
            raise link.closed.result()
    except TimeoutError:
        return False
    finally:
        link.close()
    return True


async def _ask(step: Callable[[bytes], None]) -> None:
    """Lets the talk say its first word, and again whenever it has waited."""
    while True:
        step(b"")
        await asyncio.sleep(STEP_S)


@dataclass(slots=True)
class _OurLink:
    """A greeting on our link, asked until somebody says who they are."""

    session: HostSession = field(default_factory=HostSession)
    began: bool = False
    identity: Identity | None = None

    def step(self, data: bytes, now_s: float) -> bytes:
        out = self.session.receive(data, now_s) if self.began else self.session.start(now_s)
        self.began = True
        for notice in out.notices:
            if isinstance(notice, IdentityReceived):
                self.identity = decode_identity(notice.payload)
        return out.data

    @property
    def understood(self) -> bool:
        return self.identity is not None

    def found(self, port: str) -> Found:
        assert self.identity is not None
        kind = next((device.kind for device in linked() if device.number == self.identity.kind), "")
        return Found(port, kind, "link", LINK_BAUDRATE, self.identity)


@dataclass(slots=True)
class _Qsb:
    """The version of a QSB, in the form of reply in which its driver asks as well."""

    reader: qsb.LineReader = field(default_factory=qsb.LineReader)
    understood: bool = False

    def step(self, data: bytes, now_s: float) -> bytes:
        del now_s
        if data:
            self.understood |= any(isinstance(line, qsb.Reply) for line in self.reader.feed(data))
            return b""
        # The end of a line first: the greeting before may have left half a one there.
        settled = qsb.encode_write(qsb.Register.REPLIES, qsb.FIXED_REPLIES)
        return b"\r\n" + settled + qsb.encode_read(qsb.Register.VERSION)

    def found(self, port: str) -> Found:
        return Found(port, "wheel", "qsb", qsb.BAUDRATE)


@dataclass(slots=True)
class _Shoe:
    """Listens for a card from an Angel Eye; nothing is said to it."""

    parser: FrameParser = field(default_factory=FrameParser)
    understood: bool = False

    def step(self, data: bytes, now_s: float) -> bytes:
        del now_s
        self.understood |= any(isinstance(each, Copy) for each in self.parser.feed(data))
        return b""

    def found(self, port: str) -> Found:
        return Found(port, "shoe", "angel_eye", shoe.DEVICE.baudrate)


def _said(path: Path) -> str:
    """Read a file of the kernel; empty where there is none."""
    try:
        return path.read_text("ascii", "replace").strip()
    except OSError:
        return ""
