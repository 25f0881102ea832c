"""Whole rounds with any bets and any order of the cards: what moves no money, and what the house keeps."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from tablectl.core.cards import COMMON, PACK, Card
from tablectl.core.events.round import Settled
from tablectl.core.facts.card_requests import Dealing
from tablectl.core.facts.table_requests import BetOffered
from tablectl.core.money import format_money
from tests.support.football_poker import EVEN, ODD, POST, UPPER, bet, nets, new_table
from tests.support.football_poker_dealer import next_body
from tests.support.totality import hundredths
from tests.support.ways import both_ways

FIVE_BETS = st.sampled_from(["upper_range", "lower_range", EVEN, ODD, POST])
some_bets = st.lists(
    st.builds(
        BetOffered,
        st.sampled_from([1, 2, 3, COMMON]),
        st.sampled_from(["ann", "bob"]),
        FIVE_BETS,
        st.integers(1, 300),
    ),
    min_size=1,
    max_size=6,
    unique_by=lambda bet: (bet.place, bet.bettor, bet.bet),
)


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
    table = new_table(Dealing.SHUFFLER).begin(*bets).deal(hands)
    assert (table.finish(hands)).settlement == from_the_shoe.settlement


@given(st.permutations(PACK), st.integers(20, 20_000))
def test_of_a_winning_range_house_keeps_one_twentieth_of_stake(pack: list[Card], stake: int) -> None:
    over = settled([bet(1, UPPER, stake=stake), bet(1, EVEN, stake=stake)], pack, Dealing.SHOE)
    upper, even = over.settlement["places"][0]["bets"]
    assert even["commission"] == "0.00"
    kept = -(-stake // 20)
    assert (upper["commission"] == format_money(kept)) == (upper["outcome"] == "win")
    if upper["outcome"] == "win":
        assert hundredths(upper["net"]) == stake - kept


def settled(bets: list[BetOffered], pack: list[Card], dealing: Dealing) -> Settled:
    """A round with these bets, played by a good dealer with the cards in this order."""
    table = new_table(dealing).begin(*bets)
    while not table.all_of(Settled):
        table.tell(next_body(table, tuple(pack)))
    return table.all_of(Settled)[0]


@both_ways
def test_the_good_dealer_comes_to_a_settlement_without_an_irregularity(dealing: Dealing) -> None:
    assert settled([bet()], [*PACK], dealing).irregularities == ()
