import asyncio
import os
import pty
import socket
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import serial
from pytest_mock import MockerFixture

from drivers.sim.pty import PtyEnd
from drivers.transport import serial_tcp
from drivers.transport.line_settings import set_raw
from drivers.transport.serial_tcp import (
    MAX_UNSENT,
    AddressError,
    CorruptFrameError,
    Link,
    LinkClosedError,
    LinkError,
    PortBusyError,
    PortMissingError,
    PortRefusedError,
    SerialAddress,
    TcpAddress,
    UnansweredError,
    WrongDeviceError,
    is_pty,
    open_link,
    parse_address,
)
from tests.support.patience import PATIENCE_S


class Inbox:
    """Collects bytes and wakes whoever waits for a number of them."""

    def __init__(self) -> None:
        self.data = b""
        self._came = asyncio.Event()

    def __call__(self, data: bytes) -> None:
        self.data += data
        self._came.set()

    async def holds(self, count: int) -> bytes:
        async with asyncio.timeout(PATIENCE_S):
            while len(self.data) < count:
                self._came.clear()
                await self._came.wait()
        return self.data


@pytest.fixture
async def inbox() -> Inbox:
    return Inbox()


@pytest.fixture
async def device(tmp_path: Path) -> AsyncIterator[PtyEnd]:
    end = PtyEnd(link=tmp_path / "shoe")
    await end.plug()
    yield end
    await end.unplug()


async def opened(end: PtyEnd) -> Link:
    return await open_link(SerialAddress(str(end.path)), baudrate=4800, base_dir=Path("/"))


async def lost(link: Link) -> LinkClosedError:
    async with asyncio.timeout(PATIENCE_S):
        return await link.closed


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("serial:/dev/ttyUSB0", SerialAddress("/dev/ttyUSB0")),
        ("serial:ports/shoe", SerialAddress("ports/shoe")),
        ("serial:/dev/serial/by-path/pci-0:1.0", SerialAddress("/dev/serial/by-path/pci-0:1.0")),
        ("tcp://nport:4001", TcpAddress("nport", 4001)),
        ("tcp://[::1]:950", TcpAddress("::1", 950)),
    ],
)
def test_an_address_names_a_port(text: str, address: object) -> None:
    assert parse_address(text) == address


@pytest.mark.parametrize(
    "text", ["", "serial:", "/dev/ttyUSB0", "tcp://nport", "tcp://nport:0", "tcp://nport:70000", "tcp:x:1"]
)
def test_an_address_that_is_none_says_how_to_write_one(text: str) -> None:
    with pytest.raises(AddressError, match="write serial:"):
        parse_address(text)


def test_a_usb_address_is_not_available() -> None:
    with pytest.raises(AddressError, match=r"\(usb:\) that is not available"):
        parse_address("usb:16c0:05df")


def test_every_error_of_a_link_is_a_link_error() -> None:
    for kind in (
        LinkClosedError, CorruptFrameError, UnansweredError, WrongDeviceError,
        PortBusyError, PortMissingError, PortRefusedError, AddressError,
    ):  # fmt: skip
        assert issubclass(kind, LinkError)


async def test_bytes_go_both_ways(device: PtyEnd, inbox: Inbox) -> None:
    at_device = Inbox()
    device.on_bytes = at_device
    link = await opened(device)
    link.start(inbox)
    every = bytes(range(256))
    device.write(every)
    assert await inbox.holds(256) == every
    link.write(every)
    assert await at_device.holds(256) == every
    assert (link.bytes_in, link.bytes_out) == (256, 256)
    link.close()


async def test_bytes_that_came_before_start_are_kept(device: PtyEnd, inbox: Inbox) -> None:
    link = await opened(device)
    device.write(b"early")
    link.start(inbox)
    assert await inbox.holds(5) == b"early"
    link.close()


async def test_a_wake_up_without_bytes_is_no_unplugging(device: PtyEnd, inbox: Inbox) -> None:
    link = await opened(device)
    link.start(inbox)
    link._read()
    assert not link.closed.done()
    device.write(b"x")
    assert await inbox.holds(1) == b"x"
    link.close()


async def test_a_relative_path_begins_at_the_settings_folder(device: PtyEnd) -> None:
    link = await open_link(SerialAddress("shoe"), baudrate=9600, base_dir=device.path.parent)
    assert link.name == str(device.path)
    assert link.is_simulated
    link.close()


async def test_a_second_opener_is_refused_and_the_first_goes_on(device: PtyEnd, inbox: Inbox) -> None:
    link = await opened(device)
    with pytest.raises(PortBusyError, match="stop that program"):
        await opened(device)
    link.start(inbox)
    device.write(b"x")
    assert await inbox.holds(1) == b"x"
    link.close()


async def test_a_closed_link_frees_its_port(device: PtyEnd) -> None:
    (await opened(device)).close()
    link = await opened(device)
    link.close()


async def test_a_missing_port_says_plug_it_in(tmp_path: Path) -> None:
    with pytest.raises(PortMissingError, match="plug it in"):
        await open_link(SerialAddress("nothing"), baudrate=9600, base_dir=tmp_path)
    (tmp_path / "dangling").symlink_to("/dev/pts/999999")
    with pytest.raises(PortMissingError):
        await open_link(SerialAddress("dangling"), baudrate=9600, base_dir=tmp_path)


