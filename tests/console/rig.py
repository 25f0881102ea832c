"""A table in memory behind the real API on a real port: the fold without journal, a clock that tests set."""

import asyncio
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import httpx
from argon2 import PasswordHasher

from tablectl.console import history_routes
from tablectl.console.auth.people import Person, Role
from tablectl.console.history_routes import NotThereError, Taken
from tablectl.console.http.middleware import Limits
from tablectl.console.http.server import listen_at, serve
from tablectl.console.http.tls import Tls
from tablectl.console.routes import Options, make_app
from tablectl.core import fold
from tablectl.core.cards import Card
from tablectl.core.effects import Refuse
from tablectl.core.events.text import Saying
from tablectl.core.facts import Body, Fact, LogBegan, SessionBegan, Stamp
from tablectl.core.facts.reports import CardDrawn, DeviceAttached
from tablectl.core.games.q_poker.game import QPokerGame
from tablectl.core.games.q_poker.state import QPoker
from tablectl.core.money import utc_text
from tablectl.core.protocols import JUDGED, Reply, Standing, TableStoppedError
from tablectl.core.table import Table, entry
from tablectl.daemon.views.console import material_form
from tablectl.history.statistics.evidence_account import Account
from tablectl.history.statistics.fairness_monitor import Monitor
from tablectl.rule_tables import load_rules
from tests.support.patience import PATIENCE_S

LANGUAGES = ("en", "pt", "zh-Hant")
RULES = load_rules("q_poker")
_CHEAP = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)

PINS = {"ana": "1111", "sam": "2222", "tom": "3333", "eve": "4444"}
PEOPLE = (
    Person("ana", Role.DEALER, _CHEAP.hash(PINS["ana"])),
    Person("sam", Role.SUPERVISOR, _CHEAP.hash(PINS["sam"]), simulated=True),
    Person("tom", Role.TECHNICIAN, _CHEAP.hash(PINS["tom"])),
    Person("eve", Role.SURVEILLANCE, _CHEAP.hash(PINS["eve"])),
)


async def until(condition: Callable[[], bool]) -> None:
    """Returns once it is so; asked at each turn of the loop, since the code under test tells nobody."""
    async with asyncio.timeout(PATIENCE_S):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0)


def say(saying: Saying) -> Mapping[str, str]:
    """A text that shows its key, in each language."""
    return {language: f"{language}:{saying.key}" for language in LANGUAGES}


@dataclass(slots=True)
class VirtualClock:
    """Time that passes when a test says so."""

    at_s: float = 1000.0

    def now(self) -> Stamp:
        return Stamp(1_700_000_000_000_000 + int(self.at_s * 1e6), int(self.at_s * 1e9), "boot")

    def monotonic_s(self) -> float:
        return self.at_s


