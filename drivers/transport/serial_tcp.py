"""The only opener of serial ports and device servers, with one tree of errors.

Reading hands the bytes over inside the loop's own callback: no task, thread or queue lies between a device
and its codec.
"""

import asyncio
import contextlib
import errno
import os
import re
import socket
import termios
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

import serial

from drivers.diagnostics.capture import TAP, Way
from drivers.transport.line_settings import SettingsWatch, set_raw
from drivers.transport.tcp_words import hung_up, words_in
from tablectl.lazy_dataclass import dataclass
from tablectl.network import connect, in_thread

READ_BYTES = 65536
MAX_UNSENT = 65536
CONNECT_TIMEOUT_S = 5.0
_PTY_MAJORS: Final = range(136, 144)
"""Linux allocated devices, "Unix98 PTY slaves"."""

_MISSING = frozenset({errno.ENOENT, errno.ENXIO, errno.ENODEV, errno.ENOTDIR, errno.EIO})
_BUSY = frozenset({errno.EAGAIN, errno.EBUSY, errno.EWOULDBLOCK})


class LinkError(Exception):
    """Something between the host and a device is wrong."""


class AddressError(LinkError, ValueError):
    """A device's address in the settings can't be used: edit it."""


class PortMissingError(LinkError):
    """There is no such port: plug the device in, or correct its path."""


class PortBusyError(LinkError):
    """Another program has the port: stop it."""


class PortRefusedError(LinkError):
    """The system doesn't let us have the port: permissions, or not a serial port."""


class LinkClosedError(LinkError):
    """The device went away: plug it in."""


class PortChangedError(LinkClosedError):
    """Another program changed the port's settings.

    Bytes that came meanwhile may be lost or changed.
    """


class CorruptFrameError(LinkError):
    """The device broke its protocol."""


class UnansweredError(LinkError):
    """No reply came in time."""


class WrongDeviceError(LinkError):
    """Another device than the approved one answers.

    Attach the right one, or approve this one.
    """


@dataclass(frozen=True, slots=True)
class SerialAddress:
    """A serial port, by a path that may be relative to the settings' folder."""

    path: str


@dataclass(frozen=True, slots=True)
class TcpAddress:
    """A serial device server in raw mode."""

    host: str
    port: int


Address = SerialAddress | TcpAddress


def parse_address(text: str) -> Address:
    """The address in `serial:<path>` or `tcp://<host>:<port>`.

    Raises:
        AddressError: it is neither.
    """
    scheme, _, rest = text.partition(":")
    if scheme == "serial" and rest:
        return SerialAddress(rest)
    tcp = re.fullmatch(r"//(?:\[([0-9A-Fa-f:.]+)\]|([^\s:/\[\]]+)):(\d{1,5})/?", rest)
    if scheme == "tcp" and tcp is not None and 0 < int(tcp[3]) < 65536:
        return TcpAddress(tcp[1] or tcp[2], int(tcp[3]))
    known = scheme in {"serial", "tcp"}
    reason = "is not complete" if known else f"has a kind of link ({scheme}:) that is not available"
    msg = f"address {text!r} {reason}: write serial:/dev/serial/by-id/… or tcp://host:port"
    raise AddressError(msg)


def is_pty(fd: int) -> bool:
    """Return True if an open port is a pseudo-terminal, so its device is simulated.

    It asks the port, for its name may be gone already.
    """
    return os.major(os.fstat(fd).st_rdev) in _PTY_MAJORS


class Link:
    """An open link, read from `start` on; `closed` is done when it has ended.

    Args:
        fd: non-blocking and owned by `release`, which closes it.
        settings: of a serial port, which it has to keep: with others it ends. None where it has none.
    """

    def __init__(
        self,
        fd: int,
        *,
        name: str,
        is_simulated: bool,
        release: Callable[[], None],
        settings: list[Any] | None = None,
    ) -> None:
        self.name: Final = name
        self.serial: Final = ""  # a serial port's far end names none below its protocol
        self.is_simulated: Final = is_simulated
        self.closed: Final[asyncio.Future[LinkClosedError]] = asyncio.get_running_loop().create_future()
        self.bytes_in = 0
        self.bytes_out = 0
        self._loop: Final = asyncio.get_running_loop()
        self._fd = fd
        self._release = release
        self._tap: Final = TAP.get()
        self._unsent = bytearray()
        self._last = b""
        self._on_bytes: Callable[[bytes], None] | None = None
        self._watch = None if settings is None else SettingsWatch(fd, settings, self._set_otherwise)

    def start(self, on_bytes: Callable[[bytes], None]) -> None:
        """Begin to read.

        Args:
            on_bytes: called in the loop with each piece of data; must be quick.

        Raises:
            LinkClosedError: it has ended already.
        """
        self._raise_if_closed()
        self._on_bytes = on_bytes
        self._loop.add_reader(self._fd, self._read)

    def write(self, data: bytes) -> None:
        """Send `data` without waiting.

        Bytes that the port doesn't take at once wait in a bounded buffer.

        Raises:
            LinkClosedError: the link has ended, or the device has taken nothing for the last 64 KiB.
        """
        self._raise_if_closed()
        if len(self._unsent) + len(data) > MAX_UNSENT:
            self._lose("takes no more bytes")
            self._raise_if_closed()
        waiting = bool(self._unsent)
        self._unsent += data
        if not waiting:
            self._flush()
        self._raise_if_closed()

    def close(self) -> None:
        """End the link and drop the bytes that wait to be sent.

        A second call does nothing.
        """
        self._lose("was closed by this program")

    async def released(self) -> None:
        """Waits until the port may be opened again; for after `closed`."""

    def _raise_if_closed(self) -> None:
        if self.closed.done():
            ended = self.closed.result()
            raise type(ended)(str(ended))

    def _set_otherwise(self, what: str) -> None:
        self._lose(f"was set otherwise by another program ({what}): find and stop that program", PortChangedError)

    def _read(self) -> None:
        try:
            data = os.read(self._fd, READ_BYTES)
        except (BlockingIOError, InterruptedError):
            return
        except OSError as error:
            self._lose(f"is gone ({error.strerror}); plug it in")
            return
        if not data:
            self._lose(_hung_up(self._last) or "is gone; plug it in")
            return
        self._last = data
        self.bytes_in += len(data)
        if self._tap is not None:
            self._tap(Way.IN, data)
        if self._on_bytes is not None:
            self._on_bytes(data)

    def _flush(self) -> None:
        try:
            sent = os.write(self._fd, self._unsent)
        except (BlockingIOError, InterruptedError):
            sent = 0
        except OSError as error:
            self._lose(f"is gone ({error.strerror}); plug it in")
            return
        self.bytes_out += sent
        if self._tap is not None and sent:
            self._tap(Way.OUT, bytes(self._unsent[:sent]))
        del self._unsent[:sent]
        if self._unsent:
            self._loop.add_writer(self._fd, self._flush)
        else:
            self._loop.remove_writer(self._fd)

    def _lose(self, why: str, kind: type[LinkClosedError] = LinkClosedError) -> None:
        if self.closed.done():
            return
        if self._watch is not None:
            self._watch.stop()
        self._loop.remove_reader(self._fd)
        self._loop.remove_writer(self._fd)
        self._unsent.clear()
        # A gone port makes even closing fail, with any of these.
        with contextlib.suppress(OSError, termios.error, serial.SerialException):
            self._release()
        self.closed.set_result(kind(f"{self.name} {why}"))


