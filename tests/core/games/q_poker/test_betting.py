"""Opening a round, the pack, and the bets: articles 1 to 3, 5 and 6."""

import pytest

from tablectl.core.events import BetPlaced, BetRefused, BettingOver, BetWithdrawn, RoundBegan, Settled
from tablectl.core.facts import BetOffered, Dealing, PackConfirmed, Shuffle, ShuffleCompleted, ShuffleFailed
from tablectl.core.faults import Code
from tablectl.core.games.q_poker.state import PackState, Phase
from tablectl.core.stakes import Limits
from tests.support.q_poker import (
    BOTH_WAYS,
    HANDS,
    PAIR,
    SHOE,
    SHUFFLER,
    VERSUS,
    accepted,
    irregularity,
    new_table,
    pair,
    said,
    shuffles,
    versus,
    voided,
)
from tests.support.sitting import refused

both_ways = pytest.mark.parametrize("dealing", BOTH_WAYS)


@pytest.mark.article("q_poker", "1.1")
def test_after_every_round_the_pack_is_shuffled_anew() -> None:
    table = new_table().begin(versus()).deal()
    table.finish()
    assert table.pack == PackState.NEEDED
    assert refused(table.open_round()) == ("3(1)", "pack_not_confirmed")
    table.confirm_pack()
    assert accepted(table.open_round())


@pytest.mark.article("q_poker", "2.1")
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
def test_each_place_has_a_space_for_either_bet_and_no_other() -> None:
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
def test_one_bettor_may_bet_on_several_hands_and_several_on_one() -> None:
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
def test_no_bet_is_taken_from_the_first_card_to_the_settlement(dealing: Dealing) -> None:
    table = new_table(dealing).begin(versus()).deal()
    for step in (table.turn_up_players, table.decide_all):
        assert refused(table.bet(2)) == ("6(2)", "betting_over")
        step()
    assert refused(table.bet(2)) == ("6(2)", "betting_over")
    table.turn_up("dealer")
    assert refused(table.bet(2)) == ("6(4)", "no_round")


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


@pytest.mark.article("q_poker", "6.4")
def test_one_round_follows_another() -> None:
    table = new_table().begin(versus())
    assert refused(table.open_round()) == ("6(4)", "round_open")
    first = table.state.round_id
    table.deal().finish()
    table.begin()
    assert table.state.round_id != first
    assert [event.round_id for event in table.all_of(RoundBegan)] == [first, table.state.round_id]


@pytest.mark.article("q_poker", "6.4")
def test_between_rounds_there_is_nothing_to_bet_on_or_to_void() -> None:
    table = new_table()
    assert refused(table.bet()) == ("6(4)", "no_round")
    assert refused(table.void()) == ("6(4)", "no_round")
    assert refused(table.count(0)) == ("6(4)", "no_round")
    assert said(table.bet(), BetRefused).round_id is None


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


@pytest.mark.article("q_poker", "3.1")
@pytest.mark.parametrize("shuffle", Shuffle)
def test_a_shoe_round_opens_only_with_a_whole_shuffled_pack_in_the_shoe(shuffle: Shuffle) -> None:
    table = new_table()
    assert refused(table.open_round()) == ("3(1)", "pack_not_confirmed")
    table.tell(PackConfirmed(shuffle))
    assert accepted(table.open_round())
    assert table.phase == Phase.BETTING


@pytest.mark.article("q_poker", "3.1")
def test_no_new_pack_goes_into_the_shoe_while_cards_lie_on_the_table() -> None:
    table = new_table().begin(versus()).deal()
    assert refused(table.confirm_pack()) == ("11(1)", "pack_in_play")
    table.turn_up_players()
    assert refused(table.confirm_pack()) == ("11(1)", "pack_in_play")


@pytest.mark.article("q_poker", "3.2")
def test_a_shuffler_round_has_the_machine_shuffle_at_once() -> None:
    table = new_table(Dealing.SHUFFLER)
    opened = table.open_round()
    assert shuffles(opened) == [table.state.pack.operation]
    assert table.pack == PackState.SHUFFLING
    table.shuffled()
    assert table.pack == PackState.READY


