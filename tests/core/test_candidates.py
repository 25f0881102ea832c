"""What could be asked: bounded, without a name twice, and with examples that are refused for nobody's sake."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablectl.core.actions.layout import MOST_ALIKE, MOST_BETS, Candidate, each, least_stake, stranger, taken_back
from tablectl.core.bets.stakes import Bet, Limits
from tablectl.core.facts.game_requests import CardMisplaced
from tablectl.core.facts.table_requests import BetOffered, BetTakenBack
from tablectl.core.table import Table
from tests.core.test_offers import WAYS
from tests.support.offered import Way, offered
from tests.support.q_poker import new_table
from tests.support.thirteen_cards import new_table as thirteen_table

MOST = 150

all_games = pytest.mark.parametrize("game", WAYS)


def crowded(way: Way[Any], more: int) -> Iterator[Table[Any]]:
    """Tables at which so many more bets lie."""
    for table in way.tables(1):
        if table.game.bets:
            others = tuple(replace(table.game.bets[0], bettor=f"bettor {nth}") for nth in range(more))
            yield replace(table, game=replace(table.game, bets=table.game.bets + others))


@all_games
@pytest.mark.parametrize("more", [0, MOST_BETS - 1, 200])
def test_table_is_never_asked_more_than_a_screen_can_use(game: str, more: int) -> None:
    way = WAYS[game]
    assert max(len(way.game.candidates(table)) for table in crowded(way, more)) <= MOST


def test_the_widest_table_is_asked_no_more_than_that_either() -> None:
    table = new_table(places=16)
    table.confirm_pack()
    table.open_round()
    for place in range(1, 17):
        table.bet(place, f"bettor {place}")
    table.draw(*(None for _ in range(51)))
    assert len(table.state.deal.hands) == 17
    assert len(table.game.candidates(table.table)) <= MOST


def test_bets_are_taken_back_singly_down_to_the_limit() -> None:
    bets = tuple(Bet(1, f"bettor {nth}", "even", 100) for nth in range(MOST_BETS + 1))
    assert [candidate.body for candidate in taken_back(bets[:-1], "even")] == [
        BetTakenBack(bet.place, bet.bettor, bet.bet) for bet in bets[:-1]
    ]
    assert taken_back(bets, "even") == (Candidate(BetTakenBack(1, "bettor 0", "even"), ("place", "bettor", "bet")),)


def test_many_of_kind_are_one_example_that_stands_for_all() -> None:
    many = [Candidate(CardMisplaced(place)) for place in range(1, MOST_ALIKE + 2)]
    assert each(many[:-1], CardMisplaced(9)) == tuple(many[:-1])
    assert each(many, CardMisplaced(9)) == (Candidate(CardMisplaced(1), ("place",)),)
    assert each((), CardMisplaced(9)) == (Candidate(CardMisplaced(9), ("place",)),)


@given(st.integers(1, 10**6), st.integers(1, 10**4))
def test_least_stake_is_whole_step_and_no_less_than_limit(least: int, step: int) -> None:
    stake = least_stake(Limits(least, 10**9, step))
    assert least <= stake < least + step
    assert stake % step == 0


@given(st.sets(st.sampled_from(["…", "…1", "…2", "ann", ""])))
def test_a_stranger_is_nobody_who_is_there(names: set[str]) -> None:
    assert stranger(names) not in names
    assert stranger(names).strip()


@pytest.mark.parametrize("limits", [Limits(200_00, 1_000_00, 100_00), Limits(1_00, 100_00, 50_00)])
def test_example_of_13_cards_keeps_the_lawful_stake(limits: Limits) -> None:
    table = thirteen_table(dice="", limits=limits)
    table.seat(2, "ann")
    table.open_round()
    bets = [offer for offer in offered(table.game, table.table) if isinstance(offer.body, BetOffered)]
    assert [offer.refused is None for offer in bets] == [True, False, False]
    assert table.game.layout().chips[0] >= limits.least
