"""Proofs that subscribers ask for: only what the table has said already, in words that help who asks over MQTT."""

from contextlib import closing
from pathlib import Path

from click.testing import CliRunner

from tablectl.core.actions.subscriber_requests import Answer, Denied
from tablectl.daemon.requests.service import proof_of
from tablectl.features.journal.cli import journal
from tablectl.journal.journal import open_journal
from tablectl.journal.reading.rows import Remembered
from tests.proof.journals import LOG, Play, go_on, played, sign


def test_round_without_a_checkpoint_is_asked_for_later(tmp_path: Path) -> None:
    played(tmp_path, 2)
    go_on(tmp_path)
    assert isinstance(proof_of(tmp_path, "r1"), Answer)
    message = "no signed checkpoint covers round s1 yet: ask again after the next one"
    assert proof_of(tmp_path, "s1") == Denied("unprovable", message)


def test_a_round_of_another_log_is_none(tmp_path: Path) -> None:
    played(tmp_path, 1)
    answer = proof_of(tmp_path, "never-1")
    assert isinstance(answer, Denied)
    assert answer.code == "unknown_round"
    assert "never-1" in answer.message


def test_pruned_round_is_told_from_one_that_never_was(tmp_path: Path) -> None:
    played(tmp_path, 0)
    with closing(open_journal(tmp_path)) as opened:
        play = Play(opened, record=opened.last_record, sequence=opened.last_sequence)
        for number in range(1, 41):
            play.round(f"{LOG}-{number:06d}")
        opened.remember(Remembered.PUBLISHED, str(play.sequence))
    assert CliRunner().invoke(journal, ["prune", str(tmp_path), "--before", "2999-01-01"]).exit_code == 0
    with closing(open_journal(tmp_path)) as opened:
        Play(opened, record=play.record, sequence=play.sequence).correct(f"{LOG}-000003")
    sign(tmp_path)
    answers = {name: proof_of(tmp_path, f"{LOG}-{name}") for name in ("000002", "000003", "000040", "000041", "x")}
    codes = {name: answer.code for name, answer in answers.items() if isinstance(answer, Denied)}
    assert codes == {"000002": "pruned", "000003": "pruned", "000041": "unknown_round", "x": "unknown_round"}
