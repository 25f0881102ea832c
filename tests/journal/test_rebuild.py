"""A damaged journal is rebuilt from its second copy, and nothing that was acknowledged is lost."""

from contextlib import closing, suppress
from pathlib import Path

import pytest

from tablectl.journal.database import JournalDamagedError
from tablectl.journal.journal import open_journal
from tablectl.journal.rebuild import REBUILT, finish, rebuild
from tablectl.journal.records import Record
from tablectl.journal.second_copy import CopyError, open_copy
from tests.journal.test_second_copy import PAGE, append, rows, spoil


def written(folder: Path, *, copied: int, upto: int) -> dict[str, list[object]]:
    """A journal and its copy, which lacks the last records; the journal's rows."""
    with closing(open_journal(folder / "state")) as journal:
        append(journal, copied)
        with closing(open_copy(folder / "state", folder / "copy")) as copy:
            while not copy.follow().is_complete:
                pass
        append(journal, upto)
        return rows(folder / "state")


def replayed(folder: Path) -> list[Record]:
    with closing(open_journal(folder)) as journal:
        return list(journal.replay(0))


def lose_first_record(folder: Path) -> None:
    spoil(folder, "UPDATE record SET body = x'00' WHERE number = 5")


@pytest.mark.parametrize("upto", [300, 320, 700])
def test_rebuilt_journal_has_every_record(tmp_path: Path, upto: int) -> None:
    before = written(tmp_path, copied=300, upto=upto)
    lose_first_record(tmp_path / "state")
    with pytest.raises(JournalDamagedError):
        replayed(tmp_path / "state")
    done = rebuild(tmp_path / "state", tmp_path / "copy")
    assert (done.copied, done.kept) == (300, upto - 300)
    assert done.aside == tmp_path / "state" / "damaged-1"
    after = rows(tmp_path / "state")
    assert [after[table] for table in ("record", "event", "tile")] == [
        before[table] for table in ("record", "event", "tile")
    ]
    assert len(replayed(tmp_path / "state")) == upto


def test_rebuilding_gives_signs_of_life(tmp_path: Path) -> None:
    written(tmp_path, copied=300, upto=310)
    signs: list[int] = []
    rebuild(tmp_path / "state", tmp_path / "copy", lambda: signs.append(1))
    assert len(signs) > 10


@pytest.mark.parametrize("kept", [0, 1])
def test_nothing_is_rebuilt_where_later_records_are_unreadable(tmp_path: Path, kept: int) -> None:
    written(tmp_path, copied=300, upto=301)
    path = tmp_path / "state" / "journal.db"
    whole = path.read_bytes()
    path.write_bytes(whole[: kept * PAGE] + bytes(len(whole) - kept * PAGE))
    spoilt = (tmp_path / "state" / "journal.db").read_bytes()
    with pytest.raises(CopyError):
        rebuild(tmp_path / "state", tmp_path / "copy")
    assert (tmp_path / "state" / "journal.db").read_bytes() == spoilt
    assert not (tmp_path / "state" / REBUILT).exists()


@pytest.mark.parametrize(
    "statement",
    ["UPDATE record SET body = x'00' WHERE number = 301", "DELETE FROM record WHERE number = 301"],
)
def test_nothing_is_rebuilt_where_later_records_are_damaged(tmp_path: Path, statement: str) -> None:
    written(tmp_path, copied=300, upto=310)
    spoil(tmp_path / "state", statement)
    with pytest.raises(CopyError, match="after record 300"):
        rebuild(tmp_path / "state", tmp_path / "copy")


def test_nothing_is_rebuilt_from_a_damaged_copy(tmp_path: Path) -> None:
    written(tmp_path, copied=300, upto=300)
    for name in ("state", "copy"):
        lose_first_record(tmp_path / name)
    with pytest.raises(CopyError, match="damaged as well"):
        rebuild(tmp_path / "state", tmp_path / "copy")


def test_a_table_without_a_copy_yet_is_not_rebuilt(tmp_path: Path) -> None:
    with closing(open_journal(tmp_path / "state")) as journal:
        append(journal, 10)
    with pytest.raises(CopyError):
        rebuild(tmp_path / "state", tmp_path / "copy")


class KilledError(BaseException):
    """The end of the process, wherever it is."""


@pytest.mark.parametrize("moves", range(7))
def test_interrupted_rebuilding_is_finished_at_next_start(
    tmp_path: Path, moves: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed before a file is moved: the copy twice, the log, its index, the damaged file, the rebuilt one."""
    before = written(tmp_path, copied=300, upto=310)
    lose_first_record(tmp_path / "state")
    for name in ("journal.db-wal", "journal.db-shm"):
        (tmp_path / "state" / name).touch()
    left, replace = iter(range(moves)), Path.replace

    def moved(path: Path, target: Path) -> Path:
        if next(left, None) is None:
            raise KilledError
        return replace(path, target)

    with monkeypatch.context() as killed, suppress(KilledError):
        killed.setattr(Path, "replace", moved)
        rebuild(tmp_path / "state", tmp_path / "copy")
    finish(tmp_path / "state")
    if moves < 2:
        rebuild(tmp_path / "state", tmp_path / "copy")
    assert rows(tmp_path / "state")["record"] == before["record"]
    assert not (tmp_path / "state" / REBUILT).exists()
    assert (tmp_path / "state" / "damaged-1" / "journal.db").exists()


def test_folder_of_an_unmounted_medium_is_not_made(tmp_path: Path) -> None:
    written(tmp_path, copied=300, upto=300)
    with pytest.raises(CopyError, match="mount its medium"):
        rebuild(tmp_path / "state", tmp_path / "unmounted")
    assert not (tmp_path / "unmounted").exists()