@pytest.mark.article("q_poker", "3.2")
@pytest.mark.parametrize(
    ("count", "code"),
    [(51, Code.SHUFFLER_COUNT_SHORT), (53, Code.SHUFFLER_COUNT_OVER), (0, Code.SHUFFLER_COUNT_SHORT)],
)
def test_a_pack_that_is_not_of_52_cards_is_unfit(count: int, code: Code) -> None:
    table = new_table(Dealing.SHUFFLER)
    table.open_round()
    table.shuffled(count)
    assert table.pack == PackState.NEEDED
    assert [fault.code for fault in table.table.faults] == [code]
    table.bet()
    assert irregularity(table.packet())[:2] == ("3(2)", "pack_not_shuffled")


@pytest.mark.article("q_poker", "3.2")
def test_only_the_shuffle_asked_for_counts() -> None:
    table = new_table(Dealing.SHUFFLER)
    table.open_round()
    asked = table.state.pack.operation
    table.change(Dealing.SHUFFLER)
    latest = table.state.pack.operation
    assert latest != asked
    table.tell(ShuffleCompleted(SHUFFLER, asked, 52))
    assert table.pack == PackState.SHUFFLING
    table.tell(ShuffleCompleted(SHUFFLER, latest, 52))
    assert table.pack == PackState.READY


@pytest.mark.article("q_poker", "3.2")
def test_the_shoe_pack_is_not_confirmed_where_the_shuffler_deals() -> None:
    table = new_table(Dealing.SHUFFLER)
    table.open_round()
    assert refused(table.confirm_pack()) == ("3(2)", "shuffler_deals")
    assert table.pack == PackState.SHUFFLING


@pytest.mark.article("q_poker", "3.1")
def test_a_pack_confirmed_between_rounds_spares_the_shuffler_no_shuffle() -> None:
    table = new_table(Dealing.SHUFFLER)
    table.confirm_pack()
    assert shuffles(table.open_round())


@pytest.mark.article("q_poker", "3.1")
@pytest.mark.article("q_poker", "3.2")
@both_ways
def test_cards_from_a_pack_that_was_not_shuffled_make_the_round_void(dealing: Dealing) -> None:
    other = Dealing.SHUFFLER if dealing is Dealing.SHOE else Dealing.SHOE
    table = new_table(other).begin(versus())
    table.change(dealing)
    first = table.draw("As") if dealing is Dealing.SHOE else table.packet()
    article = "3(1)" if dealing is Dealing.SHOE else "3(2)"
    assert irregularity(first) == (article, "pack_not_shuffled", "round_void")
    assert voided(first) == (article, "pack_not_shuffled")


@both_ways
def test_a_round_needs_the_device_that_deals_it(dealing: Dealing) -> None:
    table = new_table(dealing)
    table.confirm_pack()
    table.lose(SHOE if dealing is Dealing.SHOE else SHUFFLER)
    assert refused(table.open_round()) == ("table", "device_missing")
    table.attach(SHOE if dealing is Dealing.SHOE else SHUFFLER)
    assert accepted(table.open_round())


@both_ways
def test_a_round_does_not_need_the_other_device(dealing: Dealing) -> None:
    table = new_table(dealing)
    table.confirm_pack()
    table.lose(SHUFFLER if dealing is Dealing.SHOE else SHOE)
    assert accepted(table.open_round())


def test_a_table_without_a_shuffler_deals_from_the_shoe_only() -> None:
    table = new_table(shuffler="").begin(versus())
    assert refused(table.change(Dealing.SHUFFLER)) == ("table", "device_missing")
    table.deal().finish()
    table.confirm_pack()
    assert refused(table.open_round(Dealing.SHUFFLER)) == ("table", "device_missing")


