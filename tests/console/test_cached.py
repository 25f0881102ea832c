"""Answers that many ask for: compressed once, sent in pieces, and cut where nobody reads them."""

import asyncio
import gzip
from dataclasses import dataclass, field
from typing import Any

import pytest
from starlette.requests import Request
from starlette.types import Message, Scope

from tablectl.console.http.waiting import UNREAD_EACH, UNREAD_MAX, _unread
from tablectl.console.pages import PIECE, answer_with, content_of, takes_gzip
from tests.console.rig import house

LONG = content_of(bytes(nth % 251 for nth in range(300_000)), "application/octet-stream")


def _scope(**headers: str) -> Scope:
    named = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return {"type": "http", "method": "GET", "path": "/", "headers": named}


async def _nothing() -> Message:
    raise AssertionError("nobody reads here")


async def test_an_answer_waits_for_the_client_after_each_piece() -> None:
    sent = list[bytes]()
    room = asyncio.Semaphore(2)

    async def send(message: Message) -> None:
        await room.acquire()
        sent.append(message.get("body", b""))

    scope = _scope()
    answering = asyncio.create_task(answer_with(Request(scope), LONG)(scope, _nothing, send))
    for _ in range(10):
        await asyncio.sleep(0)
    assert sum(map(len, sent)) == PIECE
    for _ in range(40):
        room.release()
    await answering
    assert b"".join(sent) == LONG.plain
    assert max(map(len, sent)) <= PIECE


@pytest.mark.parametrize("path", ["/v1/words", "/v1/openapi.json", "/static/dealer/index.html"])
async def test_what_is_long_is_sent_compressed_to_who_takes_it(path: str) -> None:
    async with house() as here:
        screen = here.screen().http
        plain = await screen.get(path, headers={"Accept-Encoding": "identity"})
        async with screen.stream("GET", path, headers={"Accept-Encoding": "gzip"}) as answer:
            pressed = b"".join([chunk async for chunk in answer.aiter_raw()])
        assert "Content-Encoding" not in plain.headers
        if len(plain.content) > 1024:
            assert answer.headers["Content-Encoding"] == "gzip"
            assert gzip.decompress(pressed) == plain.content
            assert len(pressed) < len(plain.content) / 2
        again = await screen.get(path, headers={"If-None-Match": plain.headers["ETag"]})
        assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize(
    ("accepted", "takes"),
    [("", False), ("gzip", True), ("br, gzip;q=0.5", True), ("gzip;q=0", False), ("*", True), ("deflate", False)],
)
def test_gzip_is_sent_to_who_says_so(accepted: str, takes: bool) -> None:  # a parameter of the test
    assert takes_gzip(accepted) is takes


@dataclass(eq=False)
class Held:
    """A connection of which so much is unread; it stands for its transport too."""

    address: str
    unread: int
    transport: Any = field(init=False)

    def __post_init__(self) -> None:
        self.transport = self

    def get_extra_info(self, _name: str) -> tuple[str, int]:
        return self.address, 1

    def get_write_buffer_size(self) -> int:
        return self.unread


def test_what_nobody_reads_stays_within_its_budgets() -> None:
    own = {Held("127.0.0.1", 100_000)}
    one_origin = {Held("192.0.2.1", 64 * 1024) for _ in range(100)}
    many = {Held(f"198.51.{nth % 100}.1", 64 * 1024) for nth in range(200)}
    connections: set[Any] = own | one_origin | many
    left = connections - set(_unread(connections))
    assert own <= left
    assert sum(each.unread for each in left) <= UNREAD_MAX
    assert sum(each.unread for each in left & one_origin) <= UNREAD_EACH
    alone: set[Any] = {Held("192.0.2.1", 64 * 1024)}
    assert list(_unread(alone)) == []
