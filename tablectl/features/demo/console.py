"""The table as a console shows it."""

import asyncio
import json
import secrets
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import field
from itertools import count
from typing import Any, Final

import httpx
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from tablectl.core.cards import Place
from tablectl.lazy_dataclass import dataclass
from tablectl.words import Language

IDLE = "idle"
PAYING = "paying"
OVER = frozenset({IDLE, PAYING})
"""The phases of a round that is decided; Chinese dice pays within its rounds."""


@dataclass(frozen=True, slots=True)
class Hand:
    """A hand on the layout; a card is None while it lies face down."""

    place: Place
    cards: tuple[str | None, ...]
    opened: bool
    dead: bool


@dataclass(frozen=True, slots=True)
class Standing:
    """A fault on the table's list; `clears` names who may acknowledge it."""

    code: int
    device: str
    clears: str
    present: bool
    waits_for_person: bool


@dataclass(frozen=True, slots=True)
class View:
    """View of the table on a screen.

    Args:
        state: as the console's API shows it.
        seen: how many facts are in it.
        round: as the game has it.
        owes: whether a payment is due.
    """

    state: Mapping[str, Any]
    seen: int
    round_id: str | None
    phase: str
    round: Mapping[str, Any]
    attached: frozenset[str]
    faults: tuple[Standing, ...]
    waiting: Mapping[str, str]
    owes: bool = False

    @property
    def pack(self) -> str:
        """State of the pack as far as it is known, where the game has one."""
        return str(self.round.get("pack", ""))

    @property
    def hands(self) -> tuple[Hand, ...]:
        """The hands on the layout."""
        hands = self.round.get("hands", ())
        return tuple(
            Hand(hand["place"], tuple(hand["cards"]), opened=hand["opened"], dead=hand.get("dead", False))
            for hand in hands
        )

    @property
    def card_count(self) -> int:
        """How many cards lie on the table."""
        return sum(len(hand.cards) for hand in self.hands)


def view_of(state: Mapping[str, Any]) -> View:
    """The state of the console's API as a value."""
    return View(
        state=state,
        seen=state["seen"],
        round_id=state["round_id"],
        phase=state["phase"],
        round=state["round"],
        attached=frozenset(device["name"] for device in state["devices"] if device["attached"]),
        faults=tuple(_standing(fault) for fault in state["faults"]),
        waiting=state["waiting"],
        owes=bool(state["payment"]),
    )


def _standing(fault: Mapping[str, Any]) -> Standing:
    gone = not fault["present"] and fault["acknowledged_by"] is None
    return Standing(fault["code"], fault["device"], fault["clears"], present=fault["present"], waits_for_person=gone)


PATIENCE_S: Final = 15.0
"""How long the table may take for anything before the demo calls it broken."""

TRIES: Final = 25
AGAIN_AFTER_S: Final = 0.2


class DemoError(Exception):
    """The demo can't go on: one line that says why."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Outcome of a request.

    A refused one has the article that forbids it, and why; `record` is the number of the fact.
    """

    accepted: bool
    record: int
    article: str = ""
    code: str = ""
    text: str = ""


@dataclass(slots=True)
class Screen:
    """The newest state that the table has shown, and whoever waits for a newer one."""

    view: View | None = None
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    def show(self, view: View) -> None:
        """Shows a state; an older one than the last is left out."""
        if self.view is None or view.seen >= self.view.seen:
            self.view = view
            self._changed.set()
            self._changed = asyncio.Event()

    async def until(self, what: str, holds: Callable[[View], bool]) -> View:
        """The first state for which this holds.

        Args:
            what: names it, for whoever reads that it never came.

        Raises:
            DemoError: it took too long.
        """
        try:
            async with asyncio.timeout(PATIENCE_S):
                while self.view is None or not holds(self.view):
                    await self._changed.wait()
                return self.view
        except TimeoutError:
            waiting = self.view.waiting.get("en", "") if self.view else "no state came"
            raise DemoError(f"the table never came to this: {what} (it says: {waiting})") from None


