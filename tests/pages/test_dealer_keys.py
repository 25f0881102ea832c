"""The dealer's page by keyboard: what has a button has a key, also at a place that is chosen and for what is paid."""

import pytest
from playwright.async_api import expect

from tests.pages.conftest import OpenTable
from tests.pages.support import GAMES, Screens
from tests.pages.support_dealer import Dealer, dealer_at
from tests.pages.support_play import in_mid_round
from tests.pages.support_stages import at_stage
from tests.support.long import by_turn

KEYLESS = """() => [...document.querySelectorAll('.top button, .work button, .foot button')]
  .filter(one => one.checkVisibility() && !one.dataset.key)
  .filter(one => !one.matches(':disabled, [aria-disabled=true]'))
  .filter(one => !one.matches('.bettors *, .languages *, .place:not(.place-chosen) :is(.spot, .act)'))
  .map(one => one.outerHTML.slice(0, 160))"""
"""Bettors and languages have the keys of going on and back; what is at a place has keys once that is chosen."""


async def press(dealer: Dealer, *keys: str) -> None:
    """Keys one after the other, each once the one before is done."""
    for key in keys:
        await expect(dealer.page.locator(".desk:not(.calm)")).to_be_visible()
        await dealer.page.keyboard.press(key)
        await dealer.settled()


