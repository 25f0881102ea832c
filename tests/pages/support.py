"""Whole tables behind real pages: a daemon, its simulated devices, and a browser's screens in front of it."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Page, ViewportSize

import tablectl.console.pages
from tablectl.config import load
from tablectl.console.pages import Content, content_of
from tablectl.features.demo.devices import Bench, bench
from tablectl.features.sim.devices import practice_bench
from tablectl.journal.reading.reader import open_reader
from tablectl.rule_tables import shipped
from tests.support.daemon import Daemon
from tests.support.patience import PATIENCE_S
from tests.support.proxy import Proxy, proxy

PINS: Mapping[str, str] = {"ana": "1111", "rui": "2222", "mei": "3333"}
"""The people of every demonstration table: a dealer, a supervisor, and one who looks on."""

GAMES = ("q-poker", "football-poker", "wheel-of-fortune", "chinese-dice", "thirteen-cards")
TOUCH_SCREEN: ViewportSize = {"width": 1280, "height": 800}
EXPECTED = ("Failed to load resource", "WebSocket connection to")
"""What the browser itself writes on its console about a connection that a test has cut."""

GUARD, NO_GUARD = b"CALM_MS = 350;", b"CALM_MS = 1;"
"""How long the dealer's page lets no tap through after each change; only tests of a hasty finger wait for it."""


