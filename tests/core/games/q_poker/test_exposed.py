"""Cards that show by mistake: article 11(2) and 11(3)."""

import pytest

from tablectl.core.cards import DEALER
from tablectl.core.events.round import CardShown, Settled, Voided
from tablectl.core.facts.game_requests import Dealing
from tablectl.core.games.q_poker.state import Phase
from tests.support.poker import irregularity, next_cards, said, voided
from tests.support.q_poker import accepted, nets, new_table, pair, versus
from tests.support.q_poker_deals import all_dealt, dealing_to, in_phase
from tests.support.sitting import refused
from tests.support.ways import BOTH_WAYS, both_ways


@pytest.mark.article("q_poker", "11.2")
@both_ways
@pytest.mark.parametrize("shown", [(1,), (1, 2), (1, 2, 3)])
def test_players_cards_that_show_change_neither_round_nor_bets(dealing: Dealing, shown: tuple[int, ...]) -> None:
    table = all_dealt(1, 2, dealing=dealing)
    bets = table.state.bets
    for index in shown:
        assert irregularity(table.expose(1, index)) == ("11(2)", "card_exposed", "continues")
    assert (table.phase, table.state.bets) == (Phase.OPENING, bets)
    settled = table.finish()
    assert settled.irregularities == ("11(2)",) * len(shown)
    assert nets(settled)[1, "ann", "versus_dealer"] == "150.00"


@pytest.mark.article("q_poker", "11.2")
@pytest.mark.article("q_poker", "reading 13")
@both_ways
def test_card_that_shows_in_deal_does_not_open_betting_again(dealing: Dealing) -> None:
    table = dealing_to(1, 2, dealing=dealing)
    table.expose(1)
    assert refused(table.bet(3)) == ("6(2)", "betting_over")
    assert refused(table.take_back(1)) == ("6(2)", "betting_over")
    assert accepted(next_cards(table, "9h"))


@pytest.mark.article("q_poker", "11.2")
def test_only_the_card_that_showed_is_published() -> None:
    table = dealing_to(1)
    table.draw("Qs", "Ks", "7h")
    effects = table.expose(1, 2)
    assert "Ks" in repr(effects)
    assert not any(name in repr(effects) for name in ("'As'", "'Qs'", "'7h'"))


@pytest.mark.article("q_poker", "11.3")
@pytest.mark.article("q_poker", "reading 11")
@pytest.mark.parametrize(
    ("dealing", "when"),
    [(Dealing.SHOE, Phase.DEALING)]
    + [(dealing, when) for dealing in BOTH_WAYS for when in (Phase.OPENING, Phase.DECIDING)],
)
def test_dealers_card_that_shows_before_decisions_makes_round_void(dealing: Dealing, when: Phase) -> None:
    table = in_phase(when, dealing)
    effects = table.expose(DEALER, 1)
    assert irregularity(effects) == ("11(3)", "dealer_card_exposed", "round_void")
    assert voided(effects) == ("11(3)", "dealer_card_exposed")
    assert said(effects, CardShown).place == DEALER
    assert table.phase == Phase.IDLE


@pytest.mark.article("q_poker", "11.3")
@pytest.mark.article("q_poker", "reading 11")
@both_ways
def test_once_all_is_decided_the_dealers_cards_may_show(dealing: Dealing) -> None:
    table = in_phase(Phase.SHOWDOWN, dealing)
    assert refused(table.expose(DEALER)) == ("11(2)", "no_longer_hidden")
    assert accepted(table.turn_up(DEALER))


@pytest.mark.article("q_poker", "11.3")
@pytest.mark.article("q_poker", "reading 19")
@both_ways
def test_bets_whose_result_was_already_shown_are_void_with_round(dealing: Dealing) -> None:
    table = new_table(dealing).begin(pair(1, "ann", 10_00), versus(1, "ann", 20_00)).deal()
    table.turn_up(1)
    assert table.phase == Phase.DECIDING
    event = said(table.expose(DEALER, 3), Voided)
    assert [(bet.bet, bet.stake) for bet in event.returned] == [
        ("pair_or_better", "10.00"),
        ("versus_dealer", "20.00"),
    ]
    assert not table.all_of(Settled)
