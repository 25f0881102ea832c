"""What persons do: cards held away, a round ended by the supervisor, and who is named."""

import pytest

from tablectl.core.events.round import Irregular, Voided
from tablectl.core.facts.card_requests import CardsHeldAway, Dealing
from tablectl.core.games.q_poker.state import Phase
from tests.support.poker import SHOE, irregularity, said
from tests.support.q_poker import new_table, versus
from tests.support.q_poker_deals import all_dealt, dealing_to, in_phase
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


@both_ways
@pytest.mark.parametrize("when", [phase for phase in Phase if phase is not Phase.IDLE])
def test_supervisor_ends_a_round_in_any_phase_returning_stakes(dealing: Dealing, when: Phase) -> None:
    table = in_phase(when, dealing)
    assert refused(table.void("  ")) == ("table", "reason_missing")
    event = said(table.void("power cut"), Voided)
    assert (event.article, event.reason, event.by) == ("table", "power cut", "supervisor")
    assert [bet.stake for bet in event.returned] == ["100.00", "10.00"]
    assert table.phase == Phase.IDLE


def test_irregularity_names_person_who_reported_it_and_none_for_device() -> None:
    table = dealing_to(1, 2)
    table.expose(1)
    table.misplace(2)
    table.draw("Ks")
    assert [event.by for event in table.all_of(Irregular)] == ["dealer", None]
    assert table.all_of(Voided)[0].by == SHOE
