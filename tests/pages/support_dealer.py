"""A dealer's fingers on the screen."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass

from playwright.async_api import Locator, Page, expect

from tablectl.core.cards import Card
from tests.pages.support import TOUCH_SCREEN, Screens, Table, sign_on
from tests.support.patience import PATIENCE_S

BUSY = "main.work[aria-busy=true]"


@dataclass(slots=True)
class Dealer:
    """A person at the dealer's page. Everything is done by touch, and nothing before the page allows it."""

    page: Page
    table: Table

    async def tap(self, selector: str) -> None:
        """Touches what is there, and waits until the table has answered and the page shows it."""
        await self.page.locator(selector).first.tap()
        await self.settled()

    async def settled(self) -> None:
        """Returns once nothing is under way."""
        await expect(self.page.locator(BUSY)).to_have_count(0)

    async def do(self, verb: str) -> None:
        """A request by its button in the dock: the next step, or one beside it."""
        await expect(self.page.locator(f".dock [data-verb={verb}]").first).to_be_visible()
        next_step = f".next [data-verb={verb}]"
        await self.tap(next_step if await self.page.locator(next_step).count() else f".dock [data-verb={verb}]")

    async def at(self, place: int | str, verb: str) -> None:
        """A request at a place: by its button there, or by the next step where it is that."""
        await self.tap(_at(place, f"[data-verb={verb}]"))

    async def decide(self, place: int | str, decision: str) -> None:
        """What a bettor at a place decides, confirmed."""
        await self.tap(_at(place, f"[data-decision={decision}]"))
        await self.confirm()

    async def seat(self, place: int, bettor: str) -> None:
        """A seat for somebody whom the dealer names."""
        await self.tap(f"[data-place='{place}'] .act[data-other]")
        await self.choose(bettor)

    async def choose(self, value: object) -> None:
        """One of the choices of a form."""
        await self.tap(f".form [data-value='{value}']")

    async def confirm(self) -> None:
        """The last word of a form."""
        await self.tap(".form .confirm")

    async def ok(self) -> None:
        """What was entered on a pad is taken."""
        await self.tap(".form [data-key=Enter]")

    async def bet(self, place: int | str, bettor: str, bet: str, chips: Sequence[str]) -> None:
        """A bet of these chips."""
        await self._for(bettor)
        for chip in chips:
            await self.tap(f".tray .chip[data-chip='{chip}']")
            await self.tap(f"[data-spot='{place}/{bet}']")

    async def _for(self, bettor: str) -> None:
        known = self.page.locator(f".bettors [data-bettor='{bettor}']")
        if await known.count():
            await self.tap(f".bettors [data-bettor='{bettor}']")
            return
        await self.tap("[data-bettor-other]")
        await self.page.locator(".tray input").fill(bettor)
        await self.tap(".tray .typed button")

    async def device_is(self, device: str, lamp: str) -> None:
        """Expects this device's lamp among those that are one touch away."""
        if not await self.page.locator("[data-page=devices]").count():
            await self.tap(".strip [data-tab=devices]")
        await expect(self.page.locator(f"[data-device={device}].lamp-{lamp}")).to_be_visible()
        await self.tap("[data-tab=steps]")

    async def cards(self, cards: Sequence[Card]) -> None:
        """Cards in two taps each, and taken."""
        for card in cards:
            await self.tap(f".form [data-rank='{card[0]}']")
            await self.tap(f".form [data-suit='{card[1]}']")

    async def digits(self, number: int) -> None:
        """A number on the pad of digits."""
        for digit in str(number):
            await self.tap(f".form .digits [data-key='{digit}']")

    async def sign(self, person: str, pin: str) -> None:
        """A person's name and PIN."""
        await self.tap(f".pin .name:has-text('{person}')")
        for digit in pin:
            await self.tap(f".pin .digits [data-key='{digit}']")
        await self.tap(".pin [type=submit]")

    async def until_phase(self, phase: str) -> None:
        """Returns once the page shows this phase."""
        await expect(self.page.locator(f".desk[data-phase={phase}]")).to_have_count(1)

    async def caught_up(self) -> None:
        """Returns once the page shows what the table has come to."""
        seen, desk = (await self.table.state())["seen"], self.page.locator(".desk")
        async with asyncio.timeout(PATIENCE_S):
            while int(await desk.get_attribute("data-seen") or 0) < seen:  # noqa: ASYNC110  # the page has no event of it
                await asyncio.sleep(0.02)

    def notice(self) -> Locator:
        """The line that says why something wasn't done."""
        return self.page.locator(".notice")

    async def refused(self, article: str) -> None:
        """Expects the refusal by this article."""
        await expect(self.notice()).to_have_class(re.compile("notice-refused"))
        await expect(self.notice().locator(".article")).to_contain_text(article)


async def dealer_at(table: Table, screens: Screens, person: str = "ana", **more: object) -> Dealer:
    """The page of this person, signed on, connected."""
    page, table.dealer = (table.dealer, None) if person == "ana" and not more else (None, table.dealer)
    if page is None:
        page = await screens.show(table, "/dealer", person, **more)
    else:
        await page.unroute_all()
        await page.evaluate("try { localStorage.clear() } catch { /* nothing was loaded yet */ }")
        await page.set_viewport_size(TOUCH_SCREEN)
        await sign_on(page, table.url, person)
        await page.goto(f"{table.url}/dealer")
    await expect(page.locator(".desk:not(.calm)")).to_be_visible()
    return Dealer(page, table)


def _at(place: int | str, which: str) -> str:
    return f"[data-place='{place}'] .act{which}, .next [data-at='{place}']{which}"
