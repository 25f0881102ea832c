"""The technician's page in a real browser: devices, frames in words, the log's levels, a wheel's calibration."""

from collections.abc import AsyncGenerator
from multiprocessing.context import ForkServerContext

import pytest
import pytest_asyncio
from playwright.async_api import Page, ViewportSize, expect

from tests.pages.support import Screens, Table, at_table, barriers
from tests.support.long import by_turn
from tests.support.patience import LONG_PATIENCE_S
from tests.support.proxy import Proxy

SIZES: dict[str, ViewportSize] = {"1280": {"width": 1280, "height": 800}, "390": {"width": 390, "height": 844}}
TECHNICIAN = {"people.mei.role": "technician"}


def straight(table: Table) -> Table:
    """The table without a proxy before it, so that no task outlives its test."""
    table.wire = Proxy(table.daemon.port, table.daemon.port)
    return table


@pytest_asyncio.fixture(name="cards", scope="module", loop_scope="session")
async def _cards(forks: ForkServerContext, tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Table]:
    async with at_table(forks, tmp_path_factory.mktemp("cards"), "q-poker", TECHNICIAN) as table:
        yield straight(table)


@pytest_asyncio.fixture(name="wheel", scope="module", loop_scope="session")
async def _wheel(forks: ForkServerContext, tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Table]:
    async with at_table(forks, tmp_path_factory.mktemp("wheel"), "wheel-of-fortune", TECHNICIAN) as table:
        yield straight(table)


@pytest_asyncio.fixture(name="football", scope="module", loop_scope="session")
async def _football(forks: ForkServerContext, tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Table]:
    async with at_table(forks, tmp_path_factory.mktemp("football"), "football-poker", TECHNICIAN) as table:
        yield straight(table)


async def bench(table: Table, screens: Screens, lang: str = "en", size: str = "1280", person: str = "mei") -> Page:
    return await screens.show(table, f"/technician?lang={lang}", person, viewport=SIZES[size], has_touch=False)


async def test_a_device_is_seen_with_its_link_and_frames(cards: Table, screens: Screens) -> None:
    page = await bench(cards, screens)
    await page.get_by_role("button", name="shuffler").click()
    box = page.locator(".opened")
    await expect(box).to_contain_text("serial:shuffler")
    await expect(box.locator(".rows tbody tr").first).to_contain_text("seq")
    await cards.bench.unplug("shuffler")
    try:
        await expect(box.locator(".box .lamp").first).to_contain_text("not connected")
        await expect(page.locator(".side .alarm", has_text="shuffler")).to_be_visible()
    finally:
        await cards.bench.plug_in("shuffler")
    await expect(box.locator(".box .lamp").first).to_have_text("connected")


async def test_an_area_of_the_log_says_more(cards: Table, screens: Screens) -> None:
    page = await bench(cards, screens)
    await page.get_by_label("journal").select_option("debug")
    again = await bench(cards, screens)
    await expect(again.get_by_label("journal")).to_have_value("debug")
    await expect(again.get_by_label("console")).not_to_have_value("debug")


async def test_frames_are_taken_away(cards: Table, screens: Screens) -> None:
    page = await bench(cards, screens)
    async with page.expect_download(timeout=LONG_PATIENCE_S * 1000) as taking:  # made at the lowest priority
        await page.get_by_role("link", name="Frames, explained").click()
    assert (await taking.value).suggested_filename == "q-demo-frames.jsonl"


async def test_the_archive_for_support_is_taken_away(cards: Table, screens: Screens) -> None:
    page = await bench(cards, screens)
    async with page.expect_download(timeout=LONG_PATIENCE_S * 1000) as taking:  # made at the lowest priority
        await page.get_by_role("link", name="Everything support needs").click()
    assert (await taking.value).suggested_filename == "q-demo-bundle.tar.gz"


async def test_a_draw_system_is_asked_for_its_test(football: Table, screens: Screens) -> None:
    page = await bench(football, screens)
    await page.get_by_role("button", name="draw system", exact=False).first.click()
    await page.get_by_role("button", name="Test the draw system").click()
    await expect(page.locator(".opened [role=status]").first).to_contain_text("Asked for")
    await expect(page.locator(".opened .rows")).to_contain_text("test", ignore_case=True)


async def test_the_page_is_for_technicians_alone(cards: Table, screens: Screens) -> None:
    page = await bench(cards, screens, person="rui")
    await expect(page.locator(".door")).to_contain_text("this page is for technicians")


async def test_a_wheels_calibration_is_drawn(wheel: Table, screens: Screens) -> None:
    page = await bench(wheel, screens)
    await expect(page.locator(".dial path")).to_have_count(52)
    await expect(page.get_by_role("img", name="Degrees off even spacing")).to_be_visible()
    await expect(page.locator(".opened")).to_contain_text("count")


@pytest.mark.parametrize("size", by_turn(SIZES))
@pytest.mark.parametrize("lang", by_turn(["en", "pt", "zh-Hant"]))
async def test_bench_bars_nobody_and_overflows_nowhere(wheel: Table, screens: Screens, lang: str, size: str) -> None:
    page = await bench(wheel, screens, lang, size)
    await expect(page.locator(".rows tbody tr").first).to_be_attached()
    assert not [text for text in ("page.", "cli.", "undefined") if text in await page.inner_text("body")]
    assert await barriers(page) == []
    assert not await page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
