"""The dealer's page for whoever works with it: roles, languages, keys, gloves, and no barriers."""

import re
from typing import Any

import pytest
from playwright.async_api import Page, expect

from tests.pages.conftest import OpenTable
from tests.pages.support import GAMES, Screens, barriers
from tests.pages.support_dealer import Dealer, dealer_at
from tests.pages.support_play import in_mid_round, spun
from tests.pages.support_stages import stages
from tests.support.long import by_turn

TARGET_PX = {".felt": 44, "": 56}
"""The least side of what is touched, in pixels: on the felt, and anywhere else."""

SMALL = """targets => [...document.querySelectorAll('button, input, summary')]
  .filter(one => one.checkVisibility())
  .map(one => [one.outerHTML.slice(0, 120), one.getBoundingClientRect(), targets[one.closest('.felt') ? '.felt' : '']])
  .filter(([, box, target]) => Math.min(box.width, box.height) < target - 0.5)
  .map(([html, box]) => `${Math.round(box.width)}x${Math.round(box.height)} ${html}`)"""
CUT = """() => [...document.querySelectorAll(
    '.felt, .dock, .dock-body, .top, .waiting, .foot, .door, button:not(.place-name), .place')]
  .filter(one => one.scrollWidth > one.clientWidth + 1).map(one => `cut off: ${one.outerHTML.slice(0, 120)}`)"""


LOADED = """() => performance.getEntriesByType('resource')
  .map(entry => new URL(entry.name).pathname).filter(path => path.endsWith('.js'))"""
PRELOADED = "() => [...document.querySelectorAll('link[rel=modulepreload]')].map(link => new URL(link.href).pathname)"


async def fits(page: Page) -> list[str]:
    """What is too small for a glove, or cut off at a side."""
    small: list[str] = await page.evaluate(SMALL, TARGET_PX)
    return small + list(await page.evaluate(CUT))


async def test_a_person_signs_on_with_name_and_pin_by_touch(open_table: OpenTable, screens: Screens) -> None:
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


async def test_all_modules_are_requested_at_once(open_table: OpenTable, screens: Screens) -> None:
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


