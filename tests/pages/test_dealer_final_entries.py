"""An entry that can't simply be taken back is shown with what follows, and sent when it is confirmed, once."""

import pytest
from playwright.async_api import Request, expect

from tests.pages.conftest import OpenTable
from tests.pages.support import PINS, Screens, Table
from tests.pages.support_dealer import Dealer, dealer_at
from tests.pages.support_play import cards_out, draw, pack, settlement


async def dealt(table: Table, cards: str, *bettors: str) -> None:
    """A round of Q Poker in which all hands are dealt to one bettor at each place; "?" is a card unread by the shoe."""
    await table.ask("confirm_pack", shuffle="hand")
    await table.ask("open_round")
    for place, bettor in enumerate(bettors, 1):
        await table.ask("bet", place=place, bettor=bettor, bet="versus_dealer", stake="100")
    for lying, card in enumerate(cards.split()):
        if card != "?":
            await draw(table, pack(card), lying)
            continue
        await table.bench.shoe.draw_unreadable()
        await table.until("a card unread", lambda now, lying=lying: cards_out(now) == lying + 1)  # type: ignore[misc]
    await table.until("all cards", lambda now: now["phase"] == "opening")


def sent_of(dealer: Dealer) -> list[str]:
    """The requests that leave the page from now on, without those that only ask what would follow."""
    sent: list[str] = []

    def keep(request: Request) -> None:
        if request.method == "POST" and "/v1/requests/" in request.url and "dry_run" not in request.url:
            sent.append(request.url.split("/")[-1])

    dealer.page.on("request", keep)
    return sent


async def test_a_decision_names_its_article_and_is_sent_once_confirmed(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("q-poker")
    dealer = await dealer_at(table, screens)
    await dealt(table, "Ks Qh Qd 7h Kh 2c", "A")
    await table.ask("open_hand", place=1)
    await dealer.until_phase("deciding")
    sent = sent_of(dealer)
    await dealer.tap(".next [data-decision=withdraw]")
    page = dealer.page
    await expect(page.locator(".orders .article")).to_have_text("art. 9(3)")
    await expect(page.locator(".orders")).to_contain_text("loses half of the bet")
    await expect(page.locator(".follows")).to_contain_text("opening the dealer's hand")
    assert sent == []
    await page.locator(".form [data-key=Escape]").tap()
    await dealer.tap(".next [data-decision=play]")
    await expect(page.locator(".orders")).to_contain_text("stays against the dealer's hand")
    await dealer.confirm()
    assert sent == ["decide"]
    assert [bet["decision"] for bet in (await table.state())["round"]["bets"]] == ["play"]


async def test_only_the_last_typed_hand_is_confirmed_with_the_money(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("q-poker")
    dealer = await dealer_at(table, screens)
    await dealt(table, "? ? ? ? ? ?", "A")
    await dealer.at(1, "open_hand")
    await dealer.cards(pack("As Kh 7d"))
    await dealer.ok()
    await dealer.until_phase("deciding")
    await dealer.decide(1, "play")
    sent = sent_of(dealer)
    await dealer.at("dealer", "open_hand")
    await dealer.cards(pack("Qs Jh 2c"))
    await dealer.ok()
    await expect(dealer.page.locator(".nets tbody tr").first).to_have_text("A+100")
    assert sent == []
    await dealer.confirm()
    assert sent == ["open_hand"]
    assert (await settlement(table))["places"][0]["bets"][0]["net"] == "100.00"


async def test_hand_that_the_shoe_has_read_is_opened_at_once(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("q-poker")
    dealer = await dealer_at(table, screens)
    await dealt(table, "Ks Qh Qd 7h Kh 2c", "A")
    await table.ask("open_hand", place=1)
    await table.ask("decide", place=1, bettor="A", decision="play")
    await dealer.at("dealer", "open_hand")
    assert (await settlement(table))["status"] == "settled"


@pytest.mark.parametrize(("count", "alone"), [(6, True), (5, False)], ids=["as-dealt", "differs"])
async def test_count_that_differs_takes_a_supervisor_in_the_one_confirmation(
    open_table: OpenTable, screens: Screens, count: int, alone: bool
) -> None:
    table = await open_table("q-poker")
    dealer = await dealer_at(table, screens)
    await dealt(table, "Ks Qh Qd 7h Kh 2c", "A")
    await table.ask("open_hand", place=1)
    sent = sent_of(dealer)
    await dealer.tap("[data-tab=irregular]")
    await dealer.do("count_cards")
    await dealer.digits(count)
    await dealer.ok()
    await expect(dealer.page.locator(".follows")).to_contain_text(
        "The round would then be at: " + ("" if alone else "its end")
    )
    await (dealer.confirm() if alone else dealer.sign("rui", PINS["rui"]))
    await expect(dealer.page.locator(".form")).to_have_count(0)
    assert sent == ["count_cards"]
    assert len(await table.events("round.void")) == (0 if alone else 1)
