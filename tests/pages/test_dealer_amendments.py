"""What was misread or mistyped is put right at the dealer's page: its consequence first, and then one word."""

import pytest
from playwright.async_api import Route, expect

from tests.pages.conftest import OpenTable
from tests.pages.support import PINS, Screens, Table, barriers
from tests.pages.support_dealer import Dealer, dealer_at
from tests.pages.support_play import cards_out, draw, in_mid_round, pack
from tests.pages.support_stages import at_stage
from tests.pages.test_dealer_screen import fits
from tests.support.long import first


async def q_poker_bet(table: Table) -> None:
    """A round with one bet at place 1, nothing dealt."""
    await table.ask("confirm_pack", shuffle="hand")
    await table.ask("open_round")
    await table.ask("bet", place=1, bettor="A", bet="versus_dealer", stake="100")


async def mistyped(table: Table) -> None:
    """A round that is over, in which the dealer's jack, which the shoe couldn't read, was typed as a queen."""
    await q_poker_bet(table)
    for nth, card in enumerate(pack("As Ad 4c")):
        await draw(table, [card], 2 * nth)
        await table.bench.shoe.draw_unreadable()
        await table.until("the dealer's card", lambda now, lying=2 * nth + 2: cards_out(now) == lying)  # type: ignore[misc]
    await table.ask("open_hand", place=1)
    await table.ask("decide", place=1, bettor="A", decision="play")
    await table.ask("open_hand", place="dealer", cards=["Qs", "9h", "6c"])


async def put_right(dealer: Dealer, fact: str, how: str = "it_is") -> None:
    """The newest fact of this kind, out of the list."""
    await dealer.tap("[data-tab=amend]")
    await dealer.tap(f"[data-fact={fact}] [data-amend={how}]")


async def test_mistyped_card_is_put_right_with_supervisor_and_money_follows(
    open_table: OpenTable, screens: Screens
) -> None:
    table = await open_table("q-poker")
    dealer = await dealer_at(table, screens)
    await mistyped(table)
    await dealer.until_phase("paying")
    await put_right(dealer, "open_hand")
    await dealer.tap(".form [data-field=cards]")
    await dealer.cards(pack("Js 9h 6c"))
    await dealer.ok()
    await dealer.tap("[data-reason=mistyped]")
    page = dealer.page
    await expect(page.locator(".nets tbody tr").first).to_have_text("A+100+50")
    await expect(page.locator(".nets tbody tr").last).to_have_text("The house−100−50")
    await expect(page.locator("[data-money=to_take_back] .payment")).to_have_text("A 50")
    await expect(page.locator("[data-money=to_pay]")).to_have_count(0)
    assert await table.events("round.amended") == []
    await dealer.sign("rui", PINS["rui"])
    await dealer.tap("[data-amend-seen]")
    await expect(page.locator(".payment")).to_contain_text("+50")
    (corrected,) = await table.events("round.corrected")
    assert corrected["data"]["settlement"]["bettors"][0]["net"] == "50.00"
    (amended,) = await table.events("round.amended")
    assert (amended["data"]["by"], amended["data"]["second"], amended["data"]["reason"]) == ("ana", "rui", "Mistyped")


