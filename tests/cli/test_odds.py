import json

import pytest
from click.testing import CliRunner

from tablectl.cli import main


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["odds", *arguments])
    return done.exit_code, done.output


def test_the_odds_of_q_poker_as_json() -> None:
    status, shown = run("q_poker", "--json")
    odds = json.loads(shown)
    assert status == 0
    assert (odds["game"], odds["decks"]) == ("q_poker", 1)
    assert odds["bets"] == {
        "pair_or_better": {"ev": "-128/5525", "ev_percent": -2.31674, "sd": 2.911},
        "versus_dealer": {"ev": "-11234169/407170400", "ev_percent": -2.75908, "sd": 0.801},
    }
    assert odds["extra"]["thresholds"]["Q-6-4"] == "-108021/3915100"


def test_the_odds_of_q_poker_for_people() -> None:
    status, shown = run("q_poker")
    assert status == 0
    assert [line.split() for line in shown.splitlines()[:2]] == [
        ["bet", "win", "push", "loss", "expectation", "deviation"],
        ["pair_or_better", "25.6109%", "0.0000%", "74.3891%", "-2.3167%", "2.911"],
    ]
    assert "never" in shown


@pytest.mark.article("q_poker", "1.1")
@pytest.mark.parametrize("decks", ["2", "inf"])
def test_q_poker_has_one_pack(decks: str) -> None:
    status, shown = run("q_poker", "--decks", decks)
    assert status == 2
    assert "one pack" in shown


@pytest.mark.parametrize("decks", ["0", "-1", "x", "1.5", "", "²", "9999"])
def test_a_number_of_packs_is_a_whole_number_or_inf(decks: str) -> None:
    assert run("q_poker", "--decks", decks)[0] == 2


def test_an_unknown_game_is_a_usage_error_that_names_the_known_ones() -> None:
    status, shown = run("bridge")
    assert status == 2
    assert "q_poker" in shown
