"""The API's paths, and what stands behind each one."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import field
from functools import cache
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, WebSocketRoute

from tablectl.console import errors
from tablectl.console.auth.lockout import Alarm, Lockouts
from tablectl.console.auth.people import WATCHERS, Person, Role
from tablectl.console.auth.pins import PinDesk
from tablectl.console.auth.routes import Desk
from tablectl.console.auth.sessions import Sessions
from tablectl.console.errors import ApiError
from tablectl.console.http.middleware import Guard, Limits
from tablectl.console.http.server import END_REVOKED
from tablectl.console.openmetrics import Family, metrics_route
from tablectl.console.pages import Content, answer_with, content_of, read_pages
from tablectl.console.public_routes import Openly, words_below
from tablectl.console.requests.routes import Asking
from tablectl.console.screens import Screens, TableView, write_json
from tablectl.console.websocket import DISPLAYS_MAX, SCREENS_MAX, Feed, Live, LiveDisplay, TableScreens
from tablectl.core.effects import Refuse
from tablectl.core.events.text import Saying, saying
from tablectl.core.facts import Fact
from tablectl.core.facts.table_requests import SignOnFailed
from tablectl.core.protocols import Clock, Entrance, TableStoppedError, Window
from tablectl.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class About:
    """Information on the daemon itself: health, metrics, and the OpenAPI description.

    Args:
        status: `"ok"`, or in one word what is wrong with the daemon.
        health: the same in figures.
    """

    status: Callable[[], str]
    health: Callable[[], Mapping[str, Any]]

    async def how(self, _request: Request) -> Response:
        """Return the daemon's health, without sign-on."""
        status = self.status()
        told = write_json({"status": status, "health": self.health()})
        return Response(told, 200 if status == "ok" else 503, media_type="application/json")

    async def openapi(self, request: Request) -> Response:
        """The description of this API."""
        return answer_with(request, _description())


