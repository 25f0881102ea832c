"""Steps of play that tests of the dealer's page share, past the page where the page isn't what is tested."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from playwright.async_api import expect

from tablectl.core.cards import Card
from tests.pages.support import Table
from tests.pages.support_dealer import Dealer


def pack(text: str) -> list[Card]:
    """Cards in the order in which they come."""
    return [Card(card) for card in text.split()]


def every_card() -> list[Card]:
    """A whole pack."""
    return [Card(f"{rank}{suit}") for suit in "shdc" for rank in "AKQJT98765432"]


def cards_out(state: dict[str, Any]) -> int:
    """How many cards lie on the table."""
    return sum(len(hand["cards"]) for hand in state["round"]["hands"])


async def draw(table: Table, cards: Sequence[Card], lying: int = 0) -> None:
    """Cards out of the shoe, each when the one before has been seen, onto a table where so many lie already."""
    for nth, card in enumerate(cards, lying + 1):
        await table.bench.shoe.draw(card)
        await table.until(f"card {nth}", partial(_has_come, nth))


async def spun(table: Table) -> None:
    """Spins until the table has seen where the wheel rests.

    On a busy machine its sensor may fall silent and be found anew, without its position, while the wheel turns.
    """
    while True:
        await table.bench.wheel.spin(4.0)
        seen = await table.until(
            "a word on the spin", lambda now: now["phase"] == "stopped" or _has_lost_the_wheel(now)
        )
        if seen["phase"] == "stopped":
            return
        await table.until("the sensor", lambda now: all(each["attached"] for each in now["devices"]))


def _has_lost_the_wheel(state: dict[str, Any]) -> bool:
    return any(fault["device"] == "wheel" and fault["present"] for fault in state["faults"])


def _has_come(nth: int, state: dict[str, Any]) -> bool:
    return _is_decided(state) or cards_out(state) == nth


def _is_decided(state: dict[str, Any]) -> bool:
    return state["phase"] == "idle" or any(due["part"] is None for due in state["payment"])


async def settlement(table: Table) -> dict[str, Any]:
    """What the journal has of the last round, which was settled."""
    await table.until("the end", _is_decided)
    return dict((await table.events("round.settled"))[-1]["data"]["settlement"])


async def declare(dealer: Dealer, verb: str, *answers: object) -> str:
    """Declares something out of the ordinary; returns the article that the page names before the last word.

    Where a second person is needed, their PIN is left to be put in.

    Args:
        answers: to the questions of the form, in their order; a text that begins with "#" is typed on digits.
    """
    await say(dealer, verb, *answers)
    article = dealer.page.locator(".orders .article")
    named = await article.inner_text() if await article.count() else ""
    await expect(dealer.page.locator(".orders")).to_be_visible()
    last = dealer.page.locator(".form .confirm, .form .pin")
    await expect(last).to_be_visible()
    if await last.and_(dealer.page.locator(".confirm")).count():
        await dealer.confirm()
    return named.removeprefix("art. ")


async def say(dealer: Dealer, verb: str, *answers: object) -> None:
    """Says what is out of the ordinary, up to the last word; the answers are as in `declare`."""
    await dealer.tap("[data-tab=irregular]")
    await dealer.do(verb)
    for said in answers:
        await _say(dealer, said)


async def _say(dealer: Dealer, said: object) -> None:
    match said:
        case None:
            await dealer.page.get_by_role("button", name="Not known, or none").tap()
        case str() if said.startswith("#"):
            await dealer.digits(int(said[1:]))
            await dealer.ok()
        case str() if said.startswith("card "):
            await dealer.cards(pack(said[5:]))
        case _:
            await dealer.choose(said)


async def recorded(table: Table) -> str:
    """The article of the last irregularity in the journal."""
    return str((await table.events("round.irregular"))[-1]["data"]["article"])


async def in_mid_round(table: Table) -> None:
    """Brings the table into a round with a bet, past the page."""
    begin = {
        "q-poker": _q_poker,
        "football-poker": _football_poker,
        "wheel-of-fortune": _wheel,
        "chinese-dice": _chinese_dice,
        "thirteen-cards": _thirteen_cards,
    }
    await begin[table.game](table)


async def box(table: Table) -> None:
    """A pack of 13 Cards shuffled by hand and machine, cut and boxed."""
    await table.ask("confirm_pack", shuffle="hand")
    await table.until("the machine's shuffle", lambda now: now["round"]["pack"] == "ready")
    await table.ask("confirm_pack", shuffle="machine")


async def _q_poker(table: Table) -> None:
    await table.ask("confirm_pack", shuffle="hand")
    await table.ask("open_round")
    await table.ask("bet", place=1, bettor="Ho Iat Meng", bet="versus_dealer", stake="1250")
    await table.ask("bet", place=1, bettor="B", bet="pair_or_better", stake="50")
    await table.ask("bet", place=4, bettor="C", bet="versus_dealer", stake="5000")
    await draw(table, pack("Ks Qh Qd 7h"))


async def _football_poker(table: Table) -> None:
    await table.ask("confirm_pack", shuffle="hand")
    await table.ask("open_round")
    await table.until("the draw", lambda now: now["phase"] == "betting")
    await table.ask("bet", place=1, bettor="Ho Iat Meng", bet="upper_range", stake="1240")
    await table.ask("bet", place="common", bettor="B", bet="odd", stake="20")


async def _wheel(table: Table) -> None:
    await table.ask("open_round")
    await table.ask("bet", place=4, bettor="Ho Iat Meng", bet="symbol_1", stake="1250")
    await table.ask("bet", place=12, bettor="B", bet="symbol_7", stake="10")


async def _chinese_dice(table: Table) -> None:
    for place, bettor in ((1, "A"), (2, "Ho Iat Meng"), (5, "C")):
        await table.ask("take_seat", place=place, bettor=bettor)
    await table.ask("take_bank", place=1, bettor="A", capital="1000")
    await table.ask("open_round")
    await table.ask("bet", place=2, bettor="Ho Iat Meng", bet="place", stake="100")
    table.bench.dice.throw((2, 2, 3))
    await table.until("the banker's throw", lambda now: now["phase"] == "throwing")


async def _thirteen_cards(table: Table) -> None:
    await table.ask("take_seat", place=2, bettor="Ho Iat Meng")
    await box(table)
    await table.ask("open_round")
    await table.ask("bet", place=2, bettor="Ho Iat Meng", bet="place", stake="300")
