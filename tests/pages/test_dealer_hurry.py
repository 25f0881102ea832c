"""The dealer's page under a hasty finger: a second tap never does what the first one has brought under it."""

from playwright.async_api import Page, expect

from tests.pages.conftest import OpenTable
from tests.pages.support import Screens
from tests.pages.support_dealer import dealer_at
from tests.pages.support_play import draw, pack

NEXT_UNDER_FINGER = 150
"""How soon after the first tap's answer the second tap comes, in milliseconds: sooner than an eye has followed."""


async def twice(page: Page, selector: str, answered: str) -> None:
    """Taps a button, and the same spot once more as soon as the answer is shown."""
    await expect(page.locator(".desk.calm")).to_have_count(0)
    box = await page.locator(selector).first.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    await page.touchscreen.tap(x, y)
    await expect(page.locator(answered)).to_have_count(1)
    await page.wait_for_timeout(NEXT_UNDER_FINGER)
    await page.touchscreen.tap(x, y)


async def test_a_double_tap_on_the_last_step_of_a_round_opens_no_other(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("wheel-of-fortune")
    dealer = await dealer_at(table, screens)
    await dealer.do("open_round")
    await dealer.bet(4, "A", "symbol_7", ["100"])
    await dealer.do("close_betting")
    await table.bench.wheel.spin(4.0)
    await dealer.until_phase("stopped")
    confirm = ".panel [data-verb=confirm_spin]:not([aria-disabled=true])"
    await twice(dealer.page, confirm, ".desk[data-phase=idle]")
    await dealer.settled()
    assert len(await table.events("round.opened")) == 1
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
    await twice(dealer.page, ".act[data-decision=play]", "[data-place='1'] .bet em")
    await dealer.settled()
    state = await table.state()
    assert [bet["decision"] for bet in state["round"]["bets"]] == ["play", None]


async def test_chips_of_one_phase_are_not_put_down_in_another(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("wheel-of-fortune")
    dealer = await dealer_at(table, screens)
    await dealer.do("open_round")
    await table.ask("bet", place=4, bettor="A", bet="symbol_7", stake="100")
    await dealer.tap("[data-place='1'] .place-name")
    await dealer.tap(".chip[data-chip='100']")
    await expect(dealer.page.locator(".put-down")).to_be_enabled()
    await table.ask("close_betting")
    await dealer.until_phase("closed")
    await table.bench.wheel.spin(4.0)
    await dealer.until_phase("stopped")
    await table.ask("confirm_spin")
    await dealer.do("open_round")
    await expect(dealer.page.locator(".put-down")).to_be_disabled()
