"""The console's door under TLS: handshakes that never end are bounded, and shut nobody out."""

import asyncio
import errno
import socket
import ssl
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any, cast

import pytest

from tablectl.console.http.origins import HERE, origin_of
from tablectl.console.http.tls import SHAKING_EACH, SHAKING_MAX, Door, Tls
from tablectl.console.http.waiting import CONNECTIONS_MAX
from tests.console.rig import House, house
from tests.support.authority import Authority
from tests.support.patience import PATIENCE_S

MORE = 20
HELLO = bytes.fromhex("160301020001")
"""The first bytes of a handshake that goes on for 512 bytes more."""


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


@pytest.fixture
def tls(authority: Authority) -> Tls:
    own = authority.sign("table-7")
    return Tls(own.cert, own.key)


@asynccontextmanager
async def begun(port: int, count: int, sources: int, said: bytes = HELLO) -> AsyncGenerator[list[socket.socket]]:
    """So many connections from each of so many addresses on which a handshake was begun and is never ended."""
    loop, doors = asyncio.get_running_loop(), list[socket.socket]()
    try:
        for nth in range(count * sources):
            door = socket.socket()
            doors.append(door)
            door.settimeout(0)
            door.bind((f"127.0.1.{1 + nth % sources}", 0))
            await loop.sock_connect(door, ("127.0.0.1", port))
            await loop.sock_sendall(door, said)
        yield doors
    finally:
        for door in doors:
            door.close()


def is_open(door: socket.socket) -> bool:
    try:
        return door.recv(1, socket.MSG_PEEK) != b""
    except BlockingIOError:
        return True
    except ConnectionError:
        return False


async def left(doors: list[socket.socket], most: int) -> int:
    """How many of these connections stand, once there are no more than so many."""
    async with asyncio.timeout(PATIENCE_S):
        while (count := sum(map(is_open, doors))) > most:  # noqa: ASYNC110  # nobody tells when a peer hangs up
            await asyncio.sleep(0.02)
    return count


async def answers(here: House, authority: Authority) -> bool:
    return (await here.browser(authority.browser()).http.get("/v1/health")).status_code == 200


@pytest.mark.parametrize("said", [b"", HELLO])
async def test_a_handshake_that_is_never_finished_is_ended(authority: Authority, tls: Tls, said: bytes) -> None:
    async with house(tls=tls, handshake_s=0.3) as here, begun(here.port, 3, 1, said) as doors:
        assert await left(doors, 0) == 0
        assert await answers(here, authority)


async def test_one_machine_has_few_handshakes_under_way_at_a_time(authority: Authority, tls: Tls) -> None:
    async with house(tls=tls) as here, begun(here.port, SHAKING_EACH + MORE, 1) as doors:
        assert await left(doors, SHAKING_EACH) == SHAKING_EACH
        assert [is_open(door) for door in doors[-SHAKING_EACH:]] == [True] * SHAKING_EACH  # the longest gave way
        assert await answers(here, authority)


async def test_unfinished_handshakes_of_many_machines_shut_nobody_out(authority: Authority, tls: Tls) -> None:
    async with house(tls=tls) as here, begun(here.port, SHAKING_EACH, 200) as doors:
        assert await left(doors, SHAKING_MAX) == SHAKING_MAX
        assert await answers(here, authority)
        assert await left(doors, SHAKING_MAX) >= SHAKING_MAX - 1


async def test_unfinished_handshakes_end_no_standing_connection(authority: Authority, tls: Tls) -> None:
    async with house(tls=tls) as here, established(here, authority, CONNECTIONS_MAX) as there:
        # Connections are taken in order: once one of the last machine's gave way, all before it have come in.
        async with begun(here.port, 5, MORE), begun(here.port, SHAKING_EACH + 1, 1) as last:
            await left(last, SHAKING_EACH)
        assert [nth for nth, door in enumerate(there) if not is_open(door)] == []


@asynccontextmanager
async def established(here: House, authority: Authority, count: int) -> AsyncGenerator[list[socket.socket]]:
    """So many connections that finished their handshake and have said nothing yet."""
    context = authority.browser()
    pairs = [await asyncio.open_connection("127.0.0.1", here.port, ssl=context) for _ in range(count)]
    try:
        yield [_socket_of(writer) for _, writer in pairs]
    finally:
        for _, writer in pairs:
            writer.transport.abort()


def _socket_of(writer: asyncio.StreamWriter) -> socket.socket:
    """Its own socket: a look at it takes nothing from the stream."""
    transport: Any = writer.transport.get_extra_info("socket")
    return cast("socket.socket", transport._sock)


async def test_who_never_says_goodbye_under_tls_is_dropped(authority: Authority, tls: Tls) -> None:
    """A connection that the server ends, and whose client takes no notice."""
    request = b"GET /v1/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    async with house(tls=tls) as here:
        raw = socket.create_connection(("127.0.0.1", here.port))
        with closing(await asyncio.to_thread(authority.browser().wrap_socket, raw, server_hostname="127.0.0.1")) as one:
            one.settimeout(PATIENCE_S)
            await asyncio.to_thread(_hear_out, one, request)
            one.settimeout(0)
            async with asyncio.timeout(PATIENCE_S):
                while True:
                    await asyncio.sleep(0.05)
                    try:
                        one.sendall(b"x")  # into a connection that is gone there is a limit to what may be said
                    except (ConnectionError, ssl.SSLError):
                        break


def _hear_out(one: ssl.SSLSocket, request: bytes) -> None:
    one.sendall(request)
    while one.recv(65536):
        pass


@pytest.mark.parametrize(
    ("address", "origin"),
    [
        ("10.1.2.3", "10.1.2.3"),
        ("::ffff:10.1.2.3", "10.1.2.3"),
        ("2001:db8:1:2:3:4:5:6", "2001:0db8:0001:0002"),
        ("2001:db8:1:2::9", "2001:0db8:0001:0002"),
        ("fe80::1%eth0", "fe80:0000:0000:0000"),
        ("::1", HERE),
        ("127.0.0.1", HERE),
        ("::ffff:127.0.0.1", HERE),
    ],
)
def test_a_connection_counts_for_its_machine(address: str, origin: str) -> None:
    assert origin_of(address) == origin


async def test_door_that_can_take_nobody_for_a_while_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tablectl.console.http.tls.RETRY_S", 0)
    came: asyncio.Future[object] = asyncio.get_running_loop().create_future()
    with closing(socket.create_server(("127.0.0.1", 0))) as listener, closing(_Troubled(listener)) as troubled:
        task = asyncio.create_task(Door(asyncio.Protocol, came.set_result).keep(troubled))
        _, writer = await asyncio.open_connection("127.0.0.1", listener.getsockname()[1])
        async with asyncio.timeout(PATIENCE_S):
            assert isinstance(await came, asyncio.Protocol)
        writer.close()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


class _Troubled(socket.socket):
    """A listener that can give no connection, for three reasons one after the other."""

    def __init__(self, real: socket.socket) -> None:
        super().__init__(fileno=real.dup().detach())
        self.settimeout(0)
        self.troubles: Iterator[OSError] = iter(
            OSError(number, "no") for number in (errno.EMFILE, errno.ECONNABORTED, errno.ENOMEM)
        )

    def accept(self) -> tuple[socket.socket, Any]:
        for trouble in self.troubles:
            raise trouble
        return super().accept()
