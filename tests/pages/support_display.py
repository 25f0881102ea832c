"""What tests of the players' display share: a whole round that people play, watched at each of their pauses."""

import asyncio
import json
import re
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, cast

from playwright.async_api import Page, ViewportSize

from tablectl.features.demo.console import Screen, client, sign_on, watch
from tablectl.features.demo.games import act_of
from tablectl.features.demo.script import Company, Pace, Staff
from tests.pages.support import PINS, Screens, Table

WALL: ViewportSize = {"width": 1920, "height": 1080}
UPRIGHT: ViewportSize = {"width": 1080, "height": 1920}
SMALL: ViewportSize = {"width": 1280, "height": 720}

SEED = 7

CARD_SHOWN = re.compile(r'data-card="([2-9TJQKA][shdc])"')
CARD_SENT = re.compile(r'"([2-9TJQKA][shdc])"')

CLOCK = re.compile(r'class="clock-figure">([^<]*)<')

LEAST_MAIN, LEAST = 0.038, 0.021
"""The height of main and of other text on the wall, as a share of the screen's."""

CLOSELY = 2
"""How often each phase is looked at closely: as it begins, and once later."""

Look = Callable[[], Awaitable[None]]


@dataclass(slots=True)
class Pauses:
    """People's pace: they take no time, but at each of their pauses somebody looks at the screens."""

    look: Look

    async def take(self, usual_s: float) -> None:
        """Waits for who looks."""
        await self.look()


async def nobody_looks() -> None:
    """Nothing."""


@asynccontextmanager
async def company(table: Table, look: Look = nobody_looks) -> AsyncGenerator[Company]:
    """The demonstration's people at this table."""
    api, screen = f"http://127.0.0.1:{table.daemon.port}", Screen()
    async with client(api) as http, asyncio.TaskGroup() as tasks:
        dealer = await sign_on(http, screen, "en", "ana", PINS["ana"])
        supervisor = await sign_on(http, screen, "en", "rui", PINS["rui"])
        watching = tasks.create_task(watch(api, dealer.token, screen))
        yield Company(SEED, Staff(dealer, supervisor), screen, table.bench, cast("Pace", Pauses(look)))
        watching.cancel()


async def play_a_round(table: Table, look: Look = nobody_looks) -> dict[str, Any]:
    """A round in which nothing goes wrong, from the first bet to its settlement; returns what the journal has of it."""
    act = act_of(table.game)
    async with company(table, look) as people:
        await act.play(people, next(iter(act.plans(SEED, 0.0))))
    return dict((await table.events("round.settled"))[-1]["data"])


async def display_of(table: Table, screens: Screens, query: str = "", viewport: ViewportSize = WALL) -> Page:
    """The display on a screen of its own, once it shows the table."""
    page = await screens.show(table, f"/display{query}", viewport=viewport)
    await page.wait_for_selector(".screen")
    return page


async def cards_on(page: Page, place: int | str) -> list[str]:
    """The cards face up at a place, as they stand there."""
    cards = page.locator(f"[data-place='{place}'] [data-card]")
    return [str(name) for name in await cards.evaluate_all("all => all.map(x => x.dataset.card)")]


async def revealed(table: Table) -> set[str]:
    """The cards that the table has published so far."""
    cards: set[str] = set()
    for event in await table.events():
        if event["type"].endswith(("card.exposed.v1", "round.revealed.v1", "round.settled.v1")):
            cards.update(CARD_SENT.findall(json.dumps(event["data"])))
    return cards


OVERFLOWS = """
() => [...document.querySelectorAll("body *")]
  .filter((each) => !each.closest("svg") || each.tagName === "svg")
  .filter((each) => !each.closest(".heard"))
  .filter((each) => {
    const box = each.getBoundingClientRect();
    return box.width && (box.left < -1 || box.top < -1 || box.right > innerWidth + 1 || box.bottom > innerHeight + 1);
  })
  .map((each) => `${each.tagName}.${each.className} ${JSON.stringify(each.getBoundingClientRect())}`)
"""

CROWDED = """
() => [...document.querySelectorAll(".board, .last .mark, .stage, .header, .limits, .place, .fit, .demo-band")]
  .filter((each) => each.scrollWidth > each.clientWidth + 1 || each.scrollHeight > each.clientHeight + 1)
  .map((each) => `${each.className} ${each.scrollWidth}/${each.clientWidth} ${each.scrollHeight}/${each.clientHeight}`)
"""


async def not_fitting(page: Page) -> list[str]:
    """What is cut off, or sticks out of the screen or of its own frame."""
    return [*await page.evaluate(OVERFLOWS), *await page.evaluate(CROWDED)]


TEXT_SIZES = """
() => {
  const sizes = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const holder = node.parentElement;
    if (!node.textContent.trim() || holder.closest("svg, .heard")) continue;
    const zoom = Number(holder.closest(".fit-content")?.style.zoom || 1);
    const size = (zoom * parseFloat(getComputedStyle(holder).fontSize)) / innerHeight;
    sizes.push({ text: node.textContent.trim(), size, main: !holder.closest(MINOR) });
  }
  return sizes;
}
""".replace("MINOR", repr(".second, .board, .round, .table-name, .demo-band, .clock-label, .first-card, .throw-count"))


async def text_sizes(page: Page) -> list[dict[str, Any]]:
    """Every text with its height as a share of the screen's, and whether it is a main one, read from five metres."""
    return list(await page.evaluate(TEXT_SIZES))


@dataclass(slots=True)
class Watched:
    """The screens around one table, and what came to them.

    Args:
        wall: the one that is read from five metres.
        others: upright and small ones.
        sent: what one of them got over its WebSocket.
        phases: how often each phase was looked at closely.
        backs: the most cards face down that were seen at once.
        figures: what the clock said.
    """

    table: Table
    wall: Page
    others: list[Page]
    sent: list[str]
    phases: Counter[str] = field(default_factory=Counter[str])
    backs: int = 0
    figures: set[str] = field(default_factory=set[str])

    async def look(self) -> None:
        """No card is there that isn't public; and now and then, that everything fits and can be read."""
        page = await self.wall.content()
        here = {*CARD_SHOWN.findall(page), *CARD_SENT.findall("".join(self.sent))}
        self.sent.clear()
        # The journal is read after the page: what was public for the page is public in it.
        assert not here or here <= await revealed(self.table)
        self.backs = max(self.backs, page.count("card-back-edge"))
        self.figures.update(CLOCK.findall(page))
        phase = (await self.table.state())["phase"]
        self.phases[phase] += 1
        if self.phases[phase] <= CLOSELY:
            await self.look_closely(phase)

    async def look_closely(self, phase: str) -> None:
        """Everything fits its screen, and the wall's texts are large enough."""
        for page in (self.wall, *self.others):
            amiss = await not_fitting(page)
            assert not amiss, f"{phase} at {page.viewport_size}: {amiss}"
        for text in await text_sizes(self.wall):
            assert text["size"] >= (LEAST_MAIN if text["main"] else LEAST), f"{phase}: {text}"


async def watched(table: Table, screens: Screens) -> Watched:
    """Screens of each kind around a table."""
    sent: list[str] = []
    wall = await screens.open(viewport=WALL)
    wall.on("websocket", lambda socket: socket.on("framereceived", lambda frame: sent.append(str(frame))))
    await wall.goto(f"{table.url}/display?lang=en")
    await wall.wait_for_selector(".screen")
    others = [await display_of(table, screens, "?lang=pt", viewport) for viewport in (UPRIGHT, SMALL)]
    return Watched(table, wall, others, sent)
