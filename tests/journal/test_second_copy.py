"""A second copy of the journal: it follows, never takes damage over, and repairs what was damaged."""

import ctypes
import mmap
import os
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from tablectl.core.protocols import StoredEvent
from tablectl.journal import second_copy
from tablectl.journal.database import JournalDamagedError
from tablectl.journal.file_check import Damage, FileCheck
from tablectl.journal.journal import Journal, open_journal
from tablectl.journal.reading.reader import open_reader
from tablectl.journal.reading.rows import Remembered
from tablectl.journal.reading.verify import verify
from tablectl.journal.records import Record, Snapshot
from tablectl.journal.second_copy import CopyError, Position, SecondCopy, open_copy, reading

pytestmark = pytest.mark.usefixtures("traceless_damage")

EVENTS = 3
"""Of each record."""
PAGE = 4096


def record(number: int) -> Record:
    first = (number - 1) * EVENTS + 1
    events = (StoredEvent(first + nth, "event/card", b"event %d" % (first + nth)) for nth in range(EVENTS))
    return Record(number, 1_000 + number, b"fact %d" % number, tuple(events))


def append(journal: Journal, upto: int) -> None:
    """Some records at a time, with a snapshot after them."""
    while (last := journal.last_record) < upto:
        batch = [record(number) for number in range(last + 1, min(upto, last + 49) + 1)]
        snapshot = Snapshot(batch[-1].number, batch[-1].number * EVENTS, "v1", b"state")
        journal.append(batch, snapshot)


@pytest.fixture(name="journal")
def _journal(tmp_path: Path) -> Iterator[Journal]:
    with closing(open_journal(tmp_path / "state")) as journal:
        append(journal, 20)
        yield journal


@pytest.fixture(name="copy")
def _copy(journal: Journal, tmp_path: Path) -> Iterator[SecondCopy]:
    assert journal.last_record == 20
    with closing(open_copy(tmp_path / "state", tmp_path / "copy")) as copy:
        yield copy


def rows(folder: Path) -> dict[str, list[object]]:
    with closing(apsw.Connection(str(folder / "journal.db"), flags=apsw.SQLITE_OPEN_READONLY)) as file:
        tables = ("meta", "record", "event", "tile", "snapshot")
        return {table: list(file.execute(f"SELECT * FROM {table} ORDER BY 1")) for table in tables}


def spoil(folder: Path, statement: str) -> None:
    with closing(apsw.Connection(str(folder / "journal.db"))) as file:
        file.execute(statement)


def checked(check: FileCheck) -> list[Damage]:
    """What one reading of the whole file finds."""
    found, passes = list[Damage](), check.passes
    while check.passes == passes:
        if (damage := check.piece(0.01)) is not None:
            found.append(damage)
            if not (damage.record or damage.snapshot or damage.tile >= 0):
                break
    return found


def test_copy_is_the_journal_row_for_row(journal: Journal, copy: SecondCopy, tmp_path: Path) -> None:
    assert copy.follow() == Position(20, 60, is_complete=True)
    append(journal, 700)
    journal.remember(Remembered.PUBLISHED, "2000")
    positions = [copy.follow() for _ in range(4)]
    assert [each.is_complete for each in positions] == [False, False, False, True]
    assert positions[-1] == Position(700, 2100, is_complete=True)
    assert rows(tmp_path / "copy") == rows(tmp_path / "state")


def test_copy_goes_on_where_it_was_after_opening_again(journal: Journal, tmp_path: Path) -> None:
    for upto in (300, 600, 601):
        append(journal, upto)
        with closing(open_copy(tmp_path / "state", tmp_path / "copy")) as copy:
            while not copy.follow().is_complete:
                pass
        assert rows(tmp_path / "copy") == rows(tmp_path / "state")


def test_copy_that_ends_half_way_is_whole_so_far(journal: Journal, tmp_path: Path) -> None:
    with closing(open_copy(tmp_path / "state", tmp_path / "copy")) as copy:
        append(journal, 600)
        assert not copy.follow().is_complete
    with closing(open_journal(tmp_path / "copy")) as whole:
        assert len(list(whole.replay(0))) == whole.last_record == 220


