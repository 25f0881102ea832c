"""What persons do: cards held away, a round ended by the supervisor, and who is named."""

import pytest

from tablectl.core.facts.game_requests import CardsHeldAway, Dealing
from tests.support.poker import irregularity
from tests.support.q_poker import new_table, versus
from tests.support.q_poker_deals import all_dealt
from tests.support.sitting import refused
from tests.support.ways import both_ways


@pytest.mark.article("q_poker", "6.3")
@pytest.mark.article("q_poker", "reading 14")
@pytest.mark.article("q_poker", "reading 26")
@both_ways
def test_cards_held_away_are_noted_and_play_goes_on(dealing: Dealing) -> None:
    table = all_dealt(1, dealing=dealing)
    effects = table.tell(CardsHeldAway(1, "ann"))
    assert irregularity(effects) == ("6(3)", "cards_held_away", "continues")
    assert table.finish().irregularities == ("6(3)",)


@pytest.mark.article("q_poker", "6.3")
def test_before_the_deal_nobody_holds_cards() -> None:
    table = new_table().begin(versus())
    assert refused(table.tell(CardsHeldAway(1, "ann"))) == ("6(3)", "no_cards_out")
    table.draw("As")
    assert refused(table.tell(CardsHeldAway(99))) == ("2.1", "no_such_place")
