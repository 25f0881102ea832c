"""The server itself: its port, its end, and its patience."""

import asyncio
import errno
import logging
import signal
import socket
import time
from contextlib import suppress

import httpx
import pytest
from starlette.applications import Starlette
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from tablectl.console.http.server import listen_at, serve
from tablectl.console.routes import make_app
from tests.console.rig import PEOPLE, MemoryTable, dealt, house, new_table, say
from tests.support.names import name
from tests.support.patience import PATIENCE_S, SCALE

NEVER_S = 5 * SCALE
"""Where nothing bounded the end, it would take as long as the clients like."""


async def stop_s(task: "asyncio.Task[None]") -> float:
    before = time.monotonic()
    task.cancel()
    await asyncio.wait({task}, timeout=PATIENCE_S)
    assert task.cancelled()
    return time.monotonic() - before


async def no_longer_listens(port: int) -> None:
    async def knock_on() -> None:
        while True:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.close()

    with pytest.raises(OSError, match="Connect call failed"):
        await knock_on()


async def test_it_stops_soon_with_open_websockets() -> None:
    async with house() as here:
        dealer = await here.signed_on("ana")
        headers = {"Authorization": f"Bearer {dealer.token}"}
        url = f"ws://127.0.0.1:{here.port}/v1/live"
        async with (
            connect(url, additional_headers=headers, proxy=None) as screen,
            connect(url, proxy=None) as stranger,
        ):
            await screen.recv()
            assert await stop_s(here.task) < NEVER_S
            with pytest.raises(ConnectionClosed) as closed:
                await screen.recv()
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 1012
            await stranger.wait_closed()
        assert here.table.watchers == []


async def test_it_stops_soon_with_a_request_that_nobody_answers() -> None:
    async with house() as here:
        dealer = await here.signed_on("ana")
        here.table.hold()
        asking = asyncio.create_task(dealer.ask("confirm_pack"))
        silent, writer = await asyncio.open_connection("127.0.0.1", here.port)
        await here.table.until_asked()
        assert await stop_s(here.task) < NEVER_S
        await asyncio.gather(asking, return_exceptions=True)
        assert await silent.read() == b""
        writer.close()


async def test_it_stops_soon_with_a_screen_that_reads_nothing() -> None:
    async with house() as here:
        here.table.padding = "x" * 5_000_000
        dealer = await here.signed_on("ana")
        reader, writer = await asyncio.open_connection("127.0.0.1", here.port, limit=1024)
        writer.write(
            b"GET /v1/live HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            b"Authorization: Bearer " + dealer.token.encode() + b"\r\n\r\n"
        )
        assert b" 101 " in await reader.readline()
        assert await stop_s(here.task) < NEVER_S
        writer.transport.abort()


async def test_request_that_is_nearly_done_when_server_stops_is_answered() -> None:
    async with house() as here:
        dealer = await here.signed_on("ana")
        here.table.hold()
        asking = asyncio.create_task(dealer.ask("confirm_pack"))
        await here.table.until_asked()
        here.task.cancel()
        await no_longer_listens(here.port)
        assert here.table.held is not None
        here.table.held.set()
        assert (await asking).status_code == 200


async def test_a_taken_port_is_an_error_of_the_caller() -> None:
    async with house() as here:
        with pytest.raises(OSError, match="in use"):
            await listen_at("127.0.0.1", here.port)


async def test_an_address_that_comes_after_the_start_is_listened_at() -> None:
    ready: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    app = await _app_of(new_table())
    serving = asyncio.create_task(serve(app, await listen_at("192.0.2.7", 0), listening=ready.set_result))
    async with asyncio.timeout(PATIENCE_S):
        assert await ready > 0
    await stop_s(serving)


async def test_every_address_of_a_name_is_listened_at(monkeypatch: pytest.MonkeyPatch) -> None:
    name(monkeypatch, "table.example", "127.0.0.2", "127.0.0.3", "127.0.0.2", "::1")
    ready: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    at = await listen_at("table.example", 0)
    serving = asyncio.create_task(serve(await _app_of(new_table()), at, listening=ready.set_result))
    async with asyncio.timeout(PATIENCE_S), httpx.AsyncClient(trust_env=False) as browser:
        port = await ready
        for address in ("127.0.0.2", "127.0.0.3", "[::1]"):
            assert (await browser.get(f"http://{address}:{port}/v1/health")).status_code == 200
    await stop_s(serving)


