"""The places, the bets, and what ends the betting. Articles 1, 4, 5 and 6."""

import pytest

from tablectl.core.bets.stakes import Limits
from tablectl.core.cards import COMMON, Place
from tablectl.core.events.round import BetPlaced, BetRefused, BettingOver, BetWithdrawn, RoundBegan
from tablectl.core.facts.game_requests import CardsHeldAway, Dealing
from tablectl.core.facts.table_requests import BetOffered
from tablectl.core.games.football_poker.state import Phase
from tests.support.football_poker import EVEN, LOWER, ODD, POST, UPPER, Sitting, bet, nets, new_table
from tests.support.poker import said
from tests.support.sitting import refused
from tests.support.ways import both_ways

FIVE_BETS = (UPPER, LOWER, EVEN, ODD, POST)


# --- places and bets


@pytest.mark.article("football_poker", "5.1")
@pytest.mark.article("football_poker", "5.2")
def test_ten_places_and_the_common_one_take_bets() -> None:
    table = new_table().begin()
    assert table.all_of(RoundBegan)[-1].places == (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, COMMON)
    assert all(refused(table.bet(place)) is None for place in (*range(1, 11), COMMON))


@pytest.mark.article("football_poker", "5.1")
@pytest.mark.parametrize("place", [0, -1, 11, "dealer", "", "1"])
def test_a_place_that_the_table_lacks_takes_no_bet(place: Place) -> None:
    assert refused(new_table().begin().bet(place)) == ("5(1)", "no_such_place")


@pytest.mark.article("football_poker", "5.1")
def test_a_smaller_table_has_fewer_places() -> None:
    table = new_table(places=4).begin()
    assert refused(table.bet(4)) is None
    assert refused(table.bet(5)) == ("5(1)", "no_such_place")


@pytest.mark.article("football_poker", "4.1")
@pytest.mark.article("football_poker", "4.2")
@pytest.mark.article("football_poker", "4.3")
@pytest.mark.article("football_poker", "4.4")
@pytest.mark.article("football_poker", "4.5")
def test_there_are_five_bets_and_no_other() -> None:
    table = new_table().begin()
    assert all(refused(table.bet(1, bet=name)) is None for name in FIVE_BETS)
    assert refused(table.bet(1, bet="tie")) == ("4", "no_such_bet_name")


@pytest.mark.article("football_poker", "1")
@pytest.mark.article("football_poker", "5.2")
@pytest.mark.article("football_poker", "5.3")
@pytest.mark.article("football_poker", "reading 8")
def test_anybody_bets_on_any_place_and_on_several() -> None:
    table = new_table().begin(bet(1), bet(1, ODD, "bob"), bet(2, ODD), bet(COMMON, EVEN, "bob"), bet(COMMON, ODD))
    settled = table.deal().finish()
    assert nets(settled) == {
        (1, "ann", EVEN): "-100.00",
        (1, "bob", ODD): "100.00",
        (2, "ann", ODD): "-100.00",
        (COMMON, "bob", EVEN): "100.00",
        (COMMON, "ann", ODD): "-100.00",
    }


@pytest.mark.article("football_poker", "6.2")
def test_chips_on_a_space_add_up_and_leave_whole() -> None:
    table = new_table().begin(bet(stake=100), bet(stake=50))
    assert [event.stake for event in table.all_of(BetPlaced)] == ["1.00", "0.50"]
    assert said(table.take_back(), BetWithdrawn).stake == "1.50"
    assert table.state.bets == ()


@pytest.mark.article("football_poker", "6.2")
def test_only_a_bet_that_lies_there_is_taken_back() -> None:
    table = new_table().begin(bet())
    assert refused(table.take_back(2)) == ("6(2)", "no_such_bet")
    assert refused(table.take_back(1, "bob")) == ("6(2)", "no_such_bet")
    assert refused(table.take_back(1, "ann", POST)) == ("6(2)", "no_such_bet")


def test_refused_bet_is_published_with_the_article_that_forbids_it() -> None:
    table = new_table().begin()
    event = said(table.bet(11, "ann", POST, 5_00), BetRefused)
    assert (event.article, event.place, event.stake, event.round_id) == ("5(1)", 11, "5.00", table.round_id)
    assert said(new_table().bet(), BetRefused).round_id is None


@pytest.mark.article("football_poker", "reading 10")
def test_the_house_may_take_stakes_in_steps_of_twenty_only() -> None:
    table = new_table(limits=Limits(least=20_00, most=200_00, step=20_00)).begin()
    for stake in (10_00, 30_00, 220_00):
        assert refused(table.bet(1, bet=UPPER, stake=stake)) == ("table", "stake_outside_limits")
    assert refused(table.bet(1, bet=UPPER, stake=40_00)) is None
    settled = table.deal().finish()
    assert settled.settlement["places"][0]["bets"][0]["commission"] == "2.00"


@pytest.mark.parametrize(("bettor", "stake"), [("", 100), ("ann", 0), ("ann", -5)])
def test_a_bet_is_somebodys_and_something(bettor: str, stake: int) -> None:
    assert refused(new_table().begin().bet(1, bettor, stake=stake)) == ("table", "empty_bet")


# --- the end of betting


@pytest.mark.article("football_poker", "6.2")
@pytest.mark.article("football_poker", "6.3")
@pytest.mark.article("football_poker", "reading 11")
@both_ways
def test_the_first_card_ends_the_betting(dealing: Dealing) -> None:
    table = new_table(dealing).begin(bet(), bet(2, POST, stake=5))
    effects = table.draw("As") if dealing is Dealing.SHOE else table.packet()
    over = said(effects, BettingOver)
    assert (over.by, over.total_stakes) == ("first_card", "100.05")
    late = [table.bet(), table.take_back(), table.close()]
    assert [refused(effects) for effects in late] == [("6(2)", "betting_over")] * 3


@pytest.mark.article("football_poker", "reading 11")
@both_ways
def test_the_dealer_may_end_the_betting_before(dealing: Dealing) -> None:
    table = new_table(dealing).begin(bet())
    assert said(table.close(), BettingOver).by == "dealer"
    assert table.phase == Phase.CLOSED
    assert refused(table.bet()) == ("6(2)", "betting_over")
    table.deal().finish()
    assert len(table.all_of(BettingOver)) == 1


@pytest.mark.article("football_poker", "6.3")
def test_betting_is_not_closed_where_nobody_has_bet() -> None:
    assert refused(new_table().begin().close()) == ("6(3)", "no_bets")


# --- the packs


def test_requests_of_other_games_are_refused() -> None:
    table: Sitting = new_table().begin(BetOffered(1, "ann", EVEN, 1))
    assert refused(table.tell(CardsHeldAway(1))) == ("table", "not_played_here")