async def open_link(address: Address, *, baudrate: int, base_dir: Path) -> Link:
    """An open link to `address`; call its `start` to receive.

    Args:
        baudrate: bits per second, always 8N1; a device server has its own setting.
        base_dir: where relative paths begin.

    Raises:
        PortMissingError: there is no such port, or nobody listens.
        PortBusyError: another program has it.
        PortRefusedError: it is no serial port, or permission is missing.
    """
    match address:
        case SerialAddress(path=path):
            return await _open_serial(base_dir / path, baudrate)
        case TcpAddress(host=host, port=port):
            return await _open_tcp(host, port)


async def _open_serial(path: Path, baudrate: int) -> Link:
    # Opening can block for seconds, on a modem line or a dying adapter.
    opening = partial(_opened, path, baudrate)
    port, settings, is_simulated = await in_thread(f"open {path}", opening, lambda unwanted: unwanted[0].close())
    fd = port.fileno()

    def release() -> None:
        # Closing waits up to 30 s for bytes that no longer leave the port, so they are dropped first.
        with contextlib.suppress(OSError, termios.error):
            termios.tcflush(fd, termios.TCOFLUSH)
        port.close()

    return Link(fd, name=str(path), is_simulated=is_simulated, release=release, settings=settings)


def _opened(path: Path, baudrate: int) -> tuple[serial.Serial, list[Any], bool]:
    port = serial.Serial(baudrate=baudrate, timeout=0, write_timeout=0, exclusive=True)
    port.port = str(path)
    # Set before opening, so that a device that resets on DTR sees one level only. A pty has neither line.
    port.dtr = True
    port.rts = True
    try:
        port.open()
        settings = set_raw(port.fileno())
    except (OSError, termios.error, ValueError) as error:  # SerialException is an OSError
        port.close()
        raise _port_error(path, error) from error
    return port, settings, is_pty(port.fileno())


def _port_error(path: Path, error: Exception) -> LinkError:
    number = error.errno if isinstance(error, OSError) else None
    if number in _MISSING:
        return PortMissingError(f"there is no device at {path}: plug it in, or correct the path")
    if number in _BUSY:
        return PortBusyError(f"{path} is used by another program: stop that program")
    if number == errno.EACCES:
        return PortRefusedError(f"no permission for {path}: add this service's user to the port's group")
    if number == errno.EPERM:  # files are refused with EACCES; this is the unit's DevicePolicy
        return PortRefusedError(f"this service's unit keeps {path} from it: put the drop-in board-uart.conf beside it")
    return PortRefusedError(f"{path} can't be used as a serial port: {error}")


async def _open_tcp(host: str, port: int) -> Link:
    name = f"tcp://{host}:{port}"
    try:
        async with asyncio.timeout(CONNECT_TIMEOUT_S):
            connection = await connect(host, port)
    except (OSError, TimeoutError) as error:
        msg = f"{name} does not answer ({str(error) or 'time-out'}): check the device server and its network"
        raise PortMissingError(msg) from error
    _keep_alive(connection)
    try:
        said = await hung_up(connection)
    except BaseException:
        connection.close()
        raise
    if said is not None:
        connection.close()
        raise PortBusyError(f"{name} {_hung_up(said) or 'hung up at once'}: stop the other program that uses it")
    return Link(connection.fileno(), name=name, is_simulated=False, release=connection.close)


def _hung_up(last: bytes) -> str:
    return f'hung up and said "{said}"' if (said := words_in(last)) else ""


def _keep_alive(connection: socket.socket) -> None:
    """Set TCP keep-alive: probe after 10 s of silence, give up 15 s later.

    A device server that lost its power sends nothing.
    """
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 10)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 5)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 3)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 25_000)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
