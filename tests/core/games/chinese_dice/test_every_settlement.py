"""What holds of the settlement of every round, drawn at random and read a second time."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise, product
from math import ceil, floor
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablectl.core.games.chinese_dice.hands import INDECISIVE, combination, rank_throw
from tablectl.core.games.chinese_dice.settlement import Banker, Bet, Place, Round, Throws, settle
from tests.support.chinese_dice_bank import RULES, bets_of

DECISIVE = [throw for throw in product(range(1, 7), repeat=3) if rank_throw(throw) != INDECISIVE]
OTHERS = [None, *(throw for throw in product(range(1, 7), repeat=3) if rank_throw(throw) == INDECISIVE)]
BETS = st.builds(Bet, st.sampled_from("abc"), st.integers(1, 500))


@st.composite
def turns(draw: st.DrawFn) -> Throws:
    return (*draw(st.lists(st.sampled_from(OTHERS), max_size=2)), draw(st.sampled_from(DECISIVE)))


@st.composite
def rounds(draw: st.DrawFn) -> Round:
    """A round of small stakes against a small bank, so that the bank is often decided."""
    banker, *numbers = draw(st.permutations(range(1, 9)))
    held = Banker(banker, "b", draw(st.integers(1, 1_500)), draw(turns()))
    partners = tuple(draw(st.lists(BETS, max_size=3)))
    all_bets = [tuple(draw(st.lists(BETS, max_size=3))) for _ in numbers[: draw(st.integers(0, 7))]]
    asked = Round(
        held,
        draw(st.integers(0, 300)),
        partners,
        tuple(Place(number, bets, draw(turns())) for number, bets in zip(numbers, all_bets, strict=False)),
    )
    return only_due_throws(asked)


def only_due_throws(played: Round) -> Round:
    """The round without the throws of places that don't throw, by walking through it a second time."""
    due = {number for number, _, throws in walk(played) if throws}
    places = tuple(place if place.place in due else place._replace(throws=()) for place in played.places)
    return Round(played.banker, played.casino_share, played.partners, places)


def walk(played: Round) -> Iterator[tuple[int, list[int], bool]]:
    """Place, what each of its bets moves to its bettor, and whether it throws: reading 7 read a second time."""
    capital = played.banker.capital + played.casino_share + sum(stake for _, stake in played.partners)
    running = 0
    held = str(combination(played.banker.throws[-1] or ()))
    by_number = {place.place: place for place in played.places}
    for step in range(1, 8):
        place = by_number.get((played.banker.place - 1 + step) % 8 + 1)
        if place is None:
            continue
        room = capital - abs(running)
        throws = bool(place.bets) and room > 0 and held.startswith("pair")
        sign = {"4-5-6": -1, "triple": -1, "1-2-3": 1}.get(held, 0)
        if throws:
            order = ["1-2-3", *(f"pair+{odd}" for odd in range(1, 7)), "triple", "4-5-6"]
            made = order.index(str(combination(place.throws[-1] or ())))
            sign = (made > order.index(held)) - (made < order.index(held))
        moved: list[int] = []
        for _, stake in place.bets:
            moved.append(sign * min(stake, room))
            room -= min(stake, room)
        running -= sum(moved)
        yield place.place, moved, throws


@given(rounds())
def test_every_bet_brings_what_a_second_reading_gives_rounded_down(played: Round) -> None:
    moved = {number: bets for number, bets, _ in walk(played)}
    for place in settle(played, RULES).places:
        for bet, exact in zip(place.bets, moved[place.place], strict=True):
            kept = Fraction(max(exact, 0) * 4, 100)
            assert (bet.net, bet.commission) == (floor(exact - kept), ceil(kept))
            assert bet.outcome == ("win" if exact > 0 else "lose" if exact < 0 else "push")


@given(rounds())
def test_bettors_bank_and_commission_sum_to_zero(played: Round) -> None:
    settled = settle(played, RULES)
    moved = [(bet.net, bet.commission) for bet in bets_of(settled)]
    moved += [(layer.net, layer.commission) for layer in settled.bank]
    assert sum(net + commission for net, commission in moved) == 0
    assert all(commission >= 0 for _, commission in moved)


@given(rounds())
@pytest.mark.article("chinese_dice", "4.c")
def test_no_layer_or_bet_wins_or_loses_beyond_its_stake(played: Round) -> None:
    settled = settle(played, RULES)
    assert all(abs(layer.net + layer.commission) <= layer.amount for layer in settled.bank)
    assert all(abs(bet.net + bet.commission) <= bet.covered <= bet.bet.stake for bet in bets_of(settled))
    for first, second in pairwise(settled.bank):
        assert abs(first.net + first.commission) == first.amount or second.net == second.commission == 0


@given(rounds(), st.randoms())
def test_the_order_in_which_places_are_listed_moves_no_money(played: Round, chance: Random) -> None:
    shuffled = list(played.places)
    chance.shuffle(shuffled)
    other = settle(Round(played.banker, played.casino_share, played.partners, tuple(shuffled)), RULES)
    first = settle(played, RULES)
    assert {place.place: place for place in other.places} == {place.place: place for place in first.places}
    assert [place.place for place in other.places] == [place.place for place in shuffled]
    assert other.bank == first.bank


@given(rounds(), st.integers(0, 7))
def test_turning_the_table_moves_no_money(played: Round, by: int) -> None:
    def turned(number: int) -> int:
        return (number - 1 + by) % 8 + 1

    places = tuple(place._replace(place=turned(place.place)) for place in played.places)
    banker = played.banker._replace(place=turned(played.banker.place))
    first = settle(played, RULES)
    other = settle(Round(banker, played.casino_share, played.partners, places), RULES)
    assert other.bank == first.bank
    assert [place.bets for place in other.places] == [place.bets for place in first.places]
