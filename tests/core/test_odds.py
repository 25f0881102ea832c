from fractions import Fraction

import pytest

from tablectl.core.bets.ratios import Odds, from_weights, write_odds

COIN = from_weights({Fraction(1): 2, Fraction(0): 1, Fraction(-1): 3, Fraction(9): 0})


def test_a_bets_chances_and_moments_follow_from_its_returns() -> None:
    assert COIN.chances() == (Fraction(1, 3), Fraction(1, 6), Fraction(1, 2))
    assert COIN.expectation() == Fraction(-1, 6)
    assert COIN.deviation() == pytest.approx((5 / 6 - 1 / 36) ** 0.5)


def test_what_never_happens_is_no_return() -> None:
    assert Fraction(9) not in COIN.returns


@pytest.mark.parametrize(("decks", "written"), [(1, 1), (8, 8), (None, "inf")])
def test_odds_are_written_with_exact_reduced_fractions(decks: int | None, written: int | str) -> None:
    assert write_odds(Odds("toss", decks, {"head": COIN}, {"luck": {"half": Fraction(2, 4)}})) == {
        "game": "toss",
        "decks": written,
        "bets": {"head": {"ev": "-1/6", "ev_percent": -16.66667, "sd": 0.898}},
        "extra": {"luck": {"half": "1/2"}},
    }
