"""What is still to be paid and collected stands on the dealer's page with its amount, until it is paid."""

from playwright.async_api import Locator, expect

from tests.pages.conftest import OpenTable
from tests.pages.support import PINS, Screens, Table
from tests.pages.support_dealer import Dealer, dealer_at
from tests.pages.support_play import draw, pack

SECOND = {"person": "rui", "pin": PINS["rui"]}


async def pair_bets(table: Table) -> None:
    """A round whose bets on pairs are due, before the decision."""
    await table.ask("confirm_pack", shuffle="hand")
    await table.ask("open_round")
    await table.ask("bet", place=1, bettor="A", bet="versus_dealer", stake="100")
    await table.ask("bet", place=1, bettor="A", bet="pair_or_better", stake="50")
    await table.ask("bet", place=2, bettor="B", bet="versus_dealer", stake="100")
    await table.ask("bet", place=2, bettor="B", bet="pair_or_better", stake="100")
    await table.ask("close_betting")
    await draw(table, pack("Ks Qh Qd Kh 7h 2c 4d Td 3s"))
    await table.ask("open_hand", place=1)
    await table.ask("open_hand", place=2)


async def decided(table: Table) -> None:
    """The same round at its end."""
    await table.ask("decide", place=1, bettor="A", decision="play")
    await table.ask("decide", place=2, bettor="B", decision="play")
    await table.ask("open_hand", place="dealer")


def due(dealer: Dealer, bettor: str = "") -> Locator:
    """The lines of what is due beside the result."""
    return dealer.page.locator(f".due [data-due='{bettor}']" if bettor else ".due [data-due]")


async def paid(table: Table) -> list[int | None]:
    """The places that were paid; None is all."""
    return [event["data"]["place"] for event in await table.events("round.paid")]


async def test_pair_bets_are_paid_line_by_line_and_once(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("q-poker")
    dealer = await dealer_at(table, screens)
    await pair_bets(table)
    await expect(due(dealer)).to_have_count(2)
    await expect(due(dealer, "A")).to_contain_text("+50")
    await expect(due(dealer, "B")).to_contain_text("−100")
    await table.restart()
    dealer = await dealer_at(table, screens)
    await expect(due(dealer, "B")).to_contain_text("Collect")
    await dealer.tap(".due [data-pay='1']")
    await expect(due(dealer)).to_have_count(1)
    await dealer.tap(".due [data-pay='2']")
    await expect(due(dealer)).to_have_count(0)
    assert await paid(table) == [1, 2]
    await decided(table)
    await dealer.until_phase("paying")
    payments = dealer.page.locator(".result .payment")
    await expect(payments).to_have_count(4)
    await expect(payments.locator("[data-pay]")).to_have_count(2)
    for place in ("place 1", "place 2"):
        pair = payments.filter(has_text="Pair").filter(has_text=place)
        await expect(pair).to_have_attribute("data-paid", "true")
        await expect(pair.locator("[data-pay]")).to_have_count(0)


async def test_supervisor_agrees_to_a_round_before_payment(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("q-poker")
    dealer = await dealer_at(table, screens)
    await pair_bets(table)
    await table.ask("pay_place")
    await decided(table)
    await table.ask("confirm_pack", shuffle="hand")
    await dealer.do("open_round")
    await expect(dealer.notice()).to_contain_text("have a supervisor agree")
    await dealer.sign("rui", PINS["rui"])
    await dealer.until_phase("betting")
    assert (await table.events("round.irregular"))[-1]["data"]["code"] == "payments_outstanding"
    round_id = (await table.events("round.settled"))[-1]["data"]["round_id"]
    await expect(due(dealer)).to_have_count(2)
    await expect(due(dealer).first).to_contain_text(round_id)
    await dealer.tap(".due [data-pay='2']")
    await expect(due(dealer)).to_have_count(1)
    await dealer.tap(".due [data-pay='1']")
    await expect(due(dealer)).to_have_count(0)
    assert await paid(table) == [None, 2, 1]
    assert (await table.state())["phase"] == "betting"


async def over(table: Table) -> str:
    """The same round, paid; its name."""
    await pair_bets(table)
    await table.ask("pay_place")
    await decided(table)
    await table.ask("pay_place")
    return str((await table.events("round.settled"))[-1]["data"]["round_id"])


async def correct(table: Table, round_id: str, bettor: str, amount: str) -> None:
    """An amount by hand, after the payment."""
    changes = [{"bettor": bettor, "amount": amount}]
    await table.ask("correct_round", corrects=round_id, reason="misread", changes=changes, second=SECOND)


async def test_correction_after_payment_is_due_between_rounds(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("q-poker")
    dealer = await dealer_at(table, screens)
    round_id = await over(table)
    await dealer.until_phase("idle")
    await expect(due(dealer)).to_have_count(0)
    await correct(table, round_id, "A", "30")
    await correct(table, round_id, "B", "-20")
    await expect(due(dealer, "A")).to_contain_text("+30")
    await expect(due(dealer, "B")).to_contain_text("−20")
    await table.restart(kill=True)
    dealer = await dealer_at(table, screens)
    await expect(due(dealer)).to_have_count(2)
    await dealer.tap(".due [data-pay]")
    await expect(due(dealer)).to_have_count(0)
    assert (await table.state())["payment"] == []


async def test_correction_of_earlier_round_is_paid_in_the_next(open_table: OpenTable, screens: Screens) -> None:
    table = await open_table("q-poker")
    dealer = await dealer_at(table, screens)
    round_id = await over(table)
    await correct(table, round_id, "A", "-10")
    await table.ask("confirm_pack", shuffle="hand")
    await table.ask("open_round")
    await dealer.until_phase("betting")
    await expect(due(dealer)).to_contain_text(round_id)
    await dealer.tap(".due [data-pay]")
    await expect(due(dealer)).to_have_count(0)
    assert (await table.events("round.paid"))[-1]["data"]["taken_back"] == [{"bettor": "A", "amount": "10.00"}]
