"""`tablectl init --web`: a new table on a page in a browser at this machine.

The address has a token that works once; after it a cookie. What devices say is shown by `tablectl probe`, which asks
them nothing else than their table does.
"""

import asyncio
import hmac
import secrets
import sys
from asyncio.subprocess import DEVNULL, PIPE, STDOUT
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from itertools import count, takewhile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Final

from pydantic import Field
from pydantic.dataclasses import dataclass as form_dataclass
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tablectl import network, words
from tablectl.config.errors import ConfigError
from tablectl.config.remarks import NO_PIN
from tablectl.console.auth.pins import hash_pin
from tablectl.console.auth.sessions import keep_cookie, not_signed_on, token_of
from tablectl.console.errors import ApiError
from tablectl.console.http.server import listen_at, serve
from tablectl.console.pages import read_pages
from tablectl.console.public_routes import all_words, words_below
from tablectl.console.requests.body import read_form
from tablectl.console.requests.fields import STRICT
from tablectl.console.routes import app_of
from tablectl.console.screens import write_json
from tablectl.features.setup.detect import detect_devices, others_on_usb
from tablectl.features.setup.detect_report import form, usb_lines
from tablectl.features.setup.dialogue import NONE, SIMULATED
from tablectl.features.setup.questions import ROLES, NewPerson, NewTable, configuration, toml_key, usual_ports
from tablectl.features.setup.write import Made, ThereAlreadyError, see_that_it_runs
from tablectl.journal.files import write_whole
from tablectl.lazy_dataclass import dataclass
from tablectl.proof.note import NoteError
from tablectl.rule_tables import GAMES, game_record
from tablectl.words.reason import everywhere

FRONT: Final[Mapping[str, str]] = {"/": "/static/setup/index.html"}
BODY_S: Final = 10.0
LISTEN_S: Final = 1.0
"""How long a port is listened to where nobody answers."""

LINES: Final = 12
"""Of what a device says."""

LAST_S: Final = 1.0
"""How long the page may take to fetch what it shows at the end."""

PROBE: Final = (sys.executable, "-P", "-m", "tablectl", "probe")

Text = Annotated[str, Field(max_length=300)]


@form_dataclass(config=STRICT, frozen=True, slots=True, kw_only=True)
class Token:
    """The token in the address."""

    token: Text


@form_dataclass(config=STRICT, frozen=True, slots=True, kw_only=True)
class Newcomer:
    """A person who may sign on; an empty PIN is chosen later."""

    name: Text
    role: Text
    pin: Text = ""


@form_dataclass(config=STRICT, frozen=True, slots=True, kw_only=True)
class Answers:
    """The answers so far.

    Args:
        devices: ports by kind.
    """

    site: Text
    table: Text
    game: Text
    broker: Text
    username: Text
    devices: dict[str, Text]
    simulated: bool
    people: Annotated[tuple[Newcomer, ...], Field(max_length=50)]


@form_dataclass(config=STRICT, frozen=True, slots=True, kw_only=True)
class Device:
    """A device that is looked at; an empty kind ends the look."""

    kind: Text
    port: Text = ""
    game: Text = ""
    lang: Text = "en"


