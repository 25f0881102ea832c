"""Whoever keeps the console busy: connections held open, heads and bodies without end, requests from other machines."""

import asyncio
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest

from tablectl.console.http.waiting import CONNECTIONS_MAX
from tests.console.rig import House, house
from tests.support.patience import PATIENCE_S

HERE, ELSEWHERE = "127.0.0.1", "127.0.0.2"
"""An address of this machine that isn't its usual one stands for another machine's."""

MORE = 30
BEGUN = b"GET /v1/health HTTP/1.1\r\nHost: loc"
SLOW = b"POST /v1/sign-on HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"
UNREAD = b"GET /v1/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * 20


@asynccontextmanager
async def held(here: House, count: int, source: str, begun: bytes = BEGUN) -> AsyncGenerator[list[socket.socket]]:
    """So many connections on which this was sent, and nothing is read or sent any more."""
    loop, doors = asyncio.get_running_loop(), list[socket.socket]()
    try:
        for _ in range(count):
            door = socket.socket()
            doors.append(door)
            door.setblocking(False)
            door.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            door.bind((source, 0))
            await loop.sock_connect(door, ("127.0.0.1", here.port))
            await loop.sock_sendall(door, begun)
        yield doors
    finally:
        for door in doors:
            door.close()


async def hung_up(doors: list[socket.socket], least: int) -> int:
    """How many of these connections the server has ended, once it has ended at least so many."""
    loop, ended = asyncio.get_running_loop(), 0
    async with asyncio.TaskGroup() as tasks:
        waiting = {tasks.create_task(_ends(loop, door)) for door in doors}
        async with asyncio.timeout(PATIENCE_S):
            while ended < least:
                done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                ended += len(done)
        for task in waiting:
            task.cancel()
    return ended


async def _ends(loop: asyncio.AbstractEventLoop, door: socket.socket) -> None:
    try:
        assert await loop.sock_recv(door, 1) == b""
    except ConnectionError:
        return