@dataclass(slots=True)
class Person:
    """Somebody who is signed on.

    With their PIN they also confirm what somebody else asks for.
    """

    http: httpx.AsyncClient
    screen: Screen
    language: Language
    token: str
    name: str
    pin: str
    _numbers: "count[int]" = field(default_factory=lambda: count(1))
    _series: str = field(default_factory=lambda: secrets.token_hex(4))

    async def ask(self, verb: str, **fields: object) -> Answer:
        """The table's answer to a request, once the screen shows what came of it.

        Raises:
            DemoError: no answer, or one that says that the request itself was wrong.
        """
        view = await self.screen.until("the first look", lambda _: True)
        body = {
            "request_id": f"{self._series}-{next(self._numbers)}",
            "round_id": view.round_id,
            "seen": view.seen,
            **fields,
        }
        form = await _post(self.http, f"/v1/requests/{verb}", body, self.token)
        await self.screen.until(f"the record of {verb}", lambda now: now.seen >= form["record"])
        return _answer(form, self.language)

    async def do(self, verb: str, **fields: object) -> Answer:
        """Asks for what has to be granted.

        Raises:
            DemoError: it was refused.
        """
        answer = await self.ask(verb, **fields)
        if not answer.accepted:
            raise DemoError(f"{verb} was refused: {answer.text} ({answer.code}, {answer.article})")
        return answer

    async def offers(self, verb: str) -> list[dict[str, Any]]:
        """The fields with which the table would take such a request now.

        Raises:
            DemoError: no answer.
        """
        try:
            form = (await self.http.get("/v1/actions", headers=_headers(self.token))).json()
        except httpx.TransportError:
            raise DemoError("GET /v1/actions: no answer from the console") from None
        return [each["fields"] for each in form["actions"] if each["verb"] == verb and each["allowed"]]


async def sign_on(http: httpx.AsyncClient, screen: Screen, language: Language, name: str, pin: str) -> Person:
    """The person, signed on with their PIN."""
    form = await _post(http, "/v1/sign-on", {"person": name, "pin": pin}, None)
    return Person(http, screen, language, form["token"], name, pin)


@asynccontextmanager
async def client(url: str) -> AsyncGenerator[httpx.AsyncClient]:
    """A client of the console's API, which never goes through a proxy."""
    async with httpx.AsyncClient(base_url=url, trust_env=False, verify=False, timeout=PATIENCE_S) as http:  # noqa: S501  # plain HTTP on loopback: no certificate is looked at, so none is loaded
        yield http


async def watch(url: str, token: str, screen: Screen) -> None:
    """Keeps the screen up to date, for ever; looks again after the connection broke."""
    address = f"ws{url.removeprefix('http')}/v1/live"
    while True:
        try:
            async with connect(address, proxy=None, additional_headers={"Authorization": f"Bearer {token}"}) as live:
                async for text in live:
                    if (message := json.loads(text))["type"] == "state":
                        screen.show(view_of(message["state"]))
        except (OSError, WebSocketException):
            pass
        await asyncio.sleep(AGAIN_AFTER_S)


async def _post(http: httpx.AsyncClient, path: str, body: Mapping[str, object], token: str | None) -> dict[str, Any]:
    """Post a request and return the answer.

    It is sent again, word for word, where the connection broke: the table does it once.

    Raises:
        DemoError: the console refuses it, or doesn't answer.
    """
    headers = _headers(token) if token else {}
    for _ in range(TRIES):
        try:
            response = await http.post(path, json=body, headers=headers)
        except httpx.TransportError:
            await asyncio.sleep(AGAIN_AFTER_S)
            continue
        if response.status_code in {200, 409}:
            form: dict[str, Any] = response.json()
            return form
        if response.status_code != 503:
            raise DemoError(f"POST {path} was answered with {response.status_code}: {response.text[:300]}")
        await asyncio.sleep(AGAIN_AFTER_S)
    raise DemoError(f"POST {path}: no answer from the console")


def _headers(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def _answer(form: Mapping[str, Any], language: Language) -> Answer:
    refused = form.get("refused")
    if refused is None:
        return Answer(accepted=True, record=form["record"])
    return Answer(
        accepted=False,
        record=form["record"],
        article=refused["article"],
        code=refused["code"],
        text=refused["text"][language],
    )
