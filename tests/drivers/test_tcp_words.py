"""A device server that is in use: what it says is shown, and a connection that doesn't stay is none."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from drivers.devices import fault_of
from drivers.shoe.device import ShoeDriver, ShoeSettings
from drivers.transport.serial_tcp import PortBusyError, TcpAddress, open_link
from drivers.transport.tcp_words import words_in
from tablectl.core.facts import FaultRaised
from tablectl.core.faults import Code
from tablectl.daemon.devices.presence import Presence
from tablectl.daemon.devices.supervisor import Pace, Supervised
from tablectl.words.reason import reason
from tests.support.patience import PATIENCE_S
from tests.support.told import MovableClock, Told, eventually, running

IN_USE = b"Port already in use\r\n"


@asynccontextmanager
async def server(greet: Callable[[asyncio.StreamWriter], None]) -> AsyncGenerator[tuple[int, list[int]]]:
    """A device server's port, and how often it was called; it greets and hangs up."""
    calls: list[int] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        del reader
        calls.append(len(calls))
        greet(writer)
        writer.close()

    listening = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with listening:
        yield listening.sockets[0].getsockname()[1], calls


@pytest.mark.parametrize(("said", "shown"), [(IN_USE, '"Port already in use"'), (b"", "at once"), (b"\x05\x93", "at")])
async def test_a_server_that_hangs_up_at_once_is_busy(said: bytes, shown: str) -> None:
    async with server(lambda writer: writer.write(said)) as (port, _):
        with pytest.raises(PortBusyError, match=shown) as raised:
            await open_link(TcpAddress("127.0.0.1", port), baudrate=9600, base_dir=Path("/"))
    assert fault_of(raised.value) is Code.PORT_BUSY
    assert reason(raised.value, "pt") != str(raised.value)


async def test_a_server_that_hangs_up_later_has_its_words_shown() -> None:
    let_go = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        del reader
        await let_go.wait()
        writer.write(IN_USE)
        writer.close()

    listening = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with listening:
        address = TcpAddress("127.0.0.1", listening.sockets[0].getsockname()[1])
        link = await open_link(address, baudrate=9600, base_dir=Path("/"))
        link.start(lambda _: None)
        let_go.set()
        async with asyncio.timeout(PATIENCE_S):
            assert 'said "Port already in use"' in str(await link.closed)


async def test_port_in_use_is_one_fact_however_often_tried(tmp_path: Path) -> None:
    told = Told()
    presence = Presence("shoe", told)
    async with server(lambda writer: writer.write(IN_USE)) as (port, calls):
        settings = ShoeSettings("shoe", f"tcp://127.0.0.1:{port}", 9600, tmp_path)
        driver = ShoeDriver(settings, presence, MovableClock())
        async with running(Supervised(driver, presence, fault_of, pace=Pace(first_s=0.001, longest_s=0.001)).run()):
            await eventually(lambda: len(calls) > 5)
    (fact,) = told.bodies
    assert isinstance(fact, FaultRaised)
    assert (fact.code, '"Port already in use"' in fact.detail) == (Code.PORT_BUSY, True)


@pytest.mark.parametrize(
    "data", [b"", b"\x0512D\x81\xb8\x03", b"s 0E 00001234 00000001 !\r\n", b"answer", b"\x1b[2J no way"]
)
def test_frames_are_no_words(data: bytes) -> None:
    assert words_in(data) == ""
