"""On a narrow terminal: nothing is wider than it is, and what is cut shows that it is."""

import os
import re
import subprocess
from pathlib import Path
from typing import Final

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from tablectl.cli import main
from tablectl.history.explain.columns import table
from tablectl.words import LANGUAGES
from tablectl.words.terminal import cells, fitted
from tests.support.config import DEMO
from tests.support.kept import played
from tests.support.patience import PATIENCE_S
from tests.support.warm import tablectl_path

NARROW: Final = 60


@pytest.fixture(name="kept", scope="module")
def _kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    folder = tmp_path_factory.mktemp("table") / "state"
    return folder, played(folder, 3)


def shown(*words: str, columns: int | None = NARROW) -> str:
    """What the command prints on a terminal of so many columns, or into a pipe."""
    environment = {"LC_ALL": "C.UTF-8", "COLUMNS": str(columns) if columns else ""}
    if words[0] == "doctor":  # it opens ports and asks a broker: as a process of its own
        command = [tablectl_path(), *words]
        ended = subprocess.run(
            command, env={**os.environ, **environment}, capture_output=True, text=True, timeout=PATIENCE_S, check=False
        )
        return ended.stdout
    return CliRunner().invoke(main, words, env=environment).stdout


@pytest.mark.parametrize("columns", [NARROW, 40])
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("command", ["explain", "board", "doctor"])
def test_every_line_fits_and_no_word_is_lost(
    kept: tuple[Path, list[str]], command: str, language: str, columns: int
) -> None:
    folder, (round_id, *_) = kept
    words = {
        "explain": ("explain", round_id, "--journal", str(folder)),
        "board": ("board", "--config", str(DEMO), "--journal", str(folder)),
        "doctor": ("doctor", "--config", str(DEMO), "--set", f"paths.state={folder}"),
    }[command]
    narrow = shown(*words, "--lang", language, columns=columns)
    assert max(map(cells, narrow.splitlines())) <= columns
    if command == "explain":
        whole = shown(*words, "--lang", language, columns=None)
        assert re.sub(r"\s+", "", narrow) == re.sub(r"\s+", "", whole)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_list_of_rounds_fits_and_names_every_round_whole(kept: tuple[Path, list[str]], language: str) -> None:
    folder, ids = kept
    text = shown("recall", "--journal", str(folder), "--lang", language)
    assert max(map(cells, text.splitlines())) <= NARROW
    assert all(round_id in text for round_id in ids)


def test_a_pipe_gets_every_line_whole(kept: tuple[Path, list[str]]) -> None:
    folder, _ = kept
    text = shown("doctor", "--config", str(DEMO), "--set", f"paths.state={folder}", columns=None)
    assert max(map(cells, text.splitlines())) > NARROW


@given(st.text(st.sampled_from("ab c第門 "), max_size=80), st.integers(4, 30))
def test_a_line_in_pieces_is_the_line_and_each_fits(line: str, columns: int) -> None:
    pieces = list(fitted(line, columns))
    assert all(cells(piece) <= columns for piece in pieces)
    assert re.sub(r"\s", "", "".join(pieces)) == re.sub(r"\s", "", line)


def test_narrowed_table_cuts_words_with_a_sign_and_figures_never() -> None:
    rows = [("result", "seen for so long", "since"), ("three odd cards of a kind", "123456", "第一種圖案")]
    lines = list(table(rows, right={1}, most=(40, 40, 40), columns=30))
    assert all(cells(line) <= 30 for line in lines)
    assert "123456" in lines[1]
    assert "…" in lines[0]
    assert "…" in lines[1]
