"""The dealer's page and its table part and meet again: nothing is done twice, nothing on an old screen."""

import asyncio
import json

from playwright.async_api import Page, Route, WebSocketRoute, expect

from tests.pages.conftest import OpenTable
from tests.pages.support import PINS, Screens
from tests.pages.support_dealer import dealer_at
from tests.pages.support_play import draw, pack, settlement

MARK = "document.documentElement.dataset.old = ''"
"""Marks what is loaded now: the mark is gone once it is loaded again."""


async def test_two_consoles_show_the_same_table(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("wheel-of-fortune")
    one, other = await dealer_at(table, screens), await dealer_at(table, screens, "rui")
    await one.do("open_round")
    await other.bet(4, "A", "symbol_1", ["10"])
    await expect(one.page.locator("[data-spot='4/symbol_1'] .stake")).to_contain_text("10")
    await one.tap("[data-tray=back]")
    await one.tap("[data-spot='4/symbol_1']")
    await expect(other.page.locator("[data-spot='4/symbol_1'] .stake")).to_have_count(0)


async def test_unconnected_client_sends_nothing_and_recovers_by_itself(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("wheel-of-fortune")
    dealer = await dealer_at(table, screens)
    await dealer.do("open_round")
    table.wire.passing = False
    table.wire.cut()
    await expect(dealer.page.locator(".not-connected")).to_be_visible()
    assert await dealer.page.locator("main.work").evaluate("work => work.inert")
    await table.ask("bet", place=4, bettor="A", bet="symbol_1", stake="10")
    table.wire.passing = True
    await expect(dealer.page.locator(".not-connected")).to_have_count(0)
    await expect(dealer.page.locator("[data-spot='4/symbol_1'] .stake")).to_contain_text("10")
    await dealer.do("close_betting")
    await dealer.until_phase("closed")


async def test_sign_off_without_connection_ends_session_at_reconnection(
    open_table: OpenTable, screens: Screens
) -> None:
    table = await open_table("wheel-of-fortune")
    dealer = await dealer_at(table, screens)
    table.wire.passing = False
    table.wire.cut()
    await expect(dealer.page.locator(".not-connected")).to_be_visible()
    await dealer.page.locator(".who").tap()
    await expect(dealer.page.locator("[data-unended]")).to_be_visible()
    table.wire.passing = True
    await expect(dealer.page.locator("[data-unended]")).to_have_count(0)
    assert (await dealer.page.request.get(f"{table.url}/v1/session")).status == 401
    await expect(dealer.page.locator(".pin .name").first).to_be_visible()
    await dealer.sign("ana", "1111")
    await expect(dealer.page.locator(".desk")).to_be_visible()


async def test_request_with_a_lost_answer_is_repeated_and_done_once(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("wheel-of-fortune")
    dealer = await dealer_at(table, screens)
    await dealer.do("open_round")
    names: list[str] = []

    async def lose_the_first_answer(route: Route) -> None:
        names.append((route.request.post_data_json or {})["request_id"])
        answer = await route.fetch()
        await (route.abort() if len(names) == 1 else route.fulfill(response=answer))

    await dealer.page.route("**/v1/requests/bet", lose_the_first_answer)
    await dealer.bet(4, "A", "symbol_1", ["10"])
    await expect(dealer.page.locator("[data-spot='4/symbol_1'] [data-stake='10']")).to_be_visible()
    assert len(names) == 2
    assert len(set(names)) == 1
    assert [bet["stake"] for bet in (await table.state())["round"]["bets"]] == ["10.00"]


async def test_entry_cut_off_by_a_kill_is_not_sent_later(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("wheel-of-fortune")
    dealer = await dealer_at(table, screens)
    await dealer.do("open_round")
    sent = asyncio.Event()

    async def lose(route: Route) -> None:
        sent.set()
        await route.abort()

    await dealer.page.route("**/v1/requests/bet", lose)
    await dealer.page.locator("[data-spot='4/symbol_1']").tap()
    await sent.wait()
    await table.restart(kill=True)
    await dealer.sign("rui", PINS["rui"])
    await dealer.page.unroute_all()
    await expect(dealer.notice()).to_contain_text("in the middle of an entry")
    await expect(dealer.page.locator(".next [data-verb], .tray").first).to_be_visible()
    await dealer.bet(5, "B", "symbol_1", ["10"])
    assert [bet["bettor"] for bet in (await table.state())["round"]["bets"]] == ["B"]
    await dealer.page.locator(".who").tap()
    await dealer.sign("rui", PINS["rui"])
    await expect(dealer.page.locator(".desk")).to_be_visible()
    await expect(dealer.notice()).to_have_class("notice notice-none")


async def test_a_daemon_killed_in_mid_round_finds_its_dealer_again(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("q-poker")
    dealer = await dealer_at(table, screens)
    await dealer.do("confirm_pack")
    await dealer.do("open_round")
    await dealer.bet(1, "A", "versus_dealer", ["100"])
    await draw(table, pack("Ks Qh Qd 7h Kh"))
    await table.restart(kill=True)
    # A session lives in the daemon's memory: who was signed on signs on again, in the same round.
    await dealer.sign("ana", "1111")
    await dealer.device_is("shoe", "good")
    await expect(dealer.page.locator("[data-spot='1/versus_dealer'] .stake")).to_contain_text("100")
    if (await table.state())["round"]["count_due"]:
        await dealer.tap("[data-tab=irregular]")
        await dealer.do("count_cards")
        await dealer.digits(5)
        await dealer.ok()
        await dealer.confirm()
    await draw(table, pack("2c"), 5)
    await dealer.at(1, "open_hand")
    await dealer.decide(1, "play")
    await dealer.at("dealer", "open_hand")
    assert (await settlement(table))["status"] == "settled"


async def test_request_made_on_stale_screen_does_nothing_and_says_so(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("wheel-of-fortune")
    dealer = await dealer_at(table, screens)
    held, news = asyncio.Event(), list[str | bytes]()

    def hold(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()
        server.on_message(lambda message: news.append(message) if held.is_set() else socket.send(message))

    await dealer.page.route_web_socket("**/v1/live", hold)
    await dealer.page.reload()
    await dealer.do("open_round")
    await dealer.bet(4, "A", "symbol_1", ["10"])
    await expect(dealer.page.locator("[data-verb=close_betting]")).to_be_visible()
    held.set()
    await table.ask("close_betting")
    await dealer.page.locator("[data-verb=close_betting]").tap()
    await expect(dealer.notice()).to_contain_text("nothing was done")
    assert len(await table.events("round.betting_closed")) == 1
    assert await dealer.page.locator(".desk").get_attribute("data-phase") == "betting"


async def test_open_entry_is_closed_when_the_table_moves_on(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("wheel-of-fortune")
    dealer = await dealer_at(table, screens)
    await dealer.do("open_round")
    await table.ask("bet", place=4, bettor="A", bet="symbol_1", stake="10")
    await dealer.tap("[data-tab=irregular]")
    await dealer.do("declare_irregularity")
    await expect(dealer.page.locator(".form")).to_be_visible()
    await table.ask("close_betting")
    await expect(dealer.page.locator(".form")).to_have_count(0)
    await expect(dealer.notice()).to_contain_text("moved on")


async def test_a_page_that_missed_a_file_comes_up_by_itself(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("wheel-of-fortune")
    for path in ("/dealer", "/display", "/surveillance"):
        await comes_up_without_a_file(await screens.open(), f"{table.url}{path}")


async def comes_up_without_a_file(page: Page, url: str) -> None:
    """A page is opened, misses a file, and is there all the same."""
    missed: list[str] = []

    async def miss_once(route: Route) -> None:
        missed.append(route.request.url)
        await (route.abort() if len(missed) == 1 else route.continue_())

    await page.route("**/static/shared/words.js", miss_once)
    await page.goto(url)
    await expect(page.locator("#page > *").first).to_be_visible()
    await expect(page.locator("#page > .starting")).to_have_count(0)
    assert len(missed) > 1


async def test_outdated_page_reloads_once_nothing_is_entered(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("wheel-of-fortune")
    dealer = await dealer_at(table, screens)
    upgraded = asyncio.Event()

    def tell(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()
        newer = {"build": "another"}
        server.on_message(
            lambda text: socket.send(json.dumps({**json.loads(text), **newer}) if upgraded.is_set() else text)
        )

    await dealer.page.route_web_socket("**/v1/live", tell)
    await dealer.page.reload()
    await dealer.do("open_round")
    old = dealer.page.locator("html[data-old]")
    await dealer.page.evaluate(MARK)
    await dealer.tap("[data-tab=irregular]")
    await dealer.do("declare_irregularity")
    upgraded.set()
    await table.ask("bet", place=4, bettor="A", bet="symbol_1", stake="10")
    await expect(dealer.page.locator("[data-spot='4/symbol_1'] .stake")).to_contain_text("10")
    await expect(old).to_have_count(1)
    await dealer.tap(".form [data-key=Escape]")
    await expect(old).to_have_count(0)
    # Loaded once and old still, as out of a cache: it is shown as it is.
    await expect(dealer.page.locator("[data-spot='4/symbol_1'] .stake")).to_contain_text("10")
    await dealer.page.evaluate(MARK)
    await dealer.do("close_betting")
    await dealer.until_phase("closed")
    await expect(old).to_have_count(1)
