"""Football Poker, settled by the product and by a referee that was written from the regulation alone."""

from fractions import Fraction
from typing import Any

import pytest

from tests.referee import football_poker, rounds
from tests.referee.comparing import Heard, heard
from tests.referee.football_poker import odds_paid


@pytest.fixture(scope="module")
def settled() -> Heard:
    return heard(rounds.football_poker, 1500)


def test_every_round_settles_as_the_referee_settles_it(settled: Heard) -> None:
    assert settled.difference() is None


def test_a_spoilt_round_is_refused_where_the_referee_refuses_it() -> None:
    assert heard(rounds.football_poker, 600, spoil=True).difference() is None


def test_the_rounds_reach_every_total_and_every_outcome(settled: Heard) -> None:
    assert settled.seen("total") == set(range(10))
    assert settled.seen("outcome") == {"win", "lose", "push"}


def pays_nine_on_post(which: str, points: int, combination: int) -> int:
    odds = odds_paid(which, points, combination)
    return 9 if odds == 8 else odds


def returns_even_and_odd_on_post(which: str, points: int, combination: int) -> int:
    return 0 if points in {0, 9} and which in {"even", "odd"} else odds_paid(which, points, combination)


def takes_ranges_on_post(which: str, points: int, combination: int) -> int:
    return odds_paid(which, points, combination) or -1


WRONG: list[tuple[str, Any]] = [
    ("COMMISSION", Fraction(4, 100)),
    ("UPPER", football_poker.LOWER),
    ("LOWER", football_poker.LOWER[1:] + football_poker.LOWER[:1]),
    ("odds_paid", pays_nine_on_post),
    ("odds_paid", returns_even_and_odd_on_post),
    ("odds_paid", takes_ranges_on_post),
    *(("POINTS", football_poker.POINTS | {rank: 2}) for rank in football_poker.POINTS),
]


@pytest.mark.parametrize(("name", "wrong"), WRONG)
def test_a_wrong_rule_shows(settled: Heard, monkeypatch: pytest.MonkeyPatch, name: str, wrong: Any) -> None:
    monkeypatch.setattr(football_poker, name, wrong)
    assert settled.difference() is not None
