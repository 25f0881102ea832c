"""Lessons at a simulated table: what they ask for, and how they judge."""

from functools import partial
from typing import Any

from playwright.async_api import expect

from tests.pages.conftest import OpenTable
from tests.pages.support import PINS, Screens
from tests.pages.support_dealer import Dealer, dealer_at
from tests.pages.support_play import cards_out, declare, in_mid_round
from tests.pages.support_stages import at_stage


async def begin(dealer: Dealer, lesson: str) -> None:
    """Begins a lesson between two rounds, and plays to the first bet."""
    await dealer.tap(".strip [data-tab=lessons]")
    await dealer.tap(f"[data-lesson={lesson}]")
    await asks_for(dealer, "open")
    if (await dealer.table.state())["next"]["verb"] == "confirm_pack":
        await dealer.do("confirm_pack")
    await dealer.do("open_round")
    await asks_for(dealer, "bet")


async def asks_for(dealer: Dealer, step: str) -> None:
    """Expects the lesson at this step, or at this end."""
    await expect(dealer.page.locator(f".lesson[data-step={step}]")).to_be_visible()


async def bet_late(dealer: Dealer, irregularity: str, place: int) -> None:
    """The betting is closed, the lesson's bet comes late, is refused, and is declared."""
    await dealer.do("close_betting")
    await dealer.tap("[data-lesson-act]")
    await dealer.tap(".notice .button")
    await asks_for(dealer, "declare")
    await declare(dealer, "declare_irregularity", irregularity, place)


async def ends(dealer: Dealer, how: str, law: str) -> None:
    """Expects this verdict with this article, and leaves the lesson."""
    await asks_for(dealer, how)
    await expect(dealer.page.locator(".lesson .article")).to_have_text(law)
    await dealer.tap("[data-lesson-leave]")
    await expect(dealer.page.locator(".lesson")).to_have_count(0)


async def deals(dealer: Dealer, cards: int) -> None:
    """Calls the end of betting, and has cards out of the shoe, each once the one before has been seen."""
    await dealer.do("close_betting")
    for nth in range(1, cards + 1):
        await dealer.tap(".next [data-practice=deal]")
        await dealer.table.until(f"card {nth}", partial(_has_come, nth))


def _has_come(nth: int, state: dict[str, Any]) -> bool:
    return cards_out(state) >= nth


async def voids(dealer: Dealer) -> None:
    """Voids the round with a supervisor."""
    await dealer.tap("[data-tab=irregular]")
    await dealer.do("void_round")
    await dealer.tap(".form .choices button >> nth=0")
    await dealer.sign("rui", PINS["rui"])
    await dealer.until_phase("idle")


async def _void(dealer: Dealer) -> None:
    await asks_for(dealer, "void")
    await voids(dealer)


async def _late_bet(dealer: Dealer) -> None:
    await deals(dealer, 1)
    await dealer.tap("[data-lesson-act]")
    await dealer.tap(".notice .button")


async def _misdeal(dealer: Dealer) -> None:
    await deals(dealer, 1)
    await declare(dealer, "misplace_card", "dealer")
    await asks_for(dealer, "mend")
    await dealer.do("mend_card")
    await dealer.confirm()


async def _amendment(dealer: Dealer) -> None:
    await dealer.tap("[data-undo]")
    await dealer.confirm()


async def _exposed_card(dealer: Dealer) -> None:
    await deals(dealer, 2)
    await declare(dealer, "expose_card", "dealer", "#1", None)


Q_POKER = (
    ("void", _void, "rule of the house"),
    ("late_bet", _late_bet, "art. 6(2)"),
    ("misdeal", _misdeal, "art. 11(1)"),
    ("amendment", _amendment, "rule of the house"),
    ("exposed_card", _exposed_card, "art. 11(3)"),
)
"""Each lesson, what is done in it after the first bet, and the article that its end names."""


async def test_each_lesson_of_q_poker_judges_by_the_law(open_table: OpenTable, screens: Screens) -> None:
    dealer = await dealer_at(await open_table("q-poker", practice=True), screens)
    for lesson, play, law in Q_POKER:
        await begin(dealer, lesson)
        await dealer.tap("[data-spot='1/versus_dealer']")
        await play(dealer)
        await ends(dealer, "kept", law)
        if (await dealer.table.state())["round_id"] is not None:
            await voids(dealer)


