"""The floor page with many tables: how soon they are painted, and how soon a tile shows what its table said.

The tables are messages of this program, retained at a private mosquitto; the floor page is a process of its own, and
the browser a real one. While other tables play on, one at a time says that it is degraded, and the clock runs until its
tile is drawn so. The floor is a bare subscriber of the same broker in this program, for the same message. Browser and
bench run on one machine, so one clock serves both.
"""

import asyncio
import json
import os
import random
import shutil
import tempfile
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import aiomqtt
from playwright.async_api import Browser, Page, async_playwright

from bench.figures import Figure, UnmeasuredError, percentile
from tests.floor.house import FLOOR, PageProcess, people, running, said
from tests.pages.conftest import QUIET
from tests.pages.support import Screens, sign_on
from tests.support.broker import private_broker

PAINTED_TARGET_MS = 2_000.0
SHOWN_TARGET_MS = 1_000.0

AT = "2026-11-20T04:04:06.000007Z"
WAITING = {
    "en": "Ask who plays and who withdraws.",
    "pt": "Pergunte quem joga e quem desiste.",
    "zh-Hant": "請詢問博彩者。",
}
PHASES = ("betting", "dealing", "deciding")

NOTE_TILES = """wanted => {
  const note = () => {
    if (document.querySelectorAll('.tile').length < wanted) return requestAnimationFrame(note);
    requestAnimationFrame(() => setTimeout(() => { window.tilesPainted = performance.now(); }));
  };
  requestAnimationFrame(note);
}"""
NOTE_CHANGES = """() => {
  window.degraded = {};
  new MutationObserver(changes => {
    for (const { target } of changes)
      if (target.classList.contains('tile-warn'))
        window.degraded[target.dataset.place] ??= performance.timeOrigin + performance.now();
  }).observe(document.querySelector('.floor-view'), {subtree: true, attributes: true, attributeFilter: ['class']});
}"""


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is measured.

    Args:
        rate: messages of other tables, a second: of 2,000 tables that play 50 rounds an hour some 400 come here.
        samples: tables that say something and are waited for.
    """

    tables: int = 2_000
    rate: int = 500
    samples: int = 60


@dataclass(slots=True)
class Tables:
    """All tables' messages."""

    client: aiomqtt.Client
    count: int
    turn: int = 0
    heard_ms: dict[str, float] = field(default_factory=dict[str, float])

    async def say(self, number: int, topic: str, data: object) -> None:
        """One state of a table."""
        kind = topic.replace("/", ".")
        form = {"type": f"mo.tablectl.{kind}.v1", "time": AT, "simulated": True, "data": data}
        await self.client.publish(f"tablectl/v1/bench/t{number}/{topic}", json.dumps(form), retain=True)

    async def begin(self) -> None:
        """Every state that a tile shows, of each table."""
        for number in range(self.count):
            await self.state(number, "ready")
            await self.say(number, "meta/info", {"game": "q_poker", "version": "0.1.0", "rules_hash": "07"})
            last = {"round_id": f"{number:08x}-000012", "settled": AT, "result": "pair"}
            await self.say(number, "board", {"last": [last]})
            await self.play(number)

    async def state(self, number: int, word: str) -> None:
        """A table's status."""
        await self.say(number, "status", {"state": word, "session": "5e551011", "since": AT})

    async def play(self, number: int) -> None:
        """A table's next phase."""
        self.turn += 1
        data = {"round_id": f"{number:08x}-000013", "phase": PHASES[self.turn % 3], "waiting": WAITING, "since": AT}
        await self.say(number, "round/phase", data)

    async def play_on(self, rate: int, stop: asyncio.Event) -> None:
        """So many messages a second, each of another table, until told to stop."""
        began, sent = time.monotonic(), 0
        while not stop.is_set():
            if sent < (time.monotonic() - began) * rate:
                await self.play(random.randrange(self.count // 2, self.count))
                sent += 1
            await asyncio.sleep(0.0 if sent % 10 else 0.01)

    async def hear(self) -> None:
        """The bare subscriber: notes when each table's word came."""
        await self.client.subscribe("tablectl/v1/+/+/status", 1)
        async for message in self.client.messages:
            if b'"degraded"' in bytes(message.payload):
                place = "/".join(message.topic.value.split("/")[2:4])
                self.heard_ms.setdefault(place, time.time() * 1000)


def measure(effort: Effort) -> Sequence[Figure]:
    """All of it."""
    return asyncio.run(_measure(effort))


async def _measure(effort: Effort) -> Sequence[Figure]:
    chromium, mosquitto = shutil.which("chromium"), shutil.which("mosquitto", path=f"{os.environ['PATH']}:/usr/sbin")
    if chromium is None or mosquitto is None:
        raise UnmeasuredError("chromium or mosquitto is not installed: apt-get install chromium mosquitto")
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        (folder / "broker").mkdir()
        broker = stack.enter_context(private_broker(Path(mosquitto), folder / "broker", "max_queued_messages 100000"))
        broker.start()
        settings = FLOOR.format(broker=broker.url, store=f"sqlite:{folder}/room.db") + people()
        process = stack.enter_context(running(folder, "floor", settings, "floor", "serve"))
        lines = said(process, "connected to the broker")
        url = next(line for line in lines if "http" in line).rpartition(" ")[2]
        page = PageProcess(process, url.rstrip("/"), lines)
        async with aiomqtt.Client("127.0.0.1", broker.port) as client, async_playwright() as playwright:
            tables = Tables(client, effort.tables)
            await tables.begin()
            await _until_known(page, effort.tables)
            browser = await playwright.chromium.launch(executable_path=chromium, args=list(QUIET))
            painted_ms = [await _painted(browser, page.url, effort.tables) for _ in range(3)]
            reached, floor, spent_us = await _reached(browser, page, tables, effort)
            await browser.close()
        resident = _resident_mib(process.pid)
    return [
        Figure(f"{effort.tables} tiles painted, median", percentile(painted_ms, 0.5), "ms", None, PAINTED_TARGET_MS),
        Figure("a tile drawn anew, median", percentile(reached, 0.5), "ms", percentile(floor, 0.5), SHOWN_TARGET_MS),
        Figure("the same, p99", percentile(reached, 0.99), "ms", percentile(floor, 0.99), SHOWN_TARGET_MS),
        Figure(f"the page's process, a message at {effort.rate} a second", spent_us, "us"),
        Figure("its memory, resident", resident, "MiB"),
    ]


async def _until_known(page: PageProcess, count: int) -> None:
    until = time.monotonic() + 120
    while time.monotonic() < until:
        _, answer = await asyncio.to_thread(page.ask, "/v1/tiles", "rui")
        if len(answer["tiles"]) == count and all(tile["phase"] for tile in answer["tiles"]):
            return
        await asyncio.sleep(0.2)
    raise UnmeasuredError("the floor page didn't hear of every table")


async def _painted(browser: Browser, url: str, count: int) -> float:
    """When a browser that has nothing of the page yet has painted every tile: ms after it was asked."""
    async with _shown(browser, url, count) as page:
        return float(await page.evaluate("window.tilesPainted"))


@asynccontextmanager
async def _shown(browser: Browser, url: str, count: int) -> AsyncGenerator[Page]:
    screens = Screens(browser)
    page = await screens.open(viewport={"width": 1920, "height": 1080}, has_touch=False)
    await sign_on(page, url, "rui")
    await page.add_init_script(f"({NOTE_TILES})({count})")
    await page.goto(url)
    await _until(page, "window.tilesPainted")
    yield page
    await screens.close()


async def _reached(
    browser: Browser, page: PageProcess, tables: Tables, effort: Effort
) -> tuple[list[float], list[float], float]:
    """How long a word took to its tile and to the bare subscriber, in ms; and the page's processor time a message."""
    said_ms: dict[str, float] = {}
    async with _shown(browser, page.url, effort.tables) as shown:
        await shown.evaluate(NOTE_CHANGES)
        stop = asyncio.Event()
        hearing, playing = asyncio.create_task(tables.hear()), asyncio.create_task(tables.play_on(effort.rate, stop))
        await asyncio.sleep(1.0)
        turns, used_s = tables.turn, _processor_s(page.process.pid)
        for number in range(effort.samples):
            said_ms[f"bench/t{number}"] = time.time() * 1000
            await tables.state(number, "degraded")
            await asyncio.sleep(random.uniform(0.1, 0.3))
        await _until(shown, f"Object.keys(window.degraded).length >= {effort.samples}")
        spent_us = 1e6 * (_processor_s(page.process.pid) - used_s) / (tables.turn - turns)
        drawn_ms: dict[str, float] = await shown.evaluate("window.degraded")
        stop.set()  # to cancel it would not end it: aiomqtt's `publish` can swallow that in Python 3.11
        hearing.cancel()
        await asyncio.gather(hearing, playing, return_exceptions=True)
    reached = [drawn_ms[place] - at for place, at in said_ms.items()]
    return reached, [tables.heard_ms[place] - at for place, at in said_ms.items()], spent_us


async def _until(page: Page, holds: str) -> None:
    """Looks from outside: the page's policy lets nothing look from within."""
    until = time.monotonic() + 120
    while not await page.evaluate(holds):
        if time.monotonic() > until:
            raise UnmeasuredError(f"it never came to this: {holds}")
        await asyncio.sleep(0.2)


def _processor_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _resident_mib(pid: int) -> float:
    return int(Path(f"/proc/{pid}/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE") / (1 << 20)
