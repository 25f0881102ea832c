"""The page of `tablectl init --web` in a real browser."""

from pathlib import Path

import pytest
from playwright.async_api import Page, ViewportSize, expect

from tests.pages.support import Screens, barriers
from tests.support.long import by_turn
from tests.support.setup_page import serving

SIZES: dict[str, ViewportSize] = {"1280": {"width": 1280, "height": 800}, "390": {"width": 390, "height": 844}}


async def opened(screens: Screens, address: str, lang: str = "en", size: str = "1280") -> Page:
    page = await screens.open(viewport=SIZES[size], has_touch=False)
    await page.goto(address.replace("/#", f"/?lang={lang}#"))
    return page


async def test_a_technician_makes_a_table(screens: Screens, tmp_path: Path) -> None:
    async with serving(tmp_path) as (_, address, _):
        page = await opened(screens, address)
        make = page.get_by_role("button", name="Make this table")
        await expect(page.get_by_role("status")).to_contain_text("Still to be answered")
        await expect(make).to_be_disabled()
        await page.get_by_label("Site, as in topics").fill("Macau!")
        await page.get_by_label("Table, as in topics").fill("w1")
        await expect(page.locator("form .wrong").first).to_contain_text("lower-case letters")
        await page.get_by_label("Site, as in topics").fill("macau")
        await page.get_by_label("Game").select_option("wheel_of_fortune")
        await page.get_by_role("checkbox", name="The devices are simulated").check()
        await page.get_by_label("Name", exact=True).first.fill("ana")
        await page.get_by_label("PIN", exact=True).first.fill("1234")
        await expect(page.locator("pre")).to_contain_text("[people.ana]")
        await make.click()
        await expect(page.locator("form")).to_contain_text("guessed within the first tries")
        await page.get_by_label("PIN", exact=True).first.fill("8263")
        await make.click()
        await expect(page.get_by_role("heading", name="The table is made")).to_be_visible()
        await expect(page.locator("pre")).to_contain_text("sha256:")


async def test_a_copied_address_opens_nothing(screens: Screens, tmp_path: Path) -> None:
    async with serving(tmp_path) as (_, address, _):
        page = await opened(screens, address)
        await expect(page.get_by_label("Site, as in topics")).to_be_visible()
        assert "#" not in page.url
        await page.reload()
        await expect(page.get_by_label("Site, as in topics")).to_be_visible()
        copied = await opened(screens, address)
        await expect(copied.get_by_role("alert")).to_contain_text("works once")


@pytest.mark.parametrize("size", by_turn(SIZES))
@pytest.mark.parametrize("lang", by_turn(["en", "pt", "zh-Hant"]))
async def test_everybody_can_use_the_page(screens: Screens, tmp_path: Path, lang: str, size: str) -> None:
    async with serving(tmp_path) as (_, address, _):
        page = await opened(screens, address, lang, size)
        await expect(page.locator("pre")).to_contain_text("[table]")
        assert await barriers(page) == []
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
