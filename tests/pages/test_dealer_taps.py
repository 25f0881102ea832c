"""How many touches a round takes at the dealer's page, where the devices read what happens."""

import re
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from playwright.async_api import expect

from tests.pages.conftest import OpenTable
from tests.pages.support import Screens
from tests.pages.support_dealer import Dealer, dealer_at
from tests.pages.support_play import draw, pack, spun
from tests.pages.support_stages import PLAYER, at_stage

COUNTED = "window.taps = 0; addEventListener('click', () => (window.taps += 1), true)"

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
    """One bet, which opens the round; the dealer calls before the spin, and says what the wheel shows after it."""
    await dealer.tap("[data-spot='4/symbol_1']")
    await dealer.do("close_betting")
    await spun(dealer.table)
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
        ("wheel-of-fortune", _wheel, 4),
        ("chinese-dice", _chinese_dice, 12),
    ],
    ids=["q-poker", "football-poker", "wheel-of-fortune", "chinese-dice"],
)
async def test_a_round_takes_few_touches(
    open_table: OpenTable, screens: Screens, game: str, play: Play, most: int
) -> None:
    table = await open_table(game)
    dealer = await dealer_at(table, screens)
    await dealer.page.evaluate(COUNTED)
    await play(dealer)
    await dealer.until_phase("idle")
    assert await table.events("round.settled")
    assert await dealer.page.evaluate("window.taps") <= most


async def test_hand_of_13_cards_takes_four_touches(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("thirteen-cards")
    dealer = await dealer_at(table, screens)
    await at_stage(table, "dealt")
    await dealer.until_phase("banker_setting")
    await dealer.page.evaluate(COUNTED)
    await dealer.at("banker", "open_hand")
    await dealer.confirm()
    await dealer.until_phase("players_setting")
    assert await dealer.page.evaluate("window.taps") <= 4
    await dealer.page.evaluate("window.taps = 0")
    await dealer.at(2, "pick_up_cards")
    await dealer.at(2, "finish_setting")
    await dealer.at(2, "open_hand")
    await dealer.confirm()
    await dealer.until_phase("paying")
    assert await dealer.page.evaluate("window.taps") <= 4


async def test_proposed_tiers_wait_until_hand_is_shown(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("thirteen-cards")
    dealer = await dealer_at(table, screens)
    await at_stage(table, "setting")
    await table.ask("finish_setting", place=2)
    await dealer.until_phase("comparing")
    live = await dealer.page.evaluate("fetch('/v1/actions').then(answer => answer.text())")
    assert "proposed" not in live
    assert not set(PLAYER.split()) & set(re.findall(r'"([2-9TJQKA][shdc])"', live))
    await dealer.at(2, "open_hand")
    assert "proposed" in await dealer.page.evaluate("fetch('/v1/actions').then(answer => answer.text())")
    assert not await table.events("round.settled")


@pytest.mark.parametrize(("game", "before"), [("chinese-dice", [2, 5]), ("wheel-of-fortune", [4, 12])])
async def test_same_again_lays_every_bet_in_one_touch(
    open_table: OpenTable, screens: Screens, game: str, before: list[int]
) -> None:
    table = await open_table(game)
    dealer = await dealer_at(table, screens)
    await at_stage(table, "result")
    if game == "wheel-of-fortune":
        await dealer.do("pay_place")
        assert [one["data"]["place"] for one in await table.events("round.paid")] == [None]
    await dealer.do("open_round")
    await dealer.tap("[data-tray=again]")
    await table.until("the bets", lambda now: _lying(now) == before)
    await expect(dealer.page.locator("[data-tray=again]")).to_have_count(0)


def _lying(state: dict[str, Any]) -> list[int]:
    """The places of the bets that players laid."""
    return [bet["place"] for bet in state["round"]["bets"] if bet["bet"] != "capital"]


async def test_seat_is_taken_under_an_unused_name(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("chinese-dice")
    dealer = await dealer_at(table, screens)
    await dealer.seat(3, "A")
    await expect(dealer.page.locator("[data-place='2'] [data-verb=take_seat]")).to_have_text("Take a seat: B")
    await dealer.at(1, "take_seat")
    seats = {seat["place"]: seat["bettor"] for seat in (await table.state())["round"]["seats"]}
    assert seats == {3: "A", 1: "B"}
