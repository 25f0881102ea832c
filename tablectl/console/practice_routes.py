"""Practice: acts at simulated devices, from the page.

It is served only where every device is simulated.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import Field
from pydantic.dataclasses import dataclass as form_dataclass
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from tablectl.console.auth.people import Role, names_of
from tablectl.console.auth.routes import Desk
from tablectl.console.errors import ApiError
from tablectl.console.requests.body import read_form
from tablectl.console.requests.fields import STRICT
from tablectl.console.requests.routes import require
from tablectl.lazy_dataclass import dataclass

SOCKET: Final = "sim.sock"
"""Where the simulation hears what is done at its devices; in the runtime folder, for its owner alone."""

ANSWER_WITHIN_S: Final = 120.0
"""A spin that takes a minute and a half is the longest act."""

LINE_MAX: Final = 4096
PRACTISE: Final = frozenset({Role.DEALER, Role.SUPERVISOR})

Act = Literal["deal", "packet", "spin", "throw", "pack", "jam", "unjam", "unplug", "plug"]


@form_dataclass(config=STRICT, frozen=True, slots=True, kw_only=True)
class Practised:
    """An act at a simulated device.

    It names the device, and the number of cards or dice, where the act needs them.
    """

    do: Act
    device: Annotated[str, Field(max_length=32)] | None = None
    count: Annotated[int, Field(ge=1, le=52)] | None = None


@dataclass(frozen=True, slots=True)
class Practice:
    """The hands at the simulated devices of a table.

    Args:
        folder: the runtime folder, in which the simulation listens.
    """

    desk: Desk
    folder: Path

    async def act(self, request: Request) -> Response:
        """Does an act; the table hears of it from the device, as of any."""
        person = self.desk.signed_on(request)
        require(person, PRACTISE, f"practice is for {names_of(PRACTISE)}")
        asked = await read_form(request, Practised, within_s=self.desk.limits.body_s)
        form = {"do": asked.do, "device": asked.device, "count": asked.count}
        return JSONResponse(await self._ask({name: value for name, value in form.items() if value is not None}))

    async def running(self, request: Request) -> Response:
        """Return whether a simulation listens."""
        self.desk.signed_on(request)
        return JSONResponse({"running": await asyncio.to_thread((self.folder / SOCKET).is_socket)})

    async def _ask(self, what: Mapping[str, Any]) -> Mapping[str, str]:
        try:
            async with asyncio.timeout(ANSWER_WITHIN_S):
                answer = await _exchange(self.folder / SOCKET, what)
        except (OSError, TimeoutError, ValueError):
            raise ApiError(
                503, "no_simulation", "no simulation answers: start one with tablectl sim run", "server"
            ) from None
        if "done" not in answer:
            raise ApiError(422, "cannot_be_done", str(answer.get("error", "the simulation ended")), "body.do")
        return {"done": str(answer["done"])}


def routes(desk: Desk, folder: Path) -> Sequence[BaseRoute]:
    """The path of practice."""
    practice = Practice(desk, folder)
    return Route("/v1/practice", practice.running), Route("/v1/practice", practice.act, methods=["POST"])


async def _exchange(socket: Path, what: Mapping[str, Any]) -> Mapping[str, Any]:
    reader, writer = await asyncio.open_unix_connection(str(socket), limit=LINE_MAX)
    try:
        writer.write(json.dumps(what).encode() + b"\n")
        await writer.drain()
        answer: Mapping[str, Any] = json.loads(await reader.readline())
        return answer
    finally:
        writer.close()
