"""Every game, settled by the product and by a referee that was written from the regulation alone."""

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from tests.referee import arrangements, chinese_dice, football_poker, q_poker, rounds, thirteen_cards, wheel_of_fortune
from tests.referee.comparing import GAMES, Heard, heard
from tests.referee.football_poker import odds_paid
from tests.referee.forms import suit
from tests.referee.thirteen_cards import Row, is_straight, natural, strength

NATURALS = ("dragon", "six_and_a_half_pairs", "three_flushes", "three_straights")
MADE = {
    "q_poker": (rounds.q_poker, 1500),
    "football_poker": (rounds.football_poker, 1500),
    "wheel_of_fortune": (rounds.wheel_of_fortune, 3000),
    "chinese_dice": (rounds.chinese_dice, 1200),
    "thirteen_cards": (arrangements.thirteen_cards, 1500),
}
"""What makes the rounds of each game, and how many."""


@cache
def settled(game: str) -> Heard:
    return heard(*MADE[game])


@pytest.mark.parametrize("game", GAMES)
def test_every_round_settles_as_the_referee_settles_it(game: str) -> None:
    assert settled(game).difference() is None


@pytest.mark.parametrize("game", GAMES)
def test_a_spoilt_round_is_refused_where_the_referee_refuses_it(game: str) -> None:
    make, count = MADE[game]
    assert heard(make, count // 2, spoil=True).difference() is None


@pytest.mark.parametrize(
    ("game", "key", "values"),
    [
        ("q_poker", "hand", {*q_poker.KINDS, None}),
        ("q_poker", "outcome", {"win", "lose", "half_lost"}),
        ("q_poker", "qualifies", {True, False}),
        ("football_poker", "total", set(range(10))),
        ("football_poker", "outcome", {"win", "lose", "push"}),
        ("wheel_of_fortune", "reason", {"fewer_than_three_turns", "on_peg", "interference"}),
        ("wheel_of_fortune", "bet", set(wheel_of_fortune.SYMBOLS)),
        ("wheel_of_fortune", "outcome", {"win", "lose"}),
        ("chinese_dice", "combination", {*chinese_dice.VALUES, None}),
        ("chinese_dice", "layer", {"banker", "casino", "partner"}),
        ("chinese_dice", "outcome", {"win", "lose", "push"}),
        ("thirteen_cards", "natural", {*NATURALS, None}),
        ("thirteen_cards", "foul", {True, False}),
        ("thirteen_cards", "outcome", {"win", "lose", "push"}),
    ],
)
def test_the_rounds_reach_everything_that_may_come(game: str, key: str, values: set[object]) -> None:
    assert settled(game).seen(key) == values


def test_dice_have_uncovered_bets_and_tiers_every_formation() -> None:
    assert "0.00" in settled("chinese_dice").seen("covered")
    answers = [str(answer).replace("'", '"') for answer in settled("thirteen_cards").answers]
    assert all(any(f'"{kind}"' in answer for answer in answers) for kind in thirteen_cards.KINDS)


def pays_nine_on_post(which: str, points: int, combination: int) -> int:
    odds = odds_paid(which, points, combination)
    return 9 if odds == 8 else odds


def returns_even_and_odd_on_post(which: str, points: int, combination: int) -> int:
    return 0 if points in {0, 9} and which in {"even", "odd"} else odds_paid(which, points, combination)


def takes_ranges_on_post(which: str, points: int, combination: int) -> int:
    return odds_paid(which, points, combination) or -1


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
    points = list(thirteen_cards.POINTS[kind])
    points[tier] += 1
    return thirteen_cards.POINTS | {kind: tuple(points)}


def swapped(values: tuple[Any, ...], at: int) -> tuple[Any, ...]:
    return (*values[:at], values[at + 1], values[at], *values[at + 2 :])


POINTS, PAYS = thirteen_cards.POINTS, wheel_of_fortune.PAYS
WRONG: dict[str, list[tuple[str, Any]]] = {
    "q_poker": [
        ("QUEEN", 11),
        ("QUEEN", 13),
        ("HALF", Fraction(1)),
        ("suit", lambda card: -suit(card)),
        ("suit", lambda card: 0),
        *(("PAIR_PAYS", q_poker.PAIR_PAYS | {kind: 5}) for kind in q_poker.PAIR_PAYS),
        *(("DEALER_PAYS", q_poker.DEALER_PAYS | {kind: Fraction(5)}) for kind in q_poker.DEALER_PAYS),
    ],
    "football_poker": [
        ("COMMISSION", Fraction(4, 100)),
        ("UPPER", football_poker.LOWER),
        ("LOWER", football_poker.LOWER[1:] + football_poker.LOWER[:1]),
        ("odds_paid", pays_nine_on_post),
        ("odds_paid", returns_even_and_odd_on_post),
        ("odds_paid", takes_ranges_on_post),
        *(("POINTS", football_poker.POINTS | {rank: 2}) for rank in football_poker.POINTS),
    ],
    "wheel_of_fortune": [
        ("TURNS", Decimal("2.999999999999999999999")),
        ("TURNS", Decimal("3.00000000000000000001")),
        *(("PAYS", (*PAYS[:at], PAYS[at] + 1, *PAYS[at + 1 :])) for at in range(7)),
        *(("SYMBOLS", swapped(wheel_of_fortune.SYMBOLS, at)) for at in range(6)),
    ],
    # The last two values are never compared: a banker's triple or 4-5-6 ends the round, so a place's meets a pair only.
    "chinese_dice": [
        ("COMMISSION", Fraction(5, 100)),
        ("turn", lambda place, seat: (seat - place) % 8),
        ("turn", lambda place, seat: place),
        *(("AT_ONCE", chinese_dice.AT_ONCE | {each: -result}) for each, result in chinese_dice.AT_ONCE.items()),
        *(("VALUES", swapped(chinese_dice.VALUES, at)) for at in range(len(chinese_dice.VALUES) - 2)),
    ],
    "thirteen_cards": [
        ("PRIZE", Fraction(1)),
        ("COMMISSION", Fraction(3, 100)),
        ("is_straight", no_low_ace),
        ("strength", wheel_is_lowest),
        ("strength", odd_cards_never_count),
        *(("natural", without(name)) for name in NATURALS),
        *(("POINTS", one_more(kind, tier)) for kind in POINTS for tier in range(3) if POINTS[kind][tier]),
    ],
}


@pytest.mark.parametrize(("game", "name", "wrong"), [(game, *each) for game in WRONG for each in WRONG[game]])
def test_a_wrong_rule_shows(game: str, name: str, wrong: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GAMES[game], name, wrong)
    assert settled(game).difference() is not None
