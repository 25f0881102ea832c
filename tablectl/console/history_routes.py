"""Routes of the recorded history, for watchers; they only read.

They give rounds and their explanations, events, periods, statistics, and the evidence of fairness.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, Protocol, TypeVar

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from tablectl.console.auth.people import WATCHERS, Person, names_of
from tablectl.console.auth.routes import Desk
from tablectl.console.errors import ApiError
from tablectl.console.requests.routes import require
from tablectl.console.screens import write_json
from tablectl.core.facts import Recalled
from tablectl.lazy_dataclass import dataclass

R = TypeVar("R")

MOST_ROUNDS: Final = 200
MOST_EVENTS: Final = 500
LONGEST_TEXT: Final = 100

ROUND_ENDS: Final = ("settled", "void", "open")
"""How a round can have ended; `open` is one that goes on."""

FORMS: Final[Mapping[str, str]] = {"jsonl": "application/x-ndjson", "csv": "text/csv; charset=utf-8"}
"""The forms in which events are taken away."""


class NotThereError(Exception):
    """The journal has nothing of that name: why, in one line."""


class TooMuchError(Exception):
    """More than one answer holds: what to do, in one line."""


class BusyError(Exception):
    """Others are being answered, or the journal can't be read now."""


@dataclass(frozen=True, slots=True)
class Taken:
    """Events that are taken away.

    Args:
        name: of the file.
        rounds: of which there is something among them.
        chunks: its bytes.
    """

    name: str
    rounds: tuple[str, ...]
    chunks: AsyncIterator[bytes]


class Archive(Protocol):
    """The journal as it can be looked through while the table is at work.

    Every method raises BusyError where it can't be read now.
    """

    async def rounds(self, before: int | None, limit: int, text: str, end: str) -> Mapping[str, Any]:
        """The rounds that begin before an event, the newest first.

        Args:
            end: how they ended; any way, where it is empty.
        """
        ...

    async def round(self, round_id: str) -> Mapping[str, Any]:
        """The round explained.

        Raises:
            NotThereError: there is none of that name.
        """
        ...

    async def replay(self, round_id: str) -> Mapping[str, Any]:
        """The round as everybody saw it, fact by fact: `frames`.

        Raises:
            NotThereError: there is none of that name.
            ValueError: too much leads to it.
        """
        ...

    async def events(self, wanted: Mapping[str, Any]) -> Mapping[str, Any]:
        """The events that fit `after`, `before`, `limit`, `kind`, `round_id` and `text`."""
        ...

    async def statistics(self, begin: str, end: str) -> Mapping[str, Any]:
        """The statistics of the rounds of a period.

        Raises:
            ValueError: the period isn't one.
        """
        ...

    async def taken(self, begin: str, end: str, form: str) -> Taken:
        """The events of a period.

        Raises:
            ValueError: the period isn't one.
            TooMuchError: it holds too many.
        """
        ...


def routes(desk: Desk, archive: Archive, fairness: Callable[[], Mapping[str, Any]]) -> Sequence[BaseRoute]:
    """The paths of what one table has recorded.

    Args:
        fairness: gives the evidence of every stream, with its course.
    """
    return History(desk, lambda _: archive, lambda _: fairness()).routes("/v1")


