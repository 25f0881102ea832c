"""The wheel of fortune, settled by the product and by a referee that was written from the regulation alone."""

from decimal import Decimal
from typing import Any

import pytest

from tests.referee import rounds, wheel_of_fortune
from tests.referee.comparing import Heard, heard
from tests.referee.wheel_of_fortune import PAYS, SYMBOLS


@pytest.fixture(scope="module")
def settled() -> Heard:
    return heard(rounds.wheel_of_fortune, 3000)


def test_every_spin_settles_as_the_referee_settles_it(settled: Heard) -> None:
    assert settled.difference() is None


def test_a_spoilt_spin_is_refused_where_the_referee_refuses_it() -> None:
    assert heard(rounds.wheel_of_fortune, 1500, spoil=True).difference() is None


def test_spins_reach_every_symbol_and_every_reason_to_spin_again(settled: Heard) -> None:
    assert settled.seen("reason") == {"fewer_than_three_turns", "on_peg", "interference"}
    assert settled.seen("bet") == set(SYMBOLS)
    assert settled.seen("outcome") == {"win", "lose"}


WRONG: list[tuple[str, Any]] = [
    ("TURNS", Decimal("2.999999999999999999999")),
    ("TURNS", Decimal("3.00000000000000000001")),
    *(("PAYS", (*PAYS[:at], PAYS[at] + 1, *PAYS[at + 1 :])) for at in range(7)),
    *(("SYMBOLS", (*SYMBOLS[:at], SYMBOLS[at + 1], SYMBOLS[at], *SYMBOLS[at + 2 :])) for at in range(6)),
]


@pytest.mark.parametrize(("name", "wrong"), WRONG)
def test_a_wrong_rule_shows(settled: Heard, monkeypatch: pytest.MonkeyPatch, name: str, wrong: Any) -> None:
    monkeypatch.setattr(wheel_of_fortune, name, wrong)
    assert settled.difference() is not None
