"""Whole rounds with any bets and any order of the cards: what moves no money."""

from dataclasses import replace
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from tablectl.core.cards import DEALER, PACK, Card
from tablectl.core.events.round import Settled
from tablectl.core.facts.card_requests import Dealing
from tablectl.core.facts.table_requests import BetOffered
from tests.support.q_poker import PAIR, VERSUS, nets, new_table, versus
from tests.support.q_poker_dealer import next_body
from tests.support.ways import BOTH_WAYS, both_ways

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
    here = nets(settled(bets, pack, dealing))
    there = nets(settled([replace(bet, place=where[int(bet.place) - 1]) for bet in bets], pack, dealing))
    assert {(where[place - 1], bettor, bet): net for (place, bettor, bet), net in here.items()} == there


@given(some_bets, st.permutations(PACK), st.randoms(use_true_random=False))
def test_order_in_which_the_bets_are_laid_moves_no_money(
    bets: list[BetOffered], pack: list[Card], chance: Random
) -> None:
    other_order = chance.sample(bets, len(bets))
    assert nets(settled(bets, pack, Dealing.SHOE)) == nets(settled(other_order, pack, Dealing.SHOE))


@given(some_bets, st.permutations(PACK))
def test_both_ways_of_dealing_settle_the_same_hands_alike(bets: list[BetOffered], pack: list[Card]) -> None:
    from_the_shoe = settled(bets, pack, Dealing.SHOE)
    hands = {place["place"]: place["cards"] for place in from_the_shoe.round["places"]}
    hands[DEALER] = from_the_shoe.round["dealer"]
    table = new_table(Dealing.SHUFFLER).begin(*bets).deal()
    assert table.finish(hands).settlement == from_the_shoe.settlement


def settled(bets: list[BetOffered], pack: list[Card], dealing: Dealing) -> Settled:
    """A round with these bets, played by a good dealer with the cards in this order."""
    table = new_table(dealing).begin(*bets)
    while not table.all_of(Settled):
        table.tell(next_body(table, tuple(pack)))
    return table.all_of(Settled)[0]


@both_ways
def test_the_good_dealer_comes_to_a_settlement_without_an_irregularity(dealing: Dealing) -> None:
    assert settled([versus()], [*PACK], dealing).irregularities == ()
