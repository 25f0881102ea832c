"""The journal on a real disk."""

import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from threading import Timer
from typing import Any

import apsw
import pytest

from tablectl.core.protocols import StoredEvent
from tablectl.daemon.signing.keys import public_key, signing_key
from tablectl.journal import journal as journals
from tablectl.journal.database import JournalBusyError, JournalDamagedError, JournalError
from tablectl.journal.journal import Journal, JournalFailedError, open_journal
from tablectl.journal.reading.reader import open_reader
from tablectl.journal.reading.rows import Remembered
from tablectl.journal.records import Record, Snapshot, store_records
from tests.proof import rfc
from tests.support.patience import PATIENCE_S


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
        next(journal.snapshots(), None)
        return list(journal.replay(0))


def damage(folder: Path, statement: str) -> None:
    connection = apsw.Connection(str(folder / "journal.db"))
    connection.execute(statement)
    connection.close()


def test_what_was_appended_is_there_after_opening_again(tmp_path: Path) -> None:
    filled(tmp_path)
    journal = open_journal(tmp_path)
    assert list(journal.replay(0)) == [record(1, 1, 2), record(2), record(3, 3)]
    assert (journal.last_record, journal.last_sequence) == (3, 3)
    assert journal.events_after(1, 10) == list(record(1, 2).events + record(3, 3).events)
    assert journal.events_after(0, 2) == list(record(1, 1, 2).events)
    journal.close()


def test_replay_begins_after_a_snapshot(tmp_path: Path) -> None:
    filled(tmp_path)
    journal = open_journal(tmp_path)
    assert list(journal.replay(2)) == [record(3, 3)]
    journal.append([record(4)], Snapshot(4, 3, "form", b"state"))
    assert next(journal.snapshots(), None) == Snapshot(4, 3, "form", b"state")
    assert list(journal.replay(4)) == []
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
def test_spoilt_page_is_reported_as_damage(tmp_path: Path, filler: bytes) -> None:
    filled(tmp_path)
    whole = (tmp_path / "journal.db").read_bytes()
    told = 0
    for page in range(0, len(whole), 4096):
        (tmp_path / "journal.db").write_bytes(whole[:page] + filler * 4096 + whole[page + 4096 :])
        try:
            with closing(open_journal(tmp_path)) as journal:
                next(journal.snapshots(), None)
                list(journal.replay(0))
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
    with pytest.raises(JournalFailedError, match="can't be written: UNIQUE"):
        journal.append([record(2)])
    journal.close()
    again = open_journal(tmp_path)
    assert list(again.replay(0)) == [record(1, 1)]
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


def test_full_disk_without_reserve_fails_and_keeps_what_was_acknowledged(tmp_path: Path) -> None:
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
from tablectl.journal.journal import JournalFailedError, Record, open_journal
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
def test_really_full_disk_gives_the_reserve_to_the_last_facts(tmp_path: Path) -> None:
    """On a file system of its own that is full, facts still get written until the reserve is used up as well."""
    script = f"mount -t tmpfs -o size=6m none {tmp_path} && exec {shlex.quote(sys.executable)} -c '{_FILL}' {tmp_path}"
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", script], capture_output=True, text=True, check=False, timeout=PATIENCE_S
    )
    assert done.returncode == 0, done.stderr
    verdict, written, reserve, *_ = done.stdout.split()
    assert (verdict, reserve) == ("failed", "False")
    assert 50 < int(written) < 600


def test_batch_written_with_the_reserve_is_in_the_tree_once(tmp_path: Path, mocker: Any) -> None:
    journal = open_journal(tmp_path)
    journal.append([record(1, 1)])
    first_fails = [apsw.FullError("database or disk is full"), mocker.DEFAULT, mocker.DEFAULT]
    mocker.patch("tablectl.journal.journal.store_records", wraps=store_records, side_effect=first_fails)
    journal.append([record(2, 2)])
    journal.append([record(3, 3)])
    roots = [journal.root(size) for size in range(4)]
    journal.close()
    again = open_journal(tmp_path)
    assert [again.root(size) for size in range(4)] == roots
    again.close()


