"""How many touches a round takes at the dealer's page, where the devices read what happens."""

from collections.abc import Awaitable, Callable

import pytest
from playwright.async_api import expect

from tests.pages.conftest import OpenTable
from tests.pages.support import Screens
from tests.pages.support_dealer import Dealer, dealer_at
from tests.pages.support_play import draw, pack

Play = Callable[[Dealer], Awaitable[None]]


async def _q_poker(dealer: Dealer) -> None:
    """Two bets of one bettor."""
    await dealer.do("confirm_pack")
    await dealer.do("open_round")
    await dealer.tap("[data-spot='1/versus_dealer']")
    await dealer.tap("[data-spot='1/pair_or_better']")
    await draw(dealer.table, pack("Ks Qh Qd 7h Kh 2c"))
    await dealer.at(1, "open_hand")
    await dealer.decide(1, "play")
    await dealer.at("dealer", "open_hand")
    await dealer.do("pay_place")


async def _football_poker(dealer: Dealer) -> None:
    """One bet at one place."""
    await dealer.do("confirm_pack")
    await dealer.do("open_round")
    await dealer.tap("[data-spot='1/upper_range']")
    cards = pack("2s 3h 4d 4c 9s Th 5d")
    for lying, card in enumerate(cards):
        if (await dealer.table.state())["phase"] == "opening":
            break
        await draw(dealer.table, [card], lying)
    await dealer.until_phase("opening")
    await dealer.at(1, "open_hand")
    await dealer.at("common", "open_hand")
    await dealer.do("pay_place")


async def _wheel(dealer: Dealer) -> None:
    """One bet; the law has the dealer call before the spin, and say what the wheel shows after it."""
    await dealer.do("open_round")
    await dealer.tap("[data-spot='4/symbol_1']")
    await dealer.do("close_betting")
    await dealer.table.bench.wheel.spin(4.0)
    await dealer.until_phase("stopped")
    await dealer.do("confirm_spin")
    await dealer.do("pay_place")


async def _chinese_dice(dealer: Dealer) -> None:
    """Three who take their seats, one of them with the bank."""
    for place in (1, 2, 3):
        await dealer.at(place, "take_seat")
    await dealer.at(1, "take_bank")
    await dealer.tap(".chip[data-chip='1000']")
    await dealer.ok()
    await dealer.do("open_round")
    await dealer.tap("[data-spot='2/place']")
    await dealer.tap("[data-spot='3/place']")
    dealer.table.bench.dice.throw((2, 2, 3))
    await dealer.until_phase("throwing")
    for place, dice in ((2, (5, 5, 4)), (3, (1, 1, 2))):
        dealer.table.bench.dice.throw(dice)
        await dealer.until_phase("paying")
        await dealer.at(place, "pay_place")


@pytest.mark.parametrize(
    ("game", "play", "most"),
    [
        ("q-poker", _q_poker, 11),
        ("football-poker", _football_poker, 6),
        ("wheel-of-fortune", _wheel, 5),
        ("chinese-dice", _chinese_dice, 12),
    ],
    ids=["q-poker", "football-poker", "wheel-of-fortune", "chinese-dice"],
)
async def test_a_round_takes_few_touches(
    open_table: OpenTable, screens: Screens, game: str, play: Play, most: int
) -> None:
    table = await open_table(game)
    dealer = await dealer_at(table, screens)
    await dealer.page.evaluate("window.taps = 0; addEventListener('click', () => (window.taps += 1), true)")
    await play(dealer)
    await dealer.until_phase("idle")
    assert await table.events("round.settled")
    assert await dealer.page.evaluate("window.taps") <= most


async def test_seat_is_taken_under_an_unused_name(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("chinese-dice")
    dealer = await dealer_at(table, screens)
    await dealer.seat(3, "A")
    await expect(dealer.page.locator("[data-place='2'] [data-verb=take_seat]")).to_have_text("Take a seat: B")
    await dealer.at(1, "take_seat")
    seats = {seat["place"]: seat["bettor"] for seat in (await table.state())["round"]["seats"]}
    assert seats == {3: "A", 1: "B"}
