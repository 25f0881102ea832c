"""People of a scenario at a table's console: HTTP requests, state by WebSocket."""

import asyncio
import json
import secrets
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from itertools import count
from typing import Any, Final

import httpx
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from tablectl.lazy_dataclass import dataclass
from tablectl.testing.scenarios.amending import SECOND_NEEDED, Amended, Amending
from tablectl.testing.scenarios.scenario import Form, NotSoError
from tablectl.testing.table_under_test import Person

AGAIN_AFTER_S: Final = 0.1
STALE: Final = "stale_screen"
LOOKS: Final = 5
"""So often a person whose screen was old looks again and asks again."""


class SilentError(NotSoError):
    """The console doesn't answer."""


@dataclass(frozen=True, slots=True)
class Health:
    """Health report of a daemon.

    Args:
        word: `ok`, or what is wrong.
        records: in the journal.
        sequence: of the last event.
        queue: facts that wait to be stored.
        devices: bytes, frames, rejected and facts of each.
    """

    word: str
    records: int
    sequence: int
    queue: int
    devices: Mapping[str, Mapping[str, Any]]


class Console:
    """A console as a screen has it.

    Args:
        people: by role.
        changed: called when the state is another.
    """

    def __init__(self, http: httpx.AsyncClient, people: Mapping[str, Person], changed: Callable[[], None]) -> None:
        self.state: Mapping[str, Any] = {}
        self._http = http
        self._people = people
        self._changed = changed
        self._tokens: dict[str, str] = {}
        self._numbers = count(1)
        self._series = secrets.token_hex(4)

    async def ask(self, verb: str, fields: Form, role: str) -> str:
        """Send a request as somebody of this role.

        Returns:
            Article and code of a refusal, or nothing.

        Raises:
            NotSoError: the console didn't take it as a request: why.
        """
        said = ""
        for _ in range(LOOKS):
            said = await self._ask(verb, fields, role)
            if not said.endswith(STALE):
                break
        return said

    async def _ask(self, verb: str, fields: Form, role: str) -> str:
        await self.look()
        about = {"round_id": self.state["round_id"], "seen": self.state["seen"]}
        body = {"request_id": f"{self._series}-{next(self._numbers)}", **about, **fields}
        answer = await self._call("POST", f"/v1/requests/{verb}", body, await self._of(role))
        if answer.status_code == 403 and answer.json()["error"]["code"] == SECOND_NEEDED:
            return SECOND_NEEDED
        if answer.status_code not in {200, 409}:
            raise NotSoError(f"the console answered {verb} of the {role} with {answer.status_code}: {answer.text}")
        form = answer.json()
        await self.look()
        return "" if form["accepted"] else f"{form['refused']['article']} {form['refused']['code']}"

    async def records(self, round_id: str) -> list[Form]:
        """A round's facts, as the dealer sees them.

        Raises:
            NotSoError: the console doesn't list them: why.
        """
        answer = await self._call("GET", f"/v1/rounds/{round_id}/records", None, await self._of("dealer"))
        if answer.status_code != 200:
            raise NotSoError(f"the console doesn't list the facts of {round_id}: {answer.text}")
        found: list[Form] = answer.json()["records"]
        return found

    async def amend(self, asked: Amending) -> Amended:
        """Has persons put recorded facts right.

        Raises:
            NotSoError: the console didn't take it as a request: why.
        """
        await self.look()
        about = {"request_id": f"{self._series}-{next(self._numbers)}", "seen": self.state["seen"]}
        agreed = {"second": self._agreeing(asked.second)} if asked.second else {}
        body = {**about, "round_id": asked.round_id, **asked.fields, **agreed}
        path = f"/v1/requests/amend{'?dry_run=true' if asked.dry_run else ''}"
        answer = await self._call("POST", path, body, await self._of(asked.by))
        form = answer.json()
        if answer.status_code == 403 and form["error"]["code"] == SECOND_NEEDED:
            return Amended(SECOND_NEEDED, {})
        if answer.status_code not in {200, 409}:
            raise NotSoError(f"the console answered the amendment with {answer.status_code}: {answer.text}")
        await self.look()
        refused = form.get("refused")
        return Amended(f"{refused['article']} {refused['code']}" if refused else "", form)

    def _agreeing(self, role: str) -> Form:
        person = self._people[role]
        return {"person": person.name, "pin": person.pin}

    async def look(self) -> None:
        """Looks at the table as it is now."""
        answer = await self._call("GET", "/v1/state", None, await self._of("dealer"))
        self._show(answer.json())

    async def health(self) -> Health:
        """How the daemon is.

        Raises:
            SilentError: it doesn't answer.
        """
        form = (await self._call("GET", "/v1/health", None, {})).json()
        told = form["health"]
        journal = told["journal"]
        return Health(form["status"], journal["record"], journal["sequence"], told["queue"], told["devices"])

    async def watch(self) -> None:
        """Keeps the state new, for ever; begins again where the connection breaks."""
        address = f"ws{str(self._http.base_url).rstrip('/').removeprefix('http')}/v1/live"
        while True:
            try:
                async with connect(address, proxy=None, additional_headers=await self._of("dealer")) as live:
                    async for text in live:
                        message = json.loads(text)
                        if message["type"] == "state":
                            self._show(message["state"])
            except (OSError, WebSocketException, SilentError):
                await asyncio.sleep(AGAIN_AFTER_S)

    async def _call(
        self, method: str, path: str, body: Mapping[str, Any] | None, headers: Mapping[str, str]
    ) -> httpx.Response:
        try:
            return await self._http.request(method, path, json=body, headers=headers)
        except httpx.TransportError as error:
            raise SilentError(f"the console doesn't answer {method} {path}: {str(error) or repr(error)}") from None

    def _show(self, state: Mapping[str, Any]) -> None:
        if state["seen"] >= self.state.get("seen", 0):
            self.state = state
            self._changed()

    async def _of(self, role: str) -> Mapping[str, str]:
        if role not in self._tokens:
            person = self._people[role]
            answer = await self._call("POST", "/v1/sign-on", {"person": person.name, "pin": person.pin}, {})
            if answer.status_code != 200:
                raise NotSoError(f"{person.name} ({role}) couldn't sign on: {answer.status_code} {answer.text}")
            self._tokens[role] = answer.json()["token"]
        return {"Authorization": f"Bearer {self._tokens[role]}"}


@asynccontextmanager
async def client(url: str, within_s: float) -> AsyncGenerator[httpx.AsyncClient]:
    """Open a client of the console's API, with this timeout for answers.

    It never goes through a proxy.
    """
    async with httpx.AsyncClient(base_url=url, trust_env=False, timeout=within_s) as http:
        yield http