async def test_hands_at_devices_jam_unplug_and_plug_them(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("q-poker", practice=True)
    dealer = await dealer_at(table, screens)
    await dealer.tap(".strip [data-tab=devices]")
    await dealer.tap("[data-practice='shuffler/jam']")
    await table.until("the jam", lambda now: "shuffler" in _troubled(now))
    await dealer.tap("[data-practice='shuffler/unjam']")
    await table.until("its end", lambda now: "shuffler" not in _troubled(now))
    await dealer.tap("[data-practice='shuffler/unplug']")
    await table.until("the loss", lambda now: not _is_attached(now, "shuffler"))
    await dealer.tap("[data-practice='shuffler/plug']")
    await table.until("the return", lambda now: _is_attached(now, "shuffler"))
    await dealer.tap("[data-practice='shoe/pack']")
    assert not await dealer.page.locator(".notice-failed").count()


def _troubled(state: dict[str, Any]) -> list[str]:
    return [fault["device"] for fault in state["faults"] if fault["present"]]


def _is_attached(state: dict[str, Any], name: str) -> bool:
    return any(each["attached"] for each in state["devices"] if each["name"] == name)


async def test_dice_are_thrown_by_hand_when_they_are_due(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("chinese-dice", practice=True)
    dealer = await dealer_at(table, screens)
    await at_stage(table, "betting")
    await dealer.caught_up()
    await dealer.do("close_betting")
    await dealer.tap(".next [data-practice=throw]")
    await expect(dealer.page.locator(".felt .thrown").first).to_be_visible()


async def test_a_first_round_is_judged_by_its_irregularities(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("wheel-of-fortune", practice=True)
    dealer = await dealer_at(table, screens)
    for law in ("42/2003", "art. 3(3)"):
        await begin(dealer, "first_round")
        await dealer.tap("[data-spot='4/symbol_1']")
        await asks_for(dealer, "play")
        if law != "42/2003":
            await declare(dealer, "declare_irregularity", "bet_disputed", 4)
        await dealer.do("close_betting")
        await expect(dealer.page.locator(".next [data-practice=spin]")).to_be_enabled()
        await dealer.page.keyboard.press("Enter")
        await dealer.until_phase("stopped")
        await dealer.do("confirm_spin")
        await asks_for(dealer, "pay")
        await dealer.do("pay_place")
        await ends(dealer, "kept" if law == "42/2003" else "broken", law)


async def test_a_round_that_ends_otherwise_misses_its_lesson(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("wheel-of-fortune", practice=True)
    dealer = await dealer_at(table, screens)
    await begin(dealer, "void")
    await dealer.tap("[data-spot='4/symbol_1']")
    await dealer.do("close_betting")
    await dealer.tap(".next [data-practice=spin]")
    await dealer.until_phase("stopped")
    await dealer.do("confirm_spin")
    await asks_for(dealer, "missed")
    await dealer.do("pay_place")
    await dealer.tap("[data-lesson-leave]")

    await begin(dealer, "late_bet")
    await dealer.tap("[data-spot='4/symbol_1']")
    await bet_late(dealer, "late_bet", 4)
    await ends(dealer, "kept", "art. 2")


async def test_bet_declared_too_early_is_no_late_bet(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("chinese-dice", practice=True)
    dealer = await dealer_at(table, screens)
    await dealer.tap(".strip [data-tab=lessons]")
    await dealer.tap("[data-lesson=late_bet]")
    await at_stage(table, "betting")
    await asks_for(dealer, "close")
    await declare(dealer, "declare_irregularity", "bet_late", 2)
    await bet_late(dealer, "bet_late", 2)
    await ends(dealer, "broken", "art. 2(f)")


async def test_cancelled_deal_ends_the_lesson_of_a_misdeal(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("thirteen-cards", practice=True)
    dealer = await dealer_at(table, screens)
    await dealer.tap(".strip [data-tab=lessons]")
    await dealer.tap("[data-lesson=misdeal]")
    await in_mid_round(table)
    await dealer.do("close_betting")
    await dealer.tap(".next [data-practice=throw]")
    await dealer.tap(".next [data-practice=deal]")
    await asks_for(dealer, "misplace")
    lies = next(hand["place"] for hand in (await table.state())["round"]["hands"] if hand["cards"])
    await declare(dealer, "misplace_card", 4 if lies != 4 else 3)
    await asks_for(dealer, "mend")
    await dealer.tap("[data-tab=irregular]")
    await dealer.do("cancel_deal")
    await dealer.confirm()
    await ends(dealer, "broken", "art. 4")
