"""Opening a round: one after the other, with what deals it, and while no fault forbids. Articles 2(2) and 6(1)."""

import pytest

from tablectl.core.facts.card_requests import Dealing
from tablectl.core.faults import Code
from tests.support.football_poker import bet, new_table
from tests.support.poker import SHOE, SHUFFLER
from tests.support.sitting import refused
from tests.support.ways import both_ways, other


@pytest.mark.article("football_poker", "6.1")
def test_one_round_after_the_other() -> None:
    table = new_table()
    assert refused(table.bet()) == ("6(1)", "no_round")
    table.ready()
    for _ in range(2):
        assert refused(table.open_round()) == ("6(1)", "round_open")
        table.commit()
        table.show()


@pytest.mark.article("football_poker", "2.2")
@both_ways
def test_a_round_needs_the_device_that_deals_it(dealing: Dealing) -> None:
    table = new_table(dealing)
    table.confirm_pack()
    name = SHOE if dealing is Dealing.SHOE else SHUFFLER
    table.lose(name)
    assert refused(table.open_round()) == ("table", "device_missing")
    assert table.prompt() == "device"
    table.attach(name)
    assert refused(table.open_round()) is None


@pytest.mark.article("football_poker", "2.2")
@both_ways
def test_table_with_one_of_the_two_deals_that_way_only(dealing: Dealing) -> None:
    lacking = {"shuffler": ""} if dealing is Dealing.SHOE else {"shoe": ""}
    table = new_table(dealing, **lacking).begin(bet())
    assert refused(table.change(other(dealing))) == ("table", "device_missing")
    assert table.deal().finish().round_id


@pytest.mark.article("football_poker", "2.2")
def test_a_shuffler_whose_malfunction_stands_deals_no_round() -> None:
    table = new_table(Dealing.SHUFFLER)
    table.raise_fault(Code.SHUFFLER_JAM)
    assert refused(table.open_round()) == ("2(2)", "fault_stands")
    assert table.prompt() == "fault"
    table.confirm_pack()
    assert refused(table.open_round(Dealing.SHOE)) is None
    assert refused(table.change(Dealing.SHUFFLER)) == ("2(2)", "fault_stands")


def test_stopping_fault_lets_no_round_or_bet_begin() -> None:
    table = new_table().begin(bet())
    table.raise_fault(Code.STORAGE_LOW, "")
    assert refused(table.bet(2)) == ("table", "fault_stands")
    table.deal().finish()
    assert table.prompt() == "fault"
    assert refused(table.open_round()) == ("table", "fault_stands")
