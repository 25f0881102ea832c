"""The page for surveillance shows commands that there are, and they do what it says."""

import re
import shlex
from collections.abc import Mapping
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from tablectl.features.bookmark import acknowledge, bookmark
from tablectl.features.case.cli import case
from tablectl.features.rounds.board_cli import board
from tablectl.features.rounds.explain_cli import explain
from tablectl.features.rounds.fairness import fairness
from tablectl.features.rounds.recall import recall
from tablectl.rule_tables import shipped
from tests.support.kept import played

PAGE = Path(__file__).parents[2] / "docs" / "surveillance.md"
SHOWN = re.findall(r"^\$ tablectl (.*)$", PAGE.read_text("utf-8"), re.MULTILINE)
COMMANDS: Mapping[str, click.Command] = {
    "acknowledge": acknowledge,
    "board": board,
    "bookmark": bookmark,
    "case": case,
    "explain": explain,
    "fairness": fairness,
    "recall": recall,
}


def test_the_page_shows_every_command() -> None:
    assert {line.split()[0] for line in SHOWN} == set(COMMANDS)


@pytest.mark.parametrize("line", [line for line in SHOWN if not line.startswith(("bookmark", "acknowledge"))])
def test_a_command_on_the_page_does_what_it_says(line: str, tmp_path: Path) -> None:
    folder = tmp_path / "state"
    ids = played(folder, 3)
    target = tmp_path / "new"
    if "verify" in line:
        made = CliRunner().invoke(case, [ids[1], "--journal", str(folder), "--to", str(target)])
        assert made.exit_code == 0
    name, *words = shlex.split(line)
    given = [_here(word, folder, target, ids) for word in words if not word.startswith("sha256:")]
    given = [word for word in given if word != "--key"]
    given = [_journal(word) for word in given]
    if name == "board":  # it needs the game's rules beside the journal
        given += ["--config", str(shipped("tables/q-poker.demo.toml"))]
    result = CliRunner().invoke(COMMANDS[name], given)
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize("line", [line for line in SHOWN if line.startswith(("bookmark", "acknowledge"))])
def test_a_request_on_the_page_is_one(line: str) -> None:
    name, *words = shlex.split(line)
    COMMANDS[name].make_context(name, words)


def _here(word: str, folder: Path, target: Path, ids: list[str]) -> str:
    """The page's names as those of this test."""
    places = {"/etc/tablectl/q1.toml": str(folder), "/var/lib/tablectl/q1": str(folder)}
    if word in places:
        return places[word]
    if word.startswith("/srv/cases/") or word.endswith(".html"):
        return str(target)
    return {"1a2b3c4d-000017": ids[1], "event:4031": "event:25"}.get(word, word)


def _journal(word: str) -> str:
    """A table of the test has no configuration file of its own."""
    return "--journal" if word == "--config" else word
