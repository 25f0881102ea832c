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


def test_unknown_game_is_a_usage_error_that_names_known_ones() -> None:
    status, shown = run("bridge")
    assert status == 2
    assert "q_poker" in shown


@pytest.mark.parametrize("game", ["q_poker", "football_poker", "wheel_of_fortune", "chinese_dice", "thirteen_cards"])
@pytest.mark.parametrize("command", ["odds", "phases"])
def test_a_game_may_be_named_with_hyphens(command: str, game: str) -> None:
    said, meant = (CliRunner().invoke(main, [command, name]) for name in (game.replace("_", "-"), game))
    assert (said.exit_code, said.output) == (0, meant.output)


def test_a_mistake_shows_the_usage_in_one_line() -> None:
    result = CliRunner().invoke(main, ["odds", "bridge"])
    assert result.stderr.startswith("Usage: main odds [OPTIONS] GAME\n")


@pytest.mark.parametrize("decks", ["1", "8", "inf"])
def test_the_odds_of_football_poker_as_json(decks: str) -> None:
    status, shown = run("football_poker", "--decks", decks, "--json")
    odds = json.loads(shown)
    assert status == 0
    assert (odds["game"], odds["extra"]) == ("football_poker", {})
    assert odds["decks"] == ("inf" if decks == "inf" else int(decks))
    assert list(odds["bets"]) == [
        *(f"{series}_range[{k}]" for series in ("upper", "lower") for k in range(1, 9)),
        *("even", "odd", "post"),
    ]
    assert all(bet.keys() == {"ev", "ev_percent", "sd"} for bet in odds["bets"].values())


def test_football_poker_defaults_to_one_pack() -> None:
    assert run("football_poker", "--json") == run("football_poker", "--json", "--decks", "1")
    bets = json.loads(run("football_poker", "--decks", "inf", "--json")[1])["bets"]
    assert bets["upper_range[1]"] == {"ev": "-249/10985", "ev_percent": -2.26673, "sd": 0.928}
    assert bets["post"] == {"ev": "-352/2197", "ev_percent": -16.02185, "sd": 2.618}


def test_the_odds_of_football_poker_for_people() -> None:
    status, shown = run("football_poker")
    assert status == 0
    assert len(shown.splitlines()) == 1 + 19
    assert shown.splitlines()[-1].split()[:4] == ["post", "9.0860%", "0.0000%", "90.9140%"]


@pytest.mark.article("football_poker", "2.1")
def test_football_poker_has_at_most_eight_packs_or_unlimited() -> None:
    status, shown = run("football_poker", "--decks", "9")
    assert status == 2
    assert "at most 8 packs, or inf" in shown


def test_odds_of_wheel_of_fortune_as_json_and_for_people() -> None:
    status, shown = run("wheel_of_fortune", "--json")
    odds = json.loads(shown)
    assert status == 0
    assert (odds["game"], odds["extra"]) == ("wheel_of_fortune", {})
    assert list(odds["bets"]) == [f"symbol_{n}" for n in range(1, 8)]
    assert odds["bets"]["symbol_5"] == {"ev": "-5/26", "ev_percent": -19.23077, "sd": 4.038}
    status, shown = run("wheel_of_fortune")
    assert status == 0
    assert shown.splitlines()[-1].split() == ["symbol_7", "1.9231%", "0.0000%", "98.0769%", "-11.5385%", "6.317"]


@pytest.mark.parametrize("decks", ["2", "inf"])
def test_the_wheel_of_fortune_has_no_packs(decks: str) -> None:
    status, shown = run("wheel_of_fortune", "--decks", decks)
    assert status == 2
    assert "without cards" in shown
