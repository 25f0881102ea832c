"""Opening a round, the bets against the banker and with them, and the end of betting: articles 2(f), 3 and 4(e)."""

import pytest

from tablectl.core.bets.stakes import Limits
from tablectl.core.cards import BANKER
from tablectl.core.events.device import DiceShown
from tablectl.core.events.round import BetPlaced, BetRefused, BettingOver, BetWithdrawn, Irregular, RoundBegan
from tablectl.core.facts.table_requests import BetOffered
from tablectl.core.faults import Code
from tablectl.core.games.chinese_dice.state import Phase
from tests.support.chinese_dice import (
    ASSOCIATE,
    BANK,
    CASINO,
    NOTHING,
    PLACE,
    STORM,
    DiceTable,
    chips,
    layers,
    nets,
    new_table,
    point,
    returned,
    said,
)
from tests.support.sitting import refused


def betting() -> DiceTable:
    return new_table().begin()


@pytest.mark.article("chinese_dice", "4.c")
def test_round_opens_when_banker_has_their_capital_on_table() -> None:
    table = new_table().seat_all()
    assert refused(table.open_round()) == ("4(a)", "no_banker")
    table.take(1, capital=500_00)
    opened = table.open_round()
    began = said(opened, RoundBegan)
    assert (began.game, began.rules_version, began.round_id) == ("chinese_dice", "108/89/M", "5eed0001-000001")
    placed = said(opened, BetPlaced)
    assert (placed.place, placed.bettor, placed.bet, placed.stake) == (1, "ben", "capital", "500.00")


@pytest.mark.article("chinese_dice", "3.a")
def test_eight_places_and_no_ninth() -> None:
    table = betting()
    assert table.all_of(RoundBegan)[-1].places == (1, 2, 3, 4, 5, 6, 7, 8)
    assert all(refused(table.bet(place)) is None for place in range(2, 9))
    for place in (0, -1, 9, 10**12, "common", ""):
        assert refused(table.bet(place)) == ("3(a)", "no_such_place")


@pytest.mark.article("chinese_dice", "3.b")
def test_one_bettor_bets_on_several_places_and_several_on_one() -> None:
    table = new_table().begin(chips(2, "ann"), chips(5, "ann"), chips(2, "di"), chips(2, "guest"))
    settled = table.play(STORM)
    assert [[bet["bettor"] for bet in place["bets"]] for place in settled.round["places"]] == [
        ["ann", "di", "guest"],
        ["ann"],
    ]


@pytest.mark.article("chinese_dice", "2.f")
@pytest.mark.article("chinese_dice", "reading 14")
@pytest.mark.parametrize("dice", [STORM, point(3), NOTHING])
def test_the_bankers_first_throw_ends_the_betting_whatever_it_shows(dice: tuple[int, ...]) -> None:
    table = new_table().begin(chips())
    over = said(table.throw(dice), BettingOver)
    assert (over.by, over.total_stakes) == ("throw", "1100.00")
    assert refused(table.bet(3)) == ("2(f)", "betting_over")
    assert refused(table.take_back()) == ("2(f)", "betting_over")


@pytest.mark.article("chinese_dice", "2.f")
@pytest.mark.article("chinese_dice", "reading 14")
def test_bankers_first_throw_ends_betting_even_where_it_is_invalid() -> None:
    table = new_table().begin(chips())
    assert said(table.throw(NOTHING, flaw="outside"), BettingOver).by == "throw"
    assert table.phase == Phase.BANKER_THROWING
    for ask in (table.bet, table.take_back, table.close, table.casino, table.associate, table.with_banker):
        assert refused(ask()) == ("2(f)", "betting_over")


@pytest.mark.article("chinese_dice", "2.f")
def test_the_dealers_call_ends_the_betting_once() -> None:
    table = new_table().begin(chips())
    assert said(table.close(), BettingOver).by == "dealer"
    assert refused(table.close()) == ("2(f)", "betting_over")
    table.throw(point(3))
    assert len(table.all_of(BettingOver)) == 1


@pytest.mark.article("chinese_dice", "2.f")
def test_nothing_is_closed_while_nobody_has_bet_against_the_banker() -> None:
    table = betting()
    table.with_banker("cy")
    assert refused(table.close()) == ("2(f)", "no_bets")


@pytest.mark.article("chinese_dice", "2.c")
@pytest.mark.article("chinese_dice", "reading 19")
def test_throw_before_any_bet_settles_nothing_and_uses_no_round() -> None:
    table = betting()
    table.with_banker("cy")
    early = table.throw(STORM)
    assert (said(early, DiceShown).valid, said(early, Irregular).article) == (False, "2(c)")
    assert (table.phase, table.state.thrown, table.state.tenure.rounds) == (Phase.BETTING, (), 0)
    assert refused(table.bet(2, "ann")) is None
    assert refused(new_table(dice="").begin().enter(STORM)) == ("2(f)", "no_bets")