@dataclass(slots=True)
class MemoryTable:
    """The fold of a Q Poker game behind the console's two doors: where facts come in, what may be seen."""

    game: QPokerGame
    clock: VirtualClock
    table: Table[QPoker]
    facts: list[Fact] = field(default_factory=list)
    watchers: list[Callable[[], None]] = field(default_factory=list)
    stopped: bool = False
    held: asyncio.Event | None = None
    asking: int = 0
    padding: str = ""

    def tell(self, fact: Fact, stored: Callable[[], None] | None = None) -> None:
        self._step(fact)
        if stored is not None:
            stored()

    async def ask(self, fact: Fact, standing: Standing = JUDGED) -> Reply:
        self.asking += 1
        if self.held is not None:
            await self.held.wait()
        if self.stopped:
            raise TableStoppedError
        return self._step(fact)

    def hold(self) -> None:
        """Lets no request through from here on, until `held` is set."""
        self.held, self.asking = asyncio.Event(), 0

    async def until_asked(self) -> None:
        """Returns once a request waits."""
        await until(lambda: self.asking > 0)

    def report(self, *bodies: Body) -> None:
        """What devices and the table itself report."""
        for body in bodies:
            self.tell(Fact(body, self.clock.now(), source="table"))

    def draw(self, *cards: str) -> None:
        """Cards out of the shoe."""
        self.report(*(CardDrawn("shoe", Card(card)) for card in cards))

    def state(self) -> Mapping[str, Any]:
        table = self.table
        return {
            "table": "t1",
            "site": "test",
            "game": self.game.name,
            "seen": table.records,
            "log": table.log_id,
            "session": table.session,
            "simulated": table.simulated,
            "round_id": self.game.round_id(table.game),
            "phase": self.game.phase(table.game),
            "waiting": say(self.game.waiting(table)),
            "round": {**self.game.public(table.game), "padding": self.padding},
            "devices": [
                {
                    "name": item.name,
                    "attached": item.attached,
                    "reason": item.reason,
                    "simulated": item.simulated,
                }
                for item in table.devices
            ],
            "materials": [material_form(item) for item in table.materials],
            "faults": [
                {
                    "code": item.code,
                    "device": item.device,
                    "severity": entry(item.code).severity,
                    "text": say(Saying(f"fault.{entry(item.code).key}.text")),
                    "present": item.present,
                    "since": utc_text(item.since_us),
                    "acknowledged_by": item.acknowledged_by,
                    "clears": entry(item.code).clears,
                }
                for item in table.faults
            ],
        }

    def layout(self) -> Mapping[str, Any]:
        return {"table": "t1", "site": "test", "game": self.game.name, "places": [1, 2, 3]}

    def actions(self, role: str) -> Sequence[Mapping[str, Any]]:
        return [{"verb": "open_round", "fields": {}, "open": [], "allowed": True, "for": role}]

    def display(self) -> Mapping[str, Any]:
        table = self.table
        return {"table": "t1", "game": self.game.name, "phase": self.game.phase(table.game), "seen": table.records}

    def subscribe(self, changed: Callable[[], None]) -> Callable[[], None]:
        self.watchers.append(changed)
        return lambda: self.watchers.remove(changed)

    def _step(self, fact: Fact) -> Reply:
        self.table, effects = fold.step(self.game, self.table, fact)
        self.facts.append(fact)
        for changed in list(self.watchers):
            changed()
        refused = next((effect for effect in effects if isinstance(effect, Refuse)), None)
        return Reply(self.table.records, refused)


def new_table() -> MemoryTable:
    """A table whose shoe is there, before its first round."""
    game = QPokerGame(RULES)
    table = MemoryTable(game, VirtualClock(), fold.begin(game))
    table.report(
        LogBegan("a1b2c3d4", "test", "t1"),
        SessionBegan("s1", "0", "c", "q_poker", game.rules_version),
        DeviceAttached("shoe", simulated=True),
    )
    return table


@dataclass(slots=True)
class Screen:
    """A console as a person uses it: it names in each request what it showed."""

    http: httpx.AsyncClient
    token: str = ""
    asked: int = 0

    async def sign_on(self, person: str, pin: str | None = None) -> httpx.Response:
        answer = await self.http.post("/v1/sign-on", json={"person": person, "pin": pin or PINS[person]})
        if answer.status_code == 200:
            self.token = answer.json()["token"]
            self.http.headers["Authorization"] = f"Bearer {self.token}"
        return answer

    async def state(self) -> Mapping[str, Any]:
        answer = await self.http.get("/v1/state")
        assert answer.status_code == 200, answer.text
        state: Mapping[str, Any] = answer.json()
        return state

    async def ask(self, verb: str, **fields: Any) -> httpx.Response:
        """The request on a fresh screen, unless `fields` say what the screen showed."""
        shown = await self.state()
        self.asked += 1
        told = {"request_id": f"r{self.asked}", "round_id": shown["round_id"], "seen": shown["seen"]}
        return await self.http.post(f"/v1/requests/{verb}", json={**told, **fields})

    async def done(self, verb: str, **fields: Any) -> None:
        """The request, which has to be accepted."""
        answer = await self.ask(verb, **fields)
        assert answer.status_code == 200, answer.text


