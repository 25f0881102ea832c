"""Requests of subscribers: form, permissions, rate, and sending of answers.

Answers and replays go out behind the live events.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import field
from functools import partial
from typing import Any, Final, cast

from tablectl.core.actions.subscriber_requests import Answer, Asked, Denied, Stretch, Subscriber
from tablectl.core.protocols import EventStore, TableStoppedError
from tablectl.lazy_dataclass import dataclass
from tablectl.mqtt.flow import REFUSED_FROM, BackgroundMessage
from tablectl.mqtt.message import Message, answer_properties
from tablectl.mqtt.reasons import PACKET_TOO_LARGE
from tablectl.mqtt.replay import Sending, json_bytes
from tablectl.proof.envelope import read_json

LARGEST: Final = 4096
"""Bytes of a request's payload."""

LONGEST_TOPIC: Final = 256
LONGEST_CORRELATION: Final = 256

_TRANSACTION: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
_LEVELS: Final = re.compile(r"[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*")


VERBS: Final = frozenset({"replay", "recall", "status", "bookmark", "acknowledge", "prove", "verify"})

LANES: Final[Mapping[str, str]] = {"replay": "events", "recall": "events", "verify": "program"}
"""Requests that take long wait for those of their lane, one at a time for each user, and hold none of the others up."""

RATE_PER_S: Final = 10.0
"""Requests of a user; as many may come at once after a pause."""

WAITING: Final = 8
"""Requests of a user that wait at most, in each lane."""

BATCH: Final = 64
"""Events of a replay that are read from the journal at once: its reader is the table's writer as well."""

EVENTS_PER_S: Final = 1000.0
"""The pace of a replay. A broker keeps about a thousand messages for a slow reader and drops what is beyond."""

MISHAPS: Final = (ValueError, TypeError, LookupError, ArithmeticError, AttributeError, OSError)
"""What a mistake of ours in an answer raises: it costs the requester the answer, never the table its game."""


@dataclass(frozen=True, slots=True)
class RequestService:
    """The subscribers who may make requests, and the function that answers them.

    Args:
        subscribers: by user; requests of others are dropped.
        answer: makes the answer to a request.
    """

    subscribers: Mapping[str, Subscriber]
    answer: Callable[[Asked], Awaitable[Answer | Denied]]


@dataclass(frozen=True, slots=True)
class ReplyTo:
    """Destination of an answer.

    Args:
        topic: whole; None where there is no place for it.
        transaction: the request's name for its answers; None where it has none.
        correlation: goes back as it came.
    """

    topic: str | None
    transaction: str | None
    correlation: bytes | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """A subscriber's request.

    Args:
        user: the level of the topic that the broker's ACL binds to its user; never taken from the payload.
        body: fields of the payload without the transaction.
        wrong: what is wrong with it: a word for programs and a line for people; None where nothing is.
    """

    user: str
    verb: str
    reply_to: ReplyTo
    body: Mapping[str, Any] = field(default_factory=dict[str, Any])
    wrong: tuple[str, str] | None = None

    @property
    def transaction(self) -> str:
        """Name of the request for its answers; empty where it has none."""
        return self.reply_to.transaction or ""


@dataclass(slots=True)
class RequestCounts:
    """Counts of requests since the daemon began.

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
    """Token bucket of a user's requests."""

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
    """A subscriber and the requests that wait."""

    who: Subscriber
    allowance: _Allowance = field(default_factory=_Allowance)
    lanes: Mapping[str, asyncio.Queue[Request]] = field(
        default_factory=lambda: {name: asyncio.Queue(WAITING) for name in ("", *LANES.values())}
    )

    def lane(self, verb: str) -> asyncio.Queue[Request]:
        return self.lanes[LANES.get(verb, "")]