async def test_a_file_is_no_serial_port(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(PortRefusedError, match="can't be used as a serial port"):
        await open_link(SerialAddress("file"), baudrate=9600, base_dir=tmp_path)


async def test_a_port_pulled_while_it_opens_is_simulated_still(tmp_path: Path, mocker: MockerFixture) -> None:
    device_fd, host_fd = os.openpty()
    (tmp_path / "shoe").symlink_to(os.ttyname(host_fd))

    def pulled(fd: int) -> list[Any]:
        (tmp_path / "shoe").unlink()
        return set_raw(fd)

    mocker.patch.object(serial_tcp, "set_raw", pulled)
    link = await open_link(SerialAddress("shoe"), baudrate=9600, base_dir=tmp_path)
    assert link.is_simulated
    link.close()
    os.close(device_fd)
    os.close(host_fd)


def test_a_file_is_not_simulated(tmp_path: Path) -> None:
    with (tmp_path / "file").open("w") as file:
        assert not is_pty(file.fileno())


async def test_a_failed_opening_leaves_no_descriptor(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    before = set(os.listdir("/proc/self/fd"))  # noqa: PTH208
    with pytest.raises(PortRefusedError):
        await open_link(SerialAddress("file"), baudrate=9600, base_dir=tmp_path)
    assert set(os.listdir("/proc/self/fd")) <= before  # noqa: PTH208


async def test_unplugging_ends_the_link_once(device: PtyEnd, inbox: Inbox) -> None:
    link = await opened(device)
    link.start(inbox)
    await device.unplug()
    error = await lost(link)
    assert "plug it in" in str(error)
    with pytest.raises(LinkClosedError):
        link.write(b"x")
    with pytest.raises(LinkClosedError):
        link.start(inbox)
    link.close()
    assert link.closed.result() is error


async def test_unplugging_is_noticed_by_a_write_too(device: PtyEnd) -> None:
    link = await opened(device)
    await device.unplug()
    with pytest.raises(LinkClosedError, match="plug it in"):
        link.write(b"x")


async def test_device_plugged_in_again_is_found_under_its_stable_name(device: PtyEnd, inbox: Inbox) -> None:
    link = await opened(device)
    link.start(inbox)
    keeper = pty.openpty()  # takes the freed number, as another device would
    await device.unplug()
    await lost(link)
    await device.plug()
    again = await opened(device)
    again.start(inbox)
    device.write(b"back")
    assert await inbox.holds(4) == b"back"
    again.close()
    for fd in keeper:
        os.close(fd)


async def test_closing_resolves_closed_and_may_be_repeated(device: PtyEnd, inbox: Inbox) -> None:
    link = await opened(device)
    link.start(inbox)
    link.close()
    link.close()
    assert "closed by this program" in str(await lost(link))


async def test_a_device_that_does_not_read_gets_everything_later(device: PtyEnd) -> None:
    at_device = Inbox()
    link = await opened(device)
    assert device._fds is not None
    asyncio.get_running_loop().remove_reader(device._fds[0])
    data = bytes(range(256)) * 200
    link.write(data)
    assert link.bytes_out < len(data)
    device.on_bytes = at_device
    asyncio.get_running_loop().add_reader(device._fds[0], device._read)
    assert await at_device.holds(len(data)) == data
    assert link.bytes_out == len(data)
    link.close()


async def test_device_that_never_reads_ends_link_instead_of_filling_memory(device: PtyEnd) -> None:
    link = await opened(device)
    assert device._fds is not None
    asyncio.get_running_loop().remove_reader(device._fds[0])
    link.write(bytes(MAX_UNSENT))
    with pytest.raises(LinkClosedError, match="takes no more bytes"):
        link.write(bytes(MAX_UNSENT))
    assert "takes no more bytes" in str(await lost(link))


async def test_a_cancelled_opening_gives_the_port_back(device: PtyEnd, monkeypatch: pytest.MonkeyPatch) -> None:
    entered, go_on = asyncio.Event(), threading.Event()
    loop, really_open = asyncio.get_running_loop(), serial.Serial.open

    def slow_open(port: serial.Serial) -> None:
        loop.call_soon_threadsafe(entered.set)
        go_on.wait(PATIENCE_S)
        really_open(port)

    monkeypatch.setattr(serial.Serial, "open", slow_open)
    task = asyncio.create_task(opened(device))
    await entered.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    go_on.set()
    monkeypatch.undo()
    async with asyncio.timeout(PATIENCE_S):
        while True:
            try:
                (await opened(device)).close()
                break
            except PortBusyError:
                await asyncio.sleep(0)


async def test_a_device_server_is_reached_and_its_end_noticed(inbox: Inbox) -> None:
    heard = Inbox()
    accepted: asyncio.Queue[asyncio.StreamWriter] = asyncio.Queue()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        accepted.put_nowait(writer)
        while data := await reader.read(100):
            heard(data)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    link = await open_link(TcpAddress("127.0.0.1", port), baudrate=4800, base_dir=Path("/"))
    assert not link.is_simulated
    link.start(inbox)
    link.write(b"ask")
    assert await heard.holds(3) == b"ask"
    writer = await accepted.get()
    writer.write(b"answer")
    assert await inbox.holds(6) == b"answer"
    with socket.socket(fileno=os.dup(link._fd)) as same:
        assert same.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
    writer.close()
    assert "is gone" in str(await lost(link))
    server.close()
    await server.wait_closed()


async def test_a_device_server_that_is_off_is_missing() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        with pytest.raises(PortMissingError, match="check the device server"):
            await open_link(TcpAddress("127.0.0.1", port), baudrate=4800, base_dir=Path("/"))
