"""The journal on a real disk."""

import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from tablectl.core.ports import StoredEvent
from tablectl.shell import journal as journals
from tablectl.shell.journal import (
    Journal,
    JournalBusyError,
    JournalDamagedError,
    JournalError,
    JournalFailedError,
    Record,
    Snapshot,
    open_journal,
)


def record(number: int, *sequences: int) -> Record:
    events = tuple(StoredEvent(sequence, "event/card", b"event %d" % sequence) for sequence in sequences)
    return Record(number, 1_000 + number, b"fact %d" % number, events)


def filled(folder: Path) -> None:
    journal = open_journal(folder)
    journal.append([record(1, 1, 2), record(2)])
    journal.append([record(3, 3)])
    journal.close()


def replayed(folder: Path) -> list[Record]:
    with closing(open_journal(folder)) as journal:
        journal.snapshot()
        return journal.replay(0)


def damage(folder: Path, statement: str) -> None:
    connection = apsw.Connection(str(folder / "journal.db"))
    connection.execute(statement)
    connection.close()


def test_what_was_appended_is_there_after_opening_again(tmp_path: Path) -> None:
    filled(tmp_path)
    journal = open_journal(tmp_path)
    assert journal.replay(0) == [record(1, 1, 2), record(2), record(3, 3)]
    assert (journal.last_record, journal.last_sequence) == (3, 3)
    assert journal.events_after(1, 10) == list(record(1, 2).events + record(3, 3).events)
    assert journal.events_after(0, 2) == list(record(1, 1, 2).events)
    journal.close()


def test_replay_begins_after_a_snapshot(tmp_path: Path) -> None:
    filled(tmp_path)
    journal = open_journal(tmp_path)
    assert journal.replay(2) == [record(3, 3)]
    journal.append([record(4)], Snapshot(4, 3, "form", b"state"))
    assert journal.snapshot() == Snapshot(4, 3, "form", b"state")
    assert journal.replay(4) == []
    journal.append([record(5)])
    journal.close()
    again = open_journal(tmp_path)
    assert [item.number for item in again.replay(0)] == [1, 2, 3, 4, 5]
    again.close()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE record SET body = CAST('fact x' AS BLOB) WHERE number = 2",
        "UPDATE record SET recorded_us = 1 WHERE number = 2",
        "UPDATE record SET salt = zeroblob(32) WHERE number = 1",
        "UPDATE record SET link = zeroblob(32) WHERE number = 3",
        "UPDATE event SET payload = CAST('event x' AS BLOB) WHERE sequence = 3",
        "UPDATE event SET topic = 'event/round' WHERE sequence = 1",
        "DELETE FROM event WHERE sequence = 2",
        "DELETE FROM record WHERE number = 2",
        "DELETE FROM record WHERE number = 1",
    ],
)
def test_a_changed_journal_is_not_replayed(tmp_path: Path, statement: str) -> None:
    filled(tmp_path)
    damage(tmp_path, statement)
    with pytest.raises(JournalDamagedError, match=r"(record|event) [123] of the journal is missing"):
        replayed(tmp_path)


def test_salts_make_equal_facts_have_different_links(tmp_path: Path) -> None:
    links: list[bytes] = []
    for name in ("a", "b"):
        folder = tmp_path / name
        filled(folder)
        connection = apsw.Connection(str(folder / "journal.db"))
        links += [row[0] for row in connection.execute("SELECT link FROM record")]
        connection.close()
    assert len(set(links)) == 6


def test_a_second_daemon_is_told_who_has_the_journal(tmp_path: Path) -> None:
    first = open_journal(tmp_path)
    with pytest.raises(JournalBusyError, match="already runs this table"):
        open_journal(tmp_path)
    first.close()
    open_journal(tmp_path).close()


def test_files_are_for_their_owner_alone(tmp_path: Path) -> None:
    filled(tmp_path / "state")
    journal = open_journal(tmp_path / "state")
    modes = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "state").iterdir()}
    journal.close()
    assert (tmp_path / "state").stat().st_mode & 0o777 == 0o700
    assert set(modes.values()) == {0o600}, modes


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(JournalError, match=r"state folder .*file/state can't be used"):
        open_journal(tmp_path / "file" / "state")


