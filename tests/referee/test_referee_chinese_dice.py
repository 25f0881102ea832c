"""Chinese dice, settled by the product and by a referee that was written from the regulation alone."""

from fractions import Fraction
from typing import Any

import pytest

from tests.referee import chinese_dice, rounds
from tests.referee.chinese_dice import AT_ONCE, VALUES
from tests.referee.comparing import Heard, heard


@pytest.fixture(scope="module")
def settled() -> Heard:
    return heard(rounds.chinese_dice, 1200)


def test_every_round_settles_as_the_referee_settles_it(settled: Heard) -> None:
    assert settled.difference() is None


def test_a_spoilt_round_is_refused_where_the_referee_refuses_it() -> None:
    assert heard(rounds.chinese_dice, 600, spoil=True).difference() is None


def test_the_rounds_reach_every_throw_every_layer_and_every_outcome(settled: Heard) -> None:
    assert settled.seen("combination") == {*VALUES, None}
    assert settled.seen("layer") == {"banker", "casino", "partner"}
    assert settled.seen("outcome") == {"win", "lose", "push"}
    assert "0.00" in settled.seen("covered")


WRONG: list[tuple[str, Any]] = [
    ("COMMISSION", Fraction(5, 100)),
    ("turn", lambda place, seat: (seat - place) % 8),
    ("turn", lambda place, seat: place),
    *(("AT_ONCE", AT_ONCE | {combination: -result}) for combination, result in AT_ONCE.items()),
    *(("VALUES", (*VALUES[:at], VALUES[at + 1], VALUES[at], *VALUES[at + 2 :])) for at in range(len(VALUES) - 2)),
]
"""The last two are never compared: a banker's triple or 4-5-6 ends the round, so a place's meets a pair only."""


@pytest.mark.parametrize(("name", "wrong"), WRONG)
def test_a_wrong_rule_shows(settled: Heard, monkeypatch: pytest.MonkeyPatch, name: str, wrong: Any) -> None:
    monkeypatch.setattr(chinese_dice, name, wrong)
    assert settled.difference() is not None