async def _unknown_round(round_id: str) -> Refuse:
    return Refuse("table", "no_such_round", saying("refuse.no_such_round", round=round_id))


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The casino's settings of the API, and the parts that other packages provide.

    Args:
        limits: how patient the API is.
        hosts: names under which the controller may be called, besides those of loopback.
        listed: whether the names of those who may sign on are given to everybody.
        status: `"ok"`, or in one word what is wrong with the daemon.
        health: the same in figures: clock, journal, queue, outbox, devices.
        display: what the players' display shows.
        result: the result of the last round that ended; None before the first.
        feed: the stored events, for screens that watch the whole table.
        watchers: who may follow them.
        recorded: the facts of a round, or why they can't be put right.
        metrics: figures for Prometheus, given to everybody; None where the casino wants none.
        more: further paths, for those who are signed on at the desk.
        failures: the wrong PINs that an earlier run kept.
        keep_failures: takes them after each change.
    """

    limits: Limits = field(default_factory=Limits)
    hosts: Sequence[str] = ()
    listed: bool = True
    status: Callable[[], str] = lambda: "ok"
    health: Callable[[], Mapping[str, Any]] = dict
    display: Callable[[], Mapping[str, Any]] = dict
    result: Callable[[], Mapping[str, Any] | None] = lambda: None
    feed: Feed | None = None
    watchers: frozenset[Role] = WATCHERS
    recorded: Callable[[str], Awaitable[Mapping[str, Any] | Refuse]] = _unknown_round
    metrics: Callable[[], Iterable[Family]] | None = None
    more: Callable[[Desk], Sequence[BaseRoute]] = lambda _: ()
    failures: Mapping[str, Any] = field(default_factory=dict[str, Any])
    keep_failures: Callable[[Mapping[str, Any]], None] = lambda _: None


@cache
def _description() -> Content:
    from tablectl.console import openapi  # noqa: PLC0415 - hardly a table is ever asked

    return content_of(write_json(openapi.document()).encode(), "application/json")


def make_app(
    entrance: Entrance,
    window: Window,
    clock: Clock,
    people: Sequence[Person],
    say: Callable[[Saying], Mapping[str, str]],
    options: Options | None = None,
) -> Starlette:
    """The API over one table. Blocks while it reads the pages.

    Args:
        people: who may sign on; their names differ.
        say: a saying in every language.
    """
    chosen = options or Options()
    desk = desk_of(entrance, clock, people, chosen)
    view = TableView(window, chosen.result)
    openly = Openly(window, chosen.display)
    pages = read_pages(lasting=openly.lasting())
    asking = Asking(desk, entrance, window, view, say, chosen.recorded)
    routes = [
        *desk.routes(),
        *_of_those_signed_on(desk, asking, view, chosen, pages.build),
        *chosen.more(desk),
        *_of_everybody(About(chosen.status, chosen.health), openly, desk, window, pages.build),
        *([metrics_route(chosen.metrics)] if chosen.metrics is not None else []),
        *pages.routes(),
    ]
    return app_of(routes, chosen.hosts, desk.sessions)


def desk_of(entrance: Entrance, clock: Clock, people: Sequence[Person], options: Options) -> Desk:
    """The desk at which these people sign on."""
    limits = options.limits
    by_name = {person.name: person for person in people}
    hashes = {person.name: person.pin_hash for person in people if person.pin_hash}
    lockouts = Lockouts(limits.wrong_pins, limits.lockout_s, by_name)
    lockouts.restore(options.failures, clock.monotonic_s())
    pins = PinDesk(hashes, lockouts, options.keep_failures)
    alarm = Alarm(lambda failed: entrance.tell(_noted(failed, by_name, clock)), limits.wrong_pins)
    return Desk(entrance, clock, by_name, limits, pins, Sessions(limits.idle_s), alarm, options.listed)


def _noted(failed: SignOnFailed, people: Mapping[str, Person], clock: Clock) -> Fact:
    """Wrong PINs as a fact: nobody has proved that it was they, so it is by nobody."""
    played = failed.person in people and people[failed.person].simulated
    return Fact(failed, clock.now(), source="console", simulated=played)


def _of_those_signed_on(
    desk: Desk, asking: Asking, view: TableView, options: Options, build: str
) -> Sequence[BaseRoute]:
    screens = Screens(view.window, SCREENS_MAX, desk.limits.heartbeat_s, desk.limits.send_s, build)
    of_table = TableScreens(view.window, view, screens, options.feed, options.watchers)
    live = Live(desk.sessions, desk.clock, screens, of_table.shown)
    return (
        Route("/v1/state", asking.state),
        Route("/v1/actions", asking.actions),
        Route("/v1/requests/{verb}", asking.ask, methods=["POST"]),
        Route("/v1/rounds/{round_id}/records", asking.records),
        WebSocketRoute("/v1/live", live.meet),
        Route("/v1/live", asking.live_by_http),
        Route("/v1/display/live", asking.live_by_http),
    )


def _of_everybody(about: About, openly: Openly, desk: Desk, window: Window, build: str) -> Sequence[BaseRoute]:
    screens = Screens(window, DISPLAYS_MAX, desk.limits.heartbeat_s, desk.limits.send_s, build)
    return (
        Route("/v1/health", about.how),
        Route("/v1/openapi.json", about.openapi),
        Route("/v1/words", words_below),
        Route("/v1/layout", openly.layout),
        Route("/v1/display", openly.shown),
        WebSocketRoute("/v1/display/live", LiveDisplay(openly.display, screens).meet),
    )


def app_of(routes: Sequence[BaseRoute], hosts: Sequence[str], sessions: Sessions | None = None) -> Starlette:
    """The application of these routes, behind its guard."""
    app = Starlette(
        routes=routes,
        middleware=[Middleware(Guard, hosts=hosts)],
        exception_handlers={
            ApiError: errors.on_api_error,
            HTTPException: errors.on_http_error,
            TableStoppedError: errors.on_table_stopped,
            Exception: errors.on_mistake,
        },
    )
    app.router.redirect_slashes = False
    if sessions is not None:
        setattr(app.state, END_REVOKED, sessions.end_revoked)
    return app
