"""Opening a round: one after another, with the device that deals it, and while no fault forbids."""

import pytest

from tablectl.core.events.round import BetRefused, RoundBegan
from tablectl.core.facts.card_requests import Dealing
from tablectl.core.faults import Code
from tests.support.poker import SHOE, SHUFFLER, said
from tests.support.q_poker import accepted, new_table, versus
from tests.support.sitting import refused
from tests.support.ways import both_ways


@pytest.mark.article("q_poker", "6.4")
def test_one_round_follows_another() -> None:
    table = new_table().begin(versus())
    assert refused(table.open_round()) == ("6(4)", "round_open")
    first = table.state.round_id
    table.deal().finish()
    table.begin()
    assert table.state.round_id != first
    assert [event.round_id for event in table.all_of(RoundBegan)] == [first, table.state.round_id]


def test_between_rounds_nothing_can_be_bet_or_voided() -> None:
    table = new_table()
    assert refused(table.bet()) == ("table", "no_round")
    assert refused(table.void()) == ("table", "no_round")
    assert refused(table.count(0)) == ("table", "no_round")
    assert said(table.bet(), BetRefused).round_id is None


@both_ways
def test_a_round_needs_the_device_that_deals_it(dealing: Dealing) -> None:
    table = new_table(dealing)
    table.confirm_pack()
    table.lose(SHOE if dealing is Dealing.SHOE else SHUFFLER)
    assert refused(table.open_round()) == ("table", "device_missing")
    table.attach(SHOE if dealing is Dealing.SHOE else SHUFFLER)
    assert accepted(table.open_round())


@both_ways
def test_a_round_does_not_need_the_other_device(dealing: Dealing) -> None:
    table = new_table(dealing)
    table.confirm_pack()
    table.lose(SHUFFLER if dealing is Dealing.SHOE else SHOE)
    assert accepted(table.open_round())


def test_a_table_without_a_shuffler_deals_from_the_shoe_only() -> None:
    table = new_table(shuffler="").begin(versus())
    assert refused(table.change(Dealing.SHUFFLER)) == ("table", "device_missing")
    table.deal().finish()
    table.confirm_pack()
    assert refused(table.open_round(Dealing.SHUFFLER)) == ("table", "device_missing")


def test_stopping_fault_lets_no_round_or_bet_begin() -> None:
    table = new_table().begin(versus())
    table.raise_fault(Code.STORAGE_LOW, "")
    assert refused(table.bet(2)) == ("table", "fault_stands")
    table.deal().finish()
    table.confirm_pack()
    assert refused(table.open_round()) == ("table", "fault_stands")


@pytest.mark.article("q_poker", "11.5")
def test_a_shuffler_whose_malfunction_stands_deals_no_round() -> None:
    table = new_table(Dealing.SHUFFLER).begin(versus())
    table.packet()
    table.raise_fault(Code.SHUFFLER_JAM)
    assert refused(table.open_round()) == ("11(5)", "fault_stands")
    table.confirm_pack()
    assert accepted(table.open_round(Dealing.SHOE))
    assert refused(table.change(Dealing.SHUFFLER)) == ("11(5)", "fault_stands")


@pytest.mark.article("q_poker", "11.5")
def test_shuffler_deals_again_once_a_person_confirms_its_repair() -> None:
    table = new_table(Dealing.SHUFFLER).begin(versus())
    table.packet()
    table.raise_fault(Code.SHUFFLER_JAM)
    table.acknowledge(Code.SHUFFLER_JAM, SHUFFLER)
    assert refused(table.open_round()) == ("11(5)", "fault_stands")
    table.clear_fault(Code.SHUFFLER_JAM)
    assert accepted(table.open_round())


def test_opening_names_the_game_and_its_rules() -> None:
    table = new_table()
    table.confirm_pack()
    event = said(table.open_round(), RoundBegan)
    assert (event.game, event.rules_version) == ("q_poker", "89/2004")
