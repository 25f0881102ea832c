"""Opening a round: one after the other, with what deals it, and while no fault forbids. Articles 2(2) and 6(1)."""

import pytest

from tests.support.football_poker import new_table
from tests.support.sitting import refused


@pytest.mark.article("football_poker", "6.1")
def test_one_round_after_the_other() -> None:
    table = new_table()
    assert refused(table.bet()) == ("6(1)", "no_round")
    table.ready()
    for _ in range(2):
        assert refused(table.open_round()) == ("6(1)", "round_open")
        table.commit()
        table.show()
