"""`tablectl upgrade-check`: a build that makes the same of a journal says so; another one names the first place."""

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import apsw
import pytest
from click.testing import CliRunner, Result

from tablectl.cli import main
from tablectl.daemon import table_fold
from tablectl.journal import encoding
from tablectl.rule_tables import shipped
from tests.support.warm import tablectl_path

CONFIG = shipped("tables/chinese-dice.demo.toml")


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The state folder that a demonstration left behind."""
    folder = tmp_path_factory.mktemp("played")
    options = ["--game", "chinese-dice", "--rounds", "3", "--speed", "0", "--seed", "5", "--keep", str(folder)]
    subprocess.run([tablectl_path(), "demo", *options], check=True, stdout=subprocess.DEVNULL)
    return folder / "state"


def checked(state: Path, *options: str, changes: Sequence[str] = ()) -> Result:
    given = [word for change in changes for word in ("--set", change)]
    command = ["upgrade-check", "--config", str(CONFIG), "--journal", str(state), *given, *options]
    return CliRunner().invoke(main, command)


@pytest.mark.slow
def test_build_that_wrote_a_journal_makes_the_same_of_it(state: Path) -> None:
    ended = checked(state, "--json")
    account = json.loads(ended.stdout)
    assert (ended.exit_code, account["same"], account["difference"]) == (0, True, None)
    assert account["records"] > 50
    assert account["events"] > 30
    assert account["snapshots"] >= 1
    assert checked(state).stdout.startswith("the same to the byte: ")


@pytest.mark.slow
def test_build_that_says_something_else_is_caught_at_the_event(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = encoding.write_event

    def another(*given: Any, **named: Any) -> tuple[str, bytes]:
        topic, payload = write(*given, **named)
        return topic, payload.replace(b'"specversion":"1.0"', b'"specversion":"1.1"')

    monkeypatch.setattr(table_fold, "write_event", another)
    ended = checked(state)
    assert ended.exit_code == 1
    assert ended.stdout.startswith("this build differs, first at record 1: event 1, specversion")


@pytest.mark.slow
def test_changed_event_is_named_with_its_field(state: Path, tmp_path: Path) -> None:
    copy = tmp_path / "state"
    copy.mkdir(mode=0o700)
    for file in state.glob("journal.db*"):
        (copy / file.name).write_bytes(file.read_bytes())
    connection = apsw.Connection(str(copy / "journal.db"))
    ((sequence, payload),) = connection.execute(
        "SELECT sequence, payload FROM event WHERE instr(payload, CAST('bet.placed' AS BLOB)) ORDER BY sequence LIMIT 1"
    ).fetchall()
    assert isinstance(payload, bytes)
    changed = json.loads(payload)
    changed["data"]["stake"] = "999999.00"
    text = json.dumps(changed, ensure_ascii=False, separators=(",", ":")).encode()
    connection.execute("UPDATE event SET payload = ? WHERE sequence = ?", (text, sequence))
    connection.close()
    ended = checked(copy)
    assert ended.exit_code == 1
    assert f"event {sequence}, data.stake" in ended.stdout
    assert '"999999.00"' in ended.stdout


def test_a_folder_without_a_journal_is_told(tmp_path: Path) -> None:
    ended = checked(tmp_path)
    assert ended.exit_code == 2
    assert str(tmp_path) in ended.stderr


def test_a_configuration_that_can_not_be_read_is_told(tmp_path: Path) -> None:
    ended = CliRunner().invoke(main, ["upgrade-check", "--config", str(tmp_path / "none.toml")])
    assert ended.exit_code == os.EX_NOINPUT