class RequestHandler:
    """Takes requests over one connection.

    Args:
        prefix: of all topics, without a slash at the end.
        post: sends a message when nothing else is to be sent; returns False where there is no room.
    """

    def __init__(
        self,
        prefix: str,
        service: RequestService,
        store: EventStore,
        post: Callable[[BackgroundMessage], bool],
        counts: RequestCounts,
    ) -> None:
        self._prefix = prefix
        self._service = service
        self._store = store
        self._post = post
        self._counts = counts
        self._loop = asyncio.get_running_loop()
        now_s = self._loop.time()
        self._users = {name: _User(who, _Allowance(at_s=now_s)) for name, who in service.subscribers.items()}

    @property
    def filters(self) -> Sequence[str]:
        """Topic filters of the users who may make requests, and no others."""
        return tuple(f"{self._prefix}/req/{user}/+" for user in sorted(self._users))

    def take(self, message: Message) -> None:
        """Take a message in, if it is a request. Never waits."""
        request = read_request(self._prefix, message)
        if request is None:
            return
        self._counts.came += 1
        user = self._users.get(request.user)
        if user is None or message.retained:  # a request that the broker kept is none of now
            self._counts.dropped += 1
        elif not user.allowance.take(self._loop.time()):
            self._too_often(user.allowance, request)
        elif (denied := _unanswerable(user.who, request)) is not None:
            self._deny(request, denied)
        else:
            self._queue(user, request)

    async def run(self) -> None:
        """Answer until cancelled."""
        async with asyncio.TaskGroup() as group:
            for user in self._users.values():
                for waiting in user.lanes.values():
                    group.create_task(self._answer_all(user.who, waiting))

    # --- one request

    def _queue(self, user: _User, request: Request) -> None:
        try:
            user.lane(request.verb).put_nowait(request)
        except asyncio.QueueFull:
            self._deny(request, Denied("busy", f"{WAITING} requests wait already; ask again later"))

    def _too_often(self, allowance: _Allowance, request: Request) -> None:
        """Deny once, until there is room again: endless requests get no endless answers."""
        if allowance.told:
            self._counts.dropped += 1
            return
        allowance.told = True
        self._deny(request, Denied("too_often", f"at most {RATE_PER_S:g} requests in a second"))

    async def _answer_all(self, who: Subscriber, waiting: asyncio.Queue[Request]) -> None:
        while True:
            request = await waiting.get()
            try:
                answer = await self._service.answer(Asked(who, request.verb, request.transaction, request.body))
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
        self._counts.denied += 1
        error = {"code": denied.code, "message": denied.message, **({"field": denied.field} if denied.field else {})}
        self._reply(request, {"transaction": request.reply_to.transaction, "error": error})

    def _reply(self, request: Request, form: Mapping[str, Any]) -> None:
        if request.reply_to.topic is None:
            self._counts.dropped += 1
            return
        properties = answer_properties(request.reply_to.correlation)
        answered = partial(self._answered, request, is_error="error" in form)
        if not self._post(BackgroundMessage(request.reply_to.topic, json_bytes(form), properties, answered)):
            self._counts.dropped += 1

    def _answered(self, request: Request, code: int, *, is_error: bool) -> None:
        if code == PACKET_TOO_LARGE and not is_error:
            self._deny(request, Denied("too_large", "the answer has more bytes than the broker takes"))
        else:
            self._counts.dropped += code >= REFUSED_FROM

    # --- stored events again

    async def _replay(self, request: Request, stretch: Stretch) -> None:
        """Send the events, and the end of the replay once the broker has them all."""
        topic = f"{self._prefix}/replay/{request.user}/{request.transaction}"
        sending = Sending(topic, request.transaction, request.reply_to.correlation, self._post)
        reached = stretch.after
        while reached < stretch.through:
            began_s = self._loop.time()
            events = await self._store.events_after(reached, BATCH)
            due = [event for event in events if event.sequence <= stretch.through]
            sent = await sending.send([event for event in due if stretch.wanted(event)])
            sending.note_gaps(reached, due, stretch.through)
            reached = due[-1].sequence if due and len(due) == len(events) else stretch.through
            if not sent:
                self._counts.dropped += 1
                return
            await asyncio.sleep(max(0.0, len(due) / EVENTS_PER_S - (self._loop.time() - began_s)))
        if not await sending.end(stretch.through, stretch.compact):
            self._counts.dropped += 1


def _unanswerable(who: Subscriber, request: Request) -> Denied | None:
    if request.wrong is not None:
        return Denied(*request.wrong)
    if request.verb not in VERBS:
        return Denied("unknown_verb", f"one of {', '.join(sorted(VERBS))} is expected")
    if request.verb not in who.may:
        code = "denied" if request.verb == "prove" else "forbidden"
        return Denied(code, f"{who.user} may not {request.verb}: see [subscribers.{who.user}]")
    return None


def read_request(prefix: str, message: Message) -> Request | None:
    """Request in a message; None where the topic isn't that of one.

    Args:
        prefix: of all topics, without a slash at the end.
    """
    rest = message.topic.removeprefix(f"{prefix}/req/")
    user, _, verb = rest.partition("/")
    if rest == message.topic or not user or not verb or "/" in verb:
        return None
    body, wrong = _body_of(message.payload)
    transaction, misnamed = _transaction(body)
    reply_to, misdirected = _reply_to(prefix, user, message, transaction)
    left = {name: value for name, value in body.items() if name != "transaction"}
    return Request(user, verb, reply_to, left, wrong or misnamed or misdirected)


def _body_of(payload: bytes) -> tuple[Mapping[str, Any], tuple[str, str] | None]:
    if len(payload) > LARGEST:
        return {}, ("too_large", f"a request has at most {LARGEST} bytes")
    try:
        form = read_json(payload)
    except ValueError:
        form = None
    if not isinstance(form, dict):
        return {}, ("malformed", "a request is a JSON object in UTF-8, each name once")
    return cast("Mapping[str, Any]", form), None


def _transaction(body: Mapping[str, Any]) -> tuple[str | None, tuple[str, str] | None]:
    given = body.get("transaction")
    if isinstance(given, str) and _TRANSACTION.fullmatch(given):
        return given, None
    return None, ("no_transaction", "transaction is a text of 1 to 64 letters, digits, dots, underscores and hyphens")


def _reply_to(
    prefix: str, user: str, message: Message, transaction: str | None
) -> tuple[ReplyTo, tuple[str, str] | None]:
    """Return the destination of the answer, and why the request is refused, if it is.

    Another user's topic is refused, so that nobody writes there through us.
    """
    own = f"{prefix}/answer/{user}/{transaction}" if transaction else None
    wanted, mark = message.response_topic, message.correlation
    if mark is not None and len(mark) > LONGEST_CORRELATION:
        why = f"correlation data have at most {LONGEST_CORRELATION} bytes"
        return ReplyTo(own, transaction), ("malformed", why)
    if wanted is None:
        return ReplyTo(own, transaction, mark), None
    if _is_own(prefix, user, wanted):
        return ReplyTo(wanted, transaction, mark), None
    why = f"answers go below {prefix}/answer/{user}/ or {prefix}/replay/{user}/ only"
    return ReplyTo(own, transaction, mark), ("response_topic", why)


def _is_own(prefix: str, user: str, topic: str) -> bool:
    homes = (f"{prefix}/{kind}/{user}/" for kind in ("answer", "replay"))
    rest = next((topic.removeprefix(home) for home in homes if topic.startswith(home)), "")
    return len(topic) <= LONGEST_TOPIC and _LEVELS.fullmatch(rest) is not None
