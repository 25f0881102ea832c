"""The dealer's page for whoever works with it: roles, languages, keys, gloves, and no barriers."""

from typing import Any

import pytest
from playwright.async_api import Page, expect

from tests.pages.conftest import OpenTable
from tests.pages.support import GAMES, Screens, barriers
from tests.pages.support_dealer import Dealer, dealer_at
from tests.pages.support_play import in_mid_round

TARGET_PX = 56
SMALL = """target => [...document.querySelectorAll('button, input, summary')]
  .filter(one => one.checkVisibility())
  .map(one => [one.outerHTML.slice(0, 120), one.getBoundingClientRect()])
  .filter(([, box]) => Math.min(box.width, box.height) < target - 0.5)
  .map(([html, box]) => `${Math.round(box.width)}x${Math.round(box.height)} ${html}`)"""
CUT = """() => [...document.querySelectorAll('.felt, .panel, .top, .waiting, .foot, .door, button, .place')]
  .filter(one => one.scrollWidth > one.clientWidth + 1).map(one => `cut off: ${one.outerHTML.slice(0, 120)}`)"""


LOADED = """() => performance.getEntriesByType('resource')
  .map(entry => new URL(entry.name).pathname).filter(path => path.endsWith('.js'))"""
PRELOADED = "() => [...document.querySelectorAll('link[rel=modulepreload]')].map(link => new URL(link.href).pathname)"


async def fits(page: Page) -> list[str]:
    """What is too small for a glove, or cut off at a side."""
    small: list[str] = await page.evaluate(SMALL, TARGET_PX)
    return small + list(await page.evaluate(CUT))


