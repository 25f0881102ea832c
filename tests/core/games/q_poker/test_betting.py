"""The places and the bets, and what ends the betting: articles 2, 5 and 6."""

import pytest

from tablectl.core.bets.stakes import Limits
from tablectl.core.events.round import BetPlaced, BetRefused, BettingOver, BetWithdrawn, RoundBegan, Settled
from tablectl.core.facts.game_requests import Dealing
from tablectl.core.facts.table_requests import BetOffered
from tablectl.core.faults import Code
from tests.support.poker import said
from tests.support.q_poker import PAIR, VERSUS, accepted, new_table, pair, versus
from tests.support.sitting import refused
from tests.support.ways import both_ways


@pytest.mark.article("q_poker", "2.1")
@pytest.mark.article("q_poker", "reading 26")
@pytest.mark.parametrize("place", [0, -1, 8, 99])
def test_a_place_that_the_table_lacks_takes_no_bet(place: int) -> None:
    table = new_table(places=7).begin()
    assert refused(table.bet(place)) == ("2.1", "no_such_place")


@pytest.mark.article("q_poker", "2.1")
def test_seven_places_and_the_dealers_make_the_eight_seats() -> None:
    table = new_table().begin()
    assert table.all_of(RoundBegan)[-1].places == (1, 2, 3, 4, 5, 6, 7)
    assert all(accepted(table.bet(place)) for place in range(1, 8))


@pytest.mark.article("q_poker", "2.2")
@pytest.mark.article("q_poker", "5.1")
def test_each_place_has_space_for_either_bet_and_no_other() -> None:
    table = new_table().begin()
    assert accepted(table.bet(1, bet=PAIR))
    assert accepted(table.bet(1, bet=VERSUS))
    assert refused(table.bet(1, bet="tie")) == ("5.1", "no_such_bet_name")


@pytest.mark.article("q_poker", "5.2")
@pytest.mark.parametrize("bets", [[PAIR], [VERSUS], [PAIR, VERSUS]])
def test_a_bettor_makes_either_bet_alone_or_both(bets: list[str]) -> None:
    table = new_table().begin(*(BetOffered(1, "ann", bet, 10_00) for bet in bets)).deal()
    (place,) = table.finish().settlement["places"]
    assert [bet["bet"] for bet in place["bets"]] == bets


@pytest.mark.article("q_poker", "6.1")
def test_bettors_may_bet_on_several_hands_and_share_one() -> None:
    table = new_table().begin(versus(1, "ann"), versus(3, "ann"), versus(1, "bob"), pair(1, "cy")).deal()
    settled = table.finish()
    assert [[bet["bettor"] for bet in place["bets"]] for place in settled.round["places"]] == [
        ["ann", "bob", "cy"],
        ["ann"],
    ]


@pytest.mark.article("q_poker", "6.1")
def test_chips_on_the_same_space_add_up() -> None:
    table = new_table().begin(versus(stake=100_00), versus(stake=50_00))
    assert [bet.stake for bet in table.state.bets] == [150_00]
    assert [event.stake for event in table.all_of(BetPlaced)] == ["100.00", "50.00"]


@pytest.mark.article("q_poker", "6.1")
@pytest.mark.parametrize(("bettor", "stake"), [("", 100), ("ann", 0), ("ann", -100)])
def test_a_bet_needs_a_bettor_and_a_stake(bettor: str, stake: int) -> None:
    table = new_table().begin()
    assert refused(table.bet(1, bettor, VERSUS, stake)) == ("table", "empty_bet")


@pytest.mark.article("q_poker", "6.2")
@both_ways
def test_the_first_card_closes_the_betting(dealing: Dealing) -> None:
    table = new_table(dealing).begin(versus(), pair())
    first = table.draw("As") if dealing is Dealing.SHOE else table.packet()
    over = said(first, BettingOver)
    assert (over.by, over.total_stakes) == ("first_card", "110.00")
    assert refused(table.bet(2)) == ("6(2)", "betting_over")
    assert refused(table.take_back()) == ("6(2)", "betting_over")