@pytest.mark.article("chinese_dice", "reading 19")
def test_a_throw_out_of_turn_leaves_the_betting_open() -> None:
    table = new_table().begin(chips())
    table.throw(STORM, flaw="out_of_turn")
    assert (table.phase, table.state.thrown) == (Phase.BETTING, ())
    assert refused(table.bet(3)) is None


@pytest.mark.article("chinese_dice", "4.e")
@pytest.mark.article("chinese_dice", "reading 20")
def test_the_banker_does_not_bet_at_other_places() -> None:
    assert refused(betting().bet(2, "ben")) == ("4(e)", "banker_bets")


@pytest.mark.article("chinese_dice", "4.e")
@pytest.mark.article("chinese_dice", "reading 22")
def test_the_casinos_share_is_fixed_before_the_first_bet() -> None:
    table = new_table().begin(chips(), share=500_00)
    assert refused(table.casino(200_00)) == refused(table.casino(0)) == ("4(e)", "bets_lie")
    assert table.state.casino == 500_00


@pytest.mark.article("chinese_dice", "2.f")
@pytest.mark.parametrize(("bet", "place"), [(PLACE, 2), (BANK, 1), (ASSOCIATE, 1)])
def test_a_bet_is_taken_back_before_the_throw(bet: str, place: int) -> None:
    table = betting()
    table.bet(2)
    table.with_banker("ann")
    table.take_back(2)
    table.associate("ann")
    if bet == PLACE:
        table.take_back(1, "ann", ASSOCIATE)
        table.bet(2)
    gone = said(table.take_back(place, "ann", bet), BetWithdrawn)
    assert (gone.place, gone.bettor, gone.bet) == (place, "ann", bet)
    assert all(laid.bet != bet for laid in table.state.bets)


@pytest.mark.article("chinese_dice", "4.c")
@pytest.mark.parametrize("bet", ["capital", CASINO])
def test_capital_and_share_are_no_bets_to_be_taken_back(bet: str) -> None:
    table = betting()
    table.casino()
    assert refused(table.take_back(1, "ben", bet)) == ("3(b)", "no_such_bet")
    assert refused(table.take_back(1, CASINO, bet)) == ("3(b)", "no_such_bet")


@pytest.mark.article("chinese_dice", "4.e")
def test_bets_on_the_bankers_place_side_with_them_others_against() -> None:
    table = betting()
    assert refused(table.bet(1, "ann", bet=PLACE)) == ("4(e)", "bankers_place")
    assert refused(table.bet(2, "ann", bet=BANK)) == ("4(e)", "not_the_bankers_place")
    assert refused(table.bet(1, "ann", bet=BANK)) is None
    assert refused(table.bet(2, "ann", bet="tie")) == ("3(b)", "no_such_bet_name")


@pytest.mark.article("chinese_dice", "4.e")
def test_the_bankers_place_may_be_named_by_its_name() -> None:
    table = betting()
    assert said(table.bet(BANKER, "cy", bet=BANK), BetPlaced).place == 1
    assert said(table.take_back(BANKER, "cy", BANK), BetWithdrawn).place == 1


@pytest.mark.article("chinese_dice", "4.e")
@pytest.mark.article("chinese_dice", "reading 8")
def test_who_bets_on_the_bankers_place_may_bet_elsewhere_too() -> None:
    table = new_table().begin(chips(2, "cy"))
    assert refused(table.with_banker("cy")) is None
    assert refused(table.bet(3, "cy")) is None


@pytest.mark.article("chinese_dice", "4.e")
@pytest.mark.article("chinese_dice", "reading 8")
def test_an_associate_bets_at_no_other_place_in_this_round() -> None:
    table = new_table().begin(chips(2, "ann"))
    assert refused(table.associate("ann")) == ("4(e)", "associate_bets")
    table.associate("di")
    assert refused(table.bet(3, "di")) == ("4(e)", "associate_bets")
    assert refused(table.with_banker("di")) is None
    table.play(point(3), point(5))
    table.begin()
    assert refused(table.bet(3, "di")) is None


@pytest.mark.article("chinese_dice", "4.e")
def test_banker_adds_to_their_capital_and_not_to_their_partners() -> None:
    table = betting()
    assert refused(table.with_banker("ben")) == ("4(e)", "is_the_banker")
    assert refused(table.associate("ben")) == ("4(e)", "is_the_banker")


@pytest.mark.article("chinese_dice", "4.e")
@pytest.mark.article("chinese_dice", "reading 8")
def test_layers_are_banker_with_associates_then_casino_then_bets() -> None:
    table = new_table().begin(chips(2, "ann", 1_700_00), capital=1_000_00, share=500_00)
    table.with_banker("cy", 200_00)
    table.associate("di", 300_00)
    table.with_banker("guest", 200_00)
    assert layers(table.play(point(3), point(5))) == [
        ("banker", "ben", "1300.00", "-1300.00"),
        ("casino", None, "500.00", "-400.00"),
        ("partner", "cy", "200.00", "0.00"),
        ("partner", "guest", "200.00", "0.00"),
    ]


