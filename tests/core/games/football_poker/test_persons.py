"""What persons do: cards held by another, a round ended by the supervisor, and who is named."""

import pytest

from tablectl.core.cards import COMMON
from tablectl.core.events.round import Irregular, Settled, Voided
from tablectl.core.facts.card_requests import Dealing
from tablectl.core.facts.table_requests import IrregularityDeclared
from tablectl.core.games.football_poker.state import Phase
from tests.support.football_poker import bet, new_table
from tests.support.football_poker_deals import all_dealt, dealing_to, in_phase
from tests.support.poker import SHOE, irregularity, said
from tests.support.sitting import refused
from tests.support.ways import both_ways


@pytest.mark.article("football_poker", "5.3")
def test_cards_held_by_a_stranger_to_the_place_are_noted() -> None:
    table = all_dealt(1)
    effects = table.tell(IrregularityDeclared("held_by_another", 1, "bob"))
    assert irregularity(effects) == ("5(3)", "held_by_another", "continues")
    assert refused(table.tell(IrregularityDeclared("held_by_another", COMMON))) == ("5(1)", "no_such_place")
    assert table.finish().irregularities == ("5(3)",)


@pytest.mark.article("football_poker", "5.4")
def test_common_cards_handled_by_a_player_are_noted() -> None:
    table = all_dealt(1)
    effects = table.tell(IrregularityDeclared("common_handled"))
    assert irregularity(effects) == ("5(4)", "common_handled", "continues")
    assert said(effects, Irregular).place == COMMON
    assert table.finish().irregularities == ("5(4)",)


def test_an_irregularity_of_another_kind_is_not_known_here() -> None:
    table = all_dealt(1)
    assert refused(table.tell(IrregularityDeclared("looked_early", 1))) == ("table", "no_such_kind")
    early = new_table().begin(bet())
    assert refused(early.tell(IrregularityDeclared("common_handled"))) == ("6(3)", "no_cards_out")


@both_ways
@pytest.mark.parametrize("when", [phase for phase in Phase if phase is not Phase.IDLE])
def test_supervisor_ends_a_round_in_any_phase_returning_stakes(dealing: Dealing, when: Phase) -> None:
    table = in_phase(when, dealing)
    bets = table.state.bets
    assert refused(table.void("  ")) == ("table", "reason_missing")
    event = said(table.void("power cut"), Voided)
    assert (event.article, event.reason, event.by) == ("table", "power cut", "supervisor")
    assert [stake.bettor for stake in event.returned] == [laid.bettor for laid in bets]
    assert (table.phase, table.hands, table.state.bets) == (Phase.IDLE, (), ())
    assert not table.all_of(Settled)


def test_irregularity_names_person_who_reported_it_and_none_for_device() -> None:
    table = dealing_to(1, 2)
    table.expose(1)
    table.misplace(2)
    table.draw("Ks")
    assert [event.by for event in table.all_of(Irregular)] == ["dealer", None]
    assert table.all_of(Voided)[0].by == SHOE
