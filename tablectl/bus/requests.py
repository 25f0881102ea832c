"""Requests of subscribers: who may ask, how often, and how answers and replays go out behind the live events."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tablectl.bus.client import Message
from tablectl.bus.flow import REFUSED_FROM, Letter
from tablectl.bus.properties import answer_properties
from tablectl.bus.request import Request, read_request
from tablectl.bus.resending import Sending, json_bytes
from tablectl.core.asking import Answer, Asked, Denied, Stretch, Subscriber
from tablectl.core.ports import EventStore, TableStoppedError

VERBS: Final = frozenset({"replay", "recall", "status", "bookmark", "acknowledge", "prove"})

SENDS_EVENTS: Final = frozenset({"replay", "recall"})
"""These wait for each other, one at a time for each user, and hold none of the others up."""

RATE_PER_S: Final = 10.0
"""Requests of a user; as many may come at once after a pause."""

WAITING: Final = 8
"""Requests of a user that wait at most, of each of the two sorts."""

BATCH: Final = 64
"""Events of a replay that are read from the journal at once: its reader is the table's writer as well."""

EVENTS_PER_S: Final = 1000.0
"""The pace of a replay. A broker keeps about a thousand messages for a slow reader and drops what is beyond."""

MISHAPS: Final = (ValueError, TypeError, LookupError, ArithmeticError, AttributeError, OSError)
"""What a mistake of ours in an answer raises: it costs the asker his answer, never the table its game."""


@dataclass(frozen=True, slots=True)
class Clerk:
    """Who may ask, and who answers.

    Args:
        subscribers: by user; nobody else is heard.
        answer: what a request is answered with.
    """

    subscribers: Mapping[str, Subscriber]
    answer: Callable[[Asked], Awaitable[Answer | Denied]]


@dataclass(slots=True)
class Tally:
    """Requests since the daemon began.

    Args:
        came: all of them.
        denied: answered with an error.
        dropped: not answered, or the broker didn't take the answer.
    """

    came: int = 0
    denied: int = 0
    dropped: int = 0


@dataclass(slots=True)
class _Allowance:
    """What a user may still ask at this moment."""

    left: float = RATE_PER_S
    at_s: float = 0.0
    told: bool = False

    def take(self, now_s: float) -> bool:
        self.left = min(RATE_PER_S, self.left + (now_s - self.at_s) * RATE_PER_S)
        self.at_s = now_s
        if self.left < 1:
            return False
        self.left -= 1
        self.told = False
        return True


@dataclass(slots=True)
class _User:
    """A subscriber and what he waits for."""

    who: Subscriber
    allowance: _Allowance = field(default_factory=_Allowance)
    quick: asyncio.Queue[Request] = field(default_factory=lambda: asyncio.Queue(WAITING))
    long: asyncio.Queue[Request] = field(default_factory=lambda: asyncio.Queue(WAITING))

    def lane(self, verb: str) -> asyncio.Queue[Request]:
        return self.long if verb in SENDS_EVENTS else self.quick


