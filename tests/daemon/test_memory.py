"""What a table's process leaves in its memory: arenas of threads, classes of its imports, pages of its database."""

import gc
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from tablectl.daemon import run
from tablectl.journal.database import connect

ARENAS = """
from pathlib import Path
from threading import Thread
from tablectl.features import run

def begin(*_):
    thread = Thread(target=lambda: [bytes(1000) for _ in range(100)])
    thread.start()
    thread.join()
    lines = Path("/proc/self/maps").read_text().splitlines()
    ends = [[int(end, 16) for end in line.split()[0].split("-")] for line in lines]
    both = zip(ends, ends[1:])
    print(sum(first[1] == then[0] and then[1] - first[0] == 64 << 20 for first, then in both))
    return 0

run._run = begin
run.run.main(["--config", "/dev/null"])
"""


def test_no_thread_has_an_arena_of_its_own() -> None:
    done = subprocess.run([sys.executable, "-c", ARENAS], capture_output=True, text=True, check=False, timeout=100)
    assert done.stdout == "0\n", done.stderr


def test_what_imports_left_is_visited_once_a_table_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    told = list[str]()
    monkeypatch.setattr(run, "report_ready", told.append)
    gc.freeze()
    run._report_up("up")
    assert (told, gc.get_freeze_count()) == (["up"], 0)


def test_the_journal_keeps_few_of_its_pages_in_memory(tmp_path: Path) -> None:
    with closing(connect(tmp_path / "journal.db")) as connection:
        for number in range(300):
            with connection:
                connection.execute("INSERT INTO record VALUES (?, 0, ?, x'00', x'00')", (number, bytes(4000)))
        used, _ = connection.status(apsw.SQLITE_DBSTATUS_CACHE_USED)
    assert used < 512 << 10
