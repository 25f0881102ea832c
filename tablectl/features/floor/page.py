"""The floor page's API: tiles, alarms, devices, builds, money, record of a table."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import asdict, field
from typing import Annotated, Any, Final

from pydantic import Field
from pydantic.dataclasses import dataclass as form_dataclass
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket

from tablectl.console.auth.people import WATCHERS, Person, may_clear, names_of
from tablectl.console.auth.routes import Desk
from tablectl.console.errors import ApiError
from tablectl.console.history_routes import History, answered, text_of
from tablectl.console.openmetrics import Family, Sample, gauge, metrics_route
from tablectl.console.pages import Pages
from tablectl.console.public_routes import words_below
from tablectl.console.requests.body import read_form
from tablectl.console.requests.fields import STRICT
from tablectl.console.requests.routes import require
from tablectl.console.routes import app_of
from tablectl.console.screens import Screens, Shown, write_json
from tablectl.console.websocket import Live
from tablectl.features.floor.archive import Looker, RecordArchive, period
from tablectl.features.floor.link import Link, NotDoneError
from tablectl.features.floor.money import BY, as_csv, as_parquet, money
from tablectl.features.floor.tiles import Floor, Tile, devices_of
from tablectl.features.recorder.status import labels_of
from tablectl.history.export import ExportError
from tablectl.history.statistics.stream_names import spoken
from tablectl.lazy_dataclass import dataclass
from tablectl.words.reason import everywhere

SCREENS_MOST: Final = 64
CHUNK: Final = 200
"""Tiles in one message, so that the first ones are painted while the others come."""

FILES: Final = {"csv": (as_csv, "text/csv; charset=utf-8"), "parquet": (as_parquet, "application/vnd.apache.parquet")}
"""How money is written into a file, with its media type, by the name of the form."""

HISTORY_MOST: Final = 500
"""Lines of a device's history, the oldest first."""

FRONT: Final[Mapping[str, str]] = {"/": "/static/floor/index.html"}


@form_dataclass(config=STRICT, frozen=True, slots=True, kw_only=True)
class Acknowledge:
    """The fault that a person has taken notice of."""

    code: Annotated[int, Field(ge=1, le=999)]
    device: Annotated[str, Field(max_length=64)] = ""


