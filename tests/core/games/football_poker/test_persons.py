"""What persons do: cards held by another, a round ended by the supervisor, and who is named."""

import pytest

from tablectl.core.cards import COMMON
from tablectl.core.events.round import Irregular
from tablectl.core.facts.table_requests import IrregularityDeclared
from tests.support.football_poker import bet, new_table
from tests.support.football_poker_deals import all_dealt
from tests.support.poker import irregularity, said
from tests.support.sitting import refused


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
