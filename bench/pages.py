"""From a device's fact to the dealer's page in a real browser, how soon that page is there, how smoothly pages move.

The clock starts when a simulated dice reader writes a throw to its pty, and stops when the page shows the state that
has it: through driver, journal, fold, the dry run of what is allowed, WebSocket, and the page's own redrawing. The
floor is a message of the same size from a bare WebSocket server to an empty page, in turns with the table. Browser and
bench run on one machine, so one clock serves both. Frames are taken while the wheel turns on the felt and while the
players' display emphasises the winner; their floor is an empty page's, before and after both.
"""

import asyncio
import json
import random
import shutil
import tempfile
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, Page, async_playwright
from websockets.asyncio.server import ServerConnection, serve

from bench.figures import Figure, UnmeasuredError, percentile
from tests.pages.conftest import QUIET
from tests.pages.support import Screens, Table, at_table, sign_on
from tests.pages.support_stages import at_stage
from tests.support.daemon import fork_server

BEYOND_TARGET_MS = 20.0
"""Of a fact on the page: what may be added to the floor."""

PAINT_TARGET_MS = 300.0
TABLE_TARGET_MS = 1000.0
FRAME_TARGET_MS = 17.0
"""60 frames a second, as the browser's clock rounds them."""

LATE_MS = 20.0
"""A frame that lasts longer has left one out."""

PACE_S = (0.03, 0.06)
WARM_UP = 10
PATIENCE_S = 10.0

NOTE_STATES = """() => {
  window.shown = {};
  const note = () => {
    const seen = Number(document.querySelector('.desk').dataset.seen);
    window.shown[seen] ??= performance.timeOrigin + performance.now();
  };
  new MutationObserver(note).observe(document.body, {subtree: true, attributes: true, attributeFilter: ['data-seen']});
}"""
NOTE_MESSAGES = """port => new Promise(done => {
  window.came = [];
  const socket = new WebSocket(`ws://127.0.0.1:${port}`);
  socket.onmessage = event => {
    JSON.parse(event.data);
    window.came.push(performance.timeOrigin + performance.now());
  };
  socket.onopen = () => done();
})"""
NOTE_TABLE = """new MutationObserver(() => {
  if (document.querySelector('.desk')) window.tableShown ??= performance.now();
}).observe(document, {subtree: true, childList: true});"""
FRAMES = """() => new Promise(done => {
  const at = [];
  const next = now => {
    at.push(now);
    at.length > 120 ? done(at.slice(1).map((one, nth) => one - at[nth])) : requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
})"""
"""How long each frame of two seconds lasts."""

TURN = "document.querySelector('.wheel').classList.add('wheel-turning')"
WIN = "{ const won = document.querySelector('.winning'); won.replaceWith(won.cloneNode(true)); }"
"""Has the winner emphasised once more."""

FIRST_AFTER = "before => Math.min(...Object.keys(window.shown).filter(seen => +seen > +before))"
FIRST_PAINT = "performance.getEntriesByName('first-contentful-paint').map(entry => entry.startTime)"


@dataclass(slots=True)
class Bare:
    """A WebSocket server with nothing behind it, and the one page that listens."""

    port: int = 0
    client: ServerConnection | None = None
    sent_ms: list[float] = field(default_factory=list[float])

    async def meet(self, client: ServerConnection) -> None:
        """Keeps the connection for as long as it lasts."""
        self.client = client
        await client.wait_closed()

    async def send(self, message: str) -> None:
        """Sends a message and notes when."""
        if self.client is None:
            raise UnmeasuredError("the empty page didn't connect")
        self.sent_ms.append(_now_ms())
        await self.client.send(message)


def measure(samples: int, loads: int) -> Sequence[Figure]:
    """All of it, with so many throws and so many loads of the page."""
    return asyncio.run(_measure(samples, loads))


async def _measure(samples: int, loads: int) -> Sequence[Figure]:
    chromium = shutil.which("chromium")
    if chromium is None:
        raise UnmeasuredError("chromium is not installed: apt-get install chromium")
    with tempfile.TemporaryDirectory() as folder:
        async with (
            async_playwright() as playwright,
            at_table(fork_server(), Path(folder) / "t", "chinese-dice") as table,
            at_table(fork_server(), Path(folder) / "w", "wheel-of-fortune") as wheel,
        ):
            browser = await playwright.chromium.launch(executable_path=chromium, args=list(QUIET))
            taken_ms, floor_ms = await _reached(browser, table, samples)
            empty_ms, turning_ms, won_ms = await _moving(browser, wheel)
            loaded = [await _loaded(browser, table) for _ in range(loads)]
            await browser.close()
    floor = percentile(floor_ms, 0.5)
    return [
        Figure("a fact on the page, median", percentile(taken_ms, 0.5), "ms", floor, floor + BEYOND_TARGET_MS),
        Figure("the same, p99", percentile(taken_ms, 0.99), "ms", percentile(floor_ms, 0.99)),
        Figure("first paint, median", percentile([first for first, _ in loaded], 0.5), "ms", None, PAINT_TARGET_MS),
        Figure("the table shown, median", percentile([whole for _, whole in loaded], 0.5), "ms", None, TABLE_TARGET_MS),
        *_frames("the turning wheel", turning_ms, empty_ms),
        *_frames("the winner on the display", won_ms, empty_ms),
    ]