def error(answer: httpx.Response) -> tuple[int, str, str]:
    """Status, code and place of an error, which has the one form."""
    body = answer.json()
    assert set(body) == {"error"}
    assert {"code", "message", "where"} <= set(body["error"]) <= {"code", "message", "where", "problems"}
    assert body["error"]["message"]
    return answer.status_code, body["error"]["code"], body["error"]["where"]


@dataclass(slots=True)
class House:
    """A table, its API, and where that listens."""

    table: MemoryTable
    port: int
    task: "asyncio.Task[None]"
    screens: list[httpx.AsyncClient] = field(default_factory=list)

    scheme: str = "http"

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}"

    @property
    def clock(self) -> VirtualClock:
        return self.table.clock

    def screen(self, **headers: str) -> Screen:
        """A screen on which nobody is signed on."""
        return self._screen(headers, verify=False)

    def browser(self, trusting: ssl.SSLContext, **headers: str) -> Screen:
        """A screen for a console under TLS: whom it trusts, and the certificate that it shows."""
        return self._screen(headers, trusting)

    def _screen(self, headers: Mapping[str, str], verify: ssl.SSLContext | bool) -> Screen:
        http = httpx.AsyncClient(base_url=self.url, headers=headers, trust_env=False, verify=verify, timeout=PATIENCE_S)
        self.screens.append(http)
        return Screen(http)

    async def signed_on(self, person: str) -> Screen:
        screen = self.screen()
        answer = await screen.sign_on(person)
        assert answer.status_code == 200, answer.text
        return screen


class EmptyArchive:
    """A journal in which nothing is recorded yet."""

    async def rounds(self, before: int | None, limit: int, text: str, end: str) -> Mapping[str, Any]:
        return {"rounds": [], "more": False}

    async def round(self, round_id: str) -> Mapping[str, Any]:
        raise NotThereError(f"there is no round {round_id}")

    async def replay(self, round_id: str) -> Mapping[str, Any]:
        raise NotThereError(f"there is no round {round_id}")

    async def events(self, wanted: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"events": [], "reached": 0, "more": False}

    async def statistics(self, begin: str, end: str) -> Mapping[str, Any]:
        return {"rounds": {}}

    async def taken(self, begin: str, end: str, form: str) -> Taken:
        return Taken(f"events.{form}", (), _nothing())


async def _nothing() -> AsyncIterator[bytes]:
    return
    yield b""


@asynccontextmanager
async def house(table: MemoryTable | None = None, **more: Any) -> AsyncGenerator[House]:
    """The API of a table, served on a free port until the test is over. `more` are its `Options`."""
    tls: Tls | None = more.pop("tls", None)
    own = ("loitering_s", "handshake_s", "renewed")
    served: dict[str, Any] = {name: more.pop(name) for name in own if name in more}
    at = table or new_table()
    people = more.pop("people", PEOPLE)
    nothing = Account(Monitor()).courses
    more_routes = partial(history_routes.routes, archive=EmptyArchive(), fairness=nothing)
    usual: dict[str, Any] = {"display": at.display, "more": more_routes}
    options = Options(**{**usual, **more})
    app = await asyncio.to_thread(make_app, at, at, at.clock, people, say, options)
    port: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    listener = await listen_at("127.0.0.1", 0, tls)
    task = asyncio.create_task(serve(app, listener, listening=port.set_result, **served))
    task.add_done_callback(lambda _: port.cancel())
    here = House(at, await port, task, scheme="https" if tls else "http")
    try:
        yield here
    finally:
        for screen in here.screens:
            await screen.aclose()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def quick(**changes: float) -> Limits:
    """Limits for tests: those given, the others as always."""
    return replace(Limits(), **changes)  # type: ignore[arg-type]  # wrong_pins is the one integer


async def dealt(here: House) -> Screen:
    """A dealer's screen, and a round with one bet whose cards all lie on the table."""
    dealer = await here.signed_on("ana")
    await dealer.done("confirm_pack")
    await dealer.done("open_round")
    await dealer.done("bet", place=1, bettor="A", bet="versus_dealer", stake="100")
    here.table.draw("As", "Qs", "Ks", "7h", "Qd", "2c")
    return dealer
