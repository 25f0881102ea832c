"""The second copy of a table at work: it follows, damage is repaired from it, and a damaged journal is rebuilt."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import apsw
import pytest

from tablectl.core.faults import Code
from tablectl.core.table import fault
from tablectl.daemon.host import journal_care
from tablectl.daemon.host.journal_care import BEHIND_S, Files, JournalCare
from tablectl.daemon.table import LiveTable
from tablectl.journal.journal import open_journal
from tablectl.journal.second_copy import CopyError
from tests.daemon.test_table import BEGUN, ask, running
from tests.journal.test_second_copy import append
from tests.support.broker import Broker
from tests.support.daemon import Daemon
from tests.support.feed import Feed
from tests.support.live_table import Table, daemon_at
from tests.support.medium import leave_no_trace
from tests.support.patience import PATIENCE_S
from tests.support.shoe import Shoe


@pytest.fixture(name="daemon")
def _daemon(broker: Broker, tmp_path: Path) -> Iterator[Daemon]:
    (tmp_path / "copy").mkdir()
    daemon = daemon_at(broker, tmp_path, **{"paths.copy_to": str(tmp_path / "copy")})
    yield daemon
    daemon.kill()


@pytest.fixture(name="table")
def _table(daemon: Daemon, shoe: Shoe) -> Table:
    return Table(daemon, shoe)


def stored(folder: Path) -> dict[str, list[Any]]:
    with closing(apsw.Connection(str(folder / "journal.db"), flags=apsw.SQLITE_OPEN_READONLY)) as file:
        return {table: list(file.execute(f"SELECT * FROM {table} ORDER BY 1")) for table in ("record", "event")}


def is_copied(folder: Path) -> bool:
    """Whether the copy can be read, and has what the journal has."""
    try:
        return stored(folder / "copy") == stored(folder / "state")
    except apsw.Error:
        return False  # it is damaged, or just being made


def spoil(folder: Path, statement: str) -> None:
    with closing(apsw.Connection(str(folder / "journal.db"))) as file:
        file.execute(statement)


def details(feed: Feed, code: int) -> list[str]:
    """What was told of a fault when it was raised."""
    raised = [event["data"] for event in feed.events() if event["type"].endswith("fault.raised.v1")]
    return [str(data["detail"]) for data in raised if data["code"] == code]


def test_copy_has_each_round_within_seconds(table: Table, tmp_path: Path) -> None:
    table.begin()
    table.play()
    Feed.until(lambda: is_copied(tmp_path))
    before = stored(tmp_path / "copy")["record"]
    table.daemon.stop()
    table.begin()
    Feed.until(lambda: is_copied(tmp_path))
    copied = table.daemon.health()["health"]["journal_copy"]
    assert copied["record"] > len(before)
    assert copied["behind_s"] < BEHIND_S


def test_damage_at_work_is_repaired_and_told(table: Table, tmp_path: Path, feed: Feed) -> None:
    table.daemon.before = leave_no_trace
    table.begin()
    table.play()
    Feed.until(lambda: is_copied(tmp_path))
    spoil(tmp_path / "state", "UPDATE record SET body = x'00' WHERE number = 9")
    Feed.until(lambda: stored(tmp_path / "copy") == stored(tmp_path / "state") and details(feed, 704) != [])
    assert details(feed, 704) == ["repaired from the second copy: record 9 of the journal is missing or was changed"]
    assert details(feed, 705) == []
    table.play()
    table.daemon.stop()
    table.begin()


def test_damaged_journal_is_rebuilt_at_the_start(table: Table, tmp_path: Path, feed: Feed) -> None:
    table.begin()
    table.play()
    Feed.until(lambda: is_copied(tmp_path))
    table.daemon.stop()
    before = stored(tmp_path / "state")
    later = len(before["record"]) - len(stored(tmp_path / "copy")["record"])
    assert later > 0
    spoil(tmp_path / "state", "UPDATE snapshot SET seal = x'00'")
    spoil(tmp_path / "state", "UPDATE record SET body = x'00' WHERE number = 9")
    table.begin()
    assert stored(tmp_path / "state")["record"][: len(before["record"])] == before["record"]
    Feed.until(lambda: details(feed, 704) != [])
    (told,) = details(feed, 704)
    assert f"{later} later ones from the damaged file" in told
    table.play()


# --- the copy's own troubles, with a clock of the test


class Care:
    """The care for a journal's file with a clock that the test moves, at many turns a second."""

    def __init__(self, table: LiveTable[Any], folder: Path, copies: Path | None) -> None:
        self.now_s = 0.0
        self.table = table
        self.care = JournalCare(table, folder, copies, "", lambda: self.now_s)

    @property
    def copied(self) -> int:
        """The last record that the copy has."""
        return int(self.care.measures()["journal_copy"]["record"])

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until this holds."""
        async with asyncio.timeout(PATIENCE_S):
            while not holds():  # noqa: ASYNC110  # looked at from outside, as anybody could
                await asyncio.sleep(0.01)

    def standing(self, code: Code) -> str | None:
        found = fault(self.table.state, code, "")
        return found.detail if found is not None and found.present else None


@asynccontextmanager
async def caring(folder: Path, copies: Path | None) -> AsyncGenerator[Care]:
    """A table with some facts, whose journal is cared for."""
    async with running(folder) as (table, _), asyncio.TaskGroup() as group:
        await ask(table, *BEGUN[:4])
        care = Care(table, folder, copies)
        at_work = group.create_task(care.care.run(0.01))
        yield care
        at_work.cancel()


async def test_unwritable_copy_is_a_fault_until_it_is_written(tmp_path: Path) -> None:
    async with caring(tmp_path / "state", tmp_path / "medium") as care:
        care.now_s = BEHIND_S + 1
        await care.until(lambda: care.standing(Code.SECOND_COPY_BEHIND) is not None)
        assert "mount its medium" in str(care.standing(Code.SECOND_COPY_BEHIND))
        await asyncio.to_thread((tmp_path / "medium").mkdir)
        await care.until(lambda: care.standing(Code.SECOND_COPY_BEHIND) is None)
        assert care.copied > 0


@pytest.mark.parametrize(
    ("where", "name", "error"),
    [
        (Path, "is_dir", OSError(5, "Input/output error")),
        (journal_care, "open_copy", CopyError("database or disk is full")),
        (journal_care, "reading", apsw.CantOpenError("unable to open database file")),
    ],
)
async def test_a_medium_that_fails_never_ends_the_table(
    tmp_path: Path, where: Any, name: str, error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    await asyncio.to_thread((tmp_path / "copy").mkdir)

    def fails(*_: object) -> None:
        raise error

    with monkeypatch.context() as broken:
        broken.setattr(where, name, fails)
        async with caring(tmp_path / "state", tmp_path / "copy") as care:
            await asyncio.sleep(0.2)
            broken.undo()
            await care.until(lambda: care.copied == care.table.state.records)


@pytest.mark.usefixtures("traceless_damage")
async def test_damage_without_a_copy_stands_until_the_file_is_whole(tmp_path: Path) -> None:
    async with caring(tmp_path / "state", None) as care:
        later = "UPDATE record SET recorded_us = recorded_us + {} WHERE number = 2"
        await asyncio.to_thread(spoil, tmp_path / "state", later.format(1))
        await care.until(lambda: care.standing(Code.JOURNAL_DAMAGED) is not None)
        assert "record 2" in str(care.standing(Code.JOURNAL_DAMAGED))
        await asyncio.to_thread(spoil, tmp_path / "state", later.format(-1))
        await care.until(lambda: care.standing(Code.JOURNAL_DAMAGED) is None)
        assert "journal_copy" not in care.care.measures()


@pytest.mark.parametrize("is_whole", [True, False])
def test_copy_whose_pages_are_lost_is_made_anew(tmp_path: Path, is_whole: bool) -> None:
    """Lost while nobody writes, as on a medium that forgets; a damaged journal gives no new copy."""
    (tmp_path / "copy").mkdir()
    path = tmp_path / "copy" / "journal.db"
    with closing(open_journal(tmp_path / "state")) as journal, closing(Files(tmp_path / "state", path.parent)) as files:
        append(journal, 300)
        while not files.position.is_complete:
            files.follow()
        whole = path.read_bytes()
        path.write_bytes(whole[:4096] + bytes(len(whole) - 4096))
        found = next(found for found in iter(files.look, ...) if found is not None)
        assert found.is_copy
        files.repair_copy(found, is_whole=is_whole)
        if not is_whole:
            assert "so is the journal" in files.damage
            assert not path.with_name("journal.db.damaged").exists()
            return
        files.follow()
        assert is_copied(tmp_path)
        assert path.with_name("journal.db.damaged").exists()


async def test_damage_in_the_copy_is_repaired_from_the_journal(tmp_path: Path) -> None:
    await asyncio.to_thread((tmp_path / "copy").mkdir)
    async with caring(tmp_path / "state", tmp_path / "copy") as care:
        await care.until(lambda: care.copied == care.table.state.records)
        await asyncio.to_thread(spoil, tmp_path / "copy", "UPDATE event SET payload = x'00' WHERE sequence = 1")
        await care.until(lambda: is_copied(tmp_path))
        assert care.standing(Code.JOURNAL_DAMAGED) is None