@dataclass(frozen=True, slots=True)
class History:
    """The answers. Whoever opens a round or takes events away is on record with it.

    Args:
        archive: gives the record that a request asks for.
        fairness: gives the evidence of every stream of that table, with its course.
    """

    desk: Desk
    archive: Callable[[Request], Archive]
    fairness: Callable[[Request], Mapping[str, Any]]

    def routes(self, below: str) -> Sequence[BaseRoute]:
        """The paths, below that of a table."""
        return (
            Route(f"{below}/rounds", self.rounds),
            Route(f"{below}/rounds/{{round_id}}", self.round),
            Route(f"{below}/rounds/{{round_id}}/replay", self.replay),
            Route(f"{below}/events", self.events),
            Route(f"{below}/statistics", self.statistics),
            Route(f"{below}/fairness", self.weighed),
            Route(f"{below}/export", self.export),
        )

    async def rounds(self, request: Request) -> Response:
        """A page of rounds.

        Raises:
            ApiError: 422, the query is wrong.
        """
        self.watcher(request)
        before, limit = _number(request, "before"), _limit(request, MOST_ROUNDS)
        end = request.query_params.get("end", "")
        if "end" in request.query_params and end not in ROUND_ENDS:
            raise ApiError(422, "wrong_fields", f"one of {', '.join(ROUND_ENDS)}", "query end")
        return _answer(await answered(self.archive(request).rounds(before, limit, text_of(request, "q"), end)))

    async def round(self, request: Request) -> Response:
        """A round explained; that it was looked at is recorded first."""
        return await self._one(request, self.archive(request).round)

    async def replay(self, request: Request) -> Response:
        """A round fact by fact; that it was looked at is recorded first."""
        return await self._one(request, self.archive(request).replay)

    async def _one(self, request: Request, look: Callable[[str], Awaitable[Mapping[str, Any]]]) -> Response:
        person = self.watcher(request)
        round_id: str = request.path_params["round_id"]
        form = await answered(look(round_id))
        await self._record(person, (round_id,))
        return _answer(form)

    async def events(self, request: Request) -> Response:
        """A page of events."""
        self.watcher(request)
        wanted: dict[str, Any] = {
            "after": _number(request, "after"),
            "limit": _limit(request, MOST_EVENTS),
            "kind": text_of(request, "type").removeprefix("mo.tablectl."),
            "round_id": text_of(request, "round"),
            "text": text_of(request, "text"),
        }
        before = _number(request, "before")
        asked = wanted if before is None else {**wanted, "before": before}
        return _answer(await answered(self.archive(request).events(asked)))

    async def statistics(self, request: Request) -> Response:
        """The statistics of a period."""
        self.watcher(request)
        period = text_of(request, "from"), text_of(request, "to")
        return _answer(await answered(self.archive(request).statistics(*period)))

    async def weighed(self, request: Request) -> Response:
        """The evidence of every stream, up to now."""
        self.watcher(request)
        return _answer(self.fairness(request))

    async def export(self, request: Request) -> Response:
        """The events of a period as a file; that their rounds were read is recorded first.

        Raises:
            ApiError: 422, the query is wrong.
        """
        person = self.watcher(request)
        form = request.query_params.get("format", "jsonl")
        if form not in FORMS:
            raise ApiError(422, "wrong_fields", f"the formats are {' and '.join(FORMS)}", "query format")
        taken = await answered(self.archive(request).taken(text_of(request, "from"), text_of(request, "to"), form))
        await self._record(person, taken.rounds)
        headers = {"Content-Disposition": f'attachment; filename="{taken.name}"'}
        return StreamingResponse(taken.chunks, media_type=FORMS[form], headers=headers)

    def watcher(self, request: Request) -> Person:
        """The signed-on person who asks.

        Raises:
            ApiError: 401, nobody is signed on; 403, they may not see what was recorded.
        """
        person = self.desk.signed_on(request)
        require(person, WATCHERS, f"what was recorded is for {names_of(WATCHERS)}")
        return person

    async def _record(self, person: Person, rounds: tuple[str, ...]) -> None:
        await self.desk.entrance.ask(self.desk.fact(person, Recalled(rounds)))


async def answered(asking: Awaitable[R]) -> R:
    """The archive's answer.

    Raises:
        ApiError: 404, 422 or 503: its error in the API's form.
    """
    try:
        return await asking
    except NotThereError as error:
        raise ApiError(404, "no_such_round", str(error), "path") from None
    except (TooMuchError, ValueError) as error:
        raise ApiError(422, "wrong_fields", str(error), "query") from None
    except BusyError as error:
        raise ApiError(503, "overloaded", str(error), "server", retry_s=1) from None


def _answer(form: Mapping[str, Any]) -> Response:
    return Response(write_json(form), media_type="application/json")


def _number(request: Request, name: str) -> int | None:
    """A number in the query; None where there is none.

    Raises:
        ApiError: 422, it isn't one.
    """
    text = request.query_params.get(name)
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= 16):
        raise ApiError(422, "wrong_fields", "the number of an event", f"query {name}")
    return int(text)


def _limit(request: Request, most: int) -> int:
    limit = _number(request, "limit")
    if limit is not None and not 1 <= limit <= most:
        raise ApiError(422, "wrong_fields", f"1 to {most}", "query limit")
    return limit or 50


def text_of(request: Request, name: str) -> str:
    """A text in the query; empty where there is none.

    Raises:
        ApiError: 422, it is too long.
    """
    text = request.query_params.get(name, "")
    if len(text) > LONGEST_TEXT:
        raise ApiError(422, "wrong_fields", f"at most {LONGEST_TEXT} characters", f"query {name}")
    return text