@pytest.mark.parametrize("filler", [b"\0", b"\xff", b"\x05"])
def test_a_spoilt_page_is_told_as_damage_and_never_as_a_mistake_in_the_program(tmp_path: Path, filler: bytes) -> None:
    filled(tmp_path)
    whole = (tmp_path / "journal.db").read_bytes()
    told = 0
    for page in range(0, len(whole), 4096):
        (tmp_path / "journal.db").write_bytes(whole[:page] + filler * 4096 + whole[page + 4096 :])
        try:
            with closing(open_journal(tmp_path)) as journal:
                journal.snapshot()
                journal.replay(0)
        except JournalError:
            told += 1
    assert told > 1


def test_a_file_that_is_no_journal_is_named(tmp_path: Path) -> None:
    (tmp_path / "journal.db").write_bytes(b"this is no database, nor was it ever one. " * 200)
    with pytest.raises(JournalError, match="damaged"):
        open_journal(tmp_path)


def test_a_journal_of_another_form_is_left_alone(tmp_path: Path) -> None:
    filled(tmp_path)
    damage(tmp_path, "PRAGMA user_version = 99")
    with pytest.raises(JournalError, match="form 99"):
        open_journal(tmp_path)


def test_nothing_of_a_failed_batch_counts(tmp_path: Path) -> None:
    journal = open_journal(tmp_path)
    journal.append([record(1, 1)])
    with pytest.raises(JournalFailedError):
        journal.append([record(2, 2), record(1)])
    with pytest.raises(JournalFailedError, match="failed before"):
        journal.append([record(2)])
    journal.close()
    again = open_journal(tmp_path)
    assert again.replay(0) == [record(1, 1)]
    again.close()


def full_after(journal: Journal, pages: int) -> None:
    """Lets the database grow by this many pages only: SQLite then fails as on a full disk."""
    connection: apsw.Connection = journal._connection  # pyright: ignore[reportPrivateUsage]
    row = connection.execute("PRAGMA page_count").fetchone()
    assert row is not None
    connection.execute(f"PRAGMA max_page_count = {row[0] + pages}")


def append_until_it_fails(journal: Journal) -> int:
    """The last record that was taken."""
    for number in range(1, 1000):
        try:
            journal.append([Record(number, 0, bytes(1000))])
        except JournalFailedError:
            return number - 1
    raise AssertionError("it never failed")


def test_a_full_disk_without_reserve_fails_and_keeps_what_was_acknowledged(tmp_path: Path) -> None:
    journal = open_journal(tmp_path)
    (tmp_path / "reserve").unlink()
    full_after(journal, 2)
    kept = append_until_it_fails(journal)
    journal.close()
    again = open_journal(tmp_path)
    assert [item.number for item in again.replay(0)] == list(range(1, kept + 1))
    again.close()


_FILL = """
import os, sys
from pathlib import Path
from tablectl.shell.journal import JournalFailedError, Record, open_journal
folder = Path(sys.argv[1])
journal = open_journal(folder)
hog = os.open(folder / "hog", os.O_WRONLY | os.O_CREAT)
try:
    while True:
        os.write(hog, bytes(4096))
except OSError:
    pass
number = 0
try:
    while number < 2000:
        journal.append([Record(number + 1, 0, os.urandom(2000))])
        number += 1
except JournalFailedError as error:
    print("failed", number, (folder / "reserve").exists(), error)
"""


@pytest.mark.usefixtures("root_mounts")
def test_a_really_full_disk_gives_the_reserve_to_the_last_facts(tmp_path: Path) -> None:
    """On a file system of its own that is full, facts still get written until the reserve is used up as well."""
    script = f"mount -t tmpfs -o size=6m none {tmp_path} && exec {sys.executable} -c '{_FILL}' {tmp_path}"
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", script], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    verdict, written, reserve, *_ = done.stdout.split()
    assert (verdict, reserve) == ("failed", "False")
    assert 50 < int(written) < 600


@pytest.fixture(name="root_mounts")
def _root_mounts() -> None:
    if os.geteuid() == 0 and not subprocess.run(["unshare", "--mount", "true"], check=False).returncode:
        return
    message = "mounting a small disk needs root: run the tests as root, or in CI"
    if os.environ.get("CI"):
        pytest.fail(message)
    pytest.skip(message)


def test_the_reserve_is_laid_aside_at_opening(tmp_path: Path) -> None:
    journal = open_journal(tmp_path)
    assert (tmp_path / "reserve").stat().st_size == journals.RESERVE_BYTES
    journal.close()
