"""Opening a round, the packs, the bets: articles 1, 2, 4, 5, 6 and 8."""

import pytest

from tablectl.core.effects import ShuffleCards
from tablectl.core.events import BetPlaced, BetRefused, BettingOver, BetWithdrawn, RoundBegan, Settled
from tablectl.core.facts import COMMON, BetOffered, CardsHeldAway, Dealing, Place, ShuffleCompleted, ShuffleFailed
from tablectl.core.faults import Code
from tablectl.core.games.football_poker.state import Phase
from tablectl.core.pack import PackState
from tablectl.core.stakes import Limits
from tests.support.football_poker import (
    BOTH_WAYS,
    EVEN,
    HANDS,
    LOWER,
    ODD,
    POST,
    SHOE,
    SHUFFLER,
    UPPER,
    Hands,
    Sitting,
    bet,
    irregularity,
    nets,
    new_table,
    said,
    voided,
)
from tests.support.sitting import commands, refused

both_ways = pytest.mark.parametrize("dealing", BOTH_WAYS)
FIVE_BETS = (UPPER, LOWER, EVEN, ODD, POST)


def other(dealing: Dealing) -> Dealing:
    return Dealing.SHUFFLER if dealing is Dealing.SHOE else Dealing.SHOE


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
def test_anybody_bets_on_any_place_also_beside_others_and_on_several() -> None:
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
def test_chips_on_the_same_space_add_up_and_can_be_taken_back_whole() -> None:
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


def test_a_refused_bet_is_published_with_the_article_that_forbids_it() -> None:
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


@pytest.mark.article("football_poker", "6.3")
@both_ways
def test_cards_dealt_when_nobody_has_a_bet_make_the_round_void(dealing: Dealing) -> None:
    table = new_table(dealing).begin()
    first = table.draw("As") if dealing is Dealing.SHOE else table.packet()
    assert irregularity(first) == ("6(3)", "dealt_without_bets", "round_void")


# --- opening a round


@pytest.mark.article("football_poker", "6.1")
def test_one_round_after_the_other() -> None:
    table = new_table()
    assert refused(table.bet()) == ("6(1)", "no_round")
    table.ready()
    for _ in range(2):
        assert refused(table.open_round()) == ("6(1)", "round_open")
        table.commit()
        table.show()


@pytest.mark.article("football_poker", "2.2")
@both_ways
def test_a_round_needs_the_device_that_deals_it(dealing: Dealing) -> None:
    table = new_table(dealing)
    table.confirm_pack()
    name = SHOE if dealing is Dealing.SHOE else SHUFFLER
    table.lose(name)
    assert refused(table.open_round()) == ("table", "device_missing")
    assert table.prompt() == "device"
    table.attach(name)
    assert refused(table.open_round()) is None


@pytest.mark.article("football_poker", "2.2")
@both_ways
def test_a_table_with_one_of_the_two_deals_that_way_only(dealing: Dealing) -> None:
    lacking = {"shuffler": ""} if dealing is Dealing.SHOE else {"shoe": ""}
    table = new_table(dealing, **lacking).begin(bet())
    assert refused(table.change(other(dealing))) == ("table", "device_missing")
    assert table.deal().finish().round_id


@pytest.mark.article("football_poker", "2.2")
def test_a_shuffler_whose_malfunction_stands_deals_no_round() -> None:
    table = new_table(Dealing.SHUFFLER)
    table.raise_fault(Code.SHUFFLER_JAM)
    assert refused(table.open_round()) == ("2(2)", "fault_stands")
    assert table.prompt() == "fault"
    table.confirm_pack()
    assert refused(table.open_round(Dealing.SHOE)) is None
    assert refused(table.change(Dealing.SHUFFLER)) == ("2(2)", "fault_stands")


def test_a_fault_that_stops_the_table_lets_no_round_and_no_bet_begin() -> None:
    table = new_table().begin(bet())
    table.raise_fault(Code.STORAGE_LOW, "")
    assert refused(table.bet(2)) == ("table", "fault_stands")
    table.deal().finish()
    assert table.prompt() == "fault"
    assert refused(table.open_round()) == ("table", "fault_stands")


# --- the packs


@pytest.mark.article("football_poker", "6.3")
@pytest.mark.article("football_poker", "2.1")
def test_a_round_from_the_shoe_needs_a_shuffled_pack_in_it() -> None:
    table = new_table()
    assert table.prompt() == "pack"
    assert refused(table.open_round()) == ("6(3)", "pack_not_confirmed")
    table.confirm_pack()
    assert refused(table.open_round()) is None


