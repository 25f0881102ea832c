"""Opening a round: one after another, with the device that deals it, and while no fault forbids."""

import pytest

from tablectl.core.events.round import BetRefused, RoundBegan
from tests.support.poker import said
from tests.support.q_poker import new_table, versus
from tests.support.sitting import refused


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


def test_opening_names_the_game_and_its_rules() -> None:
    table = new_table()
    table.confirm_pack()
    event = said(table.open_round(), RoundBegan)
    assert (event.game, event.rules_version) == ("q_poker", "89/2004")
