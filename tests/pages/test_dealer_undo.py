"""The last own entry is undone in two taps while nothing depends on it."""

from playwright.async_api import expect

from tests.pages.conftest import OpenTable
from tests.pages.support import PINS, Screens
from tests.pages.support_dealer import dealer_at
from tests.pages.support_play import draw, pack


async def test_one_own_entry_after_other_is_undone_in_two_taps(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("wheel-of-fortune")
    dealer = await dealer_at(table, screens)
    await dealer.do("open_round")
    await dealer.bet(4, "A", "symbol_1", ["100"])
    await dealer.bet(5, "B", "symbol_2", ["100"])
    for left in (["A"], []):
        await dealer.tap("[data-undo]")
        await expect(dealer.page.locator(".follows")).to_be_visible()
        await dealer.confirm()
        await expect(dealer.page.locator(".form")).to_have_count(0)
        assert [bet["bettor"] for bet in (await table.state())["round"]["bets"]] == left
    reasons = [event["data"]["reason"] for event in await table.events("round.amended")]
    assert reasons == ["Undone at once", "Undone at once"]


async def test_the_opening_of_a_round_is_not_undone(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("wheel-of-fortune")
    dealer = await dealer_at(table, screens)
    await dealer.do("open_round")
    await dealer.tap("[data-undo]")
    await expect(dealer.notice()).to_contain_text("the round is voided")
    await expect(dealer.page.locator(".form")).to_have_count(0)
    assert (await table.state())["phase"] == "betting"


async def test_what_others_entered_is_not_undone(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("wheel-of-fortune")
    supervisor = await dealer_at(table, screens, "rui")
    await table.ask("open_round")
    await table.ask("bet", place=4, bettor="A", bet="symbol_1", stake="100")
    await expect(supervisor.page.locator("[data-spot='4/symbol_1'] .stake")).to_be_visible()
    await supervisor.tap("[data-undo]")
    await expect(supervisor.notice()).to_contain_text("entered nothing")
    assert len((await table.state())["round"]["bets"]) == 1


async def test_a_mistaken_decision_is_undone_with_a_supervisor(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("q-poker")
    dealer = await dealer_at(table, screens)
    await table.ask("confirm_pack", shuffle="hand")
    await table.ask("open_round")
    await table.ask("bet", place=1, bettor="A", bet="versus_dealer", stake="100")
    await draw(table, pack("Ks Qh Qd 7h Kh 2c"))
    await table.ask("open_hand", place=1)
    await dealer.decide(1, "withdraw")
    await dealer.tap("[data-undo]")
    await expect(dealer.page.locator(".follows")).to_contain_text("decisions")
    await dealer.sign("rui", PINS["rui"])
    await expect(dealer.page.locator(".form")).to_have_count(0)
    assert [bet["decision"] for bet in (await table.state())["round"]["bets"]] == [None]
    await dealer.decide(1, "play")
    assert [bet["decision"] for bet in (await table.state())["round"]["bets"]] == ["play"]
