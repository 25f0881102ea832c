"""The evidence of fairness on the surveillance page: a plot for each stream, in words that say what it means."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import closing
from multiprocessing.context import ForkServerContext
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Page, ViewportSize, expect

from tablectl.journal.reading.rows import Remembered
from tests.fairness.test_account import EVENING, account_of
from tests.pages.support import Screens, Table, at_table, barriers
from tests.support.kept import begun
from tests.support.long import by_turn
from tests.support.proxy import Proxy

SIZES: dict[str, ViewportSize] = {"1440": {"width": 1440, "height": 900}, "390": {"width": 390, "height": 844}}
TEXTS_CUT = """() => [...document.querySelectorAll('.stream .chart')].flatMap(chart => {
  const edge = chart.getBoundingClientRect();
  const outside = box => box.left < edge.left - 1 || box.right > edge.right + 1;
  const texts = [...chart.querySelectorAll('text')].filter(text => outside(text.getBoundingClientRect()));
  return texts.map(text => text.textContent);
})"""


def weighed(folder: Path) -> None:
    """A journal that remembers the evidence of an evening on which a wheel had a favourite."""
    kept = begun(folder)
    with closing(kept.journal):
        last = kept.journal.last_sequence
        account = {**json.loads(account_of(EVENING)[0].kept()), "sequence": last, "needed": [last + 1, "", "wheel"]}
        kept.journal.remember(Remembered.FAIRNESS, json.dumps({**account, "due": []}))
        kept.keep()


@pytest_asyncio.fixture(name="table", scope="module", loop_scope="session")
async def _table(forks: ForkServerContext, tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Table]:
    """One table for all tests here: none of them changes it."""
    folder = tmp_path_factory.mktemp("fairness")
    await asyncio.to_thread(weighed, folder / "state")
    async with at_table(forks, folder, "q-poker") as table:
        table.wire = Proxy(table.daemon.port, table.daemon.port)  # straight, so that no task outlives its test
        yield table


async def panel(table: Table, screens: Screens, lang: str = "en", size: str = "1440") -> Page:
    page = await screens.show(table, f"/surveillance?lang={lang}", "mei", viewport=SIZES[size], has_touch=False)
    await page.locator("#tab-fairness").click()
    await expect(page.locator(".stream").first).to_be_visible()
    return page


async def test_each_stream_has_evidence_threshold_and_band(table: Table, screens: Screens) -> None:
    page = await panel(table, screens)
    streams = page.locator(".stream")
    await expect(streams).to_have_count(4)
    wheel = streams.filter(has=page.get_by_role("heading", name="sections of wheel 2027-01 5eed"))
    await expect(wheel).to_contain_text("Most unusual: section 9")
    plots = wheel.get_by_role("img")
    await expect(plots).to_have_count(2)
    await expect(plots.first).to_contain_text("alarm at ")
    titles = await plots.first.locator("title").all_text_contents()
    assert titles[-1].startswith("after 400: evidence ")
    bands = await plots.nth(1).locator("title").all_text_contents()
    assert bands[-1] == "after 400: between 2.22 and 9.42 of the fair share"
    await expect(page.locator(".view")).to_contain_text("no proof against anybody")


@pytest.mark.parametrize("size", by_turn(SIZES))
@pytest.mark.parametrize("lang", by_turn(["en", "pt", "zh-Hant"]))
async def test_evidence_bars_nobody_and_overflows_nowhere(table: Table, screens: Screens, lang: str, size: str) -> None:
    page = await panel(table, screens, lang, size)
    assert "fairness." not in await page.inner_text("body")
    assert await barriers(page) == []
    assert not await page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
    assert await page.evaluate(TEXTS_CUT) == []
