"""Each game is played whole from the dealer's page, by touch, with simulated devices at the table."""

import re

from playwright.async_api import expect

from drivers.dice.codec import Flaw
from tests.pages.conftest import OpenTable
from tests.pages.support import PINS, Screens, Table
from tests.pages.support_dealer import Dealer, dealer_at
from tests.pages.support_play import cards_out, draw, every_card, pack, settlement, spun


async def test_q_poker_is_played_from_the_page(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("q-poker")
    dealer = await dealer_at(table, screens)
    await dealer.do("confirm_pack")
    await dealer.do("open_round")
    await dealer.bet(1, "A", "versus_dealer", ["100"])
    await dealer.bet(1, "A", "pair_or_better", ["50", "50"])
    await dealer.bet(2, "B", "versus_dealer", ["50"])
    await dealer.do("close_betting")
    await draw(table, pack("Ks Qh Qd Kh 7h 2c 4d Td 3s"))
    await dealer.until_phase("opening")
    await dealer.at(1, "open_hand")
    await dealer.at(2, "open_hand")
    await dealer.decide(1, "play")
    await dealer.decide(2, "withdraw")
    await dealer.at("dealer", "open_hand")
    done = await settlement(table)
    nets = {(place["place"], bet["bet"]): bet["net"] for place in done["places"] for bet in place["bets"]}
    assert nets == {(1, "versus_dealer"): "100.00", (1, "pair_or_better"): "100.00", (2, "versus_dealer"): "-25.00"}
    await expect(dealer.page.locator(".result")).to_contain_text("+100")
    await expect(dealer.page.locator(".result")).to_contain_text("−25")


async def test_unread_cards_are_entered_in_two_taps_each(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("q-poker")
    dealer = await dealer_at(table, screens)
    await dealer.tap("[data-verb=open_round]:has-text('shuffler')")
    await dealer.bet(1, "A", "versus_dealer", ["100"])
    await table.until("the shuffled pack", lambda now: now["round"]["pack"] == "ready")
    for lying in (3, 6):
        table.bench.shuffler.deliver_packet(3)
        await table.until("a packet", lambda now, lying=lying: cards_out(now) == lying)  # type: ignore[misc]
    await dealer.at(1, "open_hand")
    await dealer.cards(pack("Ks Kh 7d"))
    await dealer.ok()
    await dealer.decide(1, "play")
    await dealer.at("dealer", "open_hand")
    await dealer.cards(pack("Qs Kh 2c"))
    await dealer.ok()
    await dealer.refused("1(1)")
    await dealer.cards(pack("Qs Jh 2c"))
    await dealer.ok()
    await dealer.confirm()
    done = await settlement(table)
    assert done["places"][0]["bets"][0]["net"] == "100.00"


async def test_a_round_dealt_by_hand_is_played_to_its_settlement(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("q-poker")
    dealer = await dealer_at(table, screens)
    await table.bench.unplug("shoe")
    await dealer.device_is("shoe", "bad")
    await dealer.do("confirm_pack")
    await dealer.tap("[data-verb=open_round]:has-text('by hand')")
    await dealer.bet(1, "A", "versus_dealer", ["100"])
    await dealer.do("close_betting")
    await dealer.do("finish_deal")
    await dealer.until_phase("opening")
    await dealer.at(1, "open_hand")
    await dealer.cards(pack("Ks Kh 7d"))
    await dealer.ok()
    await dealer.decide(1, "play")
    await dealer.at("dealer", "open_hand")
    await dealer.cards(pack("Qs Jh 2c"))
    await dealer.ok()
    await dealer.confirm()
    done = await settlement(table)
    assert done["places"][0]["bets"][0]["net"] == "100.00"
    assert [event["data"]["code"] for event in await table.events("round.irregular")] == ["cards_unread"]


async def test_football_poker_is_played_from_the_page(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("football-poker")
    dealer = await dealer_at(table, screens)
    await dealer.do("confirm_pack")
    await dealer.do("open_round")
    await dealer.until_phase("betting")
    await expect(dealer.page.locator(".draw .lamp-good")).to_be_visible()
    await dealer.bet(3, "A", "even", ["20", "20"])
    await dealer.bet("common", "B", "odd", ["20"])
    await dealer.do("close_betting")
    await draw(table, pack("2s 3h 4d 4c"))
    await dealer.until_phase("opening")
    await dealer.at(3, "open_hand")
    await dealer.at("common", "open_hand")
    done = await settlement(table)
    assert {place["place"] for place in done["places"]} == {3, "common"}


async def test_the_wheel_is_played_from_the_page(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("wheel-of-fortune")
    dealer = await dealer_at(table, screens)
    await dealer.do("open_round")
    await dealer.bet(12, "C", "symbol_1", ["10"])
    await dealer.bet(4, "A", "symbol_7", ["100"])
    await dealer.do("close_betting")
    await spun(table)
    await dealer.until_phase("stopped")
    await dealer.do("confirm_spin")
    done = await settlement(table)
    assert [bet["bettor"] for bet in done["bets"]] == ["C", "A"]


async def test_wheel_whose_sensor_is_away_is_read_with_a_supervisor(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("wheel-of-fortune")
    dealer = await dealer_at(table, screens)
    await dealer.do("open_round")
    await dealer.bet(4, "A", "symbol_7", ["100"])
    await dealer.do("close_betting")
    await table.bench.unplug("wheel")
    await dealer.device_is("wheel", "bad")
    await dealer.do("declare_spin")
    await dealer.digits(4)
    await dealer.ok()
    await dealer.choose(17)
    await dealer.sign("rui", PINS["rui"])
    await expect(dealer.page.locator(".rotation")).to_contain_text("17")
    await dealer.do("confirm_spin")
    assert (await settlement(table))["status"] == "settled"


async def test_chinese_dice_is_played_from_the_page(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("chinese-dice")
    dealer = await dealer_at(table, screens)
    for place, bettor in ((1, "A"), (2, "B")):
        await dealer.seat(place, bettor)
    await dealer.at(1, "take_bank")
    await dealer.tap(".chip[data-chip='1000']")
    await dealer.ok()
    await dealer.do("open_round")
    await dealer.bet(2, "B", "place", ["100"])
    await dealer.do("close_betting")
    table.bench.dice.throw((2, 2, 3))
    await dealer.until_phase("throwing")
    table.bench.dice.throw((1, 2, 6), int(Flaw.COCKED))
    await expect(dealer.page.locator("[data-place='2'] .thrown")).to_be_visible()
    table.bench.dice.throw((5, 5, 4))
    await dealer.until_phase("paying")
    await dealer.at(2, "pay_place")
    done = await settlement(table)
    assert done["places"][0]["combination"] == "pair+4"


async def test_the_bank_is_declined_taken_and_shared(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("chinese-dice")
    dealer = await dealer_at(table, screens, "rui")
    for place, bettor in ((1, "A"), (2, "B"), (3, "C")):
        await table.ask("take_seat", place=place, bettor=bettor)
    await dealer.at(1, "decline_bank")
    await dealer.at(2, "take_bank")
    await dealer.tap(".form .chip[data-chip='500']")
    await dealer.ok()
    await dealer.refused("4")
    await dealer.tap(".form .chip[data-chip='1000']")
    await dealer.ok()
    await dealer.do("open_round")
    await dealer.do("join_associate")
    await dealer.choose("C")
    await dealer.tap(".form .chip[data-chip='100']")
    await dealer.ok()
    await dealer.do("join_casino")
    await dealer.tap(".form .chip[data-chip='500']")
    await dealer.ok()
    bank = (await table.state())["round"]["bank"]
    assert (await table.state())["round"]["banker"]["bettor"] == "B"
    assert bank["capital"] == "1600.00"


async def test_seats_and_bank_are_for_others_than_their_holders(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("chinese-dice")
    dealer = await dealer_at(table, screens)
    for place, bettor in ((1, "A"), (2, "B")):
        await table.ask("take_seat", place=place, bettor=bettor)
    await dealer.tap("[data-place='4'] .act[data-other]")
    await expect(dealer.page.locator(".form [data-value]").first).to_have_text("C")
    await dealer.page.keyboard.press("Escape")
    await table.ask("take_bank", place=1, bettor="A", capital="1000")
    await table.ask("open_round")
    space = dealer.page.locator("[data-spot='1/bank']")
    await expect(space).to_be_disabled()
    await dealer.bet(1, "B", "bank", ["100"])
    await dealer.tap("[data-bettor='']")
    await expect(space).to_be_disabled()
    await dealer.tap("[data-tray=back]")
    await dealer.tap("[data-spot='1/bank']")
    await expect(space.locator(".stake")).to_have_count(0)


async def test_dice_are_entered_by_tapping_faces_where_no_reader_is(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("chinese-dice")
    dealer = await dealer_at(table, screens)
    for place, bettor in ((1, "A"), (2, "B")):
        await dealer.seat(place, bettor)
    await dealer.at(1, "take_bank")
    await dealer.tap(".chip[data-chip='1000']")
    await dealer.ok()
    await dealer.do("open_round")
    await dealer.bet(2, "B", "place", ["100"])
    await table.bench.unplug("dice")
    await dealer.device_is("dice", "bad")
    await dealer.do("enter_dice")
    for face in (4, 5, 6):
        await dealer.tap(f".form [data-face='{face}']")
    await dealer.ok()
    await dealer.confirm()
    await dealer.until_phase("paying")
    await dealer.at(2, "pay_place")
    assert (await settlement(table))["banker"]["combination"] == "4-5-6"


BANKER = "2s 2d 5c 7h 7c 9s 9d Kc 3h 6h 8h Th Qh"
PLAYER = "3s 3d 6c 8s 8c Ts Td Ac 4h 5h 7s Jh 9h"


async def test_thirteen_cards_is_played_from_the_page(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("thirteen-cards")
    dealer = await dealer_at(table, screens)
    await dealer.seat(2, "A")
    await dealer.do("confirm_pack")
    await table.until("the machine's shuffle", lambda now: now["round"]["pack"] == "ready")
    await dealer.do("confirm_pack")
    await dealer.do("open_round")
    await dealer.bet(2, "A", "place", ["100"])
    await deal_13_cards(dealer, table)
    await dealer.at("banker", "open_hand")
    await expect(dealer.page.locator(".proposed")).to_be_visible()
    await lies_otherwise(dealer, "2s", "2d")
    await dealer.until_phase("players_setting")
    await expect(dealer.page.locator(".countdown strong")).to_have_text(re.compile(r"^(5:00|4:\d\d)$"))
    await dealer.at(2, "pick_up_cards")
    await dealer.at(2, "finish_setting")
    await dealer.at(2, "open_hand")
    await lies_otherwise(dealer, "3s", "Ac")
    await dealer.confirm()
    done = await settlement(table)
    assert done["places"][0]["place"] == 2
    shown = (await table.events("round.revealed"))[-1]["data"]["cards"]
    assert shown != PLAYER.split()
    assert sorted(shown) == sorted(PLAYER.split())


async def deal_13_cards(dealer: Dealer, table: Table) -> None:
    """The dice say that the banker gets the first card; all 52 are dealt."""
    table.bench.dice.throw((1, 1, 1, 2))
    await dealer.until_phase("dealing")
    hands = {"banker": pack(BANKER), 2: pack(PLAYER)}
    rest = [card for card in every_card() if card not in (*hands["banker"], *hands[2])]
    hands |= {3: rest[:13], 4: rest[13:]}
    await draw(table, [hands[place][nth] for nth in range(13) for place in ("banker", 2, 3, 4)])
    await dealer.until_phase("banker_setting")


async def lies_otherwise(dealer: Dealer, one: str, other: str) -> None:
    """Two cards lie the other way round than was proposed."""
    await dealer.page.get_by_role("button", name="Back").tap()
    await dealer.tap(f"[data-slot='{one}']")
    await dealer.tap(f"[data-slot='{other}']")
    await dealer.ok()
