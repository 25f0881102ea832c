"""Chips put down one after the other: what is one bet, what ranks first, and what goes back: articles 3 and 4."""

from itertools import pairwise
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablectl.core.bets.stakes import Bet, Bets, Limits
from tablectl.core.events.round import BettingOver, BetWithdrawn
from tablectl.core.facts.table_requests import BetOffered
from tablectl.core.games.chinese_dice.chips import gathered, lay, lift
from tests.support.chinese_dice import BANK, LOSS, PLACE, DiceTable, chips, layers, new_table, point, returned, said
from tests.support.sitting import refused

PARTED = chips(2, "ann", 10_00), chips(2, "di", 20_00), chips(2, "ann", 15_00)
"""Chips of one bettor with another's between them."""


def on_table(table: DiceTable) -> list[tuple[str, int]]:
    return [(bet.bettor, bet.stake) for bet in table.state.bets]


def with_banker(*bets: tuple[str, int]) -> list[BetOffered]:
    return [BetOffered(1, bettor, BANK, stake) for bettor, stake in bets]


@pytest.mark.article("chinese_dice", "3.b")
def test_chips_put_right_after_ones_own_are_one_bet() -> None:
    table = new_table().begin(chips(2, "ann", 10_00), chips(3, "di", 20_00), chips(2, "ann", 5_00))
    assert on_table(table) == [("ann", 15_00), ("di", 20_00)]


@pytest.mark.article("chinese_dice", "4.c")
@pytest.mark.article("chinese_dice", "reading 7")
def test_chips_put_after_somebody_elses_are_bet_of_their_own() -> None:
    table = new_table().begin(*PARTED, chips(2, "ann", 1_00))
    assert on_table(table) == [("ann", 10_00), ("di", 20_00), ("ann", 16_00)]


@pytest.mark.article("chinese_dice", "4.c")
@pytest.mark.article("chinese_dice", "reading 7")
def test_chips_added_to_a_place_are_covered_after_earlier_ones() -> None:
    bets = chips(2, "ann", 10_00), chips(2, "di", 60_00), chips(2, "ann", 90_00)
    table = new_table().begin(*bets, capital=100_00)
    table.throw(point(3))
    assert [one["covered"] for one in table.public()["payments"]] == ["10.00", "60.00", "30.00"]
    (place,) = table.play(point(1)).settlement["places"]
    assert [(bet["bettor"], bet["net"]) for bet in place["bets"]] == [
        ("ann", "-10.00"),
        ("di", "-60.00"),
        ("ann", "-30.00"),
    ]


@pytest.mark.article("chinese_dice", "4.e")
def test_chips_added_to_the_bank_pay_after_earlier_ones() -> None:
    partners = with_banker(("cy", 1_00), ("di", 100_00), ("cy", 99_00))
    table = new_table().begin(chips(2, "ann", 150_00), *partners, capital=100_00)
    assert layers(table.play(LOSS)) == [
        ("banker", "ben", "100.00", "-100.00"),
        ("partner", "cy", "1.00", "-1.00"),
        ("partner", "di", "100.00", "-49.00"),
        ("partner", "cy", "99.00", "0.00"),
    ]


@pytest.mark.article("chinese_dice", "3.b")
@pytest.mark.article("chinese_dice", "reading 11")
def test_all_chips_of_a_bettor_count_for_the_throwing_right() -> None:
    table = new_table().begin(*PARTED)
    table.throw(point(3))
    assert table.prompted() == ("throwing", {"place": "2", "bettor": "ann"})


@pytest.mark.article("chinese_dice", "2.f")
def test_taking_back_takes_all_chips_of_a_bettor_from_space() -> None:
    table = new_table().begin(*PARTED, chips(3, "ann", 1_00))
    assert said(table.take_back(2, "ann"), BetWithdrawn).stake == "25.00"
    assert on_table(table) == [("di", 20_00), ("ann", 1_00)]
    assert said(table.close(), BettingOver).total_stakes == "1021.00"


@pytest.mark.article("chinese_dice", "4.c")
def test_bet_parted_by_one_taken_back_is_one_again() -> None:
    table = new_table().begin(*PARTED)
    table.take_back(2, "di")
    assert on_table(table) == [("ann", 25_00)]


@pytest.mark.article("chinese_dice", "2.f")
def test_void_round_returns_a_bettors_chips_as_one_stake() -> None:
    table = new_table().begin(*PARTED, capital=1_000_00)
    assert returned(table.void()) == {
        ("ben", 1, "capital"): "1000.00",
        ("ann", 2, "place"): "25.00",
        ("di", 2, "place"): "20.00",
    }


def test_limits_of_house_count_all_chips_of_bettor_on_space() -> None:
    table = new_table(limits=Limits(10_00, 100_00, 5_00)).begin(chips(2, "ann", 60_00), chips(2, "di", 10_00))
    assert refused(table.bet(2, "ann", 45_00)) == ("table", "stake_outside_limits")
    assert refused(table.bet(2, "ann", 35_00)) is None
    assert refused(table.bet(2, "ann", 10_00)) == ("table", "stake_outside_limits")
    assert refused(table.bet(2, "ann", 5_00)) is None
    assert on_table(table) == [("ann", 60_00), ("di", 10_00), ("ann", 40_00)]


class Space(NamedTuple):
    """Whose chips on what."""

    place: int
    bettor: str
    bet: str


spaces = st.builds(Space, st.integers(2, 3), st.sampled_from(["ann", "cy", "di"]), st.just(PLACE))
moves = st.lists(st.tuples(spaces, st.integers(0, 9)), max_size=30)


@given(moves)
def test_chips_lie_in_the_order_placed_and_none_is_lost(told: list[tuple[Space, int]]) -> None:
    """Stake 0 stands for taking back."""
    bets: Bets = ()
    chips_down: list[Bet] = []
    for space, stake in told:
        if stake:
            bets = lay(bets, BetOffered(*space, stake))
            chips_down.append(Bet(*space, stake))
        else:
            bets = lift(bets, space)
            chips_down = [one for one in chips_down if (one.place, one.bettor, one.bet) != space]
    for place in (2, 3):
        here = [bet for bet in bets if bet.place == place]
        assert singly(here) == singly([one for one in chips_down if one.place == place])
        assert all(one.bettor != after.bettor for one, after in pairwise(here))
    assert sorted(singly(gathered(bets))) == sorted(singly(chips_down))


def singly(bets: list[Bet] | Bets) -> list[tuple[object, str]]:
    """Each hundredth by itself, in the order in which it lies."""
    return [(bet.place, bet.bettor) for bet in bets for _ in range(bet.stake)]