@pytest.mark.article("q_poker", "6.2")
def test_no_more_bets_once_the_dealer_has_called_it() -> None:
    table = new_table().begin(versus())
    assert said(table.close(), BettingOver).by == "dealer"
    assert refused(table.bet(2)) == ("6(2)", "betting_over")
    assert refused(table.take_back()) == ("6(2)", "betting_over")
    assert refused(table.close()) == ("6(2)", "betting_over")


@pytest.mark.article("q_poker", "6.2")
def test_the_betting_ends_once_only() -> None:
    table = new_table().begin(versus())
    table.close()
    table.draw("As")
    assert [event.by for event in table.all_of(BettingOver)] == ["dealer"]


@pytest.mark.article("q_poker", "6.2")
@both_ways
def test_no_bet_is_taken_from_first_card_to_settlement(dealing: Dealing) -> None:
    table = new_table(dealing).begin(versus()).deal()
    for step in (table.turn_up_players, table.decide_all):
        assert refused(table.bet(2)) == ("6(2)", "betting_over")
        step()
    assert refused(table.bet(2)) == ("6(2)", "betting_over")
    table.turn_up("dealer")
    assert refused(table.bet(2)) == ("table", "no_round")


@pytest.mark.article("q_poker", "6.2")
def test_a_refused_bet_is_published_with_its_article() -> None:
    table = new_table().begin(versus())
    table.close()
    event = said(table.bet(2, "bob", PAIR, 5_00), BetRefused)
    assert (event.place, event.bettor, event.bet, event.stake, event.article) == (
        2,
        "bob",
        PAIR,
        "5.00",
        "6(2)",
    )
    assert event.round_id == table.state.round_id


@pytest.mark.article("q_poker", "6.2")
def test_a_bet_is_taken_back_whole_while_betting_is_open() -> None:
    table = new_table().begin(versus(stake=100_00), versus(stake=50_00), pair())
    event = said(table.take_back(), BetWithdrawn)
    assert event.stake == "150.00"
    assert [bet.bet for bet in table.state.bets] == [PAIR]
    assert refused(table.take_back()) == ("6(1)", "no_such_bet")


@pytest.mark.article("q_poker", "6.1")
def test_nobody_takes_back_the_bet_of_another() -> None:
    table = new_table().begin(versus(1, "ann"))
    assert refused(table.take_back(1, "bob")) == ("6(1)", "no_such_bet")
    assert refused(table.take_back(2, "ann")) == ("6(1)", "no_such_bet")
    assert refused(table.take_back(1, "ann", PAIR)) == ("6(1)", "no_such_bet")
    assert len(table.state.bets) == 1


@pytest.mark.article("q_poker", "7")
def test_betting_without_a_bet_is_not_closed() -> None:
    table = new_table().begin()
    assert refused(table.close()) == ("7", "no_bets")


@pytest.mark.parametrize("stake", [99, 1_000_01, 150])
def test_the_house_sets_limits_and_a_step(stake: int) -> None:
    table = new_table(limits=Limits(1_00, 1_000_00, 1_00)).begin()
    assert refused(table.bet(stake=stake)) == ("table", "stake_outside_limits")


def test_the_limits_hold_for_all_chips_on_a_space_together() -> None:
    table = new_table(limits=Limits(10_00, 100_00, 5_00)).begin(versus(stake=90_00))
    assert refused(table.bet(stake=15_00)) == ("table", "stake_outside_limits")
    assert accepted(table.bet(stake=10_00))
    assert accepted(table.bet(bettor="bob", stake=100_00))
    assert accepted(table.bet(bet=PAIR, stake=100_00))
    assert refused(table.bet(stake=5_00)) == ("table", "stake_outside_limits")


@pytest.mark.article("q_poker", "6.2")
def test_standing_fault_does_not_hide_that_bet_came_too_late() -> None:
    table = new_table().begin(versus())
    table.raise_fault(Code.STORAGE_LOW, "")
    table.close()
    assert refused(table.bet(2)) == ("6(2)", "betting_over")


def test_bets_stay_when_the_way_of_dealing_changes() -> None:
    table = new_table(Dealing.SHUFFLER).begin(versus(), pair(2))
    table.close()
    table.change(Dealing.SHOE)
    assert [bet.place for bet in table.state.bets] == [1, 2]
    table.confirm_pack()
    table.deal()
    assert isinstance(table.finish(), Settled)
