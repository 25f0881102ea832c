"""`tablectl journal verify`: of a journal that is whole, at work, copied or on a medium that can't be written."""

import json
import os
import shlex
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tablectl.daemon.signing.keys import public_key
from tablectl.journal import database
from tablectl.journal.journal import open_journal
from tablectl.journal.reading import reader
from tablectl.journal.reading.rows import UnreadableError
from tablectl.proof.note import verifier_key
from tests.proof.journals import ORIGIN, Play, played
from tests.support.patience import PATIENCE_S
from tests.tools.journal.verifying import ROUNDS, copied, verify


def test_a_journal_that_is_what_was_written_is_whole(copy: Path) -> None:
    result = verify(copy)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith(f"{copy}: whole\n  records     {ROUNDS * 8 + 1}, chained")
    assert f"events      {ROUNDS * 9 + 1}, none missing" in result.stdout
    assert "checkpoint  continues the journal's last checkpoint" in result.stdout
    assert f"verifier    {verifier_key(ORIGIN, public_key(copy).raw)}" in result.stdout
    assert "not seen" in result.stdout


def test_a_whole_journal_is_summed_up_for_a_script(copy: Path) -> None:
    form, text = json.loads(verify(copy, "--json").stdout), verify(copy).stdout
    assert (form["records"], form["events"]) == (ROUNDS * 8 + 1, ROUNDS * 9 + 1)
    assert (f"1 to {form['pruned']} pruned" in text) == (form["pruned"] > 0)
    assert form["root"] in text
    assert [each["events"] for each in form["checkpoints"]] == [ROUNDS * 9 + 1]


def test_reading_a_journal_changes_nothing_in_it(copy: Path) -> None:
    before = (copy / "journal.db").read_bytes()
    verify(copy)
    assert (copy / "journal.db").read_bytes() == before


def test_the_reader_knows_the_form_that_is_written() -> None:
    assert reader.FORM == database.FORM


def test_journal_of_table_at_work_is_verified_as_it_is(tmp_path: Path) -> None:
    events = played(tmp_path, 2)
    with closing(open_journal(tmp_path)) as opened:
        play = Play(opened, record=opened.last_record, sequence=opened.last_sequence)
        play.round("at-work", over=False)
        assert (tmp_path / "journal.db-wal").stat().st_size
        assert f"events      {len(events) + 7}, none missing" in verify(tmp_path).stdout
        play.round("later")


def test_copy_of_folder_of_a_table_at_work_is_verified(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    events = played(folder, 2)
    with closing(open_journal(folder)) as opened:
        play = Play(opened, record=opened.last_record, sequence=opened.last_sequence)
        play.round("at-work", over=False)
        copy = copied(folder, tmp_path / "copy")
    (copy / "journal.db-shm").unlink()
    assert f"events      {len(events) + 7}, none missing" in verify(copy).stdout


_READ_ONLY = """
mount --bind {folder} {folder} && mount -o remount,ro,bind {folder} || exit 99
exec {python} -c 'from tablectl.features.journal.cli import journal; journal()' verify {folder}
"""


def on_a_read_only_medium(folder: Path) -> subprocess.CompletedProcess[str]:
    script = _READ_ONLY.format(folder=folder, python=shlex.quote(sys.executable))
    return subprocess.run(
        ["unshare", "--mount", "sh", "-c", script], capture_output=True, text=True, check=False, timeout=PATIENCE_S
    )


@pytest.mark.usefixtures("root_mounts")
def test_journal_on_a_read_only_medium_is_verified_unchanged(tmp_path: Path) -> None:
    played(tmp_path, 2)
    before = sorted(path.name for path in tmp_path.iterdir())
    done = on_a_read_only_medium(tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "events      19, none missing" in done.stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == before


@pytest.mark.usefixtures("root_mounts")
def test_read_only_copy_with_a_separate_log_must_be_copied(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    with closing(open_journal(folder)) as opened:
        Play(opened).begin()
        copy = copied(folder, tmp_path / "copy")
    (copy / "journal.db-shm").unlink()
    done = on_a_read_only_medium(copy)
    assert (done.returncode, done.stdout) == (2, "")
    assert "copy the whole folder to another disk" in done.stderr


@pytest.fixture(name="root_mounts")
def _root_mounts() -> None:
    if os.geteuid() == 0 and not subprocess.run(["unshare", "--mount", "true"], check=False).returncode:
        return
    message = "mounting a folder read-only needs root: run the tests as root, or in CI"
    if os.environ.get("CI"):
        pytest.fail(message)
    pytest.skip(message)


def test_unreadable_folder_is_reported_on_one_line() -> None:
    with pytest.raises(UnreadableError, match=r"journal\.db: File name too long"):
        reader.open_reader(Path("x" * 300))
