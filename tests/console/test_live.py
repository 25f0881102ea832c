"""The table as it changes, on real WebSockets."""

import asyncio
import json
import re
import resource
import socket
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tablectl.console.websocket import NEWCOMERS_MAX, SCREENS_MAX
from tablectl.core.facts.reports import CutCardReached
from tests.console.rig import House, house, quick, until
from tests.support.patience import PATIENCE_S


@asynccontextmanager
async def live(here: House, **more: Any) -> AsyncGenerator[ClientConnection]:
    async with connect(f"ws://127.0.0.1:{here.port}/v1/live", proxy=None, **more) as screen:
        yield screen


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


async def heard(screen: ClientConnection) -> dict[str, Any]:
    async with asyncio.timeout(PATIENCE_S):
        message: dict[str, Any] = json.loads(await screen.recv())
    return message


async def until_seen(screen: ClientConnection, seen: int) -> list[int]:
    """The numbers that the screen showed, up to this one."""
    shown: list[int] = []
    while not shown or shown[-1] < seen:
        message = await heard(screen)
        if message["type"] == "state":
            shown.append(message["state"]["seen"])
    return shown


async def closed_with(screen: ClientConnection) -> int:
    async with asyncio.timeout(PATIENCE_S):
        with suppress(ConnectionClosed):
            while True:
                await screen.recv()
    assert screen.close_code is not None
    return screen.close_code


async def build_of(here: House, path: str) -> str:
    """The build that a page says it is of."""
    found = re.search('name="build" content="([0-9a-f]{16})"', (await here.screen().http.get(path)).text)
    assert found
    return found[1]


async def no_watchers(here: House) -> None:
    await until(lambda: here.table.watchers == [])


async def test_screen_signs_on_with_its_first_message() -> None:
    async with house() as here:
        dealer = await here.signed_on("eve")
        async with live(here) as screen:
            await screen.send(json.dumps({"token": dealer.token}))
            assert await heard(screen) == {
                "type": "state",
                "state": {**json.loads(json.dumps(here.table.state())), "result": None},
                "build": await build_of(here, "/surveillance"),
            }


async def test_a_screen_that_can_sends_its_token_in_the_header() -> None:
    async with house() as here:
        dealer = await here.signed_on("ana")
        async with live(here, additional_headers=bearer(dealer.token)) as screen:
            assert (await heard(screen))["type"] == "state"


async def test_every_change_reaches_every_screen() -> None:
    async with house() as here:
        dealer = await here.signed_on("ana")
        token = bearer(dealer.token)
        async with live(here, additional_headers=token) as one, live(here, additional_headers=token) as other:
            for screen in (one, other):
                await heard(screen)
            await dealer.done("confirm_pack")
            for screen in (one, other):
                assert (await heard(screen))["state"]["round"]["pack"] == "ready"


async def test_a_silent_table_sends_heartbeats() -> None:
    async with house(limits=quick(heartbeat_s=0.02)) as here:
        dealer = await here.signed_on("ana")
        async with live(here, additional_headers=bearer(dealer.token)) as screen:
            assert [(await heard(screen))["type"] for _ in range(3)] == ["state", "heartbeat", "heartbeat"]


async def test_a_wrong_token_in_the_header_is_answered_401() -> None:
    async with house() as here:
        with pytest.raises(InvalidStatus) as refused:
            async with live(here, additional_headers=bearer("x")):
                pass
        assert refused.value.response.status_code == 401
        assert json.loads(refused.value.response.body or b"")["error"]["code"] == "not_signed_on"


async def test_a_wrong_token_in_the_first_message_closes() -> None:
    async with house() as here, live(here) as screen:
        await screen.send('{"token": "x"}')
        assert await closed_with(screen) == 4401


@pytest.mark.parametrize(
    "message", ["", "x", "[]", "{}", '{"token": 1}', '{"token": "a", "b": 1}', b"\x00\xff", "[" * 999]
)
async def test_a_first_message_that_is_no_token_closes(message: str | bytes) -> None:
    async with house() as here, live(here) as screen:
        await screen.send(message)
        assert await closed_with(screen) == 4400


async def test_a_first_message_too_long_closes() -> None:
    async with house() as here, live(here) as screen:
        await screen.send("x" * 5000)
        assert await closed_with(screen) == 1009


async def test_a_screen_that_says_nothing_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tablectl.console.websocket.HELLO_WITHIN_S", 0.05)
    async with house() as here, live(here) as screen:
        assert await closed_with(screen) == 4400


