"""The players' display around the rounds: its connection and languages, void rounds, hidden draws, and the clock."""

import asyncio
import os
import re
import signal
import time
from functools import partial
from pathlib import Path

import pytest
from playwright.async_api import Page, Route, WebSocketRoute, expect

from tablectl.daemon.daemon import Daemon as TableDaemon
from tests.pages.conftest import OpenTable
from tests.pages.support import Screens, Table
from tests.pages.support_display import SMALL, UPRIGHT, WALL, display_of, not_fitting
from tests.pages.support_play import draw, every_card, in_mid_round, spun
from tests.pages.support_stages import stages
from tests.support.kept import played


async def test_lost_connection_is_shown_at_once_without_stale_data(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("wheel-of-fortune")
    await in_mid_round(table)
    page = await display_of(table, screens)
    await expect(page.locator(".no-connection")).to_have_count(0)
    table.wire.passing = False
    table.wire.cut()
    await expect(page.locator(".no-connection")).to_be_visible()
    await expect(page.locator(".stage")).to_have_attribute("aria-hidden", "true")
    assert float(await page.locator(".stage").evaluate("stage => getComputedStyle(stage).opacity")) < 0.3
    assert await not_fitting(page) == []
    await table.ask("close_betting")
    table.wire.passing = True
    await expect(page.locator(".no-connection")).to_have_count(0)
    await expect(page.locator(".phase")).to_contain_text("停止下注")


async def test_table_that_is_silent_for_ten_seconds_counts_as_lost(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("wheel-of-fortune")
    page = await screens.open(viewport=WALL)
    await page.clock.install()
    await page.goto(f"{table.url}/display")
    await page.wait_for_selector(".screen")
    assert table.daemon.process is not None
    pid = table.daemon.process.pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    try:
        await expect(page.locator(".no-connection")).to_have_count(0)
        await page.clock.fast_forward(10_500)
        await expect(page.locator(".no-connection")).to_be_visible()
    finally:
        os.kill(pid, signal.SIGCONT)
    await expect(page.locator(".no-connection")).to_have_count(0)


async def test_daemon_killed_in_mid_round_shows_the_same_round_again(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("q-poker")
    await in_mid_round(table)
    page = await display_of(table, screens)
    round_ = page.locator(".round .first")
    before = await round_.inner_text()
    backs = await page.locator("svg.card-back").count()
    assert backs
    await table.restart(kill=True)
    await expect(page.locator(".no-connection")).to_have_count(0)
    await expect(page.locator("svg.card-back")).to_have_count(backs)
    await expect(round_).to_have_text(before)


async def test_result_stands_again_once_a_slow_disk_has_told_it(
    open_table: OpenTable, screens: Screens, tmp_path: Path
) -> None:
    table, told = await open_table("wheel-of-fortune"), tmp_path / "told"
    page = await display_of(table, screens)
    await _settle_a_spin(table)
    await table.ask("pay_place")
    await expect(page.locator(".winning")).to_be_visible()
    table.daemon.before = partial(_with_a_slow_disk, told)
    await table.restart(kill=True)
    await expect(page.locator(".board-empty")).to_be_visible()
    await table.until("every device", lambda now: all(each["attached"] for each in now["devices"]))
    told.touch()
    await expect(page.locator(".winning")).to_be_visible()
    await expect(page.locator(".last .mark")).to_have_count(1)


def _with_a_slow_disk(told: Path) -> None:
    """Has a daemon's process read its past only once this file is there."""
    fill = vars(TableDaemon)["_fill_board"]

    async def late(daemon: object) -> None:
        while not told.exists():  # noqa: ASYNC110, ASYNC240  # looked at from another process
            await asyncio.sleep(0.02)
        await fill(daemon)

    setattr(TableDaemon, "_fill_board", late)  # noqa: B010  # its own part


async def test_a_display_that_starts_before_its_table_waits_for_it(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("wheel-of-fortune")
    page = await screens.open(viewport=WALL)
    refused: list[str] = []

    async def refuse(route: Route) -> None:
        refused.append(route.request.url)
        await route.abort()

    await page.route("**/v1/words**", refuse)
    await page.goto(f"{table.url}/display")
    await expect(page.locator(".starting")).to_contain_text("正在連接")
    await page.unroute("**/v1/words**")
    await expect(page.locator(".screen")).to_be_visible()
    assert refused


async def test_a_full_table_fits_every_screen(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("q-poker")
    pages = [await display_of(table, screens, "?lang=pt", viewport) for viewport in (WALL, UPRIGHT, SMALL)]
    await table.ask("confirm_pack", shuffle="hand")
    await table.ask("open_round")
    for place in range(1, 8):
        await table.ask("bet", place=place, bettor="A", bet="versus_dealer", stake="50")
    await draw(table, every_card()[:24])
    for place in range(1, 8):
        await table.ask("open_hand", place=place)
    for page in pages:
        await expect(page.locator("[data-card]")).to_have_count(21)
        await expect(page.locator("svg.card-back")).to_have_count(3)
        assert await not_fitting(page) == [], page.viewport_size


SHOWN_WHOLE = """() => [...document.querySelectorAll('.last .mark, .pays th[scope=row]')].filter(each => {
  const list = (each.closest('.last') ?? each.closest('.board')).getBoundingClientRect();
  const own = each.getBoundingClientRect();
  return own.bottom <= list.bottom + 1 && own.right <= list.right + 1 && each.scrollWidth <= each.clientWidth + 1;
}).length"""
HANDS, LAST = 6, 20


async def test_last_twenty_q_poker_hands_and_pays_are_shown_whole(
    open_table: OpenTable, screens: Screens, tmp_path: Path
) -> None:
    await asyncio.to_thread(played, tmp_path / "table0" / "state", LAST + 2)
    table = await open_table("q-poker", {"q_poker.confirm_payment": "false"})
    pages = [await display_of(table, screens, "?lang=pt", viewport) for viewport in (WALL, UPRIGHT, SMALL)]
    for page in pages:
        await expect(page.locator(".stage .outcome")).not_to_have_count(0)
        await expect(page.locator(".last .mark")).to_have_count(LAST)
        await expect(page.locator(".last li").last).to_have_class("newest")
        await expect(page.locator(".board .pays")).to_have_count(0)
        assert await page.evaluate(SHOWN_WHOLE) == LAST, page.viewport_size
    await table.ask("confirm_pack", shuffle="hand")
    await table.ask("open_round")
    for page in pages:
        await expect(page.locator(".board .pays th[scope=row]")).to_have_count(HANDS)
        assert await page.evaluate(SHOWN_WHOLE) == HANDS + LAST, page.viewport_size


EMPHASIS = """addEventListener('animationend', ({ animationName, target, elapsedTime }) => {
  const { dataset } = document.documentElement;
  if (animationName === 'won') dataset.won = `${dataset.won ?? ''} ${target.className} ${elapsedTime}`.trim();
})"""
"""Writes on the page what was emphasised, and for how many seconds."""

CHANGED = """() => [...document.styleSheets].flatMap(sheet => [...sheet.cssRules]).filter(({name}) => name === 'won')
  .flatMap(({cssRules}) => [...cssRules].flatMap(({style}) => [...style]))"""
"""What the emphasis changes. Anything but the opacity has the page drawn anew in every frame."""


async def test_winner_is_emphasised_for_two_seconds_of_each_round(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("wheel-of-fortune")
    page = await display_of(table, screens, "?lang=en")
    await page.evaluate(EMPHASIS)
    assert await page.evaluate(CHANGED) == ["opacity"]
    for rounds in (1, 2):
        await _settle_a_spin(table)
        await expect(page.locator("html")).to_have_attribute("data-won", " ".join(["winning 2"] * rounds))
        assert await page.locator(".winning").evaluate("one => getComputedStyle(one, '::after').opacity") == "0"
        await table.ask("pay_place")


@pytest.mark.parametrize(
    ("table", "told"), [("q-poker", "40:1"), ("football-poker", "1:1"), ("wheel-of-fortune", "20:1")]
)
async def test_pays_are_shown_while_betting(open_table: OpenTable, screens: Screens, table: str, told: str) -> None:
    live = await open_table(table)
    page = await display_of(live, screens, "?lang=en")
    await expect(page.locator(".pays", has_text=told)).not_to_have_count(0)


async def test_stray_spin_leaves_the_result_where_it_stands(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("wheel-of-fortune")
    page = await screens.open(viewport=WALL)
    await page.route_web_socket("**/v1/display/live", _always_turning)
    await page.goto(f"{table.url}/display?lang=en")
    await in_mid_round(table)
    await expect(page.locator(".phase-betting")).to_be_visible()
    await expect(page.locator(".symbols")).to_be_visible()
    await table.ask("close_betting")
    await spun(table)
    await expect(page.locator(".phase-stopped")).to_be_visible()
    await expect(page.locator(".winning")).to_be_visible()
    await expect(page.locator(".turning")).to_have_count(0)


def _always_turning(screen: WebSocketRoute) -> None:
    """Has the table tell a screen of a wheel that somebody keeps turning."""
    table = screen.connect_to_server()
    table.on_message(lambda told: screen.send(str(told).replace('"turning":false', '"turning":true')))


LIE = """() => [...document.querySelectorAll('.stage .place')].map(one => {
  const {x, y, width} = one.getBoundingClientRect();
  return [one.dataset.place, ...[x, y, width].map(Math.round)].join(' ');
})"""


async def test_places_stay_where_they_are_while_cards_come(open_table: OpenTable, screens: Screens) -> None:
    table, cards, lie = await open_table("q-poker"), {"dealing": 4, "deciding": 9}, list[list[str]]()
    page = await display_of(table, screens, "?lang=pt", SMALL)
    async for stage in stages(table):
        if stage in cards:
            await expect(page.locator(".stage .card")).to_have_count(cards[stage])
            lie.append(await page.evaluate(LIE))
    assert len(lie[0]) == 3
    assert lie[0] == lie[1]


async def test_void_round_is_shown_as_void_alone(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("wheel-of-fortune")
    page = await display_of(table, screens, "?lang=en")
    await _settle_a_spin(table)
    await expect(page.locator(".winning")).to_be_visible()
    await table.ask("pay_place")
    await table.ask("open_round")
    await expect(page.locator(".winning")).to_have_count(0)
    await _void(table)
    await expect(page.locator(".void")).to_contain_text("Round void, bets returned")
    await expect(page.locator(".winning")).to_have_count(0)


async def test_display_asks_for_a_moment_while_a_device_is_away(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("wheel-of-fortune")
    page = await display_of(table, screens, "?lang=en")
    await table.bench.unplug("wheel")
    await expect(page.locator(".phase")).to_contain_text("One moment, please")
    await table.bench.plug_in("wheel")
    await expect(page.locator(".phase")).not_to_contain_text("One moment")


async def test_unconfirmed_draw_of_the_display_is_nowhere_on_the_page(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("football-poker")
    page = await display_of(table, screens)
    await table.ask("confirm_pack", shuffle="hand")
    table.bench.show_wrongly()
    await table.ask("open_round")
    state = await table.until("the draw", lambda now: (now["round"]["draw"] or {}).get("draw_id") is not None)
    assert not state["round"]["draw"]["shown"]
    await expect(page.locator(".stage .nothing")).to_be_visible()
    assert await page.locator(".draw").count() == 0
    table.bench.show_rightly()


async def test_chinese_stands_large_and_the_other_languages_take_turns_below(
    open_table: OpenTable, screens: Screens
) -> None:
    table = await open_table("wheel-of-fortune")
    page = await screens.open(viewport=WALL)
    await page.clock.install()
    await page.goto(f"{table.url}/display")
    game = page.locator(".game")
    await expect(game.locator(".first")).to_have_text("幸運輪")
    await expect(game.locator(".second")).to_have_text("Roda da Sorte")
    await page.clock.fast_forward(8100)
    await expect(game.locator(".second")).to_have_text("Wheel of Fortune")
    await expect(game.locator(".second")).to_have_attribute("lang", "en")
    first, second = [await _size(page, f".game .{name}") for name in ("first", "second")]
    assert first > 1.5 * second
    await page.clock.fast_forward(8100)
    await expect(game.locator(".second")).to_have_text("Roda da Sorte")


async def test_where_less_motion_is_wished_for_no_language_takes_turns(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("wheel-of-fortune")
    page = await screens.open(viewport=WALL, reduced_motion="reduce")
    await page.clock.install()
    await page.goto(f"{table.url}/display")
    second = page.locator(".game .second")
    await expect(second).to_have_text("Roda da Sorte")
    await page.clock.fast_forward(20_000)
    await expect(second).to_have_text("Roda da Sorte")


async def test_the_time_of_day_is_shown_and_goes_on(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("wheel-of-fortune")
    page = await screens.open(viewport=WALL, timezone_id="Asia/Macau")
    await page.clock.install(time="2026-11-20T13:07:30Z")
    await page.goto(f"{table.url}/display")
    await expect(page.locator(".time-of-day")).to_have_text("21:07")
    await page.clock.fast_forward(60_000)
    await expect(page.locator(".time-of-day")).to_have_text("21:08")


async def test_five_minutes_count_on_between_messages_and_are_corrected(
    open_table: OpenTable, screens: Screens
) -> None:
    table = await open_table("thirteen-cards")
    page = await screens.open(viewport=WALL)
    await page.clock.install()
    await page.goto(f"{table.url}/display")
    await _banker_shows(table)
    await table.ask("pick_up_cards", place=2)
    await expect(page.locator("[data-place='2']")).to_contain_text("擺牌中")
    before, began_s = await _seconds(page), time.monotonic()
    assert 240 < before <= 300
    await page.clock.fast_forward(60_000)
    later = "|".join(f"{left // 60}:{left % 60:02}" for left in range(before - 59))
    await expect(page.locator(".clock-figure")).to_have_text(re.compile(f"^({later})$"))
    await table.ask("finish_setting", place=2)
    await expect(page.locator("[data-place='2']")).to_contain_text("已擺好")
    left, most_s = await _seconds(page), time.monotonic() - began_s
    assert before - most_s - 20 < left <= before, "what is shown may come late, but not by the minute that wasn't"


async def _settle_a_spin(table: Table) -> None:
    await table.ask("open_round")
    await table.ask("bet", place=1, bettor="A", bet="symbol_1", stake="10")
    await table.ask("close_betting")
    await table.bench.wheel.spin(5)
    if (await table.until("the stop", lambda now: now["phase"] in {"stopped", "idle"}))["phase"] == "stopped":
        await table.ask("confirm_spin")
    await table.until("the settlement", lambda now: now["phase"] == "paying")


async def _void(table: Table) -> None:
    state = await table.state()
    token, table.daemon.token = table.daemon.token, ""
    table.daemon.sign_on("rui", "2222")
    fields = {"round_id": state["round_id"], "seen": (await table.state())["seen"], "reason": "a chip fell"}
    table.daemon.ask("void_round", "void-1", **fields)
    table.daemon.token = token


async def _banker_shows(table: Table) -> None:
    """A round of 13 Cards dealt without a reader, up to the banker's setting, which begins the five minutes."""
    await in_mid_round(table)
    await table.ask("take_seat", place=3, bettor="B")
    await table.ask("bet", place=3, bettor="B", bet="place", stake="100")
    table.bench.dice.throw((1, 2, 3, 4))
    await table.until("the deal", lambda now: now["phase"] == "dealing")
    await table.bench.unplug("shoe")
    await table.until("a table without its shoe", lambda now: "shoe" not in _attached(now))
    await table.ask("finish_deal")
    cards = [f"{rank}{suit}" for suit, ranks in (("s", "234"), ("h", "5689J"), ("d", "TJQKA")) for rank in ranks]
    rows = [cards[:3], cards[3:8], cards[8:]]
    await table.ask("show_tiers", place="banker", rows=rows)


def _attached(state: dict[str, list[dict[str, object]]]) -> set[object]:
    return {device["name"] for device in state["devices"] if device["attached"]}


async def _seconds(page: Page) -> int:
    minutes, seconds = (await page.locator(".clock-figure").inner_text()).split(":")
    return 60 * int(minutes) + int(seconds)


async def _size(page: Page, where: str) -> float:
    return float(await page.locator(where).evaluate("each => parseFloat(getComputedStyle(each).fontSize)"))
