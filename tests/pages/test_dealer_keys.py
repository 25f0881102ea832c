"""The dealer's page by keyboard: what has a button has a key, also at a place that is chosen and for what is paid."""

from playwright.async_api import expect

from tests.pages.conftest import OpenTable
from tests.pages.support import Screens
from tests.pages.support_dealer import Dealer, dealer_at
from tests.pages.support_stages import at_stage

KEYLESS = """() => [...document.querySelectorAll('.work button:enabled, .foot button:enabled')]
  .filter(one => one.checkVisibility() && !one.dataset.key).map(one => one.outerHTML.slice(0, 160))"""


async def press(dealer: Dealer, *keys: str) -> None:
    """Keys one after the other, each once the one before is done."""
    for key in keys:
        await expect(dealer.page.locator(".desk:not(.calm)")).to_be_visible()
        await dealer.page.keyboard.press(key)
        await dealer.settled()


async def test_every_button_has_a_key_while_a_round_is_paid(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("q-poker")
    dealer = await dealer_at(table, screens)
    await at_stage(table, "result")
    await dealer.until_phase("paying")
    await expect(dealer.page.locator(".payment")).to_have_count(3)
    assert await dealer.page.evaluate(KEYLESS) == []
    await press(dealer, "C")
    assert [event["data"]["place"] for event in await table.events("round.paid")] == [4]


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
    await press(dealer, "4", "O")
    await expect(dealer.page.locator(".dock-body[data-page=faults]")).to_be_visible()
    await press(dealer, "O")
    await expect(dealer.page.locator(".form .amount")).to_have_text("4")
    await press(dealer, "ArrowLeft")
    await expect(dealer.page.locator(".form")).to_have_count(0)


async def test_what_a_place_offers_has_keys_once_chosen(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("chinese-dice")
    dealer = await dealer_at(table, screens)
    await press(dealer, "2", "=")
    await expect(dealer.page.locator("[data-place='2'] .seated")).to_be_visible()
    assert [seat["place"] for seat in (await table.state())["round"]["seats"]] == [2]