def test_start_finds_the_tree_of_before_a_failed_batch(tmp_path: Path) -> None:
    journal = open_journal(tmp_path)
    journal.append([record(1, 1)])
    before = journal.root(1)
    with pytest.raises(JournalFailedError):
        journal.append([record(2, 2), record(1)])
    with pytest.raises(ValueError, match="event 2 of 2"):
        journal.root(2)
    assert journal.root(1) == before
    journal.close()


def _moved(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))


def _replaced(path: Path) -> None:
    _moved(path)
    path.write_bytes(path.with_name("elsewhere").read_bytes())


@pytest.mark.parametrize("spoil", [Path.unlink, _moved, _replaced])
@pytest.mark.parametrize("name", ["journal.db", "journal.db-wal"])
def test_journal_with_a_lost_or_foreign_file_takes_nothing(
    tmp_path: Path, name: str, spoil: Callable[[Path], None]
) -> None:
    journal = open_journal(tmp_path)
    journal.append([record(1, 1)])
    journal.check_files()
    spoil(tmp_path / name)
    with pytest.raises(JournalFailedError, match=f"{name} was deleted, moved, replaced or overwritten"):
        journal.append([record(2, 2)], Snapshot(2, 2, "1", b"{}"))
    with pytest.raises(JournalFailedError, match="deleted, moved, replaced or overwritten"):
        journal.append([record(2, 2)])
    journal.close()


def test_journal_overwritten_in_place_takes_nothing_and_keeps_its_log(tmp_path: Path) -> None:
    journal, path = open_journal(tmp_path), tmp_path / "journal.db"
    journal.append([record(1, 1)])
    journal.checkpoint()
    old = path.read_bytes()
    journal.append([record(2, 2)])
    journal.checkpoint()
    journal.append([record(3, 3)], Snapshot(3, 3, "1", b"{}"))
    path.write_bytes(old)
    log = path.with_name("journal.db-wal").read_bytes()
    for use in (journal.checkpoint, journal.check_files, partial(journal.append, [record(4, 4)])):
        with pytest.raises(JournalFailedError, match=r"journal\.db was deleted, moved, replaced or overwritten"):
            use()
    journal.close()
    assert (path.read_bytes(), path.with_name("journal.db-wal").read_bytes()) == (old, log)


def _in_place(log: Path, content: bytes) -> None:
    """Write until the file system's clock tells."""
    before = log.stat().st_mtime_ns
    while log.stat().st_mtime_ns == before:
        log.write_bytes(content)


@pytest.mark.parametrize("spoil", [lambda log: log[:-1] + bytes([log[-1] ^ 1]), lambda log: log, lambda _log: b""])
def test_log_of_sqlite_that_somebody_else_wrote_takes_nothing(tmp_path: Path, spoil: Callable[[bytes], bytes]) -> None:
    journal, log = open_journal(tmp_path), tmp_path / "journal.db-wal"
    journal.append([record(1, 1)])
    whole = (tmp_path / "journal.db").read_bytes()
    _in_place(log, spoilt := spoil(log.read_bytes()))
    for use in (partial(journal.append, [record(2, 2)]), journal.check_files, journal.checkpoint):
        with pytest.raises(JournalFailedError, match=r"journal\.db-wal was deleted, moved, replaced or overwritten"):
            use()
    journal.close()
    assert ((tmp_path / "journal.db").read_bytes(), log.read_bytes()) == (whole, spoilt)


@pytest.mark.parametrize("spoil", [Path.unlink, _moved, _replaced])
def test_log_exchanged_during_our_own_commit_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spoil: Callable[[Path], None]
) -> None:
    journal = open_journal(tmp_path)
    journal.append([record(1, 1)])

    def stored_and_spoilt(*given: Any) -> bytes:
        link = store_records(*given)
        spoil(tmp_path / "journal.db-wal")
        return link

    monkeypatch.setattr(journals, "store_records", stored_and_spoilt)
    journal.append([record(2, 2)])
    monkeypatch.undo()
    with pytest.raises(JournalFailedError, match=r"journal\.db-wal was deleted"):
        journal.append([record(3, 3)])
    journal.close()