def _frames(what: str, taken_ms: Sequence[float], floor_ms: Sequence[float]) -> list[Figure]:
    """The median frame of something that moves, and how many frames in a hundred were late."""
    medians = percentile(taken_ms, 0.5), percentile(floor_ms, 0.5)
    late = [100 * sum(one > LATE_MS for one in frames) / len(frames) for frames in (taken_ms, floor_ms)]
    return [
        Figure(f"a frame of {what}, median", medians[0], "ms", medians[1], FRAME_TARGET_MS),
        Figure(f"the same, longer than {LATE_MS:g} ms", late[0], "%", late[1]),
    ]


async def _moving(browser: Browser, wheel: Table) -> tuple[list[float], list[float], list[float]]:
    """How long frames of an empty page, of the turning wheel and of the display's winner lasted, in milliseconds."""
    screens = Screens(browser)
    await at_stage(wheel, "result")
    empty = await screens.open()
    dealer = await screens.show(wheel, "/dealer", "ana")
    await dealer.wait_for_selector(".wheel")
    display = await screens.show(wheel, "/display")
    await display.wait_for_selector(".winning")
    taken = [
        await _frames_of(page, start) for page, start in ((empty, ""), (dealer, TURN), (display, WIN), (empty, ""))
    ]
    await screens.close()
    return [*taken[0], *taken[3]], taken[1], taken[2]


async def _frames_of(page: Page, start: str) -> list[float]:
    """How long each frame lasted on a page on which this was begun."""
    await page.bring_to_front()
    await page.evaluate(start)
    frames: list[float] = await page.evaluate(FRAMES)
    return frames


async def _reached(browser: Browser, table: Table, samples: int) -> tuple[list[float], list[float]]:
    """How long throws and bare messages took to their pages, in milliseconds."""
    screens = Screens(browser)
    page = await screens.show(table, "/dealer", "ana")
    await page.wait_for_selector(".desk")
    await page.evaluate(NOTE_STATES)
    thrown: list[tuple[int, float]] = []
    async with _bare(await screens.open()) as (bare, empty):
        size = len(json.dumps(await table.state())) + len(await _actions(page, table))
        message = json.dumps({"filled": "x" * size})
        for _ in range(samples + WARM_UP):
            await asyncio.sleep(random.uniform(*PACE_S))
            thrown.append(await _throw(page, table))
            await bare.send(message)
        await empty.wait_for_function(f"window.came.length >= {samples + WARM_UP}")
        came: list[float] = await empty.evaluate("window.came")
        shown: dict[str, float] = await page.evaluate("window.shown")
    await screens.close()
    taken = [shown[str(seen)] - begun for seen, begun in thrown[WARM_UP:]]
    return taken, [at - sent for at, sent in zip(came, bare.sent_ms, strict=True)][WARM_UP:]


async def _throw(page: Page, table: Table) -> tuple[int, float]:
    """One throw; the state that has it, and when it was made."""
    before = await page.get_attribute(".desk", "data-seen")
    begun_ms = _now_ms()
    table.bench.dice.throw()
    await page.wait_for_selector(f".desk:not([data-seen='{before}'])", timeout=PATIENCE_S * 1000)
    seen: int = await page.evaluate(FIRST_AFTER, before)
    return seen, begun_ms


async def _actions(page: Page, table: Table) -> str:
    """What the table would allow, as text: it travels with every state."""
    answer: dict[str, Any] = await (await page.request.get(f"{table.url}/v1/actions")).json()
    return json.dumps(answer)


async def _loaded(browser: Browser, table: Table) -> tuple[float, float]:
    """When a browser that has nothing of the page yet paints first, and has the table on it: ms after it was asked."""
    screens = Screens(browser)
    page = await screens.open()
    await sign_on(page, table.url, "ana")
    await page.add_init_script(NOTE_TABLE)
    await page.goto(f"{table.url}/dealer")
    await page.wait_for_selector(".desk")
    whole_ms = float(await page.evaluate("window.tableShown"))
    (first_ms,) = await page.evaluate(FIRST_PAINT)
    await screens.close()
    return float(first_ms), whole_ms


@asynccontextmanager
async def _bare(empty: Page) -> AsyncGenerator[tuple[Bare, Page]]:
    """The bare server, and the empty page that is connected to it."""
    bare = Bare()
    async with serve(bare.meet, "127.0.0.1", 0, compression=None) as server:
        bare.port = next(iter(server.sockets)).getsockname()[1]
        await empty.evaluate(NOTE_MESSAGES, bare.port)
        yield bare, empty


def _now_ms() -> float:
    return time.time() * 1000  # the browser's clock is the wall's
