"""A new game is one package and one line in the list of games."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
PACKAGE: Final = ROOT / "tests" / "extension" / "higher_card"
ROUND: Final = {
    "dealer": ["Kd"],
    "places": [
        {"place": 1, "cards": ["As"], "bets": [{"bettor": "ann", "bet": "high", "stake": "100"}]},
        {"place": 2, "cards": ["Ks"], "bets": [{"bettor": "bob", "bet": "high", "stake": "50"}]},
        {"place": 4, "cards": ["Qh"], "bets": [{"bettor": "cho", "bet": "high", "stake": "200"}]},
    ],
}


def ran(*arguments: str, given: str = "", ends: int = 0) -> str:
    """What the program says, with high card among its games."""
    done = subprocess.run(  # our own program
        [sys.executable, "-m", "tests.extension.run_with_higher_card", *arguments],
        cwd=ROOT,
        input=given,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == ends, done.stdout + done.stderr
    return done.stdout


def test_new_game_is_settled_by_its_own_rules() -> None:
    settled = json.loads(ran("settle", "-", given=json.dumps({"game": "higher_card", "id": "r", "round": ROUND})))
    nets = {bet["bettor"]: bet["net"] for place in settled["places"] for bet in place["bets"]}
    assert nets == {"ann": "100.00", "bob": "0.00", "cho": "-200.00"}


def test_new_game_has_exact_odds() -> None:
    bet = json.loads(ran("odds", "higher-card", "--json"))["bets"]["high"]
    assert (bet["ev"], bet["sd"]) == ("0", 0.97)


def test_phases_of_new_game_have_its_own_texts() -> None:
    assert "dealing · distribuição" in ran("dev", "phases", "higher-card", "--lang", "pt")


def test_scenario_of_new_game_goes_as_written(tmp_path: Path) -> None:
    assert "1 passed" in ran("dev", "rig", "run", "--level", "core", str(PACKAGE / "round.toml"))
    wrong = tmp_path / "wrong.toml"
    wrong.write_text((PACKAGE / "round.toml").read_text().replace('{see = "round.settled"}', '{see = "round.void"}'))
    assert "1 failed" in ran("dev", "rig", "run", "--level", "core", str(wrong), ends=1)


def test_simulated_evening_of_new_game_has_no_flaw() -> None:
    said = ran("simulate", "2")
    assert said.endswith("flaws []\n")
    assert not said.startswith("seed 2: settled 0")


@pytest.mark.slow
def test_demonstrated_round_of_new_game_is_told_and_explained(mosquitto: Path, tmp_path: Path) -> None:
    assert mosquitto.exists()
    kept = tmp_path / "kept"
    told = ran("demo", "--game", "higher-card", "--speed", "0", "--rounds", "2", "--seed", "4", "--keep", str(kept))
    assert "opened: High Card, rules toy" in told
    assert "settled: 2" in told
    assert "complete from 1 to" in told
    explained = ran("explain", "1", "--config", str(kept / "table.toml"))
    assert "§ toy art. 2" in explained
    assert "place 3: 9♥" in explained


def test_no_file_of_program_names_new_game() -> None:
    shipped = [*ROOT.glob("drivers/**/*.py"), *ROOT.glob("tablectl/**/*.py")]
    assert len(shipped) > 300
    assert [path for path in shipped if "higher_card" in path.read_text()] == []
    registering = (ROOT / "tests" / "extension" / "run_with_higher_card.py").read_text()
    assert registering.count("games.GAMES = ") == 1