async def test_forbidden_acts_are_not_drawn_and_why_not_cites_articles(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("q-poker")
    dealer = await dealer_at(table, screens)
    await expect(dealer.page.locator("[data-verb=close_betting]")).to_have_count(0)
    await dealer.tap("[data-tab=why]")
    await expect(dealer.page.locator("[data-why=close_betting]")).to_contain_text("art. 6(2)")
    await expect(dealer.page.locator("[data-why=void_round]")).to_contain_text("No round is open")


async def test_acts_that_end_a_round_are_red(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("wheel-of-fortune")
    dealer = await dealer_at(table, screens)
    await dealer.do("open_round")
    for tab, verb in (("steps", "end_round"), ("irregular", "void_round")):
        await dealer.tap(f"[data-tab={tab}]")
        await expect(dealer.page.locator(f".dock [data-verb={verb}]")).to_have_class(re.compile("button-danger"))
    await dealer.tap("[data-tab=steps]")
    await dealer.do("end_round")
    await expect(dealer.page.locator(".form .orders")).to_contain_text("Nobody has bet")
    await expect(dealer.page.locator(".form .button-danger.confirm")).to_be_enabled()
    await dealer.until_phase("betting")
    await dealer.confirm()
    await dealer.until_phase("idle")


async def test_why_not_says_at_which_places_an_act_is_forbidden(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("chinese-dice")
    dealer = await dealer_at(table, screens)
    await table.ask("take_seat", place=2, bettor="A")
    await dealer.tap("[data-tab=why]")
    seat = dealer.page.locator("[data-why=take_seat]")
    await expect(seat).to_contain_text("art. 3(a)")
    await expect(seat.locator("dt")).to_contain_text("place 2")
    await expect(seat.locator("dt")).not_to_contain_text("place 3")


@pytest.mark.parametrize("kill", [False, True], ids=["stopped", "killed"])
async def test_the_next_step_is_one_button_also_after_a_restart(
    open_table: OpenTable, screens: Screens, kill: bool
) -> None:
    table = await open_table("q-poker")
    dealer = await dealer_at(table, screens)
    await table.ask("confirm_pack", shuffle="hand")
    await expect(dealer.page.locator(".next [data-verb]")).to_have_text("Open the round")
    old = await dealer.page.locator(".next").bounding_box()
    await table.restart(kill=kill)
    again = await dealer_at(table, screens)
    await expect(again.page.locator(".next [data-verb]")).to_have_attribute("data-verb", "open_round")
    assert await again.page.locator(".next").bounding_box() == old


async def test_result_stays_on_the_felt_until_the_next_round_opens(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("q-poker")
    dealer = await dealer_at(table, screens)
    async for stage in stages(table):
        if stage == "result":
            break
    page = dealer.page
    await expect(page.locator("[data-place=dealer] [data-card]")).to_have_count(3)
    await expect(page.locator("[data-place='1'] .hand-name")).to_have_text("high card")
    await expect(page.locator("[data-place='4'] .net")).to_have_text("−2,500")
    await expect(page.locator(".payment")).to_have_count(3)
    await dealer.do("confirm_pack")
    await expect(page.locator(".payment")).to_have_count(3)
    await table.restart()
    again = await dealer_at(table, screens)
    await expect(again.page.locator("[data-place=dealer] [data-card]")).to_have_count(3)
    await table.ask("pay_place")
    await again.do("open_round")
    await expect(again.page.locator("[data-card]")).to_have_count(0)


async def test_a_refusal_of_the_table_is_shown_with_its_article(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("q-poker")
    dealer = await dealer_at(table, screens)
    await dealer.do("confirm_pack")
    await dealer.do("open_round")
    await dealer.bet(1, "A", "versus_dealer", ["5000", "50"])
    await dealer.refused("rule of the house")
    assert [bet["stake"] for bet in (await table.state())["round"]["bets"]] == ["5000.00"]


async def test_a_bet_is_taken_back_and_laid_again_as_before(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("q-poker")
    dealer = await dealer_at(table, screens)
    await dealer.do("confirm_pack")
    await dealer.do("open_round")
    await dealer.bet(3, "A", "versus_dealer", ["500"])
    spot = dealer.page.locator("[data-spot='3/versus_dealer']")
    await expect(spot).to_contain_text("500")
    await dealer.tap("[data-tray=back]")
    await dealer.tap("[data-spot='3/versus_dealer']")
    await expect(spot.locator(".stake")).to_have_count(0)
    assert (await table.state())["round"]["bets"] == []


async def test_fault_says_what_dealer_does_and_is_acknowledged_by_name(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("q-poker")
    dealer, supervisor = await dealer_at(table, screens), await dealer_at(table, screens, "rui")
    table.bench.shuffler.jam()
    for screen in (dealer, supervisor):
        await screen.tap(".strip [data-tab=faults]")
    await expect(dealer.page.locator(".faults .fault", has_text="the shuffler")).to_contain_text(
        "the supervisor clears it"
    )
    jam = supervisor.page.locator(".faults .fault", has_text="the shuffler")
    await expect(jam).to_contain_text("Call the supervisor, then the technician")
    table.bench.shuffler.unjam()
    await table.until("the end of the jam", lambda now: not any(fault["present"] for fault in of_the_shuffler(now)))
    await jam.get_by_role("button").tap()
    await expect(jam).to_have_count(0)
    assert (await table.state())["faults"] == [
        fault for fault in (await table.state())["faults"] if not fault["device"]
    ]


async def test_strip_names_the_newest_fault(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("q-poker")
    dealer = await dealer_at(table, screens)
    newest = dealer.page.locator(".strip-fault")
    await expect(newest).to_have_attribute("data-code", "801")
    table.bench.shuffler.jam()
    jam = of_the_shuffler(await table.until("the jam", lambda now: bool(of_the_shuffler(now))))[0]
    assert jam["code"] < 801
    await expect(newest).to_have_attribute("data-code", str(jam["code"]))


async def test_devices_are_looked_at_over_an_entry_that_stays(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("q-poker")
    dealer = await dealer_at(table, screens)
    await in_mid_round(table)
    await dealer.until_phase("dealing")
    await dealer.tap("[data-tab=irregular]")
    await dealer.do("count_cards")
    await dealer.digits(4)
    for name in ("devices", "faults"):
        await dealer.tap(f".strip [data-tab={name}]")
        await expect(dealer.page.locator(f"[data-page={name}]")).to_be_visible()
        await expect(dealer.page.locator(".form")).to_be_hidden()
        assert await fits(dealer.page) == []
        await dealer.page.keyboard.press("Escape")
        await expect(dealer.page.locator(".form .amount")).to_have_text("4")
        await expect(dealer.page.locator(".form [data-key='4']")).to_be_focused()
    await dealer.ok()
    await expect(dealer.page.locator(".orders")).to_be_visible()


def of_the_shuffler(state: dict[str, Any]) -> list[dict[str, Any]]:
    """The faults of the shuffler."""
    return [fault for fault in state["faults"] if fault["device"] == "shuffler"]


@pytest.mark.parametrize("game", by_turn(GAMES, 2))
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
            for tab in ("irregular", "why", "steps"):
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
    for key in ("X", "4", "1", "1"):
        await page.keyboard.press(key)
        await dealer.settled()
    await expect(page.locator("[data-spot='4/symbol_1'] [data-stake='200']")).to_be_visible()
    await page.keyboard.press("Enter")
    await dealer.until_phase("closed")
    await spun(table)
    for phase in ("stopped", "paying"):
        await dealer.until_phase(phase)
        await expect(page.locator(".desk.calm")).to_have_count(0)
        await expect(page.locator(".next button").first).to_be_enabled()
        await page.keyboard.press("Enter")
    await dealer.until_phase("idle")
    assert len(await table.events("round.paid")) == 1


async def tab_to(page: Page, selector: str) -> None:
    """Goes on with the tabulator until the focus is there, and can be seen."""
    wanted = page.locator(selector)
    for _ in range(120):
        await page.keyboard.press("Tab")
        if await wanted.evaluate("one => one === document.activeElement"):
            assert await wanted.evaluate("one => getComputedStyle(one).outlineStyle") == "solid"
            return
    raise AssertionError(f"the keyboard never comes to {selector}")
