"""The surveillance desk in a real browser: what comes is shown, found, opened, marked and taken away."""

import asyncio
from collections.abc import AsyncGenerator
from multiprocessing.context import ForkServerContext
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Page, ViewportSize, expect

from tests.pages.conftest import OpenTable
from tests.pages.support import PINS, Screens, Table, at_table, barriers
from tests.pages.support_display import play_a_round
from tests.support.kept import LOG, begun, names_of_cards, played
from tests.support.long import by_turn, first
from tests.support.proxy import Proxy

DESKS: dict[str, ViewportSize] = {"1920": {"width": 1920, "height": 1080}, "1366": {"width": 1366, "height": 768}}
KEPT = 3
IDS = [f"{LOG}-{nth:06}" for nth in range(1, KEPT + 1)]
NO_DEVICE = 102


@pytest.fixture(name="kept")
async def _kept(tmp_path: Path) -> None:
    """A table that has played before: its rounds lie where the first table of the test finds them."""
    assert await asyncio.to_thread(played, tmp_path / "table0" / "state", KEPT) == IDS


@pytest_asyncio.fixture(name="table", scope="module", loop_scope="session")
async def _table(forks: ForkServerContext, tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Table]:
    """The same table for all tests that don't play at it, kill it or take a device away."""
    folder = tmp_path_factory.mktemp("desk") / "table"
    await asyncio.to_thread(played, folder / "state", KEPT)
    async with at_table(forks, folder, "q-poker") as table:
        table.wire = Proxy(table.daemon.port, table.daemon.port)  # straight, so that no task outlives its test
        yield table


@pytest_asyncio.fixture(name="dice", scope="module", loop_scope="session")
async def _dice(forks: ForkServerContext, tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Table]:
    """A table of Chinese Dice after a round."""
    async with at_table(forks, tmp_path_factory.mktemp("dice") / "table", "chinese-dice") as table:
        await play_a_round(table)
        table.wire = Proxy(table.daemon.port, table.daemon.port)
        yield table


async def desk(table: Table, screens: Screens, *, lang: str = "en", size: str = "1920", person: str = "mei") -> Page:
    page = await screens.show(
        table, f"/surveillance?lang={lang}", person, viewport=DESKS[size], has_touch=False, accept_downloads=True
    )
    await expect(page.locator(".rows tbody tr").first).to_be_visible()
    return page


async def open_round(page: Page, nth: int) -> None:
    await page.locator(".rows tbody .link").nth(nth).click()
    await expect(page.locator(".opened .steps").first).to_be_visible()


async def test_rounds_appear_as_they_come_and_end(open_table: OpenTable, screens: Screens, kept: None) -> None:
    table = await open_table("q-poker")
    page = await desk(table, screens)
    await expect(page.locator(".rows tbody tr")).to_have_count(KEPT)
    await table.ask("pay_place")
    await table.ask("confirm_pack")
    await table.ask("open_round")
    await expect(page.locator(".rows tbody tr")).to_have_count(KEPT + 1)
    first = page.locator(".rows tbody tr").first
    await expect(first).to_contain_text("not over yet")
    await first.locator(".link").click()
    await expect(page.locator(".round-head")).to_contain_text("not over yet")
    await table.ask("bet", place=1, bettor="Ho", bet="versus_dealer", stake="100")
    await expect(page.locator(".side")).to_contain_text("5eed0001-000004")
    await expect(page.locator(".opened")).not_to_contain_text("Ho, against the dealer")
    await page.get_by_role("button", name="look again").click()
    await expect(page.locator(".opened")).to_contain_text("Ho, against the dealer")
    await table.ask("void_round", reason="the fire alarm rang", second={"person": "rui", "pin": PINS["rui"]})
    await expect(first).to_contain_text("the fire alarm rang")
    await expect(page.locator(".opened .void")).to_contain_text("the fire alarm rang § rule of the table")


