"""The dealer's page under a hasty finger: a second tap never does what the first one has brought under it."""

import asyncio

import pytest
from playwright.async_api import Page, Route, expect

from tests.pages.conftest import OpenTable
from tests.pages.support import PINS, Screens
from tests.pages.support_dealer import dealer_at
from tests.pages.support_play import cards_out, draw, pack, spun
from tests.pages.support_stages import at_stage

ENTER_ONCE_MORE = """() => new MutationObserver((_, watch) => {
  if (!document.querySelector('.desk[data-phase=paying] .next [data-verb=pay_place][aria-disabled=false]')) return;
  watch.disconnect();
  document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
}).observe(document.body, { subtree: true, attributes: true, childList: true })"""
"""Presses Enter at the very moment at which the page asks for payment."""


@pytest.fixture
def guarded() -> bool:
    return True


async def twice(page: Page, selector: str, answered: str) -> None:
    """Taps a button, and the same spot once more as soon as the answer is shown."""
    await expect(page.locator(".desk.calm")).to_have_count(0)
    box = await page.locator(selector).first.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    await page.touchscreen.tap(x, y)
    await expect(page.locator(answered)).to_have_count(1)
    await page.touchscreen.tap(x, y)


async def test_double_tap_on_last_step_of_a_round_pays_nobody(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("wheel-of-fortune")
    dealer = await dealer_at(table, screens)
    await dealer.do("open_round")
    await dealer.bet(4, "A", "symbol_7", ["100"])
    await dealer.do("close_betting")
    await spun(table)
    await dealer.until_phase("stopped")
    confirm = ".next [data-verb=confirm_spin]"
    await twice(dealer.page, confirm, ".desk[data-phase=paying]")
    await dealer.settled()
    assert await table.events("round.paid") == []
    await dealer.do("pay_place")
    await dealer.until_phase("idle")
    await dealer.do("open_round")
    await dealer.until_phase("betting")


async def test_a_double_tap_decides_for_one_bettor_only(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("q-poker")
    dealer = await dealer_at(table, screens)
    await table.ask("confirm_pack", shuffle="hand")
    await table.ask("open_round")
    for bettor in ("A", "B"):
        await table.ask("bet", place=1, bettor=bettor, bet="versus_dealer", stake="100")
    await table.ask("close_betting")
    await draw(table, pack("Ks Qh Qd Kh 7h 2c"))
    await table.ask("open_hand", place=1)
    await dealer.until_phase("deciding")
    await twice(dealer.page, ".next [data-decision=play]", ".form .follows")
    await dealer.settled()
    assert [bet["decision"] for bet in (await table.state())["round"]["bets"]] == [None, None]
    await twice(dealer.page, ".form .confirm", "[data-place='1'] .decided")
    await dealer.settled()
    state = await table.state()
    assert [bet["decision"] for bet in state["round"]["bets"]] == ["play", None]


async def test_chips_put_down_in_quick_succession_are_all_taken(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("q-poker")
    dealer = await dealer_at(table, screens)
    await table.ask("confirm_pack", shuffle="hand")
    await table.ask("open_round")
    await dealer.until_phase("betting")
    spot = dealer.page.locator("[data-spot='2/versus_dealer']")
    await spot.evaluate("one => { for (let nth = 0; nth < 3; nth += 1) one.click(); }")
    await expect(spot.locator("[data-stake='150']")).to_be_visible()


async def test_chips_of_one_phase_are_not_put_down_in_another(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("wheel-of-fortune")
    dealer = await dealer_at(table, screens)
    await dealer.do("open_round")
    await dealer.bet(4, "A", "symbol_7", ["100"])
    await dealer.do("close_betting")
    await expect(dealer.page.locator("[data-spot='1/symbol_1']")).to_be_disabled()
    await expect(dealer.page.locator(".tray")).to_have_count(0)


async def test_chips_put_down_while_their_round_opens_are_all_taken(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("wheel-of-fortune")
    dealer = await dealer_at(table, screens)
    await dealer.tap("[data-spot='4/symbol_1']")
    least = (await table.state())["round"]["bets"][0]["stake"]
    await table.ask("void_round", reason="again", second={"person": "rui", "pin": PINS["rui"]})
    await dealer.until_phase("idle")
    await expect(dealer.page.locator(".desk.calm, .desk.opening")).to_have_count(0)
    touched = asyncio.Event()

    async def wait_for_all(route: Route) -> None:
        await touched.wait()
        await route.continue_()

    await dealer.page.route("**/v1/requests/open_round", wait_for_all)
    box = await dealer.page.locator("[data-spot='4/symbol_1']").bounding_box()
    assert box is not None
    for _ in range(4):
        await dealer.page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    touched.set()
    stake = await dealer.page.wait_for_selector(f"[data-stake='{4 * float(least):g}']")
    assert stake is not None


async def test_touch_that_a_new_state_met_asks_for_nothing(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("wheel-of-fortune")
    dealer = await dealer_at(table, screens, has_touch=True)  # a page of its own, which ends with its clock
    await dealer.page.clock.install()
    await dealer.page.reload()
    await dealer.do("open_round")
    spot = dealer.page.locator("[data-spot='4/symbol_1']")
    await expect(dealer.page.locator(".desk.calm")).to_have_count(0)
    await dealer.page.clock.pause_at(await dealer.page.evaluate("Date.now() / 1000 + 1"))
    await spot.dispatch_event("pointerdown")
    await table.ask("bet", place=12, bettor="B", bet="symbol_7", stake="10")
    await expect(dealer.page.locator("[data-spot='12/symbol_7'] .stake")).to_be_visible()
    await spot.dispatch_event("pointerup")
    await dealer.page.clock.fast_forward(1000)
    await spot.dispatch_event("click")
    await expect(spot.locator(".stake")).to_be_visible()
    await expect(dealer.page.locator(".form")).to_have_count(0)


async def test_enter_in_a_name_takes_the_name_alone(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("wheel-of-fortune", {})  # one at which nobody has bet before
    dealer = await dealer_at(table, screens)
    await dealer.do("open_round")
    await dealer.tap("[data-spot='4/symbol_1']")
    await expect(dealer.page.locator(".next [data-verb=close_betting]")).to_be_enabled()
    await dealer.tap("[data-bettor-other]")
    await dealer.page.locator(".tray input").fill("Zed")
    await dealer.page.locator(".tray input").press("Enter")
    await expect(dealer.page.locator("[data-bettor=Zed]")).to_have_attribute("aria-pressed", "true")
    await dealer.tap("[data-spot='4/symbol_2']")
    assert [bet["bettor"] for bet in (await table.state())["round"]["bets"]] == ["D", "Zed"]


async def test_second_enter_pays_nobody(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("wheel-of-fortune")
    dealer = await dealer_at(table, screens)
    await dealer.do("open_round")
    await dealer.bet(4, "A", "symbol_7", ["100"])
    await dealer.do("close_betting")
    await spun(table)
    await dealer.until_phase("stopped")
    await expect(dealer.page.locator(".desk.calm")).to_have_count(0)
    await dealer.page.evaluate(ENTER_ONCE_MORE)
    await dealer.page.evaluate("document.activeElement.blur()")
    await dealer.page.keyboard.press("Enter")
    await dealer.until_phase("paying")
    await expect(dealer.page.locator(".desk.calm")).to_have_count(0)
    await dealer.settled()
    assert await table.events("round.paid") == []


async def test_key_that_is_held_puts_one_chip_down(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("wheel-of-fortune")
    dealer = await dealer_at(table, screens)
    await dealer.do("open_round")
    await dealer.until_phase("betting")
    await expect(dealer.page.locator(".desk.calm")).to_have_count(0)
    await dealer.page.locator("[data-spot='4/symbol_1']").focus()
    for _ in range(3):
        await dealer.page.keyboard.down("Enter")
    await dealer.page.keyboard.up("Enter")
    await dealer.tap("[data-spot='5/symbol_1']")
    assert len(await table.events("bet.placed")) == 2


async def test_keys_of_the_felt_rest_while_an_entry_is_open(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("wheel-of-fortune")
    dealer = await dealer_at(table, screens)
    await dealer.do("open_round")
    await dealer.tap("[data-spot='4/symbol_1']")
    await expect(dealer.page.locator(".desk.calm")).to_have_count(0)
    await dealer.page.keyboard.press("U")
    await expect(dealer.page.locator(".form .confirm")).to_be_enabled()
    await expect(dealer.page.locator(".desk.calm")).to_have_count(0)
    await dealer.page.keyboard.press("7")
    await dealer.page.keyboard.press("Escape")
    await expect(dealer.page.locator(".form")).to_have_count(0)
    await expect(dealer.page.locator(".place-chosen")).to_have_count(0)


async def test_second_tap_of_a_hand_deals_no_second_card(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("q-poker", practice=True)
    dealer = await dealer_at(table, screens)
    await dealer.do("confirm_pack")
    await dealer.do("open_round")
    await dealer.tap("[data-spot='1/versus_dealer']")
    await dealer.do("close_betting")
    deal = dealer.page.locator(".next [data-practice=deal]")
    for count in (1, 2):
        await expect(dealer.page.locator(".desk.calm")).to_have_count(0)
        await deal.evaluate("one => { one.click(); one.click(); }")
        await table.until("a card", lambda now, count=count: cards_out(now) >= count)  # type: ignore[misc]
        await expect(deal).to_be_enabled()
    assert cards_out(await table.state()) == 2


async def test_grey_button_does_nothing_however_it_is_pressed(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("q-poker")
    dealer = await dealer_at(table, screens)
    await at_stage(table, "dealing")
    await dealer.until_phase("dealing")
    await dealer.tap("[data-tab=irregular]")
    await dealer.do("count_cards")
    take = dealer.page.locator(".number-pad > [data-key=Enter]")
    await expect(take).to_be_disabled()
    asked: list[str] = []
    dealer.page.on("request", lambda request: asked.append(request.url))
    await expect(dealer.page.locator(".desk.calm")).to_have_count(0)
    await dealer.page.keyboard.press("Enter")
    await take.evaluate("one => { one.click(); one.click(); }")
    await take.tap(force=True)
    await take.focus()
    for key in ("Enter", " "):
        await dealer.page.keyboard.press(key)
    await expect(take).to_be_focused()
    await expect(dealer.page.locator(".number-pad .amount")).to_have_text("–")
    assert [url for url in asked if "count_cards" in url] == []


async def test_focus_does_not_pass_from_one_act_to_the_next(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("wheel-of-fortune")
    dealer = await dealer_at(table, screens)
    await dealer.do("open_round")
    await dealer.bet(4, "A", "symbol_7", ["100"])
    await dealer.do("close_betting")
    await spun(table)
    await dealer.until_phase("stopped")
    await expect(dealer.page.locator(".desk.calm")).to_have_count(0)
    await dealer.page.locator(".next [data-verb=confirm_spin]").focus()
    await dealer.page.keyboard.press("Enter")
    await expect(dealer.page.locator(".next [data-verb=pay_place]")).to_be_visible()
    await expect(dealer.page.locator(".next button:focus")).to_have_count(0)
