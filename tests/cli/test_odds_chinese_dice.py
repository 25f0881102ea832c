import json

import pytest
from click.testing import CliRunner

from tablectl.cli import main


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["odds", "chinese_dice", *arguments])
    return done.exit_code, done.output


@pytest.mark.article("chinese_dice", "7.b")
def test_the_odds_of_the_chinese_dice_game_as_json() -> None:
    status, shown = run("--json")
    assert status == 0
    assert json.loads(shown) == {
        "game": "chinese_dice",
        "decks": 1,
        "bets": {
            "place": {"ev": "-289/10800", "ev_percent": -2.67593, "sd": 0.922},
            "bank": {"ev": "-31/3600", "ev_percent": -0.86111, "sd": 0.921},
        },
        "extra": {"place_probabilities": {"win": "7/16", "lose": "193/432", "tie": "25/216"}},
    }


def test_the_odds_of_the_chinese_dice_game_for_people() -> None:
    status, shown = run()
    assert status == 0
    lines = [line.split() for line in shown.splitlines()]
    assert ["place", "43.7500%", "11.5741%", "44.6759%", "-2.6759%", "0.922"] in lines
    assert ["win", "43.7500%", "7/16"] in lines


@pytest.mark.parametrize("decks", ["2", "inf"])
def test_packs_are_an_error_where_nothing_is_dealt(decks: str) -> None:
    status, shown = run("--decks", decks)
    assert status == 2
    assert "without cards" in shown
