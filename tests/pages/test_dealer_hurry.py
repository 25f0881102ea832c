"""The dealer's page under a hasty finger: a second tap never does what the first one has brought under it."""

import pytest
from playwright.async_api import Page, expect

from tests.pages.conftest import OpenTable
from tests.pages.support import Screens
from tests.pages.support_dealer import dealer_at
from tests.pages.support_play import draw, pack, spun


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
