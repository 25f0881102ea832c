"""What the house keeps of whole rounds, whatever the cards."""

from hypothesis import given
from hypothesis import strategies as st

from tablectl.core.cards import PACK, Card
from tablectl.core.money import format_money
from tests.support.football_poker import EVEN, UPPER, bet
from tests.support.pokers import FOOTBALL_POKER
from tests.support.totality import hundredths


@given(st.permutations(PACK), st.integers(20, 20_000))
def test_of_a_winning_range_house_keeps_one_twentieth_of_stake(pack: list[Card], stake: int) -> None:
    over = FOOTBALL_POKER.settled([bet(1, UPPER, stake=stake), bet(1, EVEN, stake=stake)], pack)
    upper, even = over.settlement["places"][0]["bets"]
    assert even["commission"] == "0.00"
    kept = -(-stake // 20)
    assert (upper["commission"] == format_money(kept)) == (upper["outcome"] == "win")
    if upper["outcome"] == "win":
        assert hundredths(upper["net"]) == stake - kept