async def test_opened_round_shows_frames_articles_money_and_replay(table: Table, screens: Screens) -> None:
    page = await desk(table, screens)
    before = len(await table.events("audit.recalled"))
    await open_round(page, 0)
    opened = page.locator(".opened")
    await expect(opened.locator("h2")).to_have_text(f"Round {IDS[-1]}")
    await expect(opened.locator(".for-video code")).to_contain_text(f"UTC ±0.850 ms · demo/q-demo · {IDS[-1]}")
    await expect(opened.locator(".hand")).to_have_count(3)
    await expect(opened.locator(".hand").first.locator("[data-card]")).to_have_count(3)
    await expect(opened.locator(".sum")).to_contain_text("sum 0")
    await expect(opened).to_contain_text("a card left the shoe: A♠")
    await expect(opened).to_contain_text("§ 89/2004 art. 8, 9, 10")
    frames = opened.locator("details.frames").first
    await frames.locator("summary").click()
    await expect(frames).to_contain_text("card As")
    await expect(frames.locator("code")).to_contain_text("44 81 b1")
    recalled = (await table.events("audit.recalled"))[before:]
    assert [event["data"]["rounds"] for event in recalled] == [[IDS[-1]]]
    assert recalled[0]["data"]["by"] == "mei"
    await _is_replayed(page)


async def _is_replayed(page: Page) -> None:
    """The opened round goes over the felt: to its end, back, in steps, and by itself."""
    await page.locator("[data-replay]").click()
    replay = page.locator("dialog.replay")
    await expect(replay.locator(".felt")).to_be_visible()
    await replay.locator("[data-play]").click()
    last = await replay.locator("input").get_attribute("max")
    await replay.locator("input").fill(str(last))
    await expect(replay.locator(".felt [data-stake] .net")).to_have_count(2)
    await expect(replay.locator(".felt [data-card]")).to_have_count(9)
    await replay.locator("input").fill("0")
    await expect(replay.locator(".felt .card")).to_have_count(0)
    for _ in range(2):
        await replay.locator("[data-step='1']").click()
    await expect(replay.locator(".felt .stake")).to_have_count(2)
    await replay.locator("[data-speed='20']").click()
    await replay.locator("[data-play]").click()
    await expect(replay).to_have_attribute("data-at", str(last))
    await page.keyboard.press("Escape")
    await expect(replay).to_have_count(0)


async def test_no_card_that_lies_face_down_comes_to_the_page(
    open_table: OpenTable, screens: Screens, tmp_path: Path
) -> None:
    cards = ("As", "Qd", "Kd", "7h", "4c", "2c")

    def deal() -> None:
        kept = begun(tmp_path / "table0" / "state")
        kept.bets(1)
        kept.draw(*cards)
        kept.keep()
        kept.journal.close()

    await asyncio.to_thread(deal)
    table = await open_table("q-poker")
    page = await desk(table, screens)
    bodies: list[str] = []

    async def keep(response: object) -> None:
        text = getattr(response, "text", None)
        if text is not None:
            bodies.append(await text())

    page.on("response", keep)
    await open_round(page, 0)
    await page.locator("[data-replay]").click()
    await page.locator("dialog.replay .felt").wait_for()
    await page.keyboard.press("Escape")
    await page.locator("#tab-events").click()
    await expect(page.locator(".view")).to_contain_text("card 1 face down")
    shown = await page.content() + "".join(bodies)
    assert "card 1 face down" in shown
    for nth, card in enumerate(cards):
        assert [name for name in names_of_cards(card, nth) if name in shown] == []


async def test_alarm_is_acknowledged_by_name_where_it_is_ones_own(table: Table, screens: Screens) -> None:
    page = await desk(table, screens)
    others = page.locator(".alarm", has_text="112")
    await expect(others).to_contain_text("cause gone · the dealer clears it")
    await expect(others.get_by_role("button")).to_have_count(0)
    alarm = page.locator(".alarm", has_text="801")
    await expect(alarm).to_contain_text("present")
    await alarm.get_by_role("button", name="Acknowledge").click()
    await expect(alarm).to_contain_text("Acknowledged by mei")
    seen = await table.events("fault.acknowledged")
    assert [(event["data"]["code"], event["data"]["by"]) for event in seen] == [(801, "mei")]


CUT = "[...document.querySelectorAll('.box')].some(box => box.scrollWidth > box.clientWidth)"


async def test_device_that_goes_is_alarm_in_the_pages_language(
    open_table: OpenTable, screens: Screens, kept: None
) -> None:
    table = await open_table("q-poker")
    page, other = await desk(table, screens), await desk(table, screens, lang="pt")
    await table.bench.unplug("shoe")
    await expect(page.locator(".devices .lamp-bad")).to_have_text("the shoe")
    await expect(page.locator(".alarm-error")).to_contain_text("shoe")
    assert not await page.evaluate(CUT), "the port's path sticks out of its box"
    # First it went; once it has been looked for again, there is none: that stays.
    state = await table.until("the fault", lambda now: any(one["code"] == NO_DEVICE for one in now["faults"]))
    (fault,) = (one for one in state["faults"] if one["code"] == NO_DEVICE)
    assert fault["reason"]["en"] == fault["detail"] != fault["reason"]["pt"]
    await expect(other.locator(".alarm-error")).to_contain_text(fault["reason"]["pt"])
    await table.bench.plug_in("shoe")
    await expect(page.locator(".devices .lamp-bad")).to_have_count(0)