def test_copy_is_a_journal_for_every_tool(journal: Journal, copy: SecondCopy, tmp_path: Path) -> None:
    append(journal, 300)
    while not copy.follow().is_complete:
        pass
    copy.tidy()
    with closing(open_reader(tmp_path / "copy")) as there, closing(open_reader(tmp_path / "state")) as here:
        assert verify(there, ()) == verify(here, ())


def test_pruned_payloads_go_from_the_copy_too(journal: Journal, tmp_path: Path) -> None:
    append(journal, 200)
    open_copy(tmp_path / "state", tmp_path / "copy").close()
    journal.remember(Remembered.PUBLISHED, "600")
    journal.prune(300)
    with closing(open_copy(tmp_path / "state", tmp_path / "copy")) as copy:
        append(journal, 210)
        assert copy.follow().is_complete
    assert rows(tmp_path / "copy") == rows(tmp_path / "state")
    assert b"event 300" not in b"".join(path.read_bytes() for path in (tmp_path / "copy").iterdir())


def test_damage_is_never_copied(journal: Journal, copy: SecondCopy, tmp_path: Path) -> None:
    append(journal, 30)
    spoil(tmp_path / "state", "UPDATE record SET body = x'00' WHERE number = 25")
    with pytest.raises(JournalDamagedError, match="record 25"):
        copy.follow()
    assert copy.record == 20


def test_folder_of_another_log_is_refused(journal: Journal, tmp_path: Path) -> None:
    with closing(open_journal(tmp_path / "copy")) as other:
        append(other, 3)
    with pytest.raises(CopyError, match="move it away"):
        open_copy(tmp_path / "state", tmp_path / "copy")
    with closing(open_journal(tmp_path / "state2")) as later:
        append(later, journal.last_record + 1)
    with pytest.raises(CopyError, match="move it away"):
        open_copy(tmp_path / "state", tmp_path / "state2")


@pytest.mark.parametrize("content", [b"", b"no database", b"SQLite format 3\0" + bytes(4000)])
def test_file_that_is_no_copy_is_refused_in_one_line(journal: Journal, tmp_path: Path, content: bytes) -> None:
    assert journal.last_record
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy" / "journal.db").write_bytes(content)
    with pytest.raises(CopyError) as refused:
        open_copy(tmp_path / "state", tmp_path / "copy")
    assert "\n" not in str(refused.value)