@pytest.mark.article("chinese_dice", "4.e")
def test_casinos_share_holds_for_one_round_and_replaces_one_before() -> None:
    table = new_table().begin(share=500_00)
    changed = table.casino(200_00)
    table.bet()
    assert (said(changed, BetWithdrawn).stake, said(changed, BetPlaced).stake) == ("500.00", "200.00")
    assert said(changed, BetPlaced).bettor == CASINO
    assert layers(table.play(point(3), point(5)))[1] == ("casino", None, "200.00", "0.00")
    table.begin(chips())
    assert [layer[0] for layer in layers(table.play(STORM))] == ["banker"]


@pytest.mark.article("chinese_dice", "4.e")
def test_the_casino_withdraws_its_share_before_the_throw() -> None:
    table = new_table().begin(share=500_00)
    assert said(table.casino(0), BetWithdrawn).stake == "500.00"
    assert table.casino(0) == ()
    assert table.state.casino == 0


@pytest.mark.article("chinese_dice", "2.f")
def test_all_money_on_table_is_total_of_stakes() -> None:
    table = new_table().begin(chips(2, "ann", 100_00), capital=1_000_00, share=500_00)
    table.with_banker("cy", 200_00)
    table.associate("di", 300_00)
    assert said(table.close(), BettingOver).total_stakes == "2100.00"


@pytest.mark.article("chinese_dice", "2.f")
def test_a_refused_bet_is_seen_by_surveillance_with_its_article() -> None:
    table = new_table().begin(chips())
    table.close()
    event = said(table.bet(3, "cy"), BetRefused)
    assert (event.round_id, event.place, event.bettor, event.article) == (table.state.round_id, 3, "cy", "2(f)")


@pytest.mark.article("chinese_dice", "2.a")
def test_bets_belong_to_a_round_and_rounds_follow_one_another() -> None:
    table = new_table()
    assert refused(table.bet()) == ("2(a)", "no_round")
    table.begin(chips())
    assert refused(table.open_round()) == ("2(a)", "round_open")


@pytest.mark.parametrize(("bettor", "stake"), [("", 100), (" ", 100), ("\t", 100), ("ann", 0), ("ann", -100)])
def test_a_bet_needs_a_bettor_and_a_stake(bettor: str, stake: int) -> None:
    table = betting()
    assert refused(table.bet(2, bettor, stake)) == ("table", "empty_bet")
    assert refused(table.associate(bettor, stake)) == ("table", "empty_bet")


def test_the_house_has_its_limits_for_bets_of_every_kind() -> None:
    table = new_table(limits=Limits(10_00, 500_00, 5_00)).begin()
    for stake in (5_00, 505_00, 12_00):
        assert refused(table.bet(2, "ann", stake)) == ("table", "stake_outside_limits")
        assert refused(table.with_banker("ann", stake)) == ("table", "stake_outside_limits")
        assert refused(table.associate("di", stake)) == ("table", "stake_outside_limits")


def test_fault_that_stops_the_table_stops_bets_shares_and_rounds() -> None:
    opened = new_table().begin()
    opened.raise_fault(Code.STORAGE_LOW, "")
    assert refused(opened.casino()) == ("table", "fault_stands")
    assert opened.casino(0) == ()
    table = new_table().begin(chips())
    table.raise_fault(Code.STORAGE_LOW, "")
    for ask in (table.bet, table.associate, table.with_banker):
        assert refused(ask()) == ("table", "fault_stands")
    table.play(STORM)
    table.take(1, capital=5_000_00)
    assert refused(table.open_round()) == ("table", "fault_stands")


@pytest.mark.article("chinese_dice", "2.f")
def test_a_void_round_gives_every_layer_and_every_bet_back() -> None:
    bets = chips(2, "ann", 100_00), BetOffered(1, "cy", BANK, 200_00)
    table = new_table().begin(*bets, capital=1_000_00, share=500_00)
    table.associate("di", 300_00)
    assert returned(table.void()) == {
        ("ben", 1, "capital"): "1000.00",
        ("casino", 1, "casino"): "500.00",
        ("ann", 2, "place"): "100.00",
        ("cy", 1, "bank"): "200.00",
        ("di", 1, "associate"): "300.00",
    }


@pytest.mark.article("chinese_dice", "7.b")
@pytest.mark.article("chinese_dice", "reading 6")
def test_four_percent_of_each_win_and_of_layers_net_gain() -> None:
    table = new_table().begin(chips(2, "ann", 100_00), chips(3, "cy", 300_00), capital=1_000_00)
    settled = table.play(point(3), point(5), point(1))
    assert nets(settled) == {(2, "ann"): "96.00", (3, "cy"): "-300.00"}
    (bank,) = settled.settlement["bank"]
    assert (bank["net"], bank["commission"]) == ("192.00", "8.00")