async def test_bet_at_wrong_place_is_put_right_alone_and_once(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("q-poker")
    dealer = await dealer_at(table, screens)
    await q_poker_bet(table)
    sent: list[str] = []

    async def lose_the_first_answer(route: Route) -> None:
        if "dry_run" in route.request.url:
            await route.continue_()
            return
        sent.append((route.request.post_data_json or {})["request_id"])
        answer = await route.fetch()
        await (route.abort() if len(sent) == 1 else route.fulfill(response=answer))

    await dealer.page.route("**/v1/requests/amend*", lose_the_first_answer)
    await put_right(dealer, "bet")
    await dealer.tap(".form [data-field=place]")
    await dealer.choose(3)
    await dealer.tap("[data-reason=wrong_place]")
    await expect(dealer.page.locator(".form .pin")).to_have_count(0)
    await dealer.confirm()
    await dealer.tap("[data-amend-seen]")
    assert [(bet["place"], bet["stake"]) for bet in (await table.state())["round"]["bets"]] == [(3, "100.00")]
    assert len(sent) == 2
    assert len(set(sent)) == 1
    assert len(await table.events("round.amended")) == 1


async def test_several_records_of_one_stake_are_told_apart(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("q-poker")
    dealer = await dealer_at(table, screens)
    await q_poker_bet(table)
    await table.ask("bet", place=1, bettor="A", bet="versus_dealer", stake="50")
    await table.ask("bet", place=2, bettor="B", bet="versus_dealer", stake="200")
    page = dealer.page
    await dealer.tap("[data-tab=amend]")
    await dealer.tap("[data-spot='1/versus_dealer'] .at-place")
    await expect(page.locator(".record")).to_have_count(2)
    await expect(page.locator(".record")).to_contain_text(["50", "100"])
    await expect(page.get_by_role("heading", name="Put right")).to_be_focused()
    await dealer.tap("[data-all]")
    await expect(page.locator(".record")).not_to_have_count(2)
    await expect(page.locator("[data-fact=bet]")).to_have_count(3)


async def test_felt_takes_no_bet_while_it_is_put_right(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("q-poker")
    dealer = await dealer_at(table, screens)
    await q_poker_bet(table)
    page, empty = dealer.page, dealer.page.locator("[data-spot='3/versus_dealer']")
    await dealer.tap("[data-tab=amend]")
    await expect(page.locator(".felt .at-place")).to_have_count(1)
    await expect(page.locator(".felt button.spot")).to_have_count(0)
    await empty.tap()
    await dealer.tap("[data-tab=steps]")
    await expect(page.locator(".felt .at-place")).to_have_count(0)
    await empty.tap()
    await expect(empty.locator(".stake")).to_be_visible()
    assert [event["data"]["place"] for event in await table.events("bet.placed")] == [1, 3]


async def test_what_lies_of_another_round_is_not_touched(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("wheel-of-fortune")
    dealer = await dealer_at(table, screens)
    await at_stage(table, "result")
    await table.ask("pay_place")
    await table.ask("open_round")
    await table.ask("bet", place=4, bettor="A", bet="symbol_1", stake="100")
    page = dealer.page
    await dealer.caught_up()
    await dealer.tap("[data-tab=amend]")
    await expect(page.locator(".felt .at-place")).to_have_count(1)
    await dealer.tap("[data-page=amend] button:has-text('The last round')")
    await expect(page.locator("[data-fact=spin]").first).to_be_visible()
    await expect(page.locator(".felt .at-place")).to_have_count(0)


async def test_typed_card_is_reached_and_put_right_by_keys(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("q-poker")
    dealer = await dealer_at(table, screens)
    await mistyped(table)
    await dealer.until_phase("paying")
    page = dealer.page
    await dealer.tap("[data-tab=amend]")
    queen = page.get_by_role("button", name="Put right: the dealer, queen of spades")
    await expect(queen).to_be_visible()
    assert await barriers(page) == []
    for _ in range(100):
        await page.keyboard.press("Shift+Tab")
        if await queen.evaluate("one => one === document.activeElement"):
            break
    await page.keyboard.press("Enter")
    await expect(page.locator(".record")).to_have_count(2)
    await page.locator("[data-fact=open_hand] [data-amend=it_is]").press("Enter")
    await expect(page.locator("[data-amend-sheet=open_hand]")).to_contain_text("queen of spades")


async def test_two_lines_are_put_right_in_one_amendment(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("q-poker")
    dealer = await dealer_at(table, screens)
    await q_poker_bet(table)
    await table.ask("bet", place=2, bettor="B", bet="versus_dealer", stake="200")
    await put_right(dealer, "bet")
    await dealer.tap(".form [data-field=place]")
    await dealer.choose(1)
    await dealer.tap("[data-amend-more]")
    page = dealer.page
    await expect(page.locator("[data-gathered]")).to_have_attribute("data-gathered", "1")
    await page.locator("[data-fact=bet]").last.locator("[data-amend=it_is]").click()
    await dealer.tap(".form [data-field=place]")
    await dealer.choose(2)
    await dealer.tap("[data-reason=wrong_place]")
    assert await table.events("round.amended") == []
    await dealer.tap(".confirm")
    await dealer.tap("[data-amend-seen]")
    (amended,) = await table.events("round.amended")
    moved = [(each["was"]["bettor"], each["now"]["place"]) for each in amended["data"]["changes"]]
    assert moved == [("B", 1), ("A", 2)]
    await dealer.tap("[data-tab=amend]")
    await expect(page.locator("[data-fact=bet]")).to_have_count(2)
    await expect(page.locator("[data-gathered]")).to_have_count(0)


async def test_an_amendment_that_the_table_refuses_changes_nothing(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("q-poker")
    dealer = await dealer_at(table, screens)
    await q_poker_bet(table)
    await put_right(dealer, "bet")
    await dealer.tap(".form [data-field=place]")
    await dealer.choose("dealer")
    await dealer.tap("[data-reason=misread]")
    await dealer.refused("2.1")
    await expect(dealer.page.locator(".form [data-field=place]")).to_be_visible()
    assert await table.events("round.amended") == []


async def test_list_that_the_table_has_left_behind_is_read_again(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("q-poker")
    dealer = await dealer_at(table, screens)
    await q_poker_bet(table)
    await put_right(dealer, "bet", "not_so")
    await table.ask("bet", place=2, bettor="B", bet="versus_dealer", stake="200")
    await dealer.tap("[data-reason=misread]")
    await expect(dealer.notice()).to_contain_text("moved on")
    await expect(dealer.page.locator("[data-fact=bet]")).to_have_count(2)
    await expect(dealer.page.locator("[data-fact=bet]").first).to_contain_text("200")


@pytest.mark.parametrize("language", first(["pt", "en", "zh-Hant"]))
async def test_amending_has_no_barriers_and_names_no_card_face_down(
    open_table: OpenTable, screens: Screens, language: str
) -> None:
    table = await open_table("q-poker")
    dealer = await dealer_at(table, screens)
    page = dealer.page
    await page.locator(f".languages [lang={language}]").tap()
    await in_mid_round(table)
    await dealer.tap("[data-tab=amend]")
    await expect(page.locator("[data-fact=card]")).to_have_count(4)
    await expect(page.locator("[data-fact=card] svg")).to_have_count(0)
    await expect(page.locator(".fan .at-place")).to_have_count(4)
    names = await page.locator(".at-place").evaluate_all("all => all.map(one => one.ariaLabel)")
    said = [*names, await page.locator(".records").inner_text()]
    assert not [rank for rank in ("king", "queen", "rei", "dama") if rank in " ".join(said).lower()]
    assert await barriers(page) + await fits(page) == []
    await dealer.tap("[data-fact=card] [data-amend=it_is]")
    await dealer.choose("aside")
    assert await barriers(page) + await fits(page) == []
    await dealer.tap("[data-reason=wrong_place]")
    await expect(page.locator("[data-outcome]")).to_be_visible()
    assert await barriers(page) + await fits(page) == []