def test_full_medium_is_told_and_the_copy_goes_on_later(
    journal: Journal, copy: SecondCopy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append(journal, 40)

    def full(*_: object) -> None:
        raise apsw.FullError("database or disk is full")

    with monkeypatch.context() as disk:
        disk.setattr(second_copy, "put_rows", full)
        with pytest.raises(CopyError, match="full"):
            copy.follow()
    assert copy.follow() == Position(40, 120, is_complete=True)
    assert rows(tmp_path / "copy") == rows(tmp_path / "state")


# --- damage


DAMAGED = {
    "body": "UPDATE record SET body = x'00' WHERE number = 25",
    "salt": "UPDATE record SET salt = x'00' WHERE number = 25",
    "link": "UPDATE record SET link = x'00' WHERE number = 25",
    "time": "UPDATE record SET recorded_us = 7 WHERE number = 25",
    "no record": "DELETE FROM record WHERE number = 25",
    "last record": "UPDATE record SET body = x'00' WHERE number = 300",
    "payload": "UPDATE event SET payload = x'31' WHERE sequence = 74",
    "topic": "UPDATE event SET topic = 'x' WHERE sequence = 74",
    "no event": "DELETE FROM event WHERE sequence = 74",
    "event of another record": "UPDATE event SET record = 26 WHERE sequence = 74",
    "tile": "UPDATE tile SET leaves = zeroblob(8192) WHERE number = 0",
    "root": "UPDATE tile SET root = zeroblob(32) WHERE number = 0",
    "snapshot": "UPDATE snapshot SET state = x'00' WHERE record = 300",
}


@pytest.mark.parametrize("statement", DAMAGED.values(), ids=DAMAGED)
def test_damage_is_found_and_repaired_from_the_copy(
    journal: Journal, copy: SecondCopy, tmp_path: Path, statement: str
) -> None:
    append(journal, 300)
    while not copy.follow().is_complete:
        pass
    spoil(tmp_path / "state", statement)
    check, other = (FileCheck(reading(tmp_path / name / "journal.db")) for name in ("state", "copy"))
    found = checked(check)
    assert found
    for damage in found:
        spare = other.rows_for(damage)
        assert spare is not None
        assert journal.repair(spare)
    assert checked(check) == []
    assert rows(tmp_path / "state") == rows(tmp_path / "copy")


@pytest.mark.parametrize("statement", DAMAGED.values(), ids=DAMAGED)
def test_copy_that_is_damaged_as_well_repairs_nothing(
    journal: Journal, copy: SecondCopy, tmp_path: Path, statement: str
) -> None:
    append(journal, 300)
    while not copy.follow().is_complete:
        pass
    for name in ("state", "copy"):
        spoil(tmp_path / name, statement)
    check, other = (FileCheck(reading(tmp_path / name / "journal.db")) for name in ("state", "copy"))
    found = checked(check)
    assert found
    assert any(other.rows_for(damage) is None for damage in found)


def test_whole_file_is_read_in_pieces_of_the_budget(journal: Journal, tmp_path: Path) -> None:
    append(journal, 300)
    check = FileCheck(reading(tmp_path / "state" / "journal.db"))
    pieces = 0
    while not check.passes:
        assert check.piece(0) is None
        pieces += 1
    assert pieces > 300
    append(journal, 320)
    assert checked(check) == []


def test_every_page_of_a_table_that_is_lost_is_found(journal: Journal, tmp_path: Path) -> None:
    append(journal, 300)
    journal.close()
    path = tmp_path / "state" / "journal.db"
    whole = path.read_bytes()
    with closing(apsw.Connection(str(path))) as file:
        index = next(page for (page,) in file.execute("SELECT rootpage FROM sqlite_schema WHERE type = 'index'"))
    for page in range(2, len(whole) // PAGE + 1):
        path.write_bytes(whole[: (page - 1) * PAGE] + bytes(PAGE) + whole[page * PAGE :])
        with closing(reading(path)) as connection:
            assert checked(FileCheck(connection)) or page == index, page


@pytest.mark.parametrize("value", [7, 1.5, "text", None])
def test_value_of_another_kind_is_damage_and_no_error(journal: Journal, tmp_path: Path, value: object) -> None:
    append(journal, 60)
    with closing(apsw.Connection(str(tmp_path / "state" / "journal.db"))) as file:
        file.execute("PRAGMA writable_schema=ON")
        loose = "UPDATE sqlite_schema SET sql = replace(replace(sql, ' STRICT', ''), ' NOT NULL', '')"
        file.execute(f"{loose} WHERE name IN ('record', 'event')")
    with closing(apsw.Connection(str(tmp_path / "state" / "journal.db"))) as file:
        file.execute("UPDATE event SET payload = ? WHERE sequence = 30", (value,))
    with closing(reading(tmp_path / "state" / "journal.db")) as connection:
        assert FileCheck(connection).piece(1.0) or checked(FileCheck(connection))


def cached_pages(path: Path) -> int:
    """How many of a file's pages the kernel has in memory."""
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
        pages = (ctypes.c_ubyte * (len(mapped) // mmap.PAGESIZE))()
        start = ctypes.addressof(ctypes.c_char.from_buffer(mapped))
        assert ctypes.CDLL(None).mincore(ctypes.c_void_p(start), ctypes.c_size_t(len(mapped)), pages) == 0
    return sum(page & 1 for page in pages)


def test_each_reading_is_of_the_medium(journal: Journal, tmp_path: Path) -> None:
    append(journal, 700)
    journal.close()
    path = tmp_path / "state" / "journal.db"
    with path.open("rb") as file:
        os.fsync(file.fileno())
    if b"tmpfs" in subprocess.run(["stat", "-f", "-c", "%T", path], capture_output=True, check=True).stdout:
        pytest.skip("this file is kept in memory alone")
    with closing(reading(path)) as connection:
        connection.execute("SELECT count(body), sum(length(body)) FROM record").fetchall()
        before = cached_pages(path)
        FileCheck(connection).piece(0)
        assert before > cached_pages(path) > 0
