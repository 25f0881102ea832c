"""Opening a round, the bets, and the call: articles 2 and 3."""

import pytest

from tablectl.core.bets.stakes import Limits
from tablectl.core.events.round import BetPlaced, BetRefused, BettingOver, BetWithdrawn, RoundBegan
from tablectl.core.facts.table_requests import BetOffered, BetTakenBack
from tablectl.core.games.wheel_of_fortune.state import Phase
from tests.support.sitting import events, refused
from tests.support.wheel_of_fortune import (
    CALLED,
    CONFIRMED,
    OPENED,
    at_rest,
    bet,
    betting,
    closed,
    nets,
    new_table,
    settled,
    spinning,
    started,
    stopped,
)

BACK = BetTakenBack(1, "ann", "symbol_1")


@pytest.mark.article("wheel_of_fortune", "2")
def test_a_round_opens_with_the_tables_positions() -> None:
    table = new_table(places=3)
    table.does(OPENED)
    (event,) = table.all_of(RoundBegan)
    assert (event.game, event.rules_version, event.places) == ("wheel_of_fortune", "42/2003", (1, 2, 3))
    assert event.round_id == table.round_id
    assert table.phase == Phase.BETTING


@pytest.mark.article("wheel_of_fortune", "2")
def test_call_closes_betting_for_new_and_lying_bets() -> None:
    table = betting(bet(1, stake=30_00), bet(7, "bob", 12_50))
    (over,) = events(table.tell(CALLED))
    assert isinstance(over, BettingOver)
    assert (over.by, over.total_stakes) == ("dealer", "42.50")
    lying = table.state.bets
    for late in (bet(2), bet(1), BACK, CALLED):
        assert refused(table.tell(late)) == ("2", "betting_over")
    assert table.state.bets == lying


@pytest.mark.article("wheel_of_fortune", "2")
@pytest.mark.article("wheel_of_fortune", "reading 9")
def test_no_bet_is_taken_while_or_after_the_wheel_turns() -> None:
    table = closed()
    for step in (started(), stopped()):
        table.does(step)
        assert refused(table.tell(bet(2))) == ("2", "betting_over")
        assert refused(table.tell(BACK)) == ("2", "betting_over")
    table.does(CONFIRMED)
    assert refused(table.tell(bet(2))) == ("2", "no_round")


@pytest.mark.article("wheel_of_fortune", "2")
def test_before_the_call_a_bet_is_taken_back_whole() -> None:
    table = betting(bet(1, stake=30_00), bet(1, stake=20_00), bet(3))
    (gone,) = events(table.tell(BACK))
    assert isinstance(gone, BetWithdrawn)
    assert (gone.bettor, gone.bet, gone.stake) == ("ann", "symbol_1", "50.00")
    assert [lying.bet for lying in table.state.bets] == ["symbol_3"]
    assert refused(table.tell(BACK)) == ("3(1)", "no_such_bet")


@pytest.mark.article("wheel_of_fortune", "2")
def test_there_is_nothing_to_spin_for_without_a_bet() -> None:
    table = new_table()
    table.does(OPENED)
    assert refused(table.tell(CALLED)) == ("2", "no_bets")


@pytest.mark.article("wheel_of_fortune", "2")
def test_a_refused_bet_is_published_with_its_article() -> None:
    (event,) = events(closed().tell(bet(2, "bob", 5_00, place=4)))
    assert isinstance(event, BetRefused)
    assert (event.place, event.bettor, event.bet, event.stake, event.article) == (4, "bob", "symbol_2", "5.00", "2")


@pytest.mark.article("wheel_of_fortune", "3.1")
def test_layout_has_a_rectangle_for_each_symbol_and_no_other() -> None:
    table = betting(*(bet(symbol) for symbol in range(1, 8)))
    assert [lying.bet for lying in table.state.bets] == [f"symbol_{symbol}" for symbol in range(1, 8)]
    for other in (0, 8):
        assert refused(table.tell(bet(other))) == ("3(1)", "no_such_bet_name")


@pytest.mark.article("wheel_of_fortune", "3.1")
def test_chips_on_the_same_rectangle_add_up() -> None:
    table = betting(bet(stake=10_00), bet(stake=5_00))
    assert [lying.stake for lying in table.state.bets] == [15_00]
    assert [event.stake for event in table.all_of(BetPlaced)] == ["10.00", "5.00"]


@pytest.mark.article("wheel_of_fortune", "3.2")
def test_one_bettor_bets_on_several_sections_and_several_on_one() -> None:
    table = at_rest(bet(1, "ann"), bet(2, "ann"), bet(2, "bob"), symbol=2)
    table.does(CONFIRMED)
    assert nets(settled(table)) == {
        ("ann", "symbol_1"): "-100.00",
        ("ann", "symbol_2"): "300.00",
        ("bob", "symbol_2"): "300.00",
    }


@pytest.mark.article("wheel_of_fortune", "reading 4")
def test_the_two_single_sections_are_two_bets() -> None:
    table = at_rest(bet(6, stake=1_00), bet(7, stake=1_00), symbol=7)
    table.does(CONFIRMED)
    assert nets(settled(table)) == {("ann", "symbol_6"): "-1.00", ("ann", "symbol_7"): "45.00"}


def test_positions_tell_bets_apart_and_stay_out_of_the_settlement() -> None:
    table = at_rest(bet(1, place=1), bet(1, place=12))
    table.does(CONFIRMED)
    assert [event.place for event in table.all_of(BetPlaced)] == [1, 12]
    assert [set(bet) for bet in settled(table).round["bets"]] == [{"bettor", "bet", "stake"}] * 2


@pytest.mark.parametrize("place", [0, -1, 13, "dealer", "1", ""])
def test_a_position_that_the_table_lacks_takes_no_bet(place: int | str) -> None:
    assert refused(betting().tell(BetOffered(place, "bob", "symbol_1", 1))) == ("table", "no_such_place")


@pytest.mark.parametrize(("bettor", "stake"), [("", 100), ("ann", 0), ("ann", -100)])
def test_a_bet_needs_a_bettor_and_a_stake(bettor: str, stake: int) -> None:
    assert refused(betting().tell(bet(1, bettor, stake))) == ("table", "empty_bet")


@pytest.mark.parametrize("stake", [99, 1_000_01, 150])
def test_the_house_sets_limits_and_a_step(stake: int) -> None:
    table = betting(limits=Limits(1_00, 1_000_00, 1_00))
    assert refused(table.tell(bet(5, stake=stake))) == ("table", "stake_outside_limits")


def test_one_round_follows_another_under_a_name_of_its_own() -> None:
    table = spinning()
    assert refused(table.tell(OPENED)) == ("2", "round_open")
    table.does(stopped(), CONFIRMED, OPENED)
    first, second = table.all_of(RoundBegan)
    assert first.round_id != second.round_id
    assert table.state.bets == ()
