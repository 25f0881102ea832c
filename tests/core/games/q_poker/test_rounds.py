"""Whole rounds with any bets and any order of the cards: places' numbers move no money."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from tablectl.core.cards import PACK, Card
from tablectl.core.facts.game_requests import Dealing
from tablectl.core.facts.table_requests import BetOffered
from tests.support.pokers import Q_POKER
from tests.support.q_poker import PAIR, VERSUS, nets
from tests.support.ways import BOTH_WAYS

some_bets = st.lists(
    st.builds(
        BetOffered,
        st.integers(1, 3),
        st.sampled_from(["ann", "bob"]),
        st.sampled_from([PAIR, VERSUS]),
        st.integers(1, 300),
    ),
    min_size=1,
    max_size=6,
    unique_by=lambda bet: (bet.place, bet.bettor, bet.bet),
)
three_places = st.sampled_from([(1, 2, 3), (2, 5, 7), (4, 5, 6)])


@given(some_bets, st.permutations(PACK), three_places, st.sampled_from(BOTH_WAYS))
def test_order_of_places_counts_and_not_their_numbers(
    bets: list[BetOffered], pack: list[Card], where: tuple[int, int, int], dealing: Dealing
) -> None:
    here = nets(Q_POKER.settled(bets, pack, dealing))
    there = nets(Q_POKER.settled([replace(bet, place=where[int(bet.place) - 1]) for bet in bets], pack, dealing))
    assert {(where[place - 1], bettor, bet): net for (place, bettor, bet), net in here.items()} == there
