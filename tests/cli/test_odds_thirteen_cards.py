import json

import pytest
from click.testing import CliRunner

from tablectl.cli import main


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["odds", "thirteen_cards", *arguments])
    return done.exit_code, done.output


@pytest.mark.article("thirteen_cards", "9.I")
def test_the_odds_of_13_cards_as_json() -> None:
    status, shown = run("--json")
    assert status == 0
    assert json.loads(shown) == {
        "game": "thirteen_cards",
        "decks": 1,
        "bets": {},
        "extra": {
            "naturals": {
                "dragon": "4194304/39688347475",
                "six_and_a_half_pairs": "157135693/39688347475",
                "three_flushes": "713189549/79376694950",
                "three_straights": "18121248/5669763925",
                "any": "25510393/1587533899",
            }
        },
    }


def test_odds_of_13_cards_for_people_are_the_naturals_alone() -> None:
    status, shown = run()
    assert status == 0
    assert [line.split() for line in shown.splitlines()][:2] == [
        ["naturals"],
        ["dragon", "0.0106%", "4194304/39688347475"],
    ]


@pytest.mark.article("thirteen_cards", "1.a")
@pytest.mark.parametrize("decks", ["2", "inf"])
def test_13_cards_has_one_pack(decks: str) -> None:
    status, shown = run("--decks", decks)
    assert status == 2
    assert "one pack" in shown