_READ = """
import sqlite3, sys
from contextlib import closing
from pathlib import Path
from tablectl.journal.reading.reader import open_reader
folder = Path(sys.argv[1])
open_reader(folder).close()
with closing(sqlite3.connect(folder / "journal.db")) as own, closing(sqlite3.connect(folder / "backup.db")) as backup:
    own.execute("SELECT count(*) FROM record").fetchall()
    own.backup(backup)
"""


def test_readers_and_backups_of_other_processes_are_no_alarm(tmp_path: Path) -> None:
    journal = open_journal(tmp_path)
    for number in range(1, 7):
        journal.append([record(number, number)], Snapshot(number, number, "1", b"{}"))
        subprocess.run([sys.executable, "-c", _READ, tmp_path], check=True)
        journal.check_files()
        if number % 2:
            journal.checkpoint()
            journal.remember(Remembered.PUBLISHED, str(number))
    assert journal.last_record == 6
    journal.close()


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


def numbered(first: int, last: int) -> list[Record]:
    """Records with an event each, of the same numbers."""
    return [record(number, number) for number in range(first, last + 1)]


def payloads(last: int) -> list[bytes]:
    return [b"event %d" % number for number in range(1, last + 1)]


@pytest.mark.parametrize("size", [0, 1, 255, 256, 257, 512, 600])
def test_the_tree_is_the_same_after_opening_again(tmp_path: Path, size: int) -> None:
    with closing(open_journal(tmp_path)) as journal:
        for first in range(1, size + 1, 100):
            journal.append(numbered(first, min(first + 99, size)))
        assert journal.root(size) == rfc.mth(payloads(size))
    with closing(open_journal(tmp_path)) as journal:
        assert journal.root(size) == rfc.mth(payloads(size))
        journal.append([record(size + 1, size + 1)])
        assert journal.root(size + 1) == rfc.mth(payloads(size + 1))
        for number in {1, size // 2 + 1, size + 1}:
            assert journal.root(number) == rfc.mth(payloads(number))
            old = journal.compact_range(number, size + 1)
            assert list(old.proof) == rfc.proof(number, payloads(size + 1))
    with closing(open_reader(tmp_path)) as reader:
        for number in {1, size // 2 + 1, size + 1}:
            path = reader.tree().inclusion(number - 1, size + 1)
            assert list(path) == rfc.path(number - 1, payloads(size + 1))


def test_there_is_no_proof_of_what_is_not_there(tmp_path: Path) -> None:
    with closing(open_journal(tmp_path)) as journal:
        journal.append(numbered(1, 3))
        for old, size in ((4, 3), (1, 4), (-1, 3)):
            with pytest.raises(ValueError, match="is not one of the 3 of this log"):
                journal.compact_range(old, size)
        for size in (4, -1):
            with pytest.raises(ValueError, match="is not one of the 3 of this log"):
                journal.root(size)
        assert journal.root(0) == rfc.mth([])
        assert journal.compact_range(0, 3).proof == ()


def test_an_event_out_of_turn_is_not_taken(tmp_path: Path) -> None:
    with closing(open_journal(tmp_path)) as journal:
        journal.append(numbered(1, 2))
        with pytest.raises(JournalFailedError, match="event 4 came where 3 was due"):
            journal.append([record(3, 4)])
        journal.append([record(3, 3)])


@pytest.mark.parametrize(
    "statement", ["DELETE FROM tile WHERE number = 0", "UPDATE tile SET number = 7 WHERE number = 0"]
)
def test_a_journal_without_one_of_its_tiles_is_not_opened(tmp_path: Path, statement: str) -> None:
    with closing(open_journal(tmp_path)) as journal:
        journal.append(numbered(1, 600))
    damage(tmp_path, statement)
    for _ in range(2):  # the lock is let go
        with pytest.raises(JournalDamagedError, match="tile 0 of the journal's tree is missing"):
            open_journal(tmp_path)


def test_journal_contradicting_its_last_checkpoint_is_not_opened(tmp_path: Path) -> None:
    with closing(open_journal(tmp_path)) as journal:
        public_key(tmp_path)
        journal.append(numbered(1, 300))
        journal.signed_checkpoint("tablectl/macau/q1/0a0b0c0d", signing_key(tmp_path))
        journal.append(numbered(301, 310))
    open_journal(tmp_path).close()
    whole = (tmp_path / "journal.db").read_bytes()
    for statement in (
        "UPDATE event SET payload = x'00' WHERE sequence = 300",
        "UPDATE tile SET root = zeroblob(32)",
        "DELETE FROM event WHERE sequence > 299",
        "UPDATE meta SET value = 'x' WHERE key = 'checkpoint'",
    ):
        (tmp_path / "journal.db").write_bytes(whole)
        damage(tmp_path, statement)
        with pytest.raises(JournalDamagedError, match="checkpoint"):
            open_journal(tmp_path)


def test_a_changed_snapshot_is_none(tmp_path: Path) -> None:
    with closing(open_journal(tmp_path)) as journal:
        journal.append(numbered(1, 3), Snapshot(3, 3, "form", b"state"))
    for column, value in (
        ("state", "x'00'"),
        ("version", "'other'"),
        ("sequence", "2"),
        ("record", "2"),
        ("seal", "x''"),
    ):
        damage(tmp_path, f"UPDATE snapshot SET {column} = {value}")
        with closing(open_journal(tmp_path)) as journal:
            assert next(journal.snapshots(), None) is None
            journal.append([record(journal.last_record + 1)], Snapshot(3, 3, "form", b"state"))
            assert next(journal.snapshots(), None) == Snapshot(3, 3, "form", b"state")


def test_replay_finds_the_events_of_later_records_wherever_it_begins(tmp_path: Path) -> None:
    records = [record(1), record(2, 1, 2), record(3), record(4), record(5, 3), record(6, 4, 5, 6), record(7)]
    with closing(open_journal(tmp_path)) as journal:
        journal.append(records)
        for after in range(8):
            assert list(journal.replay(after)) == records[after:]


def test_pruned_events_leave_their_hashes_and_their_records_in_chain(tmp_path: Path) -> None:
    with closing(open_journal(tmp_path)) as journal:
        journal.append(numbered(1, 300))
        for published, through in (("255", 256), ("300", 257)):
            journal.remember(Remembered.PUBLISHED, published)
            with pytest.raises(ValueError, match="can't all be pruned yet"):
                journal.prune(through)
        journal.prune(256)
        assert journal.shrink()
        assert journal.root(300) == rfc.mth(payloads(300))
    with closing(open_journal(tmp_path)) as journal:
        assert [item.body for item in journal.replay(0)] == [b"fact %d" % number for number in range(1, 301)]
        assert [event.sequence for event in journal.events_after(0, 3)] == [257, 258, 259]
    with closing(open_reader(tmp_path)) as reader:
        assert list(reader.tree().inclusion(8, 300)) == rfc.path(8, payloads(300))
    damage(tmp_path, "UPDATE event SET topic = 'event/cart' WHERE sequence = 9")
    with pytest.raises(JournalDamagedError, match="record 9 of the journal"):
        replayed(tmp_path)


def test_reader_that_holds_file_for_moment_does_not_fail_writer(tmp_path: Path) -> None:
    with closing(open_journal(tmp_path)) as journal:
        other = apsw.Connection(str(tmp_path / "journal.db"))
        other.execute("BEGIN IMMEDIATE")
        moment = Timer(0.05, lambda: other.execute("ROLLBACK"))
        moment.start()
        journal.append([record(1, 1)])
        moment.join()
        other.close()
        assert journal.last_record == 1