class Desk:
    """Takes requests over one connection.

    Args:
        prefix: of all topics, without a slash at the end.
        post: sends a letter when nothing else is to be sent; says whether it was taken.
    """

    def __init__(
        self, prefix: str, clerk: Clerk, store: EventStore, post: Callable[[Letter], bool], tally: Tally
    ) -> None:
        self._prefix = prefix
        self._clerk = clerk
        self._store = store
        self._post = post
        self._tally = tally
        self._loop = asyncio.get_running_loop()
        now_s = self._loop.time()
        self._users = {name: _User(who, _Allowance(at_s=now_s)) for name, who in clerk.subscribers.items()}

    @property
    def filters(self) -> Sequence[str]:
        """The topics of requests: those of the users who may ask, and no others."""
        return tuple(f"{self._prefix}/req/{user}/+" for user in sorted(self._users))

    def take(self, message: Message) -> None:
        """Takes a message in, if it is a request. Never waits."""
        request = read_request(self._prefix, message)
        if request is None:
            return
        self._tally.came += 1
        user = self._users.get(request.user)
        if user is None or message.retained:  # a request that the broker kept is none of now
            self._tally.dropped += 1
        elif not user.allowance.take(self._loop.time()):
            self._too_often(user.allowance, request)
        elif (denied := _unanswerable(user.who, request)) is not None:
            self._deny(request, denied)
        else:
            self._queue(user, request)

    async def run(self) -> None:
        """Answers, until cancelled."""
        async with asyncio.TaskGroup() as group:
            for user in self._users.values():
                group.create_task(self._answer_all(user.who, user.quick))
                group.create_task(self._answer_all(user.who, user.long))

    # --- one request

    def _queue(self, user: _User, request: Request) -> None:
        try:
            user.lane(request.verb).put_nowait(request)
        except asyncio.QueueFull:
            self._deny(request, Denied("busy", f"{WAITING} requests wait already; ask again later"))

    def _too_often(self, allowance: _Allowance, request: Request) -> None:
        """Says it once, until there is room again: who asks without end shall not be answered without end."""
        if allowance.told:
            self._tally.dropped += 1
            return
        allowance.told = True
        self._deny(request, Denied("too_often", f"at most {RATE_PER_S:g} requests in a second"))

    async def _answer_all(self, who: Subscriber, waiting: asyncio.Queue[Request]) -> None:
        while True:
            request = await waiting.get()
            try:
                answer = await self._clerk.answer(Asked(who, request.verb, request.transaction, request.body))
                await self._give(request, answer)
            except TableStoppedError as error:
                self._deny(request, Denied("stopped", str(error)))
            except MISHAPS as error:
                self._deny(request, Denied("failed", f"this could not be answered: {type(error).__name__}"))

    async def _give(self, request: Request, answer: Answer | Denied) -> None:
        if isinstance(answer, Denied):
            self._deny(request, answer)
            return
        if answer.data is not None:
            self._reply(request, {"transaction": request.transaction, "data": answer.data})
        if answer.events is not None:
            await self._replay(request, answer.events)

    def _deny(self, request: Request, denied: Denied) -> None:
        self._tally.denied += 1
        error = {"code": denied.code, "message": denied.message}
        self._reply(request, {"transaction": request.reply_to.transaction, "error": error})

    def _reply(self, request: Request, form: Mapping[str, Any]) -> None:
        if request.reply_to.topic is None:
            self._tally.dropped += 1
            return
        properties = answer_properties(request.reply_to.correlation)
        letter = Letter(request.reply_to.topic, json_bytes(form), properties, self._answered)
        if not self._post(letter):
            self._tally.dropped += 1

    def _answered(self, code: int) -> None:
        self._tally.dropped += code >= REFUSED_FROM

    # --- stored events again

    async def _replay(self, request: Request, stretch: Stretch) -> None:
        """Sends the events, and when the broker has them all, that this was all."""
        sending = Sending(f"{self._prefix}/replay/{request.user}/{request.transaction}", request, self._post)
        reached = stretch.after
        while reached < stretch.through:
            began_s = self._loop.time()
            events = await self._store.events_after(reached, BATCH)
            due = [event for event in events if event.sequence <= stretch.through]
            sent = await sending.send([event for event in due if stretch.wanted(event)])
            sending.note_gaps(reached, due, stretch.through)
            reached = due[-1].sequence if due and len(due) == len(events) else stretch.through
            if not sent:
                self._tally.dropped += 1
                return
            await asyncio.sleep(max(0.0, len(due) / EVENTS_PER_S - (self._loop.time() - began_s)))
        if not await sending.end(stretch.through, stretch.compact):
            self._tally.dropped += 1


def _unanswerable(who: Subscriber, request: Request) -> Denied | None:
    if request.wrong is not None:
        return Denied(*request.wrong)
    if request.verb not in VERBS:
        return Denied("unknown_verb", f"one of {', '.join(sorted(VERBS))} is expected")
    if request.verb not in who.may:
        return Denied("forbidden", f"{who.user} may not {request.verb}: see [subscribers.{who.user}]")
    return None
