"""Markup that a person typed is text on every page that shows it, in a real browser."""

import asyncio
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from tests.pages.conftest import OpenTable
from tests.pages.support import PINS, Screens
from tests.pages.support_dealer import dealer_at
from tests.support.kept import played

IMAGE = "<img src=x onerror=pwned=1>"
SCRIPT = "<script>pwned=2</script><svg onload=pwned=3>"


@pytest.fixture(name="ids")
async def _ids(tmp_path: Path) -> list[str]:
    return await asyncio.to_thread(played, tmp_path / "table0" / "state", 1)


async def unharmed(page: Page) -> None:
    """Nothing of it ran or became an element, and the policy never had to stop it."""
    assert await page.evaluate("typeof pwned") == "undefined"
    assert await page.locator("img[src=x], svg[onload]").count() == 0
    assert await page.locator("script:not([src])").count() == 0


async def test_markup_that_a_person_typed_is_read_as_text(
    open_table: OpenTable, screens: Screens, ids: list[str]
) -> None:
    table = await open_table("q-poker")
    page = await screens.show(table, "/surveillance?lang=en", "mei", viewport={"width": 1366, "height": 768})
    dealer = await screens.show(table, "/dealer?lang=en", "ana", viewport={"width": 1280, "height": 800})
    display = await screens.show(table, "/display?lang=en", None, viewport={"width": 1280, "height": 720})
    await table.ask("pay_place")
    await table.ask("confirm_pack")
    await table.ask("open_round")
    await table.ask("bet", place=1, bettor=IMAGE, bet="versus_dealer", stake="100")
    await expect(dealer.locator("body")).to_contain_text(IMAGE)
    await table.ask("bookmark", note=SCRIPT)
    await table.ask("void_round", reason=f"{SCRIPT} {IMAGE}", second={"person": "rui", "pin": PINS["rui"]})
    await expect(page.locator(".rows tbody tr").first).to_contain_text(SCRIPT)
    await page.locator(".rows tbody .link").first.click()
    await expect(page.locator(".opened .void")).to_contain_text(f"{SCRIPT} {IMAGE}")
    await expect(page.locator(".opened")).to_contain_text(f"{IMAGE}, against the dealer")
    await page.get_by_role("tab", name="Events").click()
    await page.get_by_label("Kind").select_option("bookmarks")
    await expect(page.locator(".rows tbody tr")).to_contain_text(SCRIPT)
    for shown in (page, dealer, display):
        await unharmed(shown)


async def test_name_that_a_screen_would_obey_is_refused_plainly(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("q-poker")
    dealer = await dealer_at(table, screens)
    await dealer.do("confirm_pack")
    await dealer.do("open_round")
    await dealer.bet(1, "Ho\u202e", "versus_dealer", ["500"])
    for language, said in (
        ("en", "visible characters"),
        ("pt", "com caracteres visíveis"),
        ("zh-Hant", "使用看得見的字元"),
    ):
        await dealer.page.locator(f".languages [lang={language}]").tap()
        await expect(dealer.notice()).to_contain_text(said)
        await expect(dealer.notice()).not_to_contain_text("pattern")
    assert (await table.state())["round"]["bets"] == []