@pytest.mark.parametrize("source", [HERE, ELSEWHERE])
async def test_who_holds_every_connection_shuts_nobody_out(source: str) -> None:
    async with house() as here, held(here, CONNECTIONS_MAX + MORE, source) as doors:
        dealer = await here.signed_on("ana")
        await dealer.done("confirm_pack")
        assert await hung_up(doors, MORE) < (CONNECTIONS_MAX // 2 if source == HERE else len(doors))


@pytest.mark.parametrize("begun", [SLOW, UNREAD], ids=["slow bodies", "answers that nobody reads"])
async def test_requests_that_wait_at_this_machine_shut_nobody_out(begun: bytes) -> None:
    async with house() as here, held(here, 100, HERE, begun):
        dealer = await here.signed_on("ana")
        await dealer.done("confirm_pack")
        assert (await here.screen().http.get("/dealer")).status_code == 200


async def test_another_machines_connections_give_way_before_this_ones() -> None:
    async with (
        house() as here,
        held(here, 100, HERE) as near,
        held(here, 100, ELSEWHERE) as far,
        held(here, MORE, ELSEWHERE) as more,
    ):
        assert await hung_up([*far, *more], MORE) >= MORE
        assert (await here.screen().http.get("/v1/health")).status_code == 200
        assert [door for door in near if _is_over(door)] == []


def _is_over(door: socket.socket) -> bool:
    try:
        return door.recv(1, socket.MSG_PEEK) == b""
    except BlockingIOError:
        return False


@pytest.mark.parametrize(
    ("flood", "answers"),
    [
        (b"GET /v1/health HTTP/1.1\r\nHost: localhost\r\n" + b"X: y\r\n" * 400_000 + b"\r\n", {400}),
        (b"GET /v1/health HTTP/1.1\r\nHost: localhost\r\nX: " + b"y" * 2_000_000 + b"\r\n\r\n", {400}),
        (b"GET /v1/health HTTP/1.1\r\nHost: localhost\r\nCookie: " + b"a=b; " * 3_000 + b"\r\n\r\n", {200}),
        (
            b"POST /v1/sign-on HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n2;" + b"a" * 200_000 + b"\r\n{}\r\n0\r\n\r\n",
            {400, 413, 422},
        ),
        (
            b"POST /v1/sign-on HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n" + b"X: y\r\n" * 20_000 + b"\r\n",
            {400, 413, 422},
        ),
        (
            b"POST /v1/sign-on HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n" + b"1\r\n \r\n" * 80_000 + b"0\r\n\r\n",
            {413},
        ),
    ],
    ids=["headers", "a header", "cookies", "a chunk's extension", "trailers", "chunks"],
)
async def test_flood_in_one_request_is_cut_off(flood: bytes, answers: set[int]) -> None:
    async with house(loitering_s=1.0) as here:
        assert await _status(here, flood) in answers | {0}
        assert (await here.screen().http.get("/v1/health")).status_code == 200


async def _status(here: House, request: bytes) -> int:
    """The status that these bytes get; 0 where the connection was ended before all were sent."""
    reader, writer = await asyncio.open_connection("127.0.0.1", here.port)
    try:
        writer.write(request)
        async with asyncio.timeout(PATIENCE_S):
            line = await reader.readline()
    except ConnectionError:
        return 0
    finally:
        writer.close()
    return int(line.split()[1]) if line else 0


async def test_requests_sent_ahead_are_answered_one_after_the_other() -> None:
    async with house(loitering_s=1.0) as here:
        reader, writer = await asyncio.open_connection("127.0.0.1", here.port)
        writer.write(b"GET /v1/people HTTP/1.1\r\nHost: localhost\r\n\r\n" * 40)
        writer.write(b"GET /v1/people HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        async with asyncio.timeout(PATIENCE_S):
            answers = await reader.read()
        writer.close()
        assert answers.count(b"HTTP/1.1 200") == 41


EVIL = "x\n\x1b[2J\x1b]0;pwned\x07"
SIGNS = ("\x1b[2J", "a\nb", "\x9b2J", "\u202eevil", "\x00", "\u2028")


@pytest.mark.parametrize(
    ("verb", "fields"),
    [
        ("bookmark", {"note": "{}"}),
        ("void_round", {"reason": "{}"}),
        ("correct_round", {"corrects": "a-000001", "reason": "{}", "changes": []}),
        ("correct_round", {"corrects": "a-000001", "reason": "r", "changes": [{"bettor": "{}", "amount": "1"}]}),
        ("bet", {"place": 1, "bettor": "{}", "bet": "pair", "stake": "1"}),
        ("bet", {"place": 1, "bettor": "A", "bet": "{}", "stake": "1"}),
        ("take_seat", {"place": 1, "bettor": "{}"}),
        ("declare_irregularity", {"kind": "looked_early", "place": 1, "bettor": "{}"}),
        ("decide", {"place": 1, "bettor": "A", "decision": "{}"}),
        ("acknowledge_fault", {"code": 1, "device": "{}"}),
        ("run_self_test", {"device": "{}"}),
        ("bookmark", {"note": "n", "round_id": "{}"}),
        ("bookmark", {"note": "n", "request_id": "{}"}),
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(value),
)
async def test_no_text_that_screen_or_log_would_obey_is_taken(verb: str, fields: dict[str, object]) -> None:
    async with house() as here:
        screen = await here.signed_on("sam")
        before = here.table.table.records
        for sign in (EVIL, *SIGNS):
            answer = await screen.ask(verb, **_with(fields, sign))
            assert answer.status_code == 422, (sign, answer.text)
        assert here.table.table.records == before


def _with(value: object, sign: str) -> "dict[str, object]":
    """The fields with this text in them."""

    def put(inner: object) -> object:
        match inner:
            case str():
                return inner.replace("{}", sign)
            case dict():
                return {key: put(each) for key, each in inner.items()}
            case list():
                return [put(each) for each in inner]
            case _:
                return inner

    changed = put(value)
    assert isinstance(changed, dict)
    return changed
