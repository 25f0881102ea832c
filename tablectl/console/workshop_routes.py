"""Routes of the technician's page.

They give devices with their links and last frames, the log's levels, and frames to take away. Nothing here says
anything to a device.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Annotated, Any, Final, Protocol

from pydantic import Field
from pydantic.dataclasses import dataclass as form_dataclass
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from tablectl.console.auth.people import Person, Role, names_of
from tablectl.console.auth.routes import Desk
from tablectl.console.errors import ApiError
from tablectl.console.history_routes import answered
from tablectl.console.requests.body import read_form
from tablectl.console.requests.fields import STRICT
from tablectl.console.requests.routes import require
from tablectl.console.screens import write_json
from tablectl.lazy_dataclass import dataclass

TECHNICIANS: Final = frozenset({Role.TECHNICIAN})


class Workshop(Protocol):
    """The technical side of a table at work."""

    def devices(self) -> Sequence[Mapping[str, Any]]:
        """The devices: port, what is expected, counters, a wheel's calibration."""
        ...

    async def frames(self, device: str) -> Mapping[str, Any]:
        """The last frames of a device, explained, the newest last.

        `captured` is false where none are kept.

        Raises:
            NotThereError: there is no such device.
            BusyError: others are being answered.
        """
        ...

    def taken(self, hours: float) -> AsyncIterator[bytes]:
        """The frames of all devices in the last hours, explained, as lines of JSON."""
        ...

    async def bundle(self, hours: float) -> AsyncIterator[bytes]:
        """The archive for support, of so many hours.

        Raises:
            BusyError: another one is being made, or it can't be made.
        """
        ...

    def levels(self) -> Mapping[str, Any]:
        """The log's level in each area, `areas`, and the `known` levels."""
        ...

    def turn(self, level: str, area: str | None, person: str) -> None:
        """Set the level of an area, or of all, until the daemon ends.

        Raises:
            ValueError: there is no such level or area.
        """
        ...


@form_dataclass(config=STRICT, frozen=True, slots=True, kw_only=True)
class Turned:
    """A level for an area of the log; for every area where none is named."""

    level: Annotated[str, Field(max_length=16)]
    area: Annotated[str, Field(max_length=16)] | None = None


@dataclass(frozen=True, slots=True)
class Workbench:
    """The answers."""

    desk: Desk
    workshop: Workshop
    name: str

    async def devices(self, request: Request) -> Response:
        """The devices and their links."""
        self._technician(request)
        return _answer({"devices": self.workshop.devices()})

    async def frames(self, request: Request) -> Response:
        """The last frames of one device."""
        self._technician(request)
        return _answer(await answered(self.workshop.frames(request.path_params["device"])))

    async def taken(self, request: Request) -> Response:
        """Frames as a file.

        Raises:
            ApiError: 422, the hours are wrong.
        """
        self._technician(request)
        frames = self.workshop.taken(_hours(request))
        return StreamingResponse(frames, media_type="application/x-ndjson", headers=self._as_file("frames.jsonl"))

    async def bundle(self, request: Request) -> Response:
        """The archive for support, as a file.

        Raises:
            ApiError: 422, the hours are wrong; 503, another one is being made, or it can't be made.
        """
        self._technician(request)
        archive = await answered(self.workshop.bundle(_hours(request)))
        return StreamingResponse(archive, media_type="application/gzip", headers=self._as_file("bundle.tar.gz"))

    async def log(self, request: Request) -> Response:
        """The log's levels; with a body, a level that is set.

        Raises:
            ApiError: 422, there is no such level or area.
        """
        person = self._technician(request)
        if request.method == "POST":
            form = await read_form(request, Turned, within_s=self.desk.limits.body_s)
            try:
                self.workshop.turn(form.level, form.area, person.name)
            except ValueError as error:
                raise ApiError(422, "wrong_fields", str(error), "body") from None
        return _answer(self.workshop.levels())

    def _as_file(self, name: str) -> Mapping[str, str]:
        return {"Content-Disposition": f'attachment; filename="{self.name}-{name}"'}

    def _technician(self, request: Request) -> Person:
        person = self.desk.signed_on(request)
        require(person, TECHNICIANS, f"the workshop is for {names_of(TECHNICIANS)}")
        return person


def routes(desk: Desk, workshop: Workshop, name: str) -> Sequence[BaseRoute]:
    """The paths of the technician's page.

    Args:
        name: of the table, for files.
    """
    bench = Workbench(desk, workshop, name)
    return (
        Route("/v1/workshop/devices", bench.devices),
        Route("/v1/workshop/devices/{device}/frames", bench.frames),
        Route("/v1/workshop/frames", bench.taken),
        Route("/v1/workshop/bundle", bench.bundle),
        Route("/v1/workshop/log", bench.log, methods=["GET", "POST"]),
    )


def _hours(request: Request) -> float:
    hours = request.query_params.get("hours", "4")
    if not (hours.isascii() and hours.isdigit() and 1 <= len(hours) <= 3 and int(hours)):
        raise ApiError(422, "wrong_fields", "hours: a whole number from 1 to 999", "query hours")
    return float(hours)


def _answer(form: Mapping[str, Any]) -> Response:
    return Response(write_json(form), media_type="application/json")
