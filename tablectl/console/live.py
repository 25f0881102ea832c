"""The table as it changes, pushed to every screen that is open."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Final

from pydantic import Field
from pydantic.dataclasses import dataclass as form_dataclass
from starlette.websockets import WebSocket, WebSocketDisconnect

from tablectl.console.bodies import parse_form
from tablectl.console.errors import ApiError, answer
from tablectl.console.fields import STRICT
from tablectl.console.sessions import Sessions
from tablectl.core.ports import Clock, Window

SCREENS_MAX: Final = 16
HELLO_WITHIN_S: Final = 5.0

CLOSED_BAD_MESSAGE: Final = 4400
CLOSED_NOT_SIGNED_ON: Final = 4401


@form_dataclass(config=STRICT, frozen=True, slots=True, kw_only=True)
class Hello:
    """The first message of a screen, where it can't set the Authorization header: a browser can't."""

    token: Annotated[str, Field(max_length=100)]


class GoneError(Exception):
    """There is nothing more to tell this screen: it is slow beyond measure, or signed off."""


@dataclass(slots=True)
class Live:
    """The screens that are open.

    Each gets the whole state after every change, or, where it reads slowly, the newest one when it is ready
    for it: so a slow screen costs one state's memory, and never shows an old table for a new one.

    Args:
        heartbeat_s: how long a screen hears nothing at most.
        send_s: how long it may take to read what it was sent.
    """

    window: Window
    sessions: Sessions
    clock: Clock
    heartbeat_s: float
    send_s: float
    _screens: set[WebSocket] = field(default_factory=set[WebSocket])

    async def meet(self, socket: WebSocket) -> None:
        """Serves one screen from its first byte to its last."""
        token = bearer(socket.headers.get("authorization", ""))
        if (error := self._why_not(token)) is not None:
            await answer(error)(socket.scope, socket.receive, socket.send)
            return
        self._screens.add(socket)
        try:
            await self._welcome(socket, token)
        except* (WebSocketDisconnect, GoneError):
            pass
        finally:
            self._screens.discard(socket)

    def _why_not(self, token: str | None) -> ApiError | None:
        if len(self._screens) >= SCREENS_MAX:
            return ApiError(503, "overloaded", "too many screens are open: close one", "server", retry_s=5)
        if token is not None and not self._lasts(token):
            return not_signed_on()
        return None

    async def _welcome(self, socket: WebSocket, token: str | None) -> None:
        await socket.accept()
        try:
            token = token or await _first_message(socket)
        except ApiError as error:
            await socket.close(CLOSED_BAD_MESSAGE, error.message[:100])
            return
        if not self._lasts(token):
            await socket.close(CLOSED_NOT_SIGNED_ON, "sign on")
            return
        await self._show(socket, token)

    async def _show(self, socket: WebSocket, token: str) -> None:
        changed = asyncio.Event()
        end = self.window.subscribe(changed.set)
        try:
            async with asyncio.TaskGroup() as tasks:
                pushing = tasks.create_task(self._push(socket, token, changed))
                said = await socket.receive()
                pushing.cancel()
        finally:
            end()
        if said["type"] != "websocket.disconnect":
            await socket.close(CLOSED_BAD_MESSAGE, "nothing is expected here: send requests by HTTP")

    async def _push(self, socket: WebSocket, token: str, changed: asyncio.Event) -> None:
        changed.set()
        while True:
            try:
                async with asyncio.timeout(self.heartbeat_s):
                    await changed.wait()
            except TimeoutError:
                message: Mapping[str, Any] = {"type": "heartbeat"}
            else:
                changed.clear()
                message = {"type": "state", "state": self.window.state()}
            await self._send(socket, token, write_json(message))

    async def _send(self, socket: WebSocket, token: str, text: str) -> None:
        if not self._lasts(token):
            await socket.close(CLOSED_NOT_SIGNED_ON, "signed off")
            raise GoneError
        try:
            async with asyncio.timeout(self.send_s):
                await socket.send_text(text)
        except TimeoutError:
            raise GoneError from None

    def _lasts(self, token: str) -> bool:
        return self.sessions.lasts(token, self.clock.monotonic_s())


def bearer(header: str) -> str | None:
    """The token in an Authorization header; None where there is no header; empty where it has no token."""
    if not header:
        return None
    scheme, _, token = header.partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def not_signed_on() -> ApiError:
    """The error of a request without a valid token."""
    message = "sign on with POST /v1/sign-on and send its token as `Authorization: Bearer <token>`"
    return ApiError(401, "not_signed_on", message, "header Authorization")


def write_json(value: Mapping[str, Any]) -> str:
    """The value as compact JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=dict)


async def _first_message(socket: WebSocket) -> str:
    try:
        async with asyncio.timeout(HELLO_WITHIN_S):
            message = await socket.receive()
    except TimeoutError:
        raise ApiError(408, "too_slow", "send your token at once", "message") from None
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message.get("code", 1005))
    return parse_form((message.get("text") or "").encode(errors="replace"), Hello).token
