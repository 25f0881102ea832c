"""The table as it changes, pushed to every screen that is open.

Screens that watch the whole table get its stored events too, and how many of them are published and signed.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import suppress
from dataclasses import field
from typing import Annotated, Any, Final

from pydantic import Field
from pydantic.dataclasses import dataclass as form_dataclass
from starlette.websockets import WebSocket, WebSocketDisconnect

from tablectl.console.auth.people import FLOOR, WATCHERS, Person, Role
from tablectl.console.auth.sessions import Sessions, bearer, not_signed_on, token_of
from tablectl.console.errors import ApiError, answer
from tablectl.console.http.origins import Places, origin_in
from tablectl.console.requests.body import parse_form
from tablectl.console.requests.fields import STRICT
from tablectl.console.screens import CLOSED_BAD_MESSAGE, CLOSED_NOT_SIGNED_ON, Screens, Shown, TableView, write_json
from tablectl.core.protocols import Clock, EventStore, Window
from tablectl.lazy_dataclass import dataclass

STEP: Final = 128
"""Events in one message: the journal's reader is its writer as well, and cards don't wait."""

FURTHEST: Final = 2000
"""Events that a screen may ask to be given again; what is older it reads page by page."""


@dataclass(frozen=True, slots=True)
class Feed:
    """The stored events, and what has become of them.

    Args:
        published: the last event that the broker has.
        connected: whether the broker is there.
        checkpoint: the last event under a signed checkpoint that was shown.
    """

    store: EventStore
    published: Callable[[], int]
    connected: Callable[[], bool]
    checkpoint: Callable[[], int]

    def begin(self, after: int | None) -> "Follower":
        """A screen that follows: from the present, or from the event after this one."""
        last = self.store.last_sequence()
        return Follower(self, last if after is None else min(max(after, last - FURTHEST), last))

    def figures(self) -> str:
        """How far the events have come."""
        return write_json(
            {
                "type": "feed",
                "stored": self.store.last_sequence(),
                "published": self.published(),
                "connected": self.connected(),
                "checkpoint": self.checkpoint(),
            }
        )


@dataclass(slots=True)
class Follower:
    """One screen that follows the events.

    Args:
        seen: the last event that it was sent.
    """

    feed: Feed
    seen: int

    async def news(self) -> AsyncGenerator[str]:
        """Yield the new events, in order and without gaps, then the figures of the feed.

        Raises:
            TableStoppedError: the journal can't be read.
        """
        while self.seen < self.feed.store.last_sequence():
            events = await self.feed.store.events_after(self.seen, STEP)
            if not events:
                break
            self.seen = events[-1].sequence
            payloads = ",".join(event.payload.decode() for event in events)  # the very bytes that are published
            yield f'{{"type":"events","events":[{payloads}]}}'
        yield self.feed.figures()


SCREENS_MAX: Final = 16
DISPLAYS_MAX: Final = 8
DIGITS_MAX: Final = 16
HELLO_WITHIN_S: Final = 5.0

NEWCOMERS_MAX: Final = 16
NEWCOMERS_EACH: Final = 4
"""Sockets whose token is still to come, of all and of one other origin than the table's own."""

CLOSED_FULL: Final = 4429


@form_dataclass(config=STRICT, frozen=True, slots=True, kw_only=True)
class Hello:
    """The first message of a screen that sets neither Authorization header nor cookie."""

    token: Annotated[str, Field(max_length=100)]