async def test_screen_that_leaves_before_its_first_message_is_no_mistake(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with house() as here:
        async with live(here):
            pass
        async with live(here) as screen:
            screen.transport.abort()
        assert (await here.screen().http.get("/v1/health")).status_code == 200
    assert caplog.records == []


async def test_a_screen_that_says_more_is_closed() -> None:
    async with house() as here:
        dealer = await here.signed_on("ana")
        async with live(here, additional_headers=bearer(dealer.token)) as screen:
            await screen.send("hello")
            assert await closed_with(screen) == 4400
        await no_watchers(here)


async def test_a_page_of_another_origin_may_not_look() -> None:
    async with house() as here:
        dealer = await here.signed_on("ana")
        with pytest.raises(InvalidStatus) as refused:
            async with live(here, origin="http://evil.example", additional_headers=bearer(dealer.token)):
                pass
        assert refused.value.response.status_code == 403


async def test_the_controllers_own_page_may_look() -> None:
    async with house() as here:
        dealer = await here.signed_on("ana")
        async with live(here, origin=here.url, additional_headers=bearer(dealer.token)) as screen:
            assert (await heard(screen))["type"] == "state"


async def test_signing_off_ends_what_screen_sees_before_next_change() -> None:
    async with house() as here:
        dealer, other = await here.signed_on("ana"), await here.signed_on("sam")
        async with live(here, additional_headers=bearer(dealer.token)) as screen:
            await heard(screen)
            await dealer.http.post("/v1/sign-off")
            await other.done("confirm_pack")
            async with asyncio.timeout(PATIENCE_S):
                with pytest.raises(ConnectionClosed) as closed:
                    await screen.recv()
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 4401
        await no_watchers(here)


async def test_looking_on_does_not_keep_an_idle_session_alive() -> None:
    async with house(limits=quick(heartbeat_s=0.02, idle_s=100)) as here:
        dealer = await here.signed_on("ana")
        async with live(here, additional_headers=bearer(dealer.token)) as screen:
            await heard(screen)
            here.clock.at_s += 101
            assert await closed_with(screen) == 4401


async def test_a_screen_that_leaves_is_forgotten() -> None:
    async with house() as here:
        dealer = await here.signed_on("ana")
        async with live(here, additional_headers=bearer(dealer.token)) as screen:
            await heard(screen)
            assert len(here.table.watchers) == 1
        await no_watchers(here)


async def test_one_screen_too_many_is_told_so() -> None:
    async with house() as here:
        dealer = await here.signed_on("ana")
        more = {"additional_headers": bearer(dealer.token)}
        screens = [live(here, **more) for _ in range(SCREENS_MAX)]
        for screen in screens:
            await heard(await screen.__aenter__())
        with pytest.raises(InvalidStatus) as refused:
            async with live(here, **more):
                pass
        assert refused.value.response.status_code == 503
        for screen in screens:
            await screen.__aexit__(None, None, None)
        await no_watchers(here)
        async with live(here, **more) as screen_again:
            await heard(screen_again)


class SlowReader:
    """A WebSocket client that reads nothing until it is asked to."""

    def __init__(self, port: int) -> None:
        self._socket = socket.socket()
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self._socket.setblocking(False)
        self._port = port

    async def open(self, token: str) -> ClientConnection:
        """Connected, with its reading paused."""
        loop = asyncio.get_running_loop()
        await loop.sock_connect(self._socket, ("127.0.0.1", self._port))
        screen = await connect(
            f"ws://127.0.0.1:{self._port}/v1/live",
            sock=self._socket,
            proxy=None,
            additional_headers=bearer(token),
            max_queue=1,
            max_size=None,
            ping_interval=None,
        )
        screen.transport.pause_reading()
        return screen


async def test_slow_screen_gets_newest_state_and_few_of_those_between() -> None:
    async with house() as here:
        here.table.padding = "x" * 100_000
        dealer = await here.signed_on("ana")
        screen = await SlowReader(here.port).open(dealer.token)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for _ in range(2000):
            here.table.report(CutCardReached("shoe"))
            await asyncio.sleep(0)
        last = here.table.table.records
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000  # 2000 states are 200 MB
        assert here.table.watchers
        screen.transport.resume_reading()
        shown = await until_seen(screen, last)
        assert shown == sorted(set(shown))
        assert len(shown) < 200
        await screen.close()


async def test_a_screen_that_never_reads_is_told_nothing_more() -> None:
    async with house(limits=quick(send_s=0.1)) as here:
        here.table.padding = "x" * 1_000_000
        dealer = await here.signed_on("ana")
        _, writer = await asyncio.open_connection("127.0.0.1", here.port, limit=1024)
        writer.write(opening(dealer.token))
        await until(lambda: here.table.watchers != [])
        async with asyncio.timeout(10):  # sooner than the server would end it for standing still
            while here.table.watchers:
                here.table.report(CutCardReached("shoe"))
                await asyncio.sleep(0.01)
        writer.close()


async def test_a_connection_that_nobody_reads_is_closed() -> None:
    async with house(limits=quick(send_s=0.1), loitering_s=0.3) as here:
        here.table.padding = "x" * 10_000_000
        dealer = await here.signed_on("ana")
        _, writer = await asyncio.open_connection("127.0.0.1", here.port, limit=1024)
        writer.write(opening(dealer.token))
        async with asyncio.timeout(10):
            with pytest.raises(ConnectionError):
                await _pong_for_ever(writer)
        await no_watchers(here)
        writer.close()


async def _pong_for_ever(writer: asyncio.StreamWriter) -> None:
    while True:
        writer.write(b"\x8a\x80\x00\x00\x00\x00")
        await writer.drain()
        await asyncio.sleep(0.01)


def opening(token: str) -> bytes:
    """A WebSocket's first bytes, for clients that are to do wrong what a library does right."""
    return (
        "GET /v1/live HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        f"Authorization: Bearer {token}\r\n\r\n"
    ).encode()


async def test_sockets_without_a_token_take_no_screens_place() -> None:
    async with house() as here, AsyncExitStack() as open_:
        dealer = await here.signed_on("ana")
        for _ in range(NEWCOMERS_MAX):
            await open_.enter_async_context(live(here))
        with pytest.raises(InvalidStatus):
            await open_.enter_async_context(live(here))
        for _ in range(SCREENS_MAX):
            screen = await open_.enter_async_context(live(here, additional_headers=bearer(dealer.token)))
            assert (await heard(screen))["type"] == "state"