async def test_family_that_the_machine_lacks_keeps_no_other_from_listening(monkeypatch: pytest.MonkeyPatch) -> None:
    name(monkeypatch, "table.example", "::1", "127.0.0.2")
    with socket.socket() as any_socket:
        kind = type(any_socket)

    def without_ipv6(family: int, *rest: int) -> socket.socket:
        if family == socket.AF_INET6:
            raise OSError(errno.EAFNOSUPPORT, "Address family not supported by protocol")
        return kind(family, *rest)

    monkeypatch.setattr("tablectl.console.http.server.socket.socket", without_ipv6)
    ready: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    at = await listen_at("table.example", 0)
    serving = asyncio.create_task(serve(await _app_of(new_table()), at, listening=ready.set_result))
    async with asyncio.timeout(PATIENCE_S):
        assert await ready > 0
    with pytest.raises(OSError, match="Address family"):
        await listen_at("::1", 0)
    monkeypatch.undo()
    await stop_s(serving)


async def test_console_answers_on_every_address_by_its_own_names_only() -> None:
    ready: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    app = await _app_of(new_table())
    serving = asyncio.create_task(serve(app, await listen_at("0.0.0.0", 0), listening=ready.set_result))
    async with httpx.AsyncClient(trust_env=False, timeout=PATIENCE_S) as browser:
        url = f"http://127.0.0.2:{await ready}/v1/health"
        assert (await browser.get(url)).status_code == 200
        for foreign in ("127.0.0.3", "evil.example"):
            assert (await browser.get(url, headers={"Host": foreign})).status_code == 403
    await stop_s(serving)


async def test_the_port_is_free_again_at_once() -> None:
    async with house() as here:
        await dealt(here)
        await stop_s(here.task)
        with socket.socket() as again:
            again.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            again.bind(("127.0.0.1", here.port))


async def test_only_the_asked_address_listens() -> None:
    async with house() as here:
        with pytest.raises(OSError, match="Connect call failed"):
            await asyncio.open_connection("127.0.0.2", here.port)


async def test_a_name_is_resolved() -> None:
    port: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    at = await listen_at("localhost", 0)
    task = asyncio.create_task(serve(await _app_of(new_table()), at, listening=port.set_result))
    assert await port > 0
    await stop_s(task)


async def test_the_processs_signals_are_left_alone() -> None:
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    async with house():
        assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before


async def test_nothing_is_printed(capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        async with house() as here:
            await dealt(here)
    assert capfd.readouterr() == ("", "")
    assert not [record for record in caplog.records if record.name.startswith("uvicorn")]


@pytest.mark.parametrize("start", [b"", b"GET /v1/health HTT", b"POST /v1/sign-on HTTP/1.1\r\nHost: localhost\r\n"])
async def test_a_client_that_never_finishes_its_request_is_dropped(start: bytes) -> None:
    async with house(loitering_s=0.2) as here:
        reader, writer = await asyncio.open_connection("127.0.0.1", here.port)
        writer.write(start)
        async with asyncio.timeout(PATIENCE_S):
            with suppress(ConnectionResetError):
                assert await reader.read() == b""
        writer.close()
        assert (await here.screen().http.get("/v1/health")).status_code == 200


@pytest.mark.parametrize("requests", [200, 2000])
async def test_a_client_that_asks_and_never_reads_is_dropped(requests: int) -> None:
    async with house(loitering_s=0.2) as here:
        _, writer = await asyncio.open_connection("127.0.0.1", here.port, limit=1024)
        writer.write(b"GET /v1/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * requests)
        async with asyncio.timeout(PATIENCE_S):
            with pytest.raises(ConnectionError):
                await _knock_for_ever(writer)
        writer.close()


async def _knock_for_ever(writer: asyncio.StreamWriter) -> None:
    while True:
        writer.write(b"\r\n")
        await writer.drain()
        await asyncio.sleep(0.01)


async def test_a_screen_that_only_looks_is_no_loiterer() -> None:
    async with house(loitering_s=0.1) as here:
        dealer = await here.signed_on("ana")
        headers = {"Authorization": f"Bearer {dealer.token}"}
        async with connect(f"ws://127.0.0.1:{here.port}/v1/live", additional_headers=headers, proxy=None) as screen:
            await screen.recv()
            for _ in range(2):  # whoever comes after it and says nothing is dropped, one after the other
                reader, writer = await asyncio.open_connection("127.0.0.1", here.port)
                async with asyncio.timeout(PATIENCE_S):
                    with suppress(ConnectionResetError):
                        assert await reader.read() == b""
                writer.close()
            await dealer.done("confirm_pack")
            await screen.recv()


async def _app_of(table: MemoryTable) -> Starlette:
    return await asyncio.to_thread(make_app, table, table, table.clock, PEOPLE, say)
