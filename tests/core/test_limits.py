"""The casino's limits: each is refused by its name, and only beyond it."""

import pytest

from tablectl.core.bets.stakes import Bet, BetLimits, BetPays, Limits, house_forbids
from tablectl.core.facts.table_requests import BetOffered

LAID = (Bet(1, "ann", "pair", 300), Bet(1, "bob", "pair", 200), Bet(2, "ann", "versus", 100))


def code(limits: Limits, *, place: int = 3, bettor: str = "cy", bet: str = "pair", stake: int = 100) -> str | None:
    refused = house_forbids("q_poker", limits, LAID, BetOffered(place, bettor, bet, stake))
    return refused.code if refused else None


@pytest.mark.parametrize(
    ("limits", "offered", "named"),
    [
        (Limits(bettor=500), {"bettor": "ann"}, None),
        (Limits(bettor=499), {"bettor": "ann"}, "bettor_limit"),
        (Limits(bettor=499), {"bettor": "bob"}, None),
        (Limits(place=600), {"place": 1}, None),
        (Limits(place=599), {"place": 1}, "place_limit"),
        (Limits(place=599), {"place": 2}, None),
        (Limits(table=700), {}, None),
        (Limits(table=699), {}, "table_limit"),
        (Limits(payout=700), {}, None),
        (Limits(payout=699), {}, "payout_limit"),
        (Limits(payout=1649, pays=(BetPays("versus", 3, 2), BetPays("pair", 5, 2))), {}, "payout_limit"),
        (Limits(payout=1750, pays=(BetPays("versus", 3, 2),)), {}, None),
        (Limits(most=400), {"place": 1, "bettor": "ann"}, None),
        (Limits(most=399), {"place": 1, "bettor": "ann"}, "stake_outside_limits"),
        (Limits(by_bet=(BetLimits("pair", 100, 150, 50),)), {"stake": 200}, "stake_outside_limits"),
        (Limits(by_bet=(BetLimits("pair", 100, 150, 50),)), {"stake": 120}, "stake_outside_limits"),
        (Limits(by_bet=(BetLimits("pair", 100, 150, 50),)), {"stake": 150}, None),
        (Limits(by_bet=(BetLimits("pair", 100, 150, 50),)), {"bet": "versus", "stake": 200}, None),
    ],
)
def test_a_bet_over_a_limit_is_refused_by_its_name(limits: Limits, offered: dict[str, object], named: str) -> None:
    assert code(limits, **offered) == named  # type: ignore[arg-type]


def test_the_refusal_says_the_limit_and_whose_it_is() -> None:
    refused = house_forbids("q_poker", Limits(bettor=499_00), LAID, BetOffered(3, "ann", "pair", 500_00))
    assert refused is not None
    assert dict(refused.text.values) == {"bettor": "ann", "place": "3", "most": "499.00"}
