"""`tablectl journal verify`: what was cut off, rolled back or rewritten is found by a checkpoint that was kept."""

import shutil
from contextlib import closing
from pathlib import Path

from tablectl.daemon.signing.keys import public_key
from tablectl.journal.journal import open_journal
from tablectl.journal.reading.rows import Remembered
from tablectl.proof.note import fingerprint
from tests.proof.journals import ORIGIN, Play, go_on, played, sign
from tests.tools.journal.verifying import broken, change, copied, count, verify


def test_fork_is_found_by_the_kept_checkpoint(tmp_path: Path) -> None:
    played(tmp_path / "a", 3)
    fork = copied(tmp_path / "a", tmp_path / "b")
    go_on(tmp_path / "a", rounds=2)
    go_on(fork, rounds=1)
    kept = tmp_path / "kept.txt"
    kept.write_text(sign(tmp_path / "a"))
    sign(fork)
    go_on(fork, rounds=1)
    assert verify(fork).exit_code == 0
    assert "they were rewritten" in broken(fork, "--checkpoint", kept)


def cut(folder: Path, records: int, *, forget: bool) -> None:
    """Takes the last records away with all that follows from them."""
    last = count(folder, "record") - records
    change(folder, f"DELETE FROM event WHERE record > {last}", f"DELETE FROM record WHERE number > {last}")
    if forget:
        change(
            folder,
            "DELETE FROM snapshot",
            "DELETE FROM meta WHERE key = 'checkpoint'",
            "UPDATE meta SET value = (SELECT max(sequence) FROM event) WHERE key = 'published'",
        )


def test_cut_end_is_found_and_careful_cut_by_kept_checkpoint(whole: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept.txt"
    kept.write_text(sign(whole))
    folder = copied(whole, tmp_path / "careless")
    cut(folder, 1, forget=False)
    assert "record 497 is missing" in broken(folder)
    folder = copied(whole, tmp_path / "careful")
    cut(folder, 1, forget=True)
    assert verify(folder).exit_code == 0
    line = broken(folder, "--checkpoint", kept)
    assert "is missing" in line
    assert "cut or rolled back" in line


def test_records_cut_without_events_are_found_by_the_kept_checkpoint(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    played(folder, 2)
    with closing(open_journal(folder)) as opened:
        play = Play(opened, record=opened.last_record, sequence=opened.last_sequence)
        opened.append([play._record()])
    kept = tmp_path / "kept.txt"
    kept.write_text(sign(folder))
    cut(folder, 1, forget=True)
    assert verify(folder).exit_code == 0
    assert broken(folder, "--checkpoint", kept).startswith("record 18 is missing")


def test_an_older_copy_is_found_by_the_kept_checkpoint(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    played(folder, 3)
    older = copied(folder, tmp_path / "older")
    go_on(folder)
    kept = tmp_path / "kept.txt"
    kept.write_text(sign(folder).replace("\n", "\r\n"))
    assert verify(folder, "--checkpoint", kept).exit_code == 0
    assert verify(older).exit_code == 0
    assert broken(older, "--checkpoint", kept).startswith("event 29 is missing")


def test_a_rewritten_log_is_found_by_the_kept_checkpoint(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    played(folder, 3)
    kept = tmp_path / "kept.txt"
    kept.write_text(sign(folder))
    forged = tmp_path / "forged"
    forged.mkdir()
    for name in ("log.key", "log.pub"):
        shutil.copy(folder / name, forged)
    played(forged, 3)
    go_on(forged)
    sign(forged)
    assert verify(forged).exit_code == 0
    assert "rewritten" in broken(forged, "--checkpoint", kept)


def test_a_kept_checkpoint_of_another_log_or_key_is_named(whole: Path, tmp_path: Path) -> None:
    played(tmp_path / "other", 1, origin="tablectl/macau/q2/ffffffff")
    with closing(open_journal(tmp_path / "other")) as opened:
        (tmp_path / "kept.txt").write_text(opened.meta(Remembered.CHECKPOINT) or "")
    assert "isn't signed by this key" in broken(whole, "--checkpoint", tmp_path / "kept.txt")
    for name in ("log.key", "log.pub"):
        shutil.copy(whole / name, tmp_path / "other")
    with closing(open_journal(tmp_path / "other")) as opened:
        opened.remember(Remembered.CHECKPOINT, sign(whole))
    assert f"is of the log {ORIGIN}" in broken(tmp_path / "other")


def test_the_key_beside_the_journal_must_be_the_trusted_one(whole: Path, tmp_path: Path) -> None:
    key = public_key(whole)
    for text in (key.fingerprint, key.text, str(whole / "log.pub")):
        assert verify(whole, "--key", text).exit_code == 0
    assert "not the trusted one" in broken(whole, "--key", fingerprint(bytes(32)))
    result = verify(whole, "--key", str(tmp_path / "nothing"))
    assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1)
