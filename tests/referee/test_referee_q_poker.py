"""Q Poker, settled by the product and by a referee that was written from the regulation alone."""

from fractions import Fraction
from typing import Any

import pytest

from tests.referee import q_poker, rounds
from tests.referee.comparing import Heard, heard
from tests.referee.forms import suit


@pytest.fixture(scope="module")
def settled() -> Heard:
    return heard(rounds.q_poker, 1500)


def test_every_round_settles_as_the_referee_settles_it(settled: Heard) -> None:
    assert settled.difference() is None


def test_a_spoilt_round_is_refused_where_the_referee_refuses_it() -> None:
    assert heard(rounds.q_poker, 600, spoil=True).difference() is None


def test_rounds_reach_every_hand_and_every_outcome_but_a_push(settled: Heard) -> None:
    assert settled.seen("hand") == {*q_poker.KINDS, None}
    assert settled.seen("outcome") == {"win", "lose", "half_lost"}
    assert settled.seen("qualifies") == {True, False}


WRONG: list[tuple[str, Any]] = [
    ("QUEEN", 11),
    ("QUEEN", 13),
    ("HALF", Fraction(1)),
    ("suit", lambda card: -suit(card)),
    ("suit", lambda card: 0),
    *(("PAIR_PAYS", q_poker.PAIR_PAYS | {kind: 5}) for kind in q_poker.PAIR_PAYS),
    *(("DEALER_PAYS", q_poker.DEALER_PAYS | {kind: Fraction(5)}) for kind in q_poker.DEALER_PAYS),
]


@pytest.mark.parametrize(("name", "wrong"), WRONG)
def test_a_wrong_rule_shows(settled: Heard, monkeypatch: pytest.MonkeyPatch, name: str, wrong: Any) -> None:
    monkeypatch.setattr(q_poker, name, wrong)
    assert settled.difference() is not None
