"""`tablectl odds` beside expectations counted out of the referee's settlement."""

import json
from fractions import Fraction
from typing import Any

import pytest
from click.testing import CliRunner

from tablectl.cli import main
from tests.referee import odds
from tests.referee.odds import Spread, deviation, expected


def printed(*arguments: str) -> dict[str, Any]:
    result = CliRunner().invoke(main, ["odds", *arguments, "--json"])
    assert result.exit_code == 0
    answer: dict[str, Any] = json.loads(result.stdout)
    assert set(answer) == {"game", "decks", "bets", "extra"}
    return answer


def assert_counted(bets: dict[str, Any], counted: dict[str, Spread]) -> None:
    assert {name: bet["ev"] for name, bet in bets.items()} == {
        name: str(expected(each)) for name, each in counted.items()
    }
    for name, spread in counted.items():
        assert set(bets[name]) == {"ev", "ev_percent", "sd"}
        assert bets[name]["ev_percent"] == pytest.approx(float(100 * expected(spread)), abs=5.1e-6)
        assert bets[name]["sd"] == pytest.approx(deviation(spread), abs=5.1e-4)


def test_every_symbol_of_the_wheel() -> None:
    assert_counted(printed("wheel_of_fortune")["bets"], odds.wheel())


def test_a_place_and_the_bank_at_dice() -> None:
    answer = printed("chinese_dice")
    assert_counted(answer["bets"], odds.dice_bets())
    assert answer["extra"] == {"place_probabilities": texts(odds.dice())}


@pytest.mark.parametrize("decks", [*range(1, 9), None])
def test_every_bet_of_football_poker(decks: int | None) -> None:
    answer = printed("football_poker", "--decks", str(decks or "inf"))
    assert answer["decks"] == (decks or "inf")
    assert_counted(answer["bets"], odds.football(decks))


def test_every_natural_of_thirteen_cards() -> None:
    answer = printed("thirteen_cards")
    assert answer["bets"] == {}
    assert answer["extra"] == {"naturals": texts(odds.naturals())}


def test_every_bet_of_q_poker_and_every_threshold() -> None:
    answer = printed("q_poker")
    assert_counted(answer["bets"], {"pair_or_better": odds.q_poker_pair(), "versus_dealer": odds.q_poker_best()})
    assert answer["extra"] == {"thresholds": texts(odds.q_poker_thresholds())}


def test_counting_shows_a_wrong_pay_table() -> None:
    with pytest.raises(AssertionError):
        assert_counted(printed("wheel_of_fortune")["bets"], odds.wheel([1, 3, 5, 10, 20, 45, 46]))


def texts(fractions: dict[str, Fraction]) -> dict[str, str]:
    return {name: str(fraction) for name, fraction in fractions.items()}
