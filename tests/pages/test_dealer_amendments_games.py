"""In every game a mistake is put right at the dealer's page, in a round that is open and in one that is over."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import pytest
from playwright.async_api import expect

from tests.pages.conftest import OpenTable
from tests.pages.support import PINS, Screens
from tests.pages.support_dealer import Dealer, dealer_at
from tests.pages.support_play import pack
from tests.pages.support_stages import BANKER, PLAYER, at_stage
from tests.pages.test_dealer_screen import fits

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
    """

    game: str
    stage: str
    fact: str
    say: Callable[[Dealer], Awaitable[dict[str, Any]]]


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


MISTAKES = [
    Mistake("football-poker", "dealing", "card", _lies_at_2),
    Mistake("football-poker", "result", "card", _six_of_diamonds),
    Mistake("wheel-of-fortune", "stopped", "spin", _another_section),
    Mistake("wheel-of-fortune", "result", "spin", _another_section),
    Mistake("chinese-dice", "throwing", "bet", _stake_of_200),
    Mistake("chinese-dice", "result", "dice", _throw_of_1_2_2),
    Mistake("thirteen-cards", "setting", "show_tiers", _exchanged(BANKER, "5c", "Kc")),
    Mistake("thirteen-cards", "result", "show_tiers", _exchanged(PLAYER, "6c", "Ac")),
]


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda one: f"{one.game}-{one.stage}")
async def test_what_was_wrong_is_put_right_with_a_supervisor(
    open_table: OpenTable, screens: Screens, mistake: Mistake
) -> None:
    table = await open_table(mistake.game)
    dealer = await dealer_at(table, screens)
    await at_stage(table, mistake.stage)
    page = dealer.page
    await dealer.tap("[data-tab=amend]")
    await dealer.tap(f"[data-fact={mistake.fact}] [data-amend=it_is]")
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
    ((_, now),) = [(each["was"], each["now"]) for each in amended["data"]["changes"]]
    assert {name: now[name] for name in so} == so