@dataclass(slots=True)
class WebSetup:
    """One table that is set up.

    Args:
        begun: what the options say of it.
        config: where its configuration goes, from its name.
        make: makes it. Blocks.
        steps: what was made, and what comes next, in lines.
        keep: takes the answers, without PINs, by the names of the questions at a terminal.
    """

    begun: NewTable
    config: Callable[[str], Path]
    state: Callable[[str], str]
    make: Callable[[NewTable, Path], Made]
    steps: Callable[[Made, NewTable, Mapping[str, str]], Iterable[str]]
    keep: Callable[[Mapping[str, str]], None]
    token: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    made: tuple[Made, NewTable] | None = None
    _session: str = ""
    _over: asyncio.Event = field(default_factory=asyncio.Event)
    _finding: asyncio.Lock = field(default_factory=asyncio.Lock)
    _group: asyncio.TaskGroup = field(default_factory=asyncio.TaskGroup)
    _looking: asyncio.Task[None] | None = None
    _said: deque[str] = field(default_factory=lambda: deque[str](maxlen=LINES))

    async def serve(self, port: int, tell: Callable[[str], None]) -> None:
        """Serve the page until the table is made.

        Raises:
            OSError: the port can't be had.
        """
        try:
            listener = await listen_at("127.0.0.1", port)
        except OSError as error:
            raise OSError(error.errno, error.strerror, f"127.0.0.1:{port}") from None
        pages = await asyncio.to_thread(read_pages, lasting=all_words(), front=FRONT)
        post = partial(Route, methods=["POST"])
        routes = (
            post("/v1/setup/enter", self.enter),
            Route("/v1/setup", self.offer),
            post("/v1/setup/find", self.find),
            post("/v1/setup/look", self.look),
            Route("/v1/setup/look", self.said),
            post("/v1/setup/check", self.check),
            post("/v1/setup/make", self.finish),
            Route("/v1/words", words_below),
            *pages.routes(),
        )
        app = app_of(routes, ())
        async with asyncio.TaskGroup() as self._group:
            serving = self._group.create_task(
                serve(app, listener, listening=lambda at: tell(f"http://127.0.0.1:{at}/#{self.token}"))
            )
            await self._over.wait()
            await asyncio.sleep(LAST_S)
            await self._end_look()
            serving.cancel()

    async def enter(self, request: Request) -> Response:
        """Exchange the token of the address for a cookie, once.

        Raises:
            ApiError: 401, it is another one, or was used.
        """
        given = await read_form(request, Token, within_s=BODY_S)
        if self._session or not hmac.compare_digest(given.token.encode(), self.token.encode()):
            raise not_signed_on()
        self._session = secrets.token_urlsafe(32)
        answer = _answer({})
        keep_cookie(answer, request, self._session)
        return answer

    async def offer(self, request: Request) -> Response:
        """Tell what can be chosen, and what the options say."""
        self._entered(request)
        begun = self.begun
        games = {
            game: {
                "devices": list(record.devices),
                "usual": list(record.usual),
                "ports": usual_ports(record.devices, simulated=False),
            }
            for game in GAMES
            for record in (game_record(game),)
        }
        given = {
            "site": begun.site,
            "table": begun.name,
            "game": begun.game,
            "broker": begun.broker,
            "username": begun.username,
            "devices": dict(begun.devices),
            "simulated": begun.simulated,
            "people": [{"name": person.name, "role": person.role, "pin": ""} for person in begun.people],
        }
        return _answer({"games": games, "roles": ROLES, "given": given})

    async def find(self, request: Request) -> Response:
        """The devices that answer at this machine's ports."""
        self._entered(request)
        async with self._finding:
            await self._end_look()
            return _answer({"found": form(await detect_devices((), LISTEN_S))})

    async def look(self, request: Request) -> Response:
        """Look at one device, until another one is looked at.

        Raises:
            ApiError: 422, the game has no such device.
        """
        self._entered(request)
        device = await read_form(request, Device, within_s=BODY_S)
        if device.kind and (device.game not in GAMES or device.kind not in game_record(device.game).devices):
            raise ApiError(422, "wrong_fields", "this game has no such device", "kind")
        if device.lang not in words.LANGUAGES:
            raise ApiError(422, "wrong_fields", f"one of {', '.join(words.LANGUAGES)}", "lang")
        async with self._finding:
            await self._end_look()
            if device.kind:
                self._looking = self._group.create_task(self._look_at(device))
        return _answer({})

    async def said(self, request: Request) -> Response:
        """The last that the device said."""
        self._entered(request)
        return _answer({"lines": list(self._said), "runs": self._looking is not None and not self._looking.done()})

    async def check(self, request: Request) -> Response:
        """Tell what is wrong with the answers, and show the configuration that they make."""
        self._entered(request)
        answers = await read_form(request, Answers, within_s=BODY_S)
        self.keep(_kept(answers))
        table = await self._table(answers)
        problems, path = await asyncio.to_thread(lambda: list(self._problems(table))), self.config(table.name)
        return _answer({"problems": problems, "configuration": configuration(table), "path": str(path)})

    async def finish(self, request: Request) -> Response:
        """Make the table, and end."""
        self._entered(request)
        answers = await read_form(request, Answers, within_s=BODY_S)
        table = await self._table(answers)
        answer = await asyncio.to_thread(self._make, table, answers.people)
        if self.made is not None:
            self._over.set()
        return _answer(answer)

    def _entered(self, request: Request) -> None:
        token = token_of(request)
        if not self._session or not hmac.compare_digest(token.encode(), self._session.encode()):
            raise not_signed_on()

    async def _table(self, answers: Answers) -> NewTable:
        if answers.game not in GAMES:
            raise ApiError(422, "wrong_fields", f"one of {', '.join(GAMES)}", "game")
        kinds = game_record(answers.game).devices
        if strange := answers.devices.keys() - set(kinds):
            raise ApiError(422, "wrong_fields", f"this game has no {', '.join(sorted(strange))}", "devices")
        ports = usual_ports(answers.devices, simulated=True) if answers.simulated else answers.devices
        others = [] if answers.simulated else await asyncio.to_thread(others_on_usb, list(ports.values()))
        return replace(
            self.begun,
            site=answers.site,
            name=answers.table,
            game=answers.game,
            broker=answers.broker,
            username=answers.username,
            devices={kind: ports[kind] for kind in kinds if kind in ports},
            simulated=answers.simulated,
            people=[NewPerson(each.name, each.role) for each in answers.people],
            state=self.state(answers.table),
            others=list(usb_lines(others)),
        )

    def _problems(self, table: NewTable) -> Iterator[Mapping[str, Any]]:
        for person in table.people:
            if person.role not in ROLES:
                yield _problem(f"people.{toml_key(person.name)}", f"one of {', '.join(ROLES)}")
        try:
            see_that_it_runs(configuration(table), self.config(table.name))
        except ConfigError as error:
            for each in error.problems:
                texts = {language: each.render(language).partition("\n")[2] for language in words.LANGUAGES}
                yield {"key": each.key, "text": texts}

    def _make(self, table: NewTable, people: Sequence[Newcomer]) -> Mapping[str, Any]:
        """Make the table; return the `lines` to show, or the `problems` in the way."""
        if problems := list(self._problems(table)) or list(self._hindered(table, people)):
            return {"problems": problems}
        assert self.made is not None
        made, whole = self.made
        return {"lines": {each: list(self.steps(made, whole, words.catalogue(each))) for each in words.LANGUAGES}}

    def _hindered(self, table: NewTable, people: Sequence[Newcomer]) -> Iterator[Mapping[str, Any]]:
        """Make the table; why not, where that can't be done."""
        hashed: list[NewPerson] = []
        for each in people:
            try:
                hashed.append(NewPerson(each.name, each.role, hash_pin(each.pin) if each.pin else NO_PIN))
            except ValueError as error:
                yield _problem(f"people.{toml_key(each.name)}", str(error))
                return
        whole = replace(table, people=hashed)
        try:
            self.made = self.make(whole, self.config(table.name)), whole
        except ThereAlreadyError as error:
            said = {each: words.text("init.there", each, path=str(error.path)) for each in words.LANGUAGES}
            yield {"key": "", "text": said}
        except (OSError, NoteError) as error:
            yield _problem("", str(error))

    async def _look_at(self, device: Device) -> None:
        """Take in what a probe of the device says, until it ends or is cancelled."""
        self._said.clear()
        folder = await asyncio.to_thread(TemporaryDirectory, prefix="tablectl-init-")
        try:
            config = await asyncio.to_thread(self._alone, device, Path(folder.name))
            command = (*PROBE, device.kind, "--config", config, "--lang", device.lang)
            probe = await asyncio.create_subprocess_exec(*command, stdin=DEVNULL, stdout=PIPE, stderr=STDOUT)
            try:
                assert probe.stdout is not None
                async for line in probe.stdout:
                    self._said.append(line.decode(errors="replace").rstrip())
            finally:
                if probe.returncode is None:
                    probe.terminate()
                await probe.wait()
        finally:
            await asyncio.to_thread(folder.cleanup)

    def _alone(self, device: Device, folder: Path) -> str:
        """The path of a configuration with this device alone."""
        alone = replace(self.begun, site="setup", name="t1", game=device.game, people=(), simulated=False)
        file = folder / "table.toml"
        text = configuration(replace(alone, devices={device.kind: device.port}, state=str(folder)))
        write_whole(file, text.encode(), 0o600)
        return str(file)

    async def _end_look(self) -> None:
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.wait((self._looking,))
            self._looking = None


