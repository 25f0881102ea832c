"""The 13-card game, settled by the product and by a referee that was written from the regulation alone."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from tests.referee import arrangements, thirteen_cards
from tests.referee.comparing import Heard, heard
from tests.referee.thirteen_cards import KINDS, POINTS, Row, is_straight, natural, strength

NATURALS = ("dragon", "six_and_a_half_pairs", "three_flushes", "three_straights")


@pytest.fixture(scope="module")
def settled() -> Heard:
    return heard(arrangements.thirteen_cards, 1500)


def test_every_round_settles_as_the_referee_settles_it(settled: Heard) -> None:
    assert settled.difference() is None


def test_a_spoilt_round_is_refused_where_the_referee_refuses_it() -> None:
    assert heard(arrangements.thirteen_cards, 600, spoil=True).difference() is None


def test_the_rounds_reach_every_natural_every_formation_and_every_outcome(settled: Heard) -> None:
    assert settled.seen("natural") == {*NATURALS, None}
    assert settled.seen("foul") == {True, False}
    assert settled.seen("outcome") == {"win", "lose", "push"}
    assert all(any(f'"{kind}"' in str(answer).replace("'", '"') for answer in settled.answers) for kind in KINDS)


def without(name: str) -> Callable[[tuple[Row, Row, Row]], str | None]:
    return lambda rows: None if natural(rows) == name else natural(rows)


def no_low_ace(row: Row) -> bool:
    return is_straight(row) and not {"A", "2"} <= {card[0] for card in row}


def wheel_is_lowest(row: Row) -> tuple[int, ...]:
    kind, *rest = strength(row)
    return (kind, *rest) if rest != [14] or kind not in {4, 8} else (kind, 5)


def odd_cards_never_count(row: Row) -> tuple[int, ...]:
    return strength(row)[:2]


def one_more(kind: str, tier: int) -> dict[str, Any]:
    points = list(POINTS[kind])
    points[tier] += 1
    return POINTS | {kind: tuple(points)}


WRONG: list[tuple[str, Any]] = [
    ("PRIZE", Fraction(1)),
    ("COMMISSION", Fraction(3, 100)),
    ("is_straight", no_low_ace),
    ("strength", wheel_is_lowest),
    ("strength", odd_cards_never_count),
    *(("natural", without(name)) for name in NATURALS),
    *(("POINTS", one_more(kind, tier)) for kind in KINDS for tier in range(3) if POINTS[kind][tier]),
]


@pytest.mark.parametrize(("name", "wrong"), WRONG)
def test_a_wrong_rule_shows(settled: Heard, monkeypatch: pytest.MonkeyPatch, name: str, wrong: Any) -> None:
    monkeypatch.setattr(thirteen_cards, name, wrong)
    assert settled.difference() is not None