async def test_an_event_is_bookmarked_with_a_note_and_found_again(table: Table, screens: Screens) -> None:
    page = await desk(table, screens)
    await open_round(page, 0)
    await page.locator(".message .link").nth(1).click()
    await expect(page.locator(".bookmark")).to_contain_text("Marks event 41.")
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url))
    await page.get_by_label("Note").fill(" ")
    await page.get_by_label("Note").press("Enter")
    await page.get_by_label("Note").fill("who moved chips?")
    await page.get_by_role("button", name="Set the bookmark").dblclick()  # one mark, all the same
    await expect(page.locator(".bookmark")).to_contain_text("Recorded as")
    await page.locator("#tab-events").click()
    await page.get_by_label("Kind").select_option("bookmarks")
    await expect(page.locator(".rows tbody tr")).to_have_count(1)
    await expect(page.locator(".rows tbody tr")).to_contain_text("mei set a bookmark: who moved chips?")
    (marked,) = await table.events("audit.bookmark")
    assert marked["data"]["marks"] == "5eed0001-0000000000000041"
    assert [url.endswith("/bookmark") for url in sent].count(True) == 1


async def test_rounds_and_events_are_searched_counted_and_taken_away(table: Table, screens: Screens) -> None:
    page = await desk(table, screens)
    await page.get_by_label("End").select_option("void")
    await expect(page.locator(".view")).to_contain_text("No round is found.")
    await page.get_by_label("End").select_option("")
    await page.get_by_label("Search").fill(IDS[1])
    await expect(page.locator(".rows tbody tr")).to_have_count(1)
    await page.locator("#tab-events").click()
    await page.get_by_label("Kind").select_option("bets")
    await page.get_by_label("Search").fill("BETTOR2")
    await expect(page.locator(".rows tbody tr")).to_have_count(KEPT)
    await expect(page.locator(".rows tbody tr").first).to_contain_text("bettor2")
    await page.get_by_label("Kind").select_option("all")
    await page.get_by_label("Search").fill("")
    await _is_taken_away(page)
    await _is_counted(page)


async def _is_taken_away(page: Page) -> None:
    """The events of a period come as a file."""
    await page.locator(".export summary").click()
    await page.get_by_label("From (UTC)").fill("2026-09-21T00:00")
    await page.get_by_label("To (UTC)").fill("2026-09-22T00:00")
    async with page.expect_download() as download:
        await page.get_by_role("link", name="Download").click()
    path = await (await download.value).path()
    lines = (await asyncio.to_thread(path.read_bytes)).splitlines()
    assert len(lines) == 1 + 19 * KEPT


async def _is_counted(page: Page) -> None:
    """Statistics show expectation and range, and never what is due."""
    await page.locator("#tab-statistics").click()
    await page.get_by_label("Period").select_option("all")
    view = page.locator(".view")
    await expect(view).to_contain_text(f"Settled: {KEPT}.")
    await expect(view).to_contain_text(f"The dealer's hands in {KEPT} rounds")
    titles = await view.locator(".chart title").all_text_contents()
    assert any("high card: observed 3, expected 2.232, too few for a range" in title for title in titles)
    assert " due" not in (await view.inner_text()).lower()


JUDGED = """async messages => {
  const { judged, watched } = await import("/static/surveillance/lamp.js");
  const said = [];
  let kept = null;
  for (const [atS, stored, published, checkpoint, connected] of messages) {
    kept = watched(kept, { stored, published, checkpoint, connected: connected ?? true }, 1000 * atS);
    said.push(judged(kept));
  }
  return said;
}"""
BUSY = [[second, 10 * second, 10 * second, 10 * max(0, second - 6)] for second in range(0, 61, 2)]
STUCK = [[0, 5, 5, 5], [4, 6, 5, 5], [9, 6, 5, 5], [12, 6, 5, 5], [13, 6, 6, 6]]
UNSIGNED = [[0, 5, 5, 4], [10, 7, 7, 4], [15, 8, 8, 4], [16, 9, 9, 4], [17, 9, 9, 9]]


