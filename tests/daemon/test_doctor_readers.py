"""A forgotten reader of the journal: who it is, and what becomes of the log once it is gone."""

import subprocess
import sys
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tablectl.config import load
from tablectl.features.common import locks
from tablectl.features.doctor import readers
from tablectl.features.doctor.readers import look_at_log, readers_of
from tablectl.features.doctor.report import Finding, Level
from tablectl.journal import database
from tablectl.journal.journal import Journal, open_journal
from tablectl.journal.records import Record
from tablectl.rule_tables import shipped

LIMIT = 1 << 16
READ = """
import sys, pathlib
from tablectl.journal.reading.reader import open_reader
reader = open_reader(pathlib.Path(sys.argv[1]))
print("reads", flush=True)
input()
"""
AT_WORK = f"""
import sys, pathlib
from tablectl.journal.journal import open_journal
table = open_journal(pathlib.Path(sys.argv[1]))
{READ}
"""


@pytest.fixture(name="journal")
def _journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Journal]:
    """An open journal whose log may be short only."""
    for module in (database, readers):
        monkeypatch.setattr(module, "LOG_LIMIT_BYTES", LIMIT)
    with closing(open_journal(tmp_path)) as journal:
        yield journal


@contextmanager
def reading(folder: Path, script: str = READ) -> Generator[int]:
    """Another process that reads the journal; its number."""
    command = [sys.executable, "-c", script, str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"reads\n"
        try:
            yield process.pid
        finally:
            process.communicate(b"\n")


def fill(journal: Journal, count: int) -> None:
    for _ in range(count):
        journal.append([Record(journal.last_record + 1, 0, bytes(10_000))])
        journal.checkpoint()


def log_bytes(folder: Path) -> int:
    return (folder / "journal.db-wal").stat().st_size


def looked(folder: Path) -> list[Finding]:
    return look_at_log(load(shipped("tables/q-poker.demo.toml"), {"paths.state": str(folder)}))


def test_readers_are_named_and_the_log_is_cut_afterwards(journal: Journal, tmp_path: Path) -> None:
    fill(journal, 3)
    assert (readers_of(tmp_path), looked(tmp_path)) == (set(), [])
    with reading(tmp_path) as reader:
        fill(journal, 20)
        assert log_bytes(tmp_path) > LIMIT
        assert readers_of(tmp_path) == {reader}
        (finding,) = looked(tmp_path)
        assert (finding.level, finding.key) == (Level.NOTE, "log_held")
        assert f"{reader} (python" in finding.text("en")
        assert "end them" in finding.remedy("en")
    (finding,) = looked(tmp_path)
    assert finding.key == "log_long"
    fill(journal, 2)
    assert log_bytes(tmp_path) <= LIMIT
    assert looked(tmp_path) == []


def test_daemon_that_looks_into_its_own_journal_is_not_told(tmp_path: Path) -> None:
    open_journal(tmp_path).close()
    with reading(tmp_path, AT_WORK), reading(tmp_path) as reader:
        assert readers_of(tmp_path) == {reader}


def test_a_lock_that_one_look_misses_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Locks:
        """The kernel's list, empty but for one look in three."""

        looks = 0

        def read_text(self, encoding: str) -> str:
            self.looks += 1
            return Path("/proc/locks").read_text(encoding) if self.looks == 2 else ""

    open_journal(tmp_path).close()
    monkeypatch.setattr(locks, "LOCKS", Locks())
    with reading(tmp_path, AT_WORK), reading(tmp_path) as reader:
        assert readers_of(tmp_path) == {reader}


def test_a_short_log_is_nobodys_matter(journal: Journal, tmp_path: Path) -> None:
    fill(journal, 1)
    with reading(tmp_path):
        assert looked(tmp_path) == []
