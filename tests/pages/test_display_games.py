"""The players' display shows whole rounds of every game, as they were played, and never a card that lies face down."""

import re
from itertools import chain
from typing import Any

from playwright.async_api import Page, expect

from tests.pages.conftest import OpenTable
from tests.pages.support import Screens, Table, barriers
from tests.pages.support_display import cards_on, play_a_round, watched

UNDER_THE_INDICATOR = """
() => {
  const tip = document.querySelector(".rim-indicator").getBoundingClientRect();
  const [below] = document.elementsFromPoint(tip.x + tip.width / 2, tip.bottom + 10);
  return below.closest(".section").dataset.section;
}
"""
"""The section that lies where the indicator points."""


async def test_q_poker_hands_are_drawn_as_cards_with_their_ranks(open_table: OpenTable, screens: Screens) -> None:
    page, settled = await _a_round(await open_table("q-poker"), screens, hidden=4)
    await expect(page.locator(".outcome").first).to_be_visible()
    assert await cards_on(page, "dealer") == settled["round"]["dealer"]
    for place in settled["round"]["places"]:
        assert await cards_on(page, place["place"]) == place["cards"]
    assert await page.locator("svg.card-back").count() == 0
    assert await _signs(page) == _outcomes(settled)


async def test_the_draw_of_football_poker_stands_above_the_hands(open_table: OpenTable, screens: Screens) -> None:
    page, settled = await _a_round(await open_table("football-poker"), screens, hidden=4)
    await expect(page.locator(".outcome").first).to_be_visible()
    draw, numbers = settled["round"]["draw"], settled["settlement"]["draw"]
    shown = page.locator(".draw")
    await expect(shown).to_have_attribute("data-series", draw["series"])
    await expect(shown).to_have_attribute("data-combination", str(draw["combination"]))
    for series in ("upper", "lower"):
        said = await shown.locator(f".range-{series} li").all_inner_texts()
        assert [int(number) for number in said] == numbers[series]
    totals = {str(place["place"]): str(place["total"]) for place in settled["settlement"]["places"]}
    for place in settled["round"]["places"]:
        assert await cards_on(page, place["place"]) == place["cards"]
        tile = page.locator(f"[data-place='{place['place']}']")
        await expect(tile.locator(".total")).to_have_text(totals[str(place["place"])])
    assert await _signs(page) == _outcomes(settled)


async def test_the_winning_section_of_the_wheel_stands_under_the_indicator(
    open_table: OpenTable, screens: Screens
) -> None:
    table = await open_table("wheel-of-fortune")
    page, settled = await _a_round(table, screens)
    await expect(page.locator(".winning")).to_be_visible()
    symbol = settled["round"]["spin"]["symbol"]
    stopped = (await table.events("wheel.stopped"))[-1]["data"]
    await expect(page.locator(".winning")).to_have_attribute("data-symbol", str(symbol))
    won = page.locator(".section-won")
    await expect(won).to_have_attribute("data-section", str(stopped["section"]))
    await expect(won).to_have_attribute("data-symbol", str(symbol))
    assert await page.evaluate(UNDER_THE_INDICATOR) == str(stopped["section"])
    layout = (await table.state())["round"]["wheel"]["layout"]
    drawn = await page.locator(".section").evaluate_all("all => all.map(x => Number(x.dataset.symbol))")
    assert drawn == layout


async def test_the_dice_of_banker_and_places_are_shown_as_thrown(open_table: OpenTable, screens: Screens) -> None:
    page, settled = await _a_round(await open_table("chinese-dice"), screens, hidden=0)
    await expect(page.locator(".outcome").first).to_be_visible()
    banker = settled["round"]["banker"]
    assert await _dice(page, ".banker") == banker["throws"][-1]
    for place in settled["round"]["places"]:
        last = place["throws"][-1] if place["throws"] else []
        assert await _dice(page, f"[data-place='{place['place']}']") == last


async def test_tiers_of_13_cards_are_shown_with_points_and_outcome(open_table: OpenTable, screens: Screens) -> None:
    page, settled = await _a_round(await open_table("thirteen-cards"), screens, hidden=39, clock=True)
    await expect(page.locator(".points").first).to_be_visible()
    assert await cards_on(page, "banker") == _laid(settled["round"]["banker"]["rows"])
    for place, result in zip(settled["round"]["places"], settled["settlement"]["places"], strict=True):
        assert await cards_on(page, place["place"]) == _laid(place["rows"])
        tile = page.locator(f"[data-place='{place['place']}']")
        points = result["points"]
        await expect(tile.locator(".points")).to_contain_text(f"{points['player']} : {points['banker']}")
    assert await page.locator(".clock").count() == 0


async def _a_round(
    table: Table, screens: Screens, *, hidden: int = 0, clock: bool = False
) -> tuple[Page, dict[str, Any]]:
    """A round that people play before the screens, and what the journal has of it.

    Args:
        hidden: how many cards have to be seen face down at once, at least.
        clock: whether a clock has to be seen.
    """
    eyes = await watched(table, screens)
    settled = await play_a_round(table, eyes.look)
    await expect(eyes.wall.locator(".last .newest")).to_be_visible()
    await eyes.look_closely("result")
    assert eyes.backs >= hidden
    assert bool(eyes.figures) is clock
    assert all(re.fullmatch(r"[45]:\d\d", figure) for figure in eyes.figures)
    assert await barriers(eyes.wall) == []
    await expect(eyes.wall.locator(".demo-band")).to_contain_text("DEMO")
    names = {bet["bettor"] for bet in _bets(settled["settlement"])}
    page = await eyes.wall.content()
    assert names
    assert not [name for name in names if name in page]
    return eyes.wall, settled


async def _dice(page: Page, where: str) -> list[int]:
    labels = await page.locator(f"{where} >> svg.die").evaluate_all("all => all.map(x => Number(x.ariaLabel))")
    return [int(label) for label in labels]


def _laid(rows: list[list[str]]) -> list[str]:
    """The cards of three tiers, one after the other."""
    return list(chain.from_iterable(rows))


SIGNS = {"win": "✓", "lose": "✗", "push": "=", "half_lost": "½"}


async def _signs(page: Page) -> dict[str, set[str]]:
    """The signs beside the bets of each place."""
    shown: dict[str, set[str]] = {}
    for tile in await page.locator(".place:has(.outcome)").all():
        place = await tile.get_attribute("data-place") or ""
        shown[place] = set(await tile.locator(".outcome-sign").all_inner_texts())
    return shown


def _outcomes(settled: dict[str, Any]) -> dict[str, set[str]]:
    """The same, from the settlement."""
    places = settled["settlement"]["places"]
    found = {str(place["place"]): {SIGNS[bet["outcome"]] for bet in place["bets"]} for place in places}
    return {place: signs for place, signs in found.items() if signs}


def _bets(settlement: dict[str, Any]) -> list[dict[str, str]]:
    """All bets of a settlement, whatever the game."""
    places = settlement.get("places")
    if not isinstance(places, list):
        return list(settlement["bets"])
    return [bet for place in places for bet in place["bets"]]