LIGHTS = {
    "busy": (BUSY, ["complete"] * len(BUSY)),
    "stuck": (STUCK, ["complete", "complete", "complete", "behind", "complete"]),
    "unsigned": (UNSIGNED, ["complete", "complete", "complete", "behind", "complete"]),
    "away": ([[0, 5, 5, 5, False], [1, 5, 5, 5]], ["away", "complete"]),
}


UNBROKEN = """async numbers => {
  const { unbroken } = await import("/static/surveillance/lamp.js");
  const before = { since: "start", first: 1, last: 0 };
  return numbers.reduce((whole, each, nth) => unbroken(whole, each, `message ${nth}`), before);
}"""


async def test_lamp_says_whether_everything_came_out_and_since_when(table: Table, screens: Screens) -> None:
    page = await desk(table, screens)
    await expect(page.locator(".completeness")).to_contain_text("broker away: kept here")
    await expect(page.locator(".completeness")).to_contain_text("under checkpoint")
    await expect(page.locator(".completeness")).to_contain_text("(event ")
    await expect(page.locator(".completeness")).to_contain_text("no gaps since ")
    shown = {name: await page.evaluate(JUDGED, messages) for name, (messages, _) in LIGHTS.items()}
    assert shown == {name: states for name, (_, states) in LIGHTS.items()}
    whole, gap = [await page.evaluate(UNBROKEN, numbers) for numbers in ([[1, 2], [3]], [[1, 2], [4, 5]])]
    assert (whole["since"], whole["first"]) == ("start", 1)
    assert (gap["since"], gap["first"]) == ("message 1", 4)


LABELS_CUT = """() => [...document.querySelectorAll('.chart')].flatMap(chart => [...chart.querySelectorAll('text')]
  .filter(text => text.getBoundingClientRect().left < chart.getBoundingClientRect().left)
  .map(text => text.textContent))"""


@pytest.mark.parametrize("lang", by_turn(["en", "pt", "zh-Hant"]))
async def test_what_a_plot_counts_is_named_whole_in_every_language(dice: Table, screens: Screens, lang: str) -> None:
    page = await desk(dice, screens, lang=lang, size="1366")
    await page.locator("#tab-statistics").click()
    await expect(page.locator(".view .chart").nth(1)).to_be_visible()
    assert await page.evaluate(LABELS_CUT) == []


async def test_page_names_its_dealer_and_another_can_sign_on(table: Table, screens: Screens) -> None:
    page = await screens.show(table, "/surveillance?lang=en", "ana")
    await expect(page.locator(".door")).to_contain_text("ana is signed on as dealer")
    await expect(page.locator(".pin .name")).to_have_text(["rui supervisor", "mei surveillance"])
    await page.locator(".pin .name:has-text('mei')").click()
    await page.keyboard.type("9999")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("alert")).to_contain_text("The name or the PIN is wrong.")
    await page.locator(".pin .name:has-text('mei')").click()
    await page.keyboard.type("3333")
    await page.locator(".pin [type=submit]").click()
    await expect(page.locator(".rows tbody tr")).to_have_count(KEPT)


async def test_desk_comes_back_by_itself_after_the_daemon_was_killed(
    open_table: OpenTable, screens: Screens, kept: None
) -> None:
    table = await open_table("q-poker")
    page = await desk(table, screens)
    table.wire.passing = False
    table.wire.cut()
    await expect(page.locator(".not-connected")).to_be_visible()
    await expect(page.locator(".completeness")).to_have_count(0)  # nobody knows: an old lamp would pass for a new one
    table.wire.passing = True
    await expect(page.locator(".not-connected")).to_have_count(0)
    await expect(page.locator(".completeness")).to_be_visible()
    await table.restart(kill=True)
    await expect(page.get_by_role("button", name="Sign on")).to_be_visible()


@pytest.mark.parametrize("size", first(DESKS))
@pytest.mark.parametrize("lang", first(["pt", "en", "zh-Hant"]))
async def test_nothing_bars_people_and_nothing_overflows(table: Table, screens: Screens, lang: str, size: str) -> None:
    page = await desk(table, screens, lang=lang, size=size)
    await open_round(page, 1)
    for view in ("rounds", "events", "statistics"):
        await page.locator(f"#tab-{view}").click()
        await expect(page.locator(f"#tab-{view}")).to_have_attribute("aria-selected", "true")
        await page.wait_for_load_state("networkidle")
        assert await barriers(page) == []
        wide = await page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
        assert not wide, view
    assert "page.surveillance" not in await page.inner_text("body")
