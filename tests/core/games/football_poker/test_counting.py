"""What the reader may have missed is counted: reading 9."""

import pytest

from tests.support.football_poker import new_table
from tests.support.football_poker_deals import all_dealt
from tests.support.poker import SHOE, voided
from tests.support.sitting import refused


@pytest.mark.article("football_poker", "reading 9")
def test_count_takes_in_dead_hands_and_cards_without_a_place() -> None:
    table = all_dealt(1)
    table.misplace(4)
    table.draw("7c", "3c")
    assert refused(table.count(6)) is None
    assert voided(table.count(5)) == ("6(3)", "count_differs")


def test_between_rounds_and_before_the_betting_no_cards_are_counted() -> None:
    table = new_table()
    assert refused(table.count(0)) == ("6(1)", "no_round")
    assert refused(table.ready().count(0)) == ("6(3)", "no_cards_out")


@pytest.mark.article("football_poker", "reading 9")
def test_shoe_lost_in_the_draw_may_have_missed_a_card() -> None:
    table = new_table().ready()
    table.open_round()
    table.lose(SHOE)
    table.commit()
    table.show()
    table.bet(1)
    table.attach(SHOE)
    assert table.prompt() == "count"
    table.count(0)
    assert table.prompt() == "betting"