@dataclass(slots=True)
class Table:
    """One table at work: the daemon as a process of its own, the far ends of its devices' wires in this one.

    Args:
        bench: the hands at the devices.
        wire: between screens and daemon, to be cut.
        before: how many events are older than the test.
        dealer: its dealer's page, where it is kept with the table.
    """

    game: str
    daemon: Daemon
    bench: Bench
    wire: Proxy
    asked: int = 0
    before: int = 0
    dealer: Page | None = None

    @property
    def url(self) -> str:
        """Where its pages are."""
        return f"http://127.0.0.1:{self.wire.port}"

    async def state(self) -> dict[str, Any]:
        """The table as the API shows it, past every page."""
        return await asyncio.to_thread(self._state)

    async def ask(self, verb: str, **fields: Any) -> int:
        """A request past every page, in the name of the dealer; returns its record."""
        shown = await self.state()
        self.asked += 1
        name = f"past-{self.asked}"
        more = {"round_id": shown["round_id"], "seen": shown["seen"], **fields}
        return await asyncio.to_thread(self.daemon.ask, verb, name, **more)

    async def until(self, what: str, holds: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The first state for which this holds."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                while not holds(state := await self.state()):  # noqa: ASYNC110  # looked at from outside, as anybody could
                    await asyncio.sleep(0.02)
                return state
        except TimeoutError:
            raise AssertionError(f"{what} never came: {json.dumps(await self.state())[:3000]}") from None

    async def events(self, kind: str = "") -> list[dict[str, Any]]:
        """The events in the journal since the test began, in order, of the types in which this stands."""
        return await asyncio.to_thread(self._events, kind)

    def _events(self, kind: str) -> list[dict[str, Any]]:
        reader = open_reader(self.daemon.folder / "state")
        try:
            forms: list[dict[str, Any]] = [json.loads(row.payload) for row in reader.events()]
        finally:
            reader.close()
        return [form for form in forms[self.before :] if kind in form["type"]]

    async def restart(self, *, kill: bool = False) -> None:
        """The daemon ends, politely or not, and comes back at its port; its devices stay on."""
        await asyncio.to_thread(self.daemon.kill if kill else self.daemon.stop)
        self.daemon.token = ""
        await asyncio.to_thread(self.daemon.start)

    def _state(self) -> dict[str, Any]:
        if not self.daemon.token:
            self.daemon.sign_on("ana", PINS["ana"])
        return self.daemon.state()


@asynccontextmanager
async def at_table(
    forks: ForkServerContext,
    folder: Path,
    game: str,
    settings: Mapping[str, str] | None = None,
    *,
    practice: bool = False,
    guarded: bool = False,
) -> AsyncGenerator[Table]:
    """A table of this game with its demonstration configuration, all devices attached, no broker.

    Args:
        practice: whether the page has hands at the devices.
        guarded: whether the dealer's page keeps its guard against hasty taps.
    """
    config, devices = await asyncio.to_thread(_set_up, game)
    await asyncio.to_thread((folder / "run").mkdir, parents=True)
    paths = {"paths.state": str(folder / "state"), "paths.runtime": str(folder / "run")}
    overrides = {"mqtt.url": "mqtt://127.0.0.1:9", **paths, **(settings or {})}
    daemon = Daemon(forks, config, folder, overrides, before=None if guarded else _without_guard)
    async with AsyncExitStack() as stack:
        hands = await stack.enter_async_context((practice_bench if practice else bench)(devices, folder / "run", 0))
        await asyncio.to_thread(daemon.start)
        stack.callback(_end, daemon)
        wire = await stack.enter_async_context(proxy(daemon.port))
        table = Table(game, daemon, hands, wire)
        await table.until("every device", lambda now: _attached(now) >= devices.keys())
        yield table


def _set_up(game: str) -> tuple[Path, dict[str, dict[str, Any]]]:
    config = shipped(f"tables/{game}.demo.toml")
    return config, {name: item.model_dump() for name, item in load(config).devices.items()}


def _without_guard() -> None:
    """Has a daemon's process serve the dealer's page without its guard."""
    assert GUARD in (tablectl.console.pages.FOLDER / "dealer" / "desk.js").read_bytes()

    def unguarded(data: bytes, media_type: str) -> Content:
        return content_of(data.replace(GUARD, NO_GUARD), media_type)

    setattr(tablectl.console.pages, "content_of", unguarded)  # noqa: B010  # imported there, not exported


def _end(daemon: Daemon) -> None:
    if daemon.process is not None:
        daemon.kill()


def _attached(state: Mapping[str, Any]) -> set[str]:
    return {item["name"] for item in state["devices"] if item["attached"]}


@dataclass(slots=True)
class Screens:
    """The screens of one test. What goes wrong inside a page is kept, for the end of the test."""

    browser: Browser
    contexts: list[BrowserContext] = field(default_factory=list[BrowserContext])
    errors: list[str] = field(default_factory=list[str])

    async def open(self, viewport: ViewportSize = TOUCH_SCREEN, **more: Any) -> Page:
        """A new screen of its own, with nobody signed on, that is touched."""
        options: dict[str, Any] = {"has_touch": True, "locale": "en-GB", **more}
        context = await self.browser.new_context(viewport=viewport, **options)
        self.contexts.append(context)
        context.set_default_timeout(PATIENCE_S * 1000)
        page = await context.new_page()
        page.on("pageerror", lambda error: self.errors.append(f"{page.url}: {error.stack or error.message}"))
        page.on("console", _keeper(self.errors))
        return page

    async def show(self, table: Table, path: str, person: str | None = None, **more: Any) -> Page:
        """A page of the table, with this person signed on."""
        page = await self.open(**more)
        if person is not None:
            await sign_on(page, table.url, person)
        await page.goto(f"{table.url}{path}")
        return page

    async def close(self) -> None:
        """Closes every screen."""
        for context in self.contexts:
            await context.close()


def _keeper(errors: list[str]) -> Callable[[ConsoleMessage], None]:
    """Keeps the errors on a page's console, but for those that a cut connection makes."""

    def keep(message: ConsoleMessage) -> None:
        if message.type == "error" and not message.text.startswith(EXPECTED):
            errors.append(f"{message.location.get('url', '')}: {message.text}")

    return keep


async def sign_on(page: Page, url: str, person: str) -> None:
    """Signs a person on with a cookie, as the pages do it, without their form."""
    answer = await page.context.request.post(
        f"{url}/v1/sign-on",
        data={"person": person, "pin": PINS[person], "cookie": True},
        headers={"Origin": url},
    )
    assert answer.status == 200, await answer.text()


AXE = Path(__file__).parent / "axe" / "node_modules" / "axe-core" / "axe.min.js"


async def barriers(page: Page) -> list[str]:
    """What axe-core finds wrong with a page for people with disabilities: rule, and the elements concerned."""
    if not await asyncio.to_thread(AXE.exists):
        raise AssertionError("axe-core is not installed: `make test` gets it, or run `npm ci` in tests/pages/axe")
    await page.evaluate(await asyncio.to_thread(AXE.read_text, "utf-8"))
    found: dict[str, Any] = await page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{rule['id']} ({rule['help']}): {[node['html'][:160] for node in rule['nodes'][:5]]}"
        for rule in found["violations"]
    ]