@dataclass(slots=True)
class FloorPage:
    """The floor as signed-on persons see it.

    Args:
        why_unread: why the recorder or its database tells nothing new; empty while it does.
        tell: takes a line for the record of who did what.
    """

    floor: Floor
    link: Link
    looker: Looker
    desk: Desk
    tell: Callable[[str], None]
    why_unread: str = ""
    _screens: Screens = field(init=False)
    _history: History = field(init=False)

    def __post_init__(self) -> None:
        self._history = History(self.desk, self._archive, self._fairness)

    def routes(self, build: str) -> Sequence[BaseRoute]:
        """The paths of the floor.

        Args:
            build: of the pages.
        """
        limits = self.desk.limits
        self._screens = Screens(self.floor, SCREENS_MOST, limits.heartbeat_s, limits.send_s, build)
        live = Live(self.desk.sessions, self.desk.clock, self._screens, self._shown)
        table = "/v1/tables/{site}/{table}"
        return (
            WebSocketRoute("/v1/live", live.meet),
            Route("/v1/tiles", self.tiles),
            Route("/v1/devices", self.devices),
            Route("/v1/devices/history", self.history),
            Route("/v1/builds", self.builds),
            Route("/v1/money", self.money),
            Route(f"{table}/acknowledge", self.acknowledge, methods=["POST"]),
            *self._history.routes(table),
        )

    async def tiles(self, request: Request) -> Response:
        """Every table in brief."""
        self._history.watcher(request)
        return _answer({"tiles": [tile.form() for tile in self.floor.since(-1)]})

    async def devices(self, request: Request) -> Response:
        """The devices of all tables, by serial number."""
        self._history.watcher(request)
        return _answer({"devices": devices_of(self.floor, text_of(request, "q"))})

    async def history(self, request: Request) -> Response:
        """At which tables a device was, and with which firmware, by its serial number.

        Raises:
            ApiError: 503, the database doesn't answer.
        """
        self._history.watcher(request)
        serial = text_of(request, "serial")
        seen = await answered(self.looker.look(lambda kept: kept.history(serial, HISTORY_MOST)))
        return _answer({"serial": serial, "history": [asdict(each) for each in seen]})

    async def builds(self, request: Request) -> Response:
        """The program, keys and certificates of each table."""
        self._history.watcher(request)
        return _answer({"builds": [tile.build_form() for tile in self.floor.since(-1)]})

    async def money(self, request: Request) -> Response:
        """Handle, win, hold and commission of a period.

        Raises:
            ApiError: 422, the query is wrong; 501, Parquet's library is missing; 503, the database doesn't answer.
        """
        self._history.watcher(request)
        by, form = request.query_params.get("by", "table"), request.query_params.get("format", "json")
        if by not in BY or form not in {"json", *FILES}:
            raise ApiError(422, "wrong_fields", f"by is {', '.join(BY)}; format is json, {', '.join(FILES)}", "query")
        begin, end, table = (text_of(request, name) for name in ("from", "to", "table"))

        async def look() -> list[dict[str, Any]]:
            whole = period(begin, end)
            return await self.looker.look(lambda kept: money(kept, whole, by, self.floor.pits, table))

        rows = await answered(look())
        if form == "json":
            return _answer({"rows": rows})
        written, media_type = FILES[form]
        try:
            content = await asyncio.to_thread(written, rows)
        except ExportError as error:
            raise ApiError(501, "not_installed", str(error), "format") from None
        headers = {"Content-Disposition": f'attachment; filename="floor-by-{by}.{form}"'}
        return Response(content, media_type=media_type, headers=headers)

    async def acknowledge(self, request: Request) -> Response:
        """Acknowledge a fault at its table, in the person's name.

        The table knows this page only by our name at the broker: a bookmark of ours says first who it was.

        Raises:
            ApiError: 403, their role may not; 404, there is no such table; 409, the fault doesn't stand there; 502, the
                table refused; 504, it is away.
        """
        person = self._history.watcher(request)
        form = await read_form(request, Acknowledge, within_s=self.desk.limits.body_s)
        roles = may_clear(form.code)
        require(person, roles, f"fault {form.code} is for {names_of(roles)}")
        tile = self._tile(request)
        place, what = tile.place, f"fault {form.code}{form.device and f' of {form.device}'}"
        if (form.code, form.device) not in tile.faults:
            raise ApiError(409, "not_standing", f"{what} doesn't stand at {place}", "code")
        try:
            note = f"{person.name} ({person.role}) acknowledges {what} from the floor page"
            await self.link.ask(place, "bookmark", {"note": note})
            await self.link.ask(place, "acknowledge", {"code": form.code, "device": form.device})
        except NotDoneError as error:
            status = 504 if error.code == "table_away" else 502
            raise ApiError(status, error.code, str(error), place) from None
        self.tell(f"{person.name} has acknowledged {what} at {place}")
        return JSONResponse({"acknowledged": True})

    def families(self) -> list[Family]:
        """The figures for Prometheus: nothing of a round, and no person."""
        tiles = self.floor.since(-1)
        rows = {tile.place: labels_of(tile.place) for tile in tiles}

        def family(name: str, text: str, figure: Callable[[Tile], int]) -> Family:
            return Family(name, "gauge", text, tuple(Sample(figure(tile), rows[tile.place]) for tile in tiles))

        return [
            gauge("tablectl_floor_connected", "1 while the broker is there.", int(not self.link.why_away), {}),
            gauge("tablectl_floor_tables", "Tables that are known.", len(tiles), {}),
            family("tablectl_floor_rounds_an_hour", "Rounds that ended in the last hour.", lambda tile: len(tile.ends)),
            family("tablectl_floor_alarms", "Faults that stand.", lambda tile: len(tile.faults)),
            family(
                "tablectl_floor_ready",
                "1 where the table is ready.",
                lambda tile: int(tile.status.get("state") == "ready"),
            ),
        ]

    def _shown(self, _socket: WebSocket, person: Person, lasts: Callable[[], bool]) -> Shown:
        seen = -1

        async def news() -> AsyncGenerator[str]:
            nonlocal seen
            if person.role not in WATCHERS:
                return
            now, changed = self.floor.revision, self.floor.since(seen)
            why = {"broker": everywhere(self.link.why_away), "recorder": everywhere(self.why_unread)}
            yield write_json({"type": "floor", **why, "build": self._screens.build})
            for first in range(0, len(changed), CHUNK):
                chunk = [tile.form() for tile in changed[first : first + CHUNK]]
                yield write_json({"type": "tiles", "tiles": chunk})
                await asyncio.sleep(0)
            seen = now

        return Shown(news, lasts)

    def _tile(self, request: Request) -> Tile:
        place = f"{request.path_params['site']}/{request.path_params['table']}"
        if place not in self.floor.tiles:
            raise ApiError(404, "no_such_table", f"nothing was ever heard of {place[:70]}", "path")
        return self.floor.tiles[place]

    def _archive(self, request: Request) -> RecordArchive:
        return RecordArchive(self.looker, self._tile(request).place)

    def _fairness(self, request: Request) -> Mapping[str, Any]:
        """The evidence as the table tells it; its course is in the table's own console."""
        try:
            streams: list[dict[str, Any]] = [
                {**each, **spoken(each), "course": []} for each in self._tile(request).streams
            ]
        except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError):
            streams = []  # of another version
        return {"streams": streams}


def floor_app(page: FloorPage, pages: Pages, hosts: Sequence[str], *, metrics: bool) -> Starlette:
    """The floor's application.

    Args:
        hosts: names under which it may be called.
        metrics: whether its figures are given to whoever asks.
    """
    return app_of(
        [
            *page.desk.routes(),
            *page.routes(pages.build),
            Route("/v1/words", words_below),
            Route("/v1/health", _health(page)),
            *([metrics_route(page.families)] if metrics else []),
            *pages.routes(),
        ],
        hosts,
        page.desk.sessions,
    )


def _health(page: FloorPage) -> Callable[[Request], Any]:
    async def answer(_request: Request) -> Response:
        is_well = not page.link.why_away and not page.why_unread
        return JSONResponse({"status": "ok" if is_well else "degraded"}, 200 if is_well else 503)

    return answer


def _answer(form: Mapping[str, Any]) -> Response:
    return Response(write_json(form), media_type="application/json")
