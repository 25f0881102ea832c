"""In every game a mistake is put right at the dealer's page, in a round that is open and in one that is over."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.async_api import expect

from tests.pages.conftest import OpenTable
from tests.pages.support import PINS, Screens, barriers
from tests.pages.support_dealer import Dealer, dealer_at
from tests.pages.support_play import pack
from tests.pages.support_stages import BANKER, PLAYER, at_stage
from tests.pages.test_dealer_screen import fits
from tests.support.long import by_turn

HIDDEN = """pad => {
  const seen = (one, x, y) => one.contains(document.elementFromPoint(x, y));
  return [...pad.querySelectorAll('button, output')].filter(one => {
    const {x, y, width, height} = one.getBoundingClientRect();
    return !seen(one, x + width / 2, y + 2) || !seen(one, x + width / 2, y + height - 2);
  }).map(one => one.outerHTML.slice(0, 120));
}"""
"""What of a pad a person doesn't see, or doesn't see whole, without scrolling."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """What is put right, when, and how.

    Args:
        stage: of the round, at which it is noticed.
        say: says on the page what is so, and returns it.
        at: where it lies on the felt, and is touched; in the list, where that isn't told.
        was: what is known of it before.
    """

    game: str
    stage: str
    fact: str
    say: Callable[[Dealer], Awaitable[dict[str, Any]]]
    at: str = ""
    was: dict[str, Any] = field(default_factory=dict[str, Any])


async def _withdraws(dealer: Dealer) -> dict[str, Any]:
    await dealer.tap(".form [data-field=decision]")
    await dealer.choose("withdraw")
    return {"decision": "withdraw"}


async def _lies_at_2(dealer: Dealer) -> dict[str, Any]:
    await dealer.choose(2)
    return {"lies": 2}


async def _six_of_diamonds(dealer: Dealer) -> dict[str, Any]:
    await dealer.tap(".form [data-field=card]")
    await dealer.cards(pack("6d"))
    return {"card": "6d"}


async def _another_section(dealer: Dealer) -> dict[str, Any]:
    read = (await dealer.table.state())["round"]["rotation"]["section"]
    section = 18 if read == 17 else 17
    await dealer.tap(".form [data-field=section]")
    await dealer.choose(section)
    return {"section": section}


async def _stake_of_200(dealer: Dealer) -> dict[str, Any]:
    await dealer.tap(".form [data-field=stake]")
    for _ in range(2):
        await dealer.tap(".form [data-chip='100']")
    await dealer.ok()
    return {"stake": "200.00"}


async def _throw_of_1_2_2(dealer: Dealer) -> dict[str, Any]:
    await dealer.tap(".form [data-field=dice]")
    for face in (1, 2, 2):
        await dealer.tap(f".form [data-face='{face}']")
    await dealer.ok()
    return {"dice": [1, 2, 2]}


def _exchanged(hand: str, low: str, high: str) -> Callable[[Dealer], Awaitable[dict[str, Any]]]:
    """The last card of the first tier and the last of the second lie in each other's tier."""

    async def say(dealer: Dealer) -> dict[str, Any]:
        await dealer.tap(".form [data-field=rows]")
        for card in (low, high):
            await dealer.tap(f"[data-slot='{card}']")
        await dealer.ok()
        cards = hand.replace(low, "-").replace(high, low).replace("-", high).split()
        return {"rows": [cards[:3], cards[3:8], cards[8:]]}

    return say


SECOND_TIER = "[data-place='2'] [data-tier='2'] button"
THROWN = "[data-place='2'] .thrown .at-place"
SECOND_CARD = "[data-place='7'] .fan .at-place:nth-child(2)"
DECISION = "[data-place='1'] .at-place:has(.decided)"

MISTAKES = [
    Mistake("q-poker", "deciding", "decide", _withdraws, DECISION, {"decision": "play"}),
    Mistake("football-poker", "dealing", "card", _lies_at_2, SECOND_CARD, {"lies": 7}),
    Mistake("football-poker", "result", "card", _six_of_diamonds),
    Mistake("wheel-of-fortune", "stopped", "spin", _another_section, ".rotation-symbol .at-place"),
    Mistake("wheel-of-fortune", "result", "spin", _another_section),
    Mistake("chinese-dice", "throwing", "bet", _stake_of_200, "[data-spot='2/place'] .at-place", {"place": 2}),
    Mistake("chinese-dice", "result", "dice", _throw_of_1_2_2, THROWN, {"dice": [5, 5, 4]}),
    Mistake("thirteen-cards", "setting", "show_tiers", _exchanged(BANKER, "5c", "Kc")),
    Mistake("thirteen-cards", "result", "show_tiers", _exchanged(PLAYER, "6c", "Ac"), SECOND_TIER),
]


@pytest.mark.parametrize("mistake", by_turn(MISTAKES, 3), ids=lambda one: f"{one.game}-{one.stage}")
async def test_what_was_wrong_is_put_right_with_a_supervisor(
    open_table: OpenTable, screens: Screens, mistake: Mistake
) -> None:
    table = await open_table(mistake.game)
    dealer = await dealer_at(table, screens)
    await at_stage(table, mistake.stage)
    await dealer.caught_up()
    page = dealer.page
    await dealer.tap("[data-tab=amend]")
    if mistake.at:
        await expect(page.locator(mistake.at)).to_have_count(1)
        assert await barriers(page) + await fits(page) == []
    await dealer.tap(mistake.at or f"[data-fact={mistake.fact}] [data-amend=it_is]")
    await expect(page.locator(f"[data-amend-sheet={mistake.fact}]")).to_be_visible()
    so = await mistake.say(dealer)
    await dealer.tap("[data-reason=misread]")
    await expect(page.locator(".form .pin .name")).to_have_count(1)
    assert await page.locator(".form .pin").evaluate(HIDDEN) == []
    assert await fits(page) == []
    assert await table.events("round.amended") == []
    await dealer.sign("rui", PINS["rui"])
    await dealer.tap("[data-amend-seen]")
    (amended,) = await table.events("round.amended")
    assert (amended["data"]["by"], amended["data"]["second"]) == ("ana", "rui")
    ((was, now),) = [(each["was"], each["now"]) for each in amended["data"]["changes"]]
    assert {name: now[name] for name in so} == so
    assert {name: was[name] for name in mistake.was} == mistake.was


async def test_throws_alike_are_told_apart_by_their_order(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("chinese-dice")
    dealer = await dealer_at(table, screens)
    await at_stage(table, "throwing")
    for place in (2, 5):
        table.bench.dice.throw((5, 5, 4))
        await table.until("the payment", lambda now: now["phase"] == "paying")
        if place == 2:
            await table.ask("pay_place", place=place)
    await dealer.caught_up()
    await dealer.tap("[data-tab=amend]")
    await expect(dealer.page.locator(".thrown .at-place")).to_have_count(3)
    thrown = [dealer.page.locator(f"[data-place='{place}'] .thrown .at-place") for place in (1, 2, 5)]
    records = [int(await one.get_attribute("data-at-place") or "") for one in thrown]
    assert records == sorted(set(records))