@pytest.mark.article("football_poker", "8.1")
@pytest.mark.article("football_poker", "reading 7")
def test_one_pack_serves_one_round_of_a_full_table() -> None:
    table = new_table().begin(*(bet(place) for place in range(1, 11)))
    two = [("2s", "3s"), ("2h", "3h"), ("2c", "3c"), ("2d", "3d"), ("4s", "As"), ("4h", "Ah")]
    places: tuple[Place, ...] = (*range(1, 11), COMMON)
    hands: Hands = dict(zip(places, [*two, *FIVES], strict=True))
    table.deal(hands).finish(hands)
    assert table.state.left == 52 - 22
    assert table.prompt() == "pack"
    assert refused(table.open_round()) == ("8(1)", "pack_used_up")
    table.confirm_pack()
    assert refused(table.open_round()) is None


FIVES = [("5s", "Ks"), ("5h", "Kh"), ("5c", "Kc"), ("5d", "Kd"), ("6s", "Qs")]


@pytest.mark.article("football_poker", "reading 7")
@pytest.mark.parametrize(("used", "goes_on"), [(19, True), (20, False)])
def test_a_pack_goes_on_while_it_holds_33_cards(used: int, goes_on: bool) -> None:
    table = new_table().begin(bet(1), bet(2)).deal()
    assert len(table.state.deal.hands) == 3
    already = 2 * 3 + 1
    spare = ("9h", "9d", "9c", "8s", "8h", "7s", "7h", "7d", "7c", "6s", "6h", "6c", "5s")
    for number, name in enumerate(spare[: used - already]):
        table.draw(name)
        table.misplace(3 + number // 3)
    table.finish()
    assert table.state.left == 52 - used
    assert (refused(table.open_round()) is None) is goes_on


@pytest.mark.article("football_poker", "reading 7")
def test_a_card_that_was_seen_in_the_round_before_does_not_come_again_out_of_one_pack() -> None:
    table = new_table().begin(bet()).deal()
    table.finish()
    table.open_round()
    table.commit()
    table.show()
    table.bet()
    table.draw(HANDS[1][0])
    assert table.held(1) == (None,)
    assert table.faults == [Code.SHOE_IMPOSSIBLE_DUPLICATE]


@pytest.mark.article("football_poker", "8.2")
def test_cards_that_were_seen_come_again_out_of_the_shuffler() -> None:
    table = new_table().begin(bet()).deal()
    table.finish()
    assert table.state.used
    table.begin(bet(), dealing=Dealing.SHUFFLER).deal().finish()
    assert table.faults == []
    table.begin(bet())
    table.change(Dealing.SHUFFLER)
    table.shuffled()
    assert table.deal().finish().round_id


@pytest.mark.article("football_poker", "8.1")
def test_after_the_cut_card_a_new_pack_is_needed() -> None:
    table = new_table(packs=8).begin(bet())
    table.cut()
    table.deal().finish()
    assert table.faults == [Code.SHOE_CARD_AFTER_CUT]
    table.acknowledge(Code.SHOE_CARD_AFTER_CUT, SHOE)
    assert table.prompt() == "pack"
    assert refused(table.open_round()) == ("8(1)", "pack_used_up")
    table.begin(bet()).deal().finish()
    assert table.faults == []


@pytest.mark.article("football_poker", "8.2")
@pytest.mark.parametrize("packs", [1, 2, 8])
def test_the_shuffler_gets_the_used_cards_back_and_shuffles_all_of_them_for_each_round(packs: int) -> None:
    table = new_table(Dealing.SHUFFLER, packs=packs)
    for _ in range(2):
        assert len(commands(table.open_round(), ShuffleCards)) == 1
        assert table.pack == PackState.SHUFFLING
        table.shuffled(52 * packs)
        assert table.pack == PackState.READY
        table.commit()
        table.show()
        table.bet()
        table.deal().finish()
        assert table.pack == PackState.NEEDED


@pytest.mark.article("football_poker", "2.1")
@pytest.mark.parametrize(("packs", "count"), [(1, 51), (1, 53), (2, 52), (8, 415), (1, 0)])
def test_packs_of_another_number_of_cards_are_unfit(packs: int, count: int) -> None:
    table = new_table(Dealing.SHUFFLER, packs=packs)
    table.open_round()
    table.shuffled(count)
    short = count < 52 * packs
    assert table.faults == [Code.SHUFFLER_COUNT_SHORT if short else Code.SHUFFLER_COUNT_OVER]
    table.commit()
    table.show()
    table.bet()
    assert table.prompt() == "pack_unfit"
    assert voided(table.packet()) == ("6(3)", "pack_not_shuffled")


@pytest.mark.article("football_poker", "2.1")
@pytest.mark.article("football_poker", "8.2")
def test_several_packs_in_the_shoe_serve_many_rounds_and_are_settled_as_so_many() -> None:
    table = new_table(packs=2)
    table.confirm_pack()
    for played in (1, 2):
        table.open_round()
        table.commit()
        table.show()
        table.bet()
        settled = table.deal().finish()
        assert settled.rules == {"decks": 2}
        assert table.state.left == 104 - 4 * played
    table.confirm_pack()
    assert table.state.left == 104


@pytest.mark.article("football_poker", "2.1")
def test_each_card_is_there_as_often_as_there_are_packs() -> None:
    table = new_table(packs=2).begin(bet())
    table.draw("4s", "Ah", "4s", "Ah")
    assert table.finish().round["places"][0]["cards"] == ["4s", "Ah"]
    assert table.faults == []
    table.open_round()
    table.commit()
    table.show()
    table.bet()
    table.draw("4s")
    assert table.faults == [Code.SHOE_IMPOSSIBLE_DUPLICATE]


@pytest.mark.article("football_poker", "6.3")
@both_ways
def test_cards_from_packs_that_were_not_shuffled_make_the_round_void(dealing: Dealing) -> None:
    table = new_table(other(dealing)).begin(bet())
    table.change(dealing)
    first = table.draw("As") if dealing is Dealing.SHOE else table.packet()
    assert voided(first) == ("6(3)", "pack_not_shuffled")


@pytest.mark.article("football_poker", "8.1")
def test_the_pack_in_play_is_not_changed() -> None:
    table = new_table().begin(bet())
    assert refused(table.confirm_pack()) is None
    table.draw("As")
    assert refused(table.confirm_pack()) == ("8(1)", "pack_in_play")


@pytest.mark.article("football_poker", "2.2")
def test_no_pack_goes_into_the_shoe_where_the_shuffler_deals() -> None:
    table = new_table(Dealing.SHUFFLER).ready()
    assert refused(table.confirm_pack()) == ("2(2)", "shuffler_deals")


@pytest.mark.article("football_poker", "6.3")
@both_ways
def test_the_way_of_dealing_is_fixed_by_the_first_card(dealing: Dealing) -> None:
    table = new_table(dealing)
    assert refused(table.change(other(dealing))) == ("6(3)", "dealing_fixed")
    table.begin(bet()).deal_two()
    assert refused(table.change(other(dealing))) == ("6(3)", "dealing_fixed")


@pytest.mark.article("football_poker", "2.2")
def test_after_a_jam_in_the_shuffle_the_round_is_dealt_from_the_shoe() -> None:
    table = new_table(Dealing.SHUFFLER)
    table.open_round()
    table.raise_fault(Code.SHUFFLER_JAM)
    assert (table.phase, table.pack) == (Phase.DRAWING, PackState.NEEDED)
    table.commit()
    table.show()
    table.bet()
    assert refused(table.change(Dealing.SHOE)) is None
    table.confirm_pack()
    assert isinstance(table.deal().finish(), Settled)


@pytest.mark.article("football_poker", "6.3")
def test_only_the_shuffle_asked_for_counts() -> None:
    table = new_table(Dealing.SHUFFLER)
    table.open_round()
    first = table.state.pack.operation
    table.tell(ShuffleFailed(SHUFFLER, first))
    assert table.pack == PackState.NEEDED
    table.change(Dealing.SHUFFLER)
    table.tell(ShuffleCompleted(SHUFFLER, first, 52))
    assert table.pack == PackState.SHUFFLING
    assert ShuffleCards(table.state.pack.operation) in table.game.outstanding(table.state)
    table.shuffled()
    assert table.pack == PackState.READY


@pytest.mark.parametrize("dealing", BOTH_WAYS)
def test_a_round_voided_before_its_first_card_leaves_a_pack_in_the_shoe_as_it_was(dealing: Dealing) -> None:
    table = new_table(dealing).begin(bet())
    table.void()
    assert table.pack == (PackState.READY if dealing is Dealing.SHOE else PackState.NEEDED)
    table.begin(bet()).deal_two()
    table.void()
    assert table.pack == PackState.NEEDED


def test_a_pack_of_which_a_card_may_have_been_missed_serves_no_other_round() -> None:
    table = new_table().begin(bet())
    table.lose(SHOE)
    table.attach(SHOE)
    table.void()
    assert table.pack == PackState.NEEDED


def test_requests_of_other_games_are_refused() -> None:
    table: Sitting = new_table().begin(BetOffered(1, "ann", EVEN, 1))
    assert refused(table.tell(CardsHeldAway(1))) == ("table", "not_played_here")