@dataclass(frozen=True, slots=True)
class Live:
    """The screens of signed-on persons.

    Args:
        shown: what a person's screen shows, from their socket and whether their session lasts.
    """

    sessions: Sessions
    clock: Clock
    screens: Screens
    shown: Callable[[WebSocket, Person, Callable[[], bool]], Shown]
    newcomers: Places = field(default_factory=lambda: Places(NEWCOMERS_MAX, NEWCOMERS_MAX // 2, NEWCOMERS_EACH))

    async def meet(self, socket: WebSocket) -> None:
        """Serves one screen from its first byte to its last."""
        written = bearer(socket.headers.get("authorization", ""))
        try:
            token = token_of(socket)
            if (full := self._full(socket, token)) is not None:
                raise full
            if written is not None and not self._lasts(token):
                raise not_signed_on()
        except ApiError as error:
            await answer(error)(socket.scope, socket.receive, socket.send)
            return
        with suppress(WebSocketDisconnect):
            await socket.accept()
            session = await self._introduced(socket, token)
            if session is None:
                return
            if (full := self.screens.full(socket.scope)) is not None:
                await socket.close(CLOSED_FULL, full.message[:100])
                return
            token, person = session
            async with self.screens.one(socket):
                await self.screens.show(socket, self.shown(socket, person, lambda: self._lasts(token)))

    def _full(self, socket: WebSocket, token: str) -> ApiError | None:
        """The error for one too many: of screens, or of sockets without a token yet."""
        if token or not self.newcomers.is_full(origin_in(socket.scope)):
            return self.screens.full(socket.scope)
        return ApiError(503, "overloaded", "too many sockets without a token: wait", "server", retry_s=5)

    async def _introduced(self, socket: WebSocket, token: str) -> tuple[str, Person] | None:
        """The token and its person; None where the socket was closed without one.

        Until it has a valid token it takes no screen's place.
        """
        if not token:
            with self.newcomers.one(origin_in(socket.scope)):
                try:
                    token = await _first_message(socket)
                except ApiError as error:
                    await socket.close(CLOSED_BAD_MESSAGE, error.message[:100])
                    return None
        session = self.sessions.look(token, self.clock.monotonic_s())
        if session is None:
            await socket.close(CLOSED_NOT_SIGNED_ON, "sign on")
            return None
        return token, session.person

    def _lasts(self, token: str) -> bool:
        return self.sessions.lasts(token, self.clock.monotonic_s())


@dataclass(frozen=True, slots=True)
class TableScreens:
    """Screens of one table.

    They get its state, and those who run the game also the legal requests.

    Args:
        watchers: who may follow the events.
    """

    window: Window
    view: TableView
    screens: Screens
    feed: Feed | None = None
    watchers: frozenset[Role] = WATCHERS

    def shown(self, socket: WebSocket, person: Person, lasts: Callable[[], bool]) -> Shown:
        """The state, and the events for a watcher who asks for them."""
        asks = socket.query_params.get("events") == "true"
        if self.feed is None or not asks or person.role not in self.watchers:
            return Shown(lambda: self._news(person, None), lasts)
        follower = self.feed.begin(_number(socket.query_params.get("after", "")))
        return Shown(lambda: self._news(person, follower), lasts, self.feed.figures)

    async def _news(self, person: Person, follower: Follower | None) -> AsyncGenerator[str]:
        yield self.screens.text(person.role, lambda: self._state(person))
        if follower is not None:
            async for text in follower.news():
                yield text

    def _state(self, person: Person) -> Mapping[str, Any]:
        message = {"type": "state", "state": self.view.state()}
        return {**message, "actions": list(self.window.actions(person.role))} if person.role in FLOOR else message


@dataclass(frozen=True, slots=True)
class LiveDisplay:
    """The players' displays.

    Nobody signs on there, and everything that they show is public.
    """

    display: Callable[[], Mapping[str, Any]]
    screens: Screens

    async def meet(self, socket: WebSocket) -> None:
        """Serves one display from its first byte to its last."""
        if (full := self.screens.full(socket.scope)) is not None:
            await answer(full)(socket.scope, socket.receive, socket.send)
            return
        async with self.screens.one(socket):
            await socket.accept()
            await self.screens.show(socket, Shown(self._news, lambda: True))

    async def _news(self) -> AsyncGenerator[str]:
        yield self.screens.text("display", lambda: {"type": "display", "display": self.display()})


def _number(text: str) -> int | None:
    """An event's number in an address; None where there is none."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= DIGITS_MAX else None


async def _first_message(socket: WebSocket) -> str:
    try:
        async with asyncio.timeout(HELLO_WITHIN_S):
            message = await socket.receive()
    except TimeoutError:
        raise ApiError(408, "too_slow", "send your token at once", "message") from None
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message.get("code", 1005))
    return parse_form((message.get("text") or "").encode(errors="replace"), Hello).token
