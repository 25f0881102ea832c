"""Open screens: each is sent the newest state after a change.

No screen waits for a slow one.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import field
from typing import Any, Final, Protocol

from starlette.types import Scope
from starlette.websockets import WebSocket, WebSocketDisconnect

from tablectl.console.errors import ApiError
from tablectl.console.http.origins import Places, origin_in
from tablectl.core.protocols import TableStoppedError, Window
from tablectl.lazy_dataclass import dataclass

CLOSED_BAD_MESSAGE: Final = 4400
CLOSED_NOT_SIGNED_ON: Final = 4401

HEARTBEAT: Final = '{"type":"heartbeat"}'


class GoneError(Exception):
    """The screen gets no more messages: it is too slow, or signed off."""


class Changing(Protocol):
    """Something that screens show."""

    def subscribe(self, changed: Callable[[], None]) -> Callable[[], None]:
        """Calls `changed` in the loop after every change; returns what ends that."""
        ...


@dataclass(frozen=True, slots=True)
class TableView:
    """The state that the screens of a table show.

    Args:
        result: of the last round that ended, with what each bettor gets; None before the first.
    """

    window: Window
    result: Callable[[], Mapping[str, Any] | None]

    def state(self) -> Mapping[str, Any]:
        """The table now."""
        return {**self.window.state(), "result": self.result()}


@dataclass(frozen=True, slots=True)
class Shown:
    """The messages for one screen.

    Args:
        news: the messages since the last time it was asked, after a change.
        lasts: whether the screen may stay connected.
        quiet: the message where nothing has changed.
    """

    news: Callable[[], AsyncGenerator[str]]
    lasts: Callable[[], bool]
    quiet: Callable[[], str] = lambda: HEARTBEAT


@dataclass(slots=True)
class Screens:
    """The open screens of one kind.

    Each gets the whole state after every change, or, where it reads slowly, the newest one when it is ready
    for it: so a slow screen costs one state's memory, and never shows an old table for a new one.

    Args:
        most: how many there may be.
        heartbeat_s: how long a screen hears nothing at most.
        send_s: how long it may take to read what it was sent.
        build: of the pages, sent with each state, so that one of another build is loaded again.
    """

    window: Changing
    most: int
    heartbeat_s: float
    send_s: float
    build: str = ""
    _texts: dict[str, str] = field(default_factory=dict[str, str])
    _places: Places = field(init=False)

    def __post_init__(self) -> None:
        self._places = Places(self.most, self.most // 4, self.most // 4)

    def full(self, scope: Scope) -> ApiError | None:
        """The error for a screen too many; None where there is a place.

        A quarter is the table's own; another origin has a quarter.
        """
        if not self._places.is_full(origin_in(scope)):
            return None
        return ApiError(503, "overloaded", "too many screens are open: close one", "server", retry_s=5)

    @asynccontextmanager
    async def one(self, socket: WebSocket) -> AsyncGenerator[None]:
        """Counts a screen while it is served, and lets it leave as it likes."""
        try:
            with self._places.one(origin_in(socket.scope)):
                yield
        except* (WebSocketDisconnect, GoneError, TableStoppedError):
            pass

    def text(self, kind: str, content: Callable[[], Mapping[str, Any]]) -> str:
        """A message that all screens of a kind get alike, written once for each change."""
        if kind not in self._texts:
            self._texts[kind] = write_json({**content(), "build": self.build})
        return self._texts[kind]

    async def show(self, socket: WebSocket, shown: Shown) -> None:
        """Sends what is shown, at once and after every change, until the screen leaves."""
        changed = asyncio.Event()
        end = self.window.subscribe(lambda: self._note(changed))
        self._texts.clear()
        try:
            async with asyncio.TaskGroup() as tasks:
                pushing = tasks.create_task(self._push(socket, shown, changed))
                said = await socket.receive()
                pushing.cancel()
        finally:
            end()
        if said["type"] != "websocket.disconnect":
            await socket.close(CLOSED_BAD_MESSAGE, "nothing is expected here: send requests by HTTP")

    def _note(self, changed: asyncio.Event) -> None:
        self._texts.clear()
        changed.set()

    async def _push(self, socket: WebSocket, shown: Shown, changed: asyncio.Event) -> None:
        changed.set()
        while True:
            try:
                async with asyncio.timeout(self.heartbeat_s):
                    await changed.wait()
            except TimeoutError:
                await self._send(socket, shown, shown.quiet())
                continue
            changed.clear()
            async for text in shown.news():
                await self._send(socket, shown, text)

    async def _send(self, socket: WebSocket, shown: Shown, text: str) -> None:
        if not shown.lasts():
            await socket.close(CLOSED_NOT_SIGNED_ON, "signed off")
            raise GoneError
        try:
            async with asyncio.timeout(self.send_s):
                await socket.send_text(text)
        except TimeoutError:
            raise GoneError from None


def write_json(value: Mapping[str, Any]) -> str:
    """The value as compact JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=dict)
