"""Journals that the build ce9585a wrote, under procedure 2: this build takes them over and alters nothing of them.

Each in `tests/golden/journals` is what `tablectl demo --rounds 1 --speed 0 --seed 7 --irregular 0.3 --keep FOLDER` left
there, as `tests/support/golden_journal.py` writes it.
"""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import pytest
from click.testing import CliRunner, Result

from tablectl.cli import main
from tablectl.config import load
from tablectl.config.models import Config
from tablectl.core.facts import SessionEnded
from tablectl.core.table import EVERYBODY
from tablectl.journal.procedure import PROCEDURE, procedure_of
from tablectl.journal.reading.reader import open_reader
from tablectl.journal.replay import OtherProcedureError
from tablectl.rule_tables import GAMES, shipped
from tests.daemon.test_other_terms import live, recovered, told
from tests.docs.pages import ROOT
from tests.support.golden_journal import build, dump

GOLDEN: Final = {game: f"{game.replace('_', '-')}.txt" for game in GAMES}
WRITTEN_UNDER: Final = 2

every_game = pytest.mark.parametrize("game", GAMES)


def text_of(game: str) -> str:
    return (ROOT / "tests" / "golden" / "journals" / GOLDEN[game]).read_text("utf-8")


def rows_of(folder: Path) -> tuple[Sequence[Any], Sequence[Any], Sequence[Any]]:
    """Records, events and snapshots."""
    reader = open_reader(folder)
    try:
        return list(reader.records()), list(reader.events()), list(reader.snapshots())
    finally:
        reader.close()


def config_of(game: str, folder: Path) -> Config:
    return load(shipped(f"tables/{game.replace('_', '-')}.demo.toml"), {"paths.state": str(folder)})


def upgrade_check(game: str, folder: Path, *options: str) -> Result:
    config = str(shipped(f"tables/{game.replace('_', '-')}.demo.toml"))
    return CliRunner().invoke(main, ["upgrade-check", "--config", config, "--journal", str(folder), *options])


@every_game
def test_a_golden_journal_is_whole_and_written_again_the_same(game: str, tmp_path: Path) -> None:
    build(text_of(game), tmp_path / "state")
    assert CliRunner().invoke(main, ["journal", "verify", str(tmp_path / "state")]).exit_code == 0
    assert dump(tmp_path / "state") == text_of(game)


@every_game
def test_start_takes_over_from_the_snapshot_and_folds_what_followed(game: str, tmp_path: Path) -> None:
    build(text_of(game), tmp_path / "state")
    records, events, (snapshot,) = rows_of(tmp_path / "state")
    table = live(config_of(game, tmp_path / "state"))
    folded = table.recover()
    table.shut()
    stored = json.loads(snapshot.state)
    assert procedure_of(stored["terms"]) == WRITTEN_UNDER < PROCEDURE
    assert folded == len(records) - snapshot.record
    state = table.state
    assert (state.records, state.announced, state.rounds) == (len(records), len(events), 1)
    assert (state.log_id, state.public_key, state.terms) == (stored["log_id"], stored["public_key"], stored["terms"])
    assert [list(ending.nets) for ending in state.endings] == [
        [tuple(net) for net in ending["nets"]] for ending in stored["endings"]
    ]
    assert EVERYBODY in dict(state.forgotten)


@every_game
def test_stored_events_are_served_unchanged_after_session_of_this_build(game: str, tmp_path: Path) -> None:
    build(text_of(game), tmp_path / "state")
    _, before, _ = rows_of(tmp_path / "state")
    asyncio.run(told(config_of(game, tmp_path / "state"), SessionEnded("update")))
    records, after, _ = rows_of(tmp_path / "state")
    assert after[: len(before)] == before
    assert records[-1].number > max(event.record for event in before)


@every_game
def test_upgrade_check_names_the_takeover_and_what_a_start_folds(game: str, tmp_path: Path) -> None:
    build(text_of(game), tmp_path / "state")
    records, _, (snapshot,) = rows_of(tmp_path / "state")
    ended = upgrade_check(game, tmp_path / "state", "--json")
    account = json.loads(ended.stdout)
    assert (ended.exit_code, account["same"], account["taken_over"]) == (0, True, snapshot.record)
    assert account["records"] == account["start_records"] == len(records) - snapshot.record


@every_game
def test_open_round_is_refused_by_start_and_upgrade_check(game: str, tmp_path: Path) -> None:
    build(text_of(game), tmp_path / "whole")
    _, _, (snapshot,) = rows_of(tmp_path / "whole")
    build(text_of(game), tmp_path / "state", last=snapshot.record - 1)
    with pytest.raises(OtherProcedureError, match=f"-000001 was begun under procedure {WRITTEN_UNDER}") as refused:
        recovered(config_of(game, tmp_path / "state"))
    ended = upgrade_check(game, tmp_path / "state")
    assert (ended.exit_code, ended.stderr) == (1, f"tablectl: {refused.value}\n")
