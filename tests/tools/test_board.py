"""`tablectl board`: what the last rounds came to, and honest counts beside it, for every game in every language."""

import json
import re
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pytest
from click.testing import CliRunner, Result

from tablectl.config import load
from tablectl.config.game_setup import game_of
from tablectl.core.facts import SessionBegan
from tablectl.features.rounds.board import OUTSIDE, SHOWN
from tablectl.features.rounds.board_cli import board
from tablectl.journal.encoding import write_fact
from tablectl.journal.journal import open_journal
from tablectl.journal.reading.rows import Remembered
from tablectl.journal.records import Record
from tablectl.journal.replay import terms_of
from tablectl.rule_tables import shipped
from tablectl.words import LANGUAGES
from tablectl.words.terminal import cells
from tests.fairness.test_account import EVENING, account_of
from tests.support.kept import played
from tests.support.sitting import fact
from tests.tools.counted import GAMES, START_US, Told, kept, settled

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
def test_board_of_every_game_is_in_words_and_fits_terminal(game: str, language: str, tmp_path: Path) -> None:
    kept(tmp_path, [[("wheel.stopped", 1, {"section": 9}), ENDS[game]] for _ in range(3)])
    text = shown(tmp_path, game, "--lang", language).stdout
    assert max(map(cells, text.splitlines())) <= WIDEST
    assert not [key for key in ("page.", "cli.", "symbol_", "lower_", "bet.", "_flush") if key in text]
    names = [line[:30] for line in text.splitlines() if re.search(r"\d\.\d +(\d+–\d+|–) ", line)]
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


def test_only_counts_outside_their_range_are_marked(tmp_path: Path) -> None:
    kept(tmp_path, hands(*["pair"] * 38, *["high_card"] * 2))
    text = shown(tmp_path, "q-poker").stdout
    assert f"{OUTSIDE}38" in text
    rows = counted(tmp_path)
    assert not rows["pair"]["low"] <= rows["pair"]["observed"] <= rows["pair"]["high"]
    assert "<0.1 % of fair tables" in " ".join(text.split())


def test_expectations_below_five_have_no_range_or_mark(tmp_path: Path) -> None:
    kept(tmp_path, hands(*["straight_flush"] * 9, "high_card"))
    assert f"{OUTSIDE}9" not in shown(tmp_path, "q-poker").stdout
    assert "low" not in counted(tmp_path)["straight_flush"]


def test_rounds_by_hour_durations_and_faults_stand_on_board(tmp_path: Path) -> None:
    opened: Told = ("round.opened", 10, {})
    closed: Told = ("round.betting_closed", 22, {})
    fault: Told = ("fault.raised", 23, {"code": 308})
    kept(tmp_path, [[opened, closed, fault, settled(30, {"dealer": {"hand": "pair"}})]])
    lines = shown(tmp_path, "q-poker").stdout.splitlines()
    assert [line for line in lines if line.endswith(":00 1")]
    assert any(line.split()[:3] == ["betting", "12.0", "s"] for line in lines)
    assert any(line.endswith("308 ×1") for line in lines)


def test_the_newest_results_come_first_and_are_twenty_at_most(tmp_path: Path) -> None:
    kept(tmp_path, hands(*["pair"] * 30, "flush"))
    latest = json.loads(shown(tmp_path, "q-poker", "--json").stdout)["latest"]["hands"]
    assert latest == ["flush", *["pair"] * (SHOWN - 1)]


def test_nothing_is_called_due_and_the_page_says_so(tmp_path: Path) -> None:
    kept(tmp_path, hands("pair"))
    assert "none is due" in shown(tmp_path, "q-poker").stdout


def test_a_period_has_its_own_counts(tmp_path: Path) -> None:
    kept(tmp_path, hands("pair", "pair", "flush"))
    assert counted(tmp_path, "--from", "event:3")["pair"]["observed"] == 0
    assert counted(tmp_path, "--to", "event:1")["pair"]["observed"] == 1


@pytest.mark.parametrize("words", [("--from", "yesterday"), ("--from", "event:3", "--to", "event:1"), ("--to", "24")])
def test_what_is_no_period_is_said(words: tuple[str, ...], tmp_path: Path) -> None:
    kept(tmp_path, hands("pair"))
    config = str(shipped("tables/q-poker.demo.toml"))
    result = CliRunner().invoke(board, ["--config", config, "--journal", str(tmp_path), *words])
    assert (result.exit_code, len(result.stderr.splitlines())) == (1, 1)
    assert "no period" in result.stderr


def test_a_journal_without_rounds_has_a_board_of_nothing(tmp_path: Path) -> None:
    kept(tmp_path, [])
    assert "in 0 rounds" in shown(tmp_path, "q-poker").stdout


def test_journal_alone_is_counted_by_rules_of_its_last_session(tmp_path: Path) -> None:
    played(tmp_path / "state")
    journal = ["--journal", str(tmp_path / "state")]
    wheel = ["--config", str(shipped("tables/wheel-of-fortune.demo.toml"))]
    strange = CliRunner().invoke(board, [*journal, *wheel])
    assert (strange.exit_code, strange.stdout) == (2, "")
    assert "is of demo/q-demo, and this configuration is of demo/wheel-demo" in strange.stderr
    result = CliRunner().invoke(board, journal)
    assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1)
    assert "name the configuration with --config" in result.stderr
    with closing(open_journal(tmp_path / "state")) as kept_on:
        game = game_of(load(shipped("tables/q-poker.demo.toml"))).make(load(shipped("tables/q-poker.demo.toml")))
        began = SessionBegan("s2", "1", "hash", game.name, game.rules_version, simulated=True, terms=terms_of(game))
        ruled = fact(began, 10**6)
        kept_on.append([Record(kept_on.last_record + 1, START_US, write_fact(ruled), ())])
    alone = json.loads(CliRunner().invoke(board, [*journal, "--json"]).stdout)
    assert alone == json.loads(shown(tmp_path / "state", "q-poker", "--json").stdout)


def test_a_board_of_nothing_named_asks_for_a_name(tmp_path: Path) -> None:
    result = CliRunner(env={"TABLECTL_CONFIG_DIR": str(tmp_path)}).invoke(board, [])
    assert (result.exit_code, "which table?" in result.stderr) == (2, True)


def test_board_names_the_stream_with_most_evidence(tmp_path: Path) -> None:
    kept(tmp_path, [[("wheel.stopped", 1, {"section": 9}), ENDS["wheel-of-fortune"]]])
    assert "evidence" not in shown(tmp_path, "wheel-of-fortune").stdout
    with closing(open_journal(tmp_path)) as journal:
        journal.remember(Remembered.FAIRNESS, account_of(EVENING)[0].kept())
    said = " ".join(shown(tmp_path, "wheel-of-fortune").stdout.split())
    assert "Most evidence of unfairness" in said
    assert "sections of wheel 2027-01 5eed: ALARM" in said
