"""`tablectl board`: what the last rounds came to, and honest counts beside it, for every game in every language."""

import json
import re
from pathlib import Path
from typing import Any, Final

import pytest
from click.testing import CliRunner, Result

from tablectl.cli.board import board
from tablectl.shell.rules import shipped
from tablectl.tools.board import OUTSIDE, SHOWN
from tablectl.words import LANGUAGES
from tablectl.words.width import cells
from tests.tools.counted import GAMES, Told, kept, settled

WIDEST: Final = 80
COMMON: Final = {"place": "common", "total": 9}
ENDS: Final[dict[str, Told]] = {
    "q-poker": settled(1, {"dealer": {"hand": "pair"}}),
    "football-poker": settled(
        1, {"places": [{"place": "common", "total": 9}]}, {"draw": {"series": "lower", "combination": 4}}
    ),
    "wheel-of-fortune": settled(1, {}, {"spin": {"symbol": 2}}),
    "chinese-dice": settled(1, {"banker": {"combination": "4-5-6"}}),
    "thirteen-cards": settled(1, {"banker": {"natural": "three_flushes", "rows": ["high_card", "flush", "flush"]}}),
}


def shown(folder: Path, game: str, *options: str) -> Result:
    config = shipped(f"tables/{game}.demo.toml")
    result = CliRunner().invoke(board, ["--config", str(config), "--journal", str(folder), *options])
    assert (result.exit_code, result.stderr) == (0, ""), result.output
    return result


def hands(*names: str) -> list[list[Told]]:
    return [[settled(nth, {"dealer": {"hand": name}})] for nth, name in enumerate(names, 1)]


def counted(folder: Path, *options: str) -> dict[str, dict[str, Any]]:
    (count,) = json.loads(shown(folder, "q-poker", "--json", *options).stdout)["counts"]
    return {row["name"]: row for row in count["rows"]}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAMES)
def test_board_of_every_game_is_in_words_and_fits_the_terminal(game: str, language: str, tmp_path: Path) -> None:
    kept(tmp_path, [[("wheel.stopped", 1, {"section": 9}), ENDS[game]] for _ in range(3)])
    text = shown(tmp_path, game, "--lang", language).stdout
    assert max(map(cells, text.splitlines())) <= WIDEST
    assert not [key for key in ("page.", "cli.", "symbol_", "lower_", "bet.", "_flush") if key in text]
    names = [line[:30] for line in text.splitlines() if re.search(r"\d–\d", line)]
    assert len(set(names)) == len(names) > 1


def test_gap_is_the_rounds_since_a_result_last_came(tmp_path: Path) -> None:
    kept(tmp_path, hands("flush", "pair", "high_card", "pair", "high_card"))
    rows = counted(tmp_path)
    assert {name: rows[name]["gap"] for name in ("high_card", "pair", "flush", "straight")} == {
        "high_card": 0,
        "pair": 1,
        "flush": 4,
        "straight": None,
    }


def test_a_count_outside_its_usual_range_is_marked_and_one_within_is_not(tmp_path: Path) -> None:
    kept(tmp_path, hands(*["straight_flush"] * 9, "high_card"))
    text = shown(tmp_path, "q-poker").stdout
    assert f"{OUTSIDE}9" in text
    row = counted(tmp_path)["straight_flush"]
    assert not row["low"] <= row["observed"] <= row["high"]


def test_the_newest_results_come_first_and_are_twenty_at_most(tmp_path: Path) -> None:
    kept(tmp_path, hands(*["pair"] * 30, "flush"))
    latest = json.loads(shown(tmp_path, "q-poker", "--json").stdout)["latest"]["hands"]
    assert latest == ["flush", *["pair"] * (SHOWN - 1)]


def test_nothing_is_called_due_and_the_page_says_so(tmp_path: Path) -> None:
    kept(tmp_path, hands("pair"))
    assert "none is due" in shown(tmp_path, "q-poker").stdout


def test_a_period_has_its_own_counts(tmp_path: Path) -> None:
    kept(tmp_path, hands("pair", "pair", "flush"))
    assert counted(tmp_path, "--from", "3")["pair"]["observed"] == 0
    assert counted(tmp_path, "--to", "1")["pair"]["observed"] == 1


@pytest.mark.parametrize("words", [("--from", "yesterday"), ("--from", "3", "--to", "1")])
def test_what_is_no_period_is_said(words: tuple[str, ...], tmp_path: Path) -> None:
    kept(tmp_path, hands("pair"))
    config = str(shipped("tables/q-poker.demo.toml"))
    result = CliRunner().invoke(board, ["--config", config, "--journal", str(tmp_path), *words])
    assert (result.exit_code, len(result.stderr.splitlines())) == (1, 1)
    assert "no period" in result.stderr


def test_a_journal_without_rounds_has_a_board_of_nothing(tmp_path: Path) -> None:
    kept(tmp_path, [])
    assert "in 0 rounds" in shown(tmp_path, "q-poker").stdout
