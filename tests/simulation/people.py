"""Persons at screens: each signs on, looks, and asks again, word for word, where no answer came."""

import asyncio
import json
import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from tests.simulation.history import Answered, Asked, Form, History, Shown
from tests.simulation.net import Network, Response

TRIES: Final = 12
AGAIN_S: Final = 0.25


@dataclass(frozen=True, slots=True)
class Said:
    """What the table said to a request; None where nobody knows."""

    accepted: bool
    code: str
    record: int


@dataclass(slots=True)
class Person:
    """Somebody who may sign on."""

    name: str
    pin: str
    net: Network
    history: History
    chance: random.Random
    life: Callable[[], int]
    token: str = ""
    asked: int = 0
    _told: list[Any] = field(default_factory=list[Any])

    async def look(self) -> Form | None:
        """The table's state; None where nothing is to be seen."""
        try:
            response = await self._call("GET", "/v1/state", None)
        except ConnectionError:
            return None
        if response.status != 200:
            return None
        life = self.life()
        self.history.shown.append(Shown(self.history.clock(), life, response.form, response.text))
        self.history.trace("shown", self.name, response.text)
        return response.form

    async def actions(self) -> list[Form]:
        """What they could ask for now."""
        try:
            response = await self._call("GET", "/v1/actions", None)
        except ConnectionError:
            return []
        return list(response.form.get("actions", [])) if response.status == 200 else []

    async def records(self, round_id: str) -> list[Form] | None:
        """The facts of a round, as whoever may amend them sees them; None where nobody says them."""
        try:
            response = await self._call("GET", f"/v1/rounds/{round_id}/records", None)
        except ConnectionError:
            return None
        return list(response.form["records"]) if response.status == 200 else None

    async def ask(self, sight: Form, verb: str, **fields: Any) -> Said | None:
        """Makes a request under a name that no other has."""
        self.asked += 1
        name = f"{self.name}-{self.asked}"
        body = {"request_id": name, "round_id": sight["round_id"], "seen": sight["seen"], **fields}
        self.history.asked.append(Asked(self.history.clock(), self.name, verb, name, body))
        self.history.trace("asks", self.name, verb, json.dumps(body))
        for _ in range(TRIES):
            try:
                response = await self._call("POST", f"/v1/requests/{verb}", body)
            except ConnectionError:
                await asyncio.sleep(AGAIN_S * (1 + self.chance.random()))
                continue
            if response.status in {200, 409}:
                return self._heard(verb, name, response)
            if response.status == 403:
                return Said(False, response.form["error"]["code"], 0)
            if response.status != 503:
                self.history.trace("error", response.status, response.text)
                return None
            await asyncio.sleep(AGAIN_S * (1 + self.chance.random()))
        return None

    async def repeat(self, asked: Asked) -> None:
        """Makes an old request of their own again, as a screen that was asleep would."""
        self.history.trace("repeats", self.name, asked.request_id)
        with suppress(ConnectionError):
            response = await self._call("POST", f"/v1/requests/{asked.verb}", asked.fields)
            if response.status in {200, 409}:
                self._heard(asked.verb, asked.request_id, response)

    def _heard(self, verb: str, name: str, response: Response) -> Said:
        form = response.form
        refused = form.get("refused") or {}
        self.history.trace("answered", self.name, name, response.text)
        at_s = self.history.clock()
        self.history.answered.append(Answered(at_s, self.name, verb, name, form["record"], not refused))
        return Said(not refused, refused.get("code", ""), form["record"])

    async def _call(self, method: str, path: str, body: Form | None) -> Response:
        if not self.token:
            await self._sign_on()
        response = await self.net.call(method, path, self.token, body)
        if response.status == 401:
            self.token = ""
            await self._sign_on()
            response = await self.net.call(method, path, self.token, body)
        return response

    async def _sign_on(self) -> None:
        response = await self.net.call("POST", "/v1/sign-on", "", {"person": self.name, "pin": self.pin})
        if response.status != 200:
            raise ConnectionRefusedError(f"{self.name} can't sign on: {response.status}")
        self.token = response.form["token"]