async def test_every_button_has_a_key_while_a_round_is_paid(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("q-poker")
    dealer = await dealer_at(table, screens)
    await at_stage(table, "deciding")
    await table.ask("pay_place")
    await expect(dealer.page.locator(".next [data-decision=withdraw]")).to_have_attribute("data-key", " ")
    await dealer.page.locator("[data-tab=why]").focus()
    await press(dealer, " ")
    await expect(dealer.page.locator(".dock-body[data-page=why]")).to_be_visible()
    await expect(dealer.page.locator(".form")).to_have_count(0)
    await press(dealer, "Q")
    await table.ask("decide", place=4, bettor="C", decision="withdraw")
    await table.ask("open_hand", place="dealer")
    await dealer.until_phase("paying")
    await expect(dealer.page.locator(".payment")).to_have_count(3)
    assert await dealer.page.evaluate(KEYLESS) == []
    await press(dealer, "C")
    assert [event["data"]["place"] for event in await table.events("round.paid")][1:] == [4]


async def test_pages_are_opened_by_key_also_over_an_entry(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("q-poker")
    dealer = await dealer_at(table, screens)
    await at_stage(table, "dealing")
    await dealer.until_phase("dealing")
    for key, page in (("W", "irregular"), ("T", "why"), ("E", "amend"), ("Q", "steps"), ("I", "devices")):
        await press(dealer, key)
        await expect(dealer.page.locator(f".dock-body[data-page={page}]")).to_be_visible()
    await press(dealer, "W")
    await dealer.do("count_cards")
    await expect(dealer.page.locator(".strip [data-tab=faults]")).to_be_visible()
    await press(dealer, "4", "O")
    await expect(dealer.page.locator(".dock-body[data-page=faults]")).to_be_visible()
    await press(dealer, "O")
    await expect(dealer.page.locator(".form .amount")).to_have_text("4")
    await press(dealer, "ArrowLeft")
    await expect(dealer.page.locator(".form")).to_have_count(0)
    await expect(dealer.page.locator(".dock-body")).to_be_focused()


async def test_what_a_place_offers_has_keys_once_chosen(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("chinese-dice")
    dealer = await dealer_at(table, screens)
    await press(dealer, "2", "=")
    await expect(dealer.page.locator("[data-place='2'] .seated")).to_be_visible()
    assert [seat["place"] for seat in (await table.state())["round"]["seats"]] == [2]
    await press(dealer, "Escape", "5")
    await expect(dealer.page.locator(".place-chosen")).to_have_attribute("data-place", "5")


@pytest.mark.parametrize("game", by_turn(GAMES, 2))
async def test_every_button_of_every_page_has_a_key(open_table: OpenTable, screens: Screens, game: str) -> None:
    table = await open_table(game, practice=True)
    dealer = await dealer_at(table, screens)
    for opened in ("lessons", "faults"):
        await expect(dealer.page.locator(f".strip [data-tab={opened}]")).to_be_visible()
    for key, page in (
        ("W", "irregular"),
        ("I", "devices"),
        ("O", "faults"),
        ("Y", "lessons"),
        ("T", "why"),
        ("Q", "steps"),
    ):
        await press(dealer, key)
        await expect(dealer.page.locator(f".dock-body[data-page={page}]")).to_be_visible()
        assert await dealer.page.evaluate(KEYLESS) == [], page


async def test_who_bets_is_chosen_by_going_on_and_back(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("q-poker")
    dealer = await dealer_at(table, screens)
    await at_stage(table, "betting")
    await dealer.until_phase("betting")
    chosen = dealer.page.locator(".bettors [aria-pressed=true]")
    for key, bettor in (("ArrowRight", "Ho Iat Meng"), ("ArrowRight", "B"), ("ArrowLeft", "Ho Iat Meng"), (",", "")):
        await press(dealer, key)
        await expect(chosen).to_have_attribute("data-bettor", bettor)
    await press(dealer, ".", "Y", "Escape")
    await expect(dealer.page.locator(".tray input")).to_have_count(0)
    await expect(dealer.page.locator(".dock-body")).to_be_focused()
    await press(dealer, ".")
    await expect(dealer.page.locator(".tray input")).to_be_focused()
    await dealer.page.keyboard.type("Z")
    await dealer.page.keyboard.press("Enter")
    await expect(chosen).to_have_attribute("data-bettor", "Z")
    await press(dealer, "2", "/", "1", "ArrowDown", "1", "5", "0")
    await expect(dealer.page.locator(".form .amount")).to_have_text("150")
    await press(dealer, "Enter")
    assert {"place": 2, "bettor": "Z", "stake": "150.00"}.items() <= (await table.state())["round"]["bets"][-1].items()


async def test_a_section_is_said_by_its_digits(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("wheel-of-fortune")
    dealer = await dealer_at(table, screens)
    await in_mid_round(table)
    await table.ask("close_betting")
    await dealer.do("declare_spin")
    await press(dealer, "1", "2", "Enter")
    await expect(dealer.page.locator(".form .said")).to_contain_text("12")


async def test_a_lesson_is_begun_and_left_by_key(open_table: OpenTable, screens: Screens) -> None:
    dealer = await dealer_at(await open_table("q-poker", practice=True), screens)
    await expect(dealer.page.locator(".strip [data-tab=lessons]")).to_be_visible()
    await press(dealer, "Y", "S")
    await expect(dealer.page.locator(".lesson[data-step=open]")).to_be_visible()
    await press(dealer, "End")
    await expect(dealer.page.locator(".lesson")).to_have_count(0)


async def test_a_wrong_stake_is_put_right_by_key(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("q-poker")
    dealer = await dealer_at(table, screens)
    await at_stage(table, "betting")
    await dealer.until_phase("betting")
    await press(dealer, "E")
    await expect(dealer.page.locator(".record").first).to_be_visible()
    await press(dealer, "A")
    await expect(dealer.page.locator("[data-amend-sheet=bet]")).to_be_visible()
    assert await dealer.page.evaluate(KEYLESS) == []
    await press(dealer, "ArrowLeft")
    await expect(dealer.page.locator(".record").first).to_be_visible()
    await press(dealer, "Z", "1")
    await expect(dealer.page.locator("[data-amend-sheet=bet] [data-outcome]")).to_be_visible()


async def test_every_key_is_shown_on_its_button(open_table: OpenTable, screens: Screens) -> None:
    dealer = await dealer_at(await open_table("q-poker"), screens)
    said = "() => getComputedStyle(document.querySelector('[data-tab=irregular]'), '::after').content"
    assert await dealer.page.evaluate(said) == "none"
    await press(dealer, "?")
    assert await dealer.page.evaluate(said) == '"W"'
    await press(dealer, "?")
    assert await dealer.page.evaluate(said) == "none"
