"""What the reader may have missed is counted: article 11(1)."""

import pytest

from tablectl.core.faults import Code
from tests.support.poker import SHOE, voided
from tests.support.q_poker import accepted, new_table, versus
from tests.support.q_poker_deals import dealing_to


@pytest.mark.article("q_poker", "11.1")
def test_count_takes_in_void_hands_and_cards_without_a_place() -> None:
    table = dealing_to(1)
    table.misplace(4)
    table.draw("2s", "Qs", "Ks", "7h", "Qd", "2c", "3c")
    assert accepted(table.count(8))
    assert voided(table.count(7)) == ("11(1)", "count_differs")


@pytest.mark.article("q_poker", "11.1")
def test_card_missed_while_older_fault_stands_makes_count_due() -> None:
    table = new_table()
    table.raise_fault(Code.EVENT_GAP, SHOE)
    table.begin(versus(1))
    table.draw("As")
    assert table.prompt() != "count"
    table.raise_fault(Code.EVENT_GAP, SHOE)
    assert table.prompt() == "count"