def begun_from(kept: Mapping[str, str], language: str, *, simulated: bool) -> NewTable:
    """The table that kept answers make; what lacks is as usual.

    Args:
        kept: by the names of the questions at a terminal.
        language: of the dealer's screen.
    """
    game = kept.get("game", GAMES[0])
    record = game_record(game)
    devices = {kind: kept[f"port {kind}"] for kind in record.devices if f"port {kind}" in kept}
    has_none = kept.get("devices") == NONE
    ports = {} if has_none else usual_ports(devices or record.usual, simulated=False)
    numbers = takewhile(lambda number: f"person {number}" in kept, count())
    people = [NewPerson(kept[f"person {number}"], kept.get(f"role {number}", "dealer")) for number in numbers]
    return NewTable(
        kept.get("site", ""),
        kept.get("table", ""),
        game,
        language,
        kept.get("broker", "mqtt://127.0.0.1:1883"),
        kept.get("username", ""),
        {kind: devices.get(kind) or port for kind, port in ports.items()},
        people,
        "/",
        simulated=simulated or kept.get("devices") == SIMULATED,
    )


def _kept(answers: Answers) -> dict[str, str]:
    kept = {"site": answers.site, "table": answers.table, "game": answers.game, "broker": answers.broker}
    kept |= {
        "username": answers.username,
        "devices": SIMULATED if answers.simulated else ", ".join(answers.devices) or NONE,
    }
    kept |= {} if answers.simulated else {f"port {kind}": port for kind, port in answers.devices.items()}
    for number, each in enumerate(answers.people):
        kept |= {f"person {number}": each.name, f"role {number}": each.role}
    return kept


def run(setup: WebSetup, port: int, tell: Callable[[str], None]) -> None:
    """Serve the page until the table is made.

    Raises:
        OSError: the port can't be had.
    """
    network.run_bare(setup.serve(port, tell), OSError)


def _problem(key: str, said: str) -> Mapping[str, Any]:
    return {"key": key, "text": everywhere(said)}


def _answer(form: Mapping[str, Any]) -> Response:
    return Response(write_json(form), media_type="application/json")
