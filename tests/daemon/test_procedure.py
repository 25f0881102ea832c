"""A journal that an earlier procedure version wrote is taken over between rounds, and folded no further back."""

import json
from pathlib import Path
from typing import Any

import apsw
import pytest
from click.testing import CliRunner

from tablectl.cli import main
from tablectl.core.facts.table_requests import BettingClosed, RoundOpened, RoundVoided
from tablectl.core.table import EVERYBODY
from tablectl.features.journal import upgrade_check
from tablectl.journal import procedure, replay
from tablectl.journal.procedure import PROCEDURE, TAKE_OVERS, converted, procedure_of, snapshot_form
from tablectl.journal.reading.reader import FILE
from tablectl.journal.replay import OtherProcedureError, PastError
from tests.daemon.test_other_terms import UP_TO_THE_BET, WHEEL, config_in, play, recovered, state_of

ROUND = (*UP_TO_THE_BET, BettingClosed(), RoundVoided("the wheel broke"))
NEXT = "5eed0001-000002"


@pytest.fixture(name="earlier")
def _earlier(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """This build as one of the procedure before, until it is undone."""
    for module in (upgrade_check, replay, procedure):
        monkeypatch.setattr(module, "PROCEDURE", PROCEDURE - 1)
    monkeypatch.setattr("tablectl.daemon.table_fold.snapshot_form", lambda: snapshot_form(PROCEDURE - 1))
    return monkeypatch


def spoil(folder: Path, statement: str) -> None:
    connection = apsw.Connection(str(folder / FILE))
    connection.execute(statement)
    connection.close()


def test_terms_without_a_procedure_belong_to_the_first() -> None:
    assert procedure_of('{"settings":{}}') == 2
    assert procedure_of('{"procedure":7}') == 7
    assert procedure_of("") == PROCEDURE


def test_snapshot_older_than_supported_is_not_converted() -> None:
    assert converted(snapshot_form(min(TAKE_OVERS) - 1), b"{}") is None


def test_a_snapshot_of_the_first_named_version_forgets_everybodys_answers() -> None:
    assert json.loads(converted(snapshot_form(2), b'{"records":6}') or b"") == {
        "records": 6,
        "forgotten": [[EVERYBODY, 6]],
    }


def test_an_earlier_journal_is_taken_over_from_its_snapshot(earlier: pytest.MonkeyPatch, tmp_path: Path) -> None:
    before = play(tmp_path, "s1", *ROUND)
    earlier.undo()
    spoil(tmp_path, "UPDATE record SET body = CAST('{}' AS BLOB) WHERE number = 4")  # It is never read again.
    assert state_of(tmp_path) == before
    after = play(tmp_path, "s2", *ROUND)
    assert (after.rounds, procedure_of(after.terms)) == (2, PROCEDURE)
    spoil(tmp_path, f"DELETE FROM snapshot WHERE version = '{snapshot_form()}'")
    assert state_of(tmp_path) == after  # The earlier version's last snapshot is kept for good.


def test_round_of_an_earlier_procedure_is_not_gone_on_with(earlier: pytest.MonkeyPatch, tmp_path: Path) -> None:
    play(tmp_path, "s1", *ROUND, RoundOpened())
    earlier.undo()
    with pytest.raises(OtherProcedureError, match=f"round {NEXT} was begun under procedure {PROCEDURE - 1}"):
        recovered(config_in(tmp_path, {}))


def test_a_snapshot_in_a_round_is_of_its_procedure_alone(earlier: pytest.MonkeyPatch, tmp_path: Path) -> None:
    play(tmp_path, "s1", *ROUND)
    with pytest.MonkeyPatch.context() as often:
        often.setattr("tablectl.daemon.table_fold.LONG_ROUND", 1)
        play(tmp_path, "s1", RoundOpened())
    earlier.undo()
    with pytest.raises(OtherProcedureError, match=f"round {NEXT} was begun under procedure {PROCEDURE - 1}"):
        recovered(config_in(tmp_path, {}))
    refused = CliRunner().invoke(main, ["upgrade-check", "--config", str(WHEEL), "--set", f"paths.state={tmp_path}"])
    assert refused.exit_code == 1
    assert f"round {NEXT} was begun under procedure {PROCEDURE - 1}" in refused.output


def test_a_journal_of_a_later_procedure_is_left_to_it(earlier: pytest.MonkeyPatch, tmp_path: Path) -> None:
    earlier.undo()
    play(tmp_path, "s1", *ROUND)
    earlier.setattr(replay, "PROCEDURE", PROCEDURE - 1)
    with pytest.raises(PastError, match=f"written under procedure {PROCEDURE}"):
        recovered(config_in(tmp_path, {}))


def checked(folder: Path) -> dict[str, Any]:
    state = ["--set", f"paths.state={folder}", "--json"]
    ended = CliRunner().invoke(main, ["upgrade-check", "--config", str(WHEEL), *state])
    account: dict[str, Any] = json.loads(ended.stdout)
    return account


def test_upgrade_check_compares_from_the_takeover_on(earlier: pytest.MonkeyPatch, tmp_path: Path) -> None:
    before = play(tmp_path, "s1", *ROUND)
    earlier.undo()
    play(tmp_path, "s2", *ROUND)
    account = checked(tmp_path)
    assert (account["same"], account["taken_over"], account["start_records"]) == (True, before.records, 0)
    spoil(tmp_path, 'UPDATE event SET payload = CAST(\'{"type":"x"}\' AS BLOB) WHERE sequence = 3')
    assert checked(tmp_path)["same"]
    spoil(tmp_path, f'UPDATE event SET payload = CAST(\'{{"type":"x"}}\' AS BLOB) WHERE sequence > {before.announced}')
    assert not checked(tmp_path)["same"]


def test_upgrade_check_says_that_a_later_procedure_is_not_known(earlier: pytest.MonkeyPatch, tmp_path: Path) -> None:
    earlier.undo()
    play(tmp_path, "s1", *ROUND)
    for module in (upgrade_check, replay, procedure):
        earlier.setattr(module, "PROCEDURE", PROCEDURE - 1)
    ended = CliRunner().invoke(main, ["upgrade-check", "--config", str(WHEEL), "--set", f"paths.state={tmp_path}"])
    assert ended.exit_code == 1
    assert ended.stderr.startswith(f"tablectl: it was written under procedure {PROCEDURE}, and this build knows")


def test_of_two_snapshots_one_before_serves_where_newest_is_damaged(tmp_path: Path) -> None:
    play(tmp_path, "s1", *ROUND, *ROUND)
    after = play(tmp_path, "s2", *ROUND)
    spoil(tmp_path, "UPDATE snapshot SET state = CAST('{}' AS BLOB) WHERE record = (SELECT max(record) FROM snapshot)")
    table = recovered(config_in(tmp_path, {}))
    table.shut()
    assert table.state == after
    table = recovered(config_in(tmp_path, {}))
    folded = table.recover()
    table.shut()
    assert folded < after.records