def test_a_fault_that_stops_the_table_lets_no_round_and_no_bet_begin() -> None:
    table = new_table().begin(versus())
    table.raise_fault(Code.STORAGE_LOW, "")
    assert refused(table.bet(2)) == ("table", "fault_stands")
    table.deal().finish()
    table.confirm_pack()
    assert refused(table.open_round()) == ("table", "fault_stands")


@pytest.mark.article("q_poker", "6.2")
def test_a_standing_fault_does_not_hide_that_the_bet_came_too_late() -> None:
    table = new_table().begin(versus())
    table.raise_fault(Code.STORAGE_LOW, "")
    table.close()
    assert refused(table.bet(2)) == ("6(2)", "betting_over")


@pytest.mark.article("q_poker", "7")
@both_ways
def test_the_way_of_dealing_is_fixed_by_the_first_card(dealing: Dealing) -> None:
    other = Dealing.SHUFFLER if dealing is Dealing.SHOE else Dealing.SHOE
    table = new_table(dealing).begin(versus()).deal()
    assert refused(table.change(other)) == ("7", "dealing_fixed")
    assert table.state.dealing is dealing


def test_between_rounds_no_way_of_dealing_is_changed() -> None:
    assert refused(new_table().change(Dealing.SHUFFLER)) == ("7", "dealing_fixed")


@pytest.mark.article("q_poker", "11.5")
def test_after_a_jam_in_the_shuffle_the_round_is_dealt_from_the_shoe() -> None:
    table = new_table(Dealing.SHUFFLER)
    table.open_round()
    table.bet()
    table.raise_fault(Code.SHUFFLER_JAM)
    assert table.phase == Phase.BETTING
    assert accepted(table.change(Dealing.SHOE))
    assert table.pack == PackState.NEEDED
    assert accepted(table.confirm_pack())
    settled = table.deal().finish()
    assert settled.round["places"][0]["cards"] == [*HANDS[1]]


@pytest.mark.article("q_poker", "11.5")
def test_a_shuffler_whose_malfunction_stands_deals_no_round() -> None:
    table = new_table(Dealing.SHUFFLER).begin(versus())
    table.packet()
    table.raise_fault(Code.SHUFFLER_JAM)
    assert refused(table.open_round()) == ("11(5)", "fault_stands")
    table.confirm_pack()
    assert accepted(table.open_round(Dealing.SHOE))
    assert refused(table.change(Dealing.SHUFFLER)) == ("11(5)", "fault_stands")


@pytest.mark.article("q_poker", "11.5")
def test_a_shuffler_deals_again_once_it_was_put_right_and_a_person_says_so() -> None:
    table = new_table(Dealing.SHUFFLER).begin(versus())
    table.packet()
    table.raise_fault(Code.SHUFFLER_JAM)
    table.acknowledge(Code.SHUFFLER_JAM, SHUFFLER)
    assert refused(table.open_round()) == ("11(5)", "fault_stands")
    table.clear_fault(Code.SHUFFLER_JAM)
    assert accepted(table.open_round())


@pytest.mark.article("q_poker", "11.5")
def test_the_dealer_may_have_a_round_shuffled_again_before_its_first_card() -> None:
    table = new_table(Dealing.SHUFFLER)
    table.open_round()
    table.tell(ShuffleFailed(SHUFFLER, table.state.pack.operation))
    assert table.pack == PackState.NEEDED
    assert shuffles(table.change(Dealing.SHUFFLER)) == [table.state.pack.operation]
    table.shuffled()
    table.bet()
    assert table.deal().finish().round_id


def test_bets_stay_when_the_way_of_dealing_changes() -> None:
    table = new_table(Dealing.SHUFFLER).begin(versus(), pair(2))
    table.close()
    table.change(Dealing.SHOE)
    assert [bet.place for bet in table.state.bets] == [1, 2]
    table.confirm_pack()
    table.deal()
    assert isinstance(table.finish(), Settled)


def test_opening_names_the_game_and_its_rules() -> None:
    table = new_table()
    table.confirm_pack()
    event = said(table.open_round(), RoundBegan)
    assert (event.game, event.rules_version) == ("q_poker", "89/2004")