async def test_a_person_signs_on_with_his_name_and_pin_by_touch(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("q-poker")
    page = await screens.show(table, "/dealer")
    dealer = Dealer(page, table)
    await expect(page.locator(".pin .name").first).to_be_visible()
    assert await barriers(page) == []
    assert await fits(page) == []
    await dealer.sign("ana", "4321")
    await expect(page.locator(".door-error")).to_contain_text("wrong")
    await dealer.sign("ana", "1111")
    await expect(page.locator(".desk")).to_be_visible()
    await page.locator(".who").tap()
    await expect(page.locator(".pin")).to_be_visible()
    await page.reload()
    await expect(page.locator(".pin")).to_be_visible()


async def test_every_module_is_asked_for_at_once_and_not_one_after_the_other(
    open_table: OpenTable, screens: Screens
) -> None:
    table = await open_table("q-poker")
    dealer = await dealer_at(table, screens)
    loaded: list[str] = await dealer.page.evaluate(LOADED)
    preloaded: list[str] = await dealer.page.evaluate(PRELOADED)
    assert sorted({*preloaded, "/static/dealer/main.js"}) == sorted(set(loaded))


async def test_who_only_looks_on_is_offered_nothing(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("q-poker")
    looker = await dealer_at(table, screens, "mei")
    await expect(looker.page.locator(".onlooker")).to_be_visible()
    await expect(looker.page.locator("[data-verb]")).to_have_count(0)
    body = {"request_id": "r1", "round_id": None, "seen": (await table.state())["seen"]}
    answer = await looker.page.request.post(
        f"{table.url}/v1/requests/open_round", data=body, headers={"Origin": table.url}
    )
    assert answer.status == 403


async def test_what_is_forbidden_is_grey_and_says_by_which_article(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("q-poker")
    dealer = await dealer_at(table, screens)
    grey = dealer.page.locator("[data-verb=close_betting][aria-disabled=true]")
    await expect(grey).to_contain_text("art. 6(2)")
    # Nothing that is grey can be done; what it says why can be asked for all the same.
    await grey.tap(force=True)
    await dealer.refused("6(2)")
    assert (await table.state())["phase"] == "idle"


async def test_a_refusal_of_the_table_is_shown_with_its_article(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("q-poker")
    dealer = await dealer_at(table, screens)
    await dealer.do("confirm_pack")
    await dealer.do("open_round")
    await dealer.bet(1, "A", "versus_dealer", ["5000", "50"])
    await dealer.refused("rule of the house")
    assert (await table.state())["round"]["bets"] == []


async def test_chips_are_undone_before_they_are_put_down_and_taken_back_after(
    open_table: OpenTable, screens: Screens
) -> None:
    table = await open_table("q-poker")
    dealer = await dealer_at(table, screens)
    await dealer.do("confirm_pack")
    await dealer.do("open_round")
    await dealer.tap("[data-place='3'] .place-name")
    await dealer.tap(".chip[data-chip='500']")
    await dealer.tap(".chip[data-chip='100']")
    await dealer.tap(".chips [data-key=Backspace]")
    await dealer.tap(".put-down")
    await expect(dealer.page.locator("[data-place='3'] .bet")).to_contain_text("500")
    await dealer.tap("[data-place='3'] .back")
    await expect(dealer.page.locator("[data-place='3'] .bet")).to_have_count(0)


async def test_a_fault_says_what_the_dealer_does_and_is_acknowledged_by_name(
    open_table: OpenTable, screens: Screens
) -> None:
    table = await open_table("q-poker")
    dealer, supervisor = await dealer_at(table, screens), await dealer_at(table, screens, "rui")
    table.bench.shuffler.jam()
    await expect(dealer.page.locator(".fault", has_text="the shuffler")).to_contain_text("the supervisor clears it")
    jam = supervisor.page.locator(".fault", has_text="the shuffler")
    await expect(jam).to_contain_text("Call the supervisor, then the technician")
    table.bench.shuffler.unjam()
    await table.until("the end of the jam", lambda now: not any(fault["present"] for fault in of_the_shuffler(now)))
    await jam.get_by_role("button").tap()
    await expect(jam).to_have_count(0)
    assert (await table.state())["faults"] == [
        fault for fault in (await table.state())["faults"] if not fault["device"]
    ]


def of_the_shuffler(state: dict[str, Any]) -> list[dict[str, Any]]:
    """The faults of the shuffler."""
    return [fault for fault in state["faults"] if fault["device"] == "shuffler"]


@pytest.mark.parametrize("game", GAMES)
async def test_every_game_speaks_three_languages_without_barriers_on_both_screens(
    open_table: OpenTable, screens: Screens, game: str
) -> None:
    table = await open_table(game)
    dealer = await dealer_at(table, screens)
    await in_mid_round(table)
    page = dealer.page
    await dealer.until_phase((await table.state())["phase"])
    waiting = (await table.state())["waiting"]
    for width, height in ((1280, 800), (1024, 768)):
        await page.set_viewport_size({"width": width, "height": height})
        for language in ("zh-Hant", "pt", "en"):
            await page.locator(f".languages [lang={language}]").tap()
            await expect(page.locator(".waiting")).to_have_text(waiting[language])
            for tab in ("irregular", "steps"):
                await dealer.tap(f"[data-tab={tab}]")
                assert "page." not in await page.inner_text("body")
                assert await fits(page) == []
        assert await barriers(page) == []


async def test_a_dark_room_has_no_barriers_either(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("q-poker")
    dealer = await dealer_at(table, screens, color_scheme="dark")
    await in_mid_round(table)
    await dealer.until_phase("dealing")
    assert await barriers(dealer.page) == []
    await dealer.tap("[data-tab=irregular]")
    await dealer.do("expose_card")
    await dealer.choose(1)
    await dealer.digits(1)
    await dealer.ok()
    assert await barriers(dealer.page) == []
    assert await fits(dealer.page) == []


async def test_the_language_is_remembered_on_this_machine(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("q-poker")
    dealer = await dealer_at(table, screens)
    await dealer.page.locator(".languages [lang=pt]").tap()
    await expect(dealer.page.locator("html")).to_have_attribute("lang", "pt")
    await dealer.page.reload()
    await expect(dealer.page.locator(".waiting")).to_have_text((await table.state())["waiting"]["pt"])


async def test_a_round_is_played_with_the_keyboard_alone(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("wheel-of-fortune")
    page = await screens.show(table, "/dealer", has_touch=False)
    await expect(page.locator(".pin .name").first).to_be_visible()
    await tab_to(page, ".pin .name:has-text('ana')")
    await page.keyboard.press("Enter")
    for key in ("1", "1", "1", "1", "Enter"):
        await page.keyboard.press(key)
    dealer = Dealer(page, table)
    await expect(page.locator(".desk")).to_be_visible()
    await tab_to(page, "[data-verb=open_round]")
    await page.keyboard.press("Enter")
    await dealer.until_phase("betting")
    await page.locator("body").evaluate("body => document.activeElement.blur()")
    for key in ("4", "1", "2", "Backspace", "1", "Enter"):
        await page.keyboard.press(key)
        await dealer.settled()
    await expect(page.locator("[data-place='4'] .bet")).to_contain_text("20")
    await tab_to(page, "[data-verb=close_betting]")
    await page.keyboard.press("Enter")
    await dealer.until_phase("closed")
    await table.bench.wheel.spin(4.0)
    await dealer.until_phase("stopped")
    await tab_to(page, "[data-verb=confirm_spin]")
    await page.keyboard.press(" ")
    await dealer.until_phase("idle")
    assert len(await table.events("round.settled")) == 1


async def tab_to(page: Page, selector: str) -> None:
    """Goes on with the tabulator until the focus is there, and can be seen."""
    wanted = page.locator(selector)
    for _ in range(120):
        await page.keyboard.press("Tab")
        if await wanted.evaluate("one => one === document.activeElement"):
            assert await wanted.evaluate("one => getComputedStyle(one).outlineStyle") == "solid"
            return
    raise AssertionError(f"the keyboard never comes to {selector}")
