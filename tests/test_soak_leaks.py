"""Each leak that can be planted is planted: small, in the part of the daemon that it belongs to."""

import os
import subprocess
import sys
import textwrap
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import apsw
import pytest

from bench import soak_leaks
from bench.soak_leaks import BY_THE_SECOND, FEW_BYTES, ONE_IN, HoardingQueue
from tablectl.core.protocols import StoredEvent
from tablectl.journal import journal as journals
from tablectl.journal.journal import Journal, open_journal
from tablectl.journal.reading.reader import open_reader
from tablectl.journal.records import Record, Snapshot
from tablectl.mqtt.flow import Flow
from tests.support.patience import PATIENCE_S

RECORDS = 40


def events(count: int) -> list[StoredEvent]:
    return [StoredEvent(number, "event/round", b"event") for number in range(1, count + 1)]


def left_waiting(count: int) -> int:
    """How many of so many events are never taken off by a connection that takes and answers each at once."""
    flow = Flow(window=20, acknowledged=0, states=(), refusals={})
    flow.take(events(count))
    for mid in range(count):
        item = flow.next(0.0)
        if item is not None:
            flow.sent(mid, item, 0.0)
            flow.answered(mid, 0)
    return count - flow.acknowledged


def test_a_planted_outbox_leaves_more_behind_the_more_goes_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Flow, "_next_event", vars(Flow)["_next_event"])
    assert left_waiting(200) == 0
    soak_leaks.plant_outbox()
    assert left_waiting(100) == pytest.approx(100 / (ONE_IN + 1), abs=1)
    assert left_waiting(300) == pytest.approx(300 / (ONE_IN + 1), abs=1)


def test_a_hoarding_queue_gives_everything_in_order_and_yet_grows() -> None:
    queue = HoardingQueue()
    given: list[int] = []
    for number in range(100):
        queue.append(number)
        given.append(queue.popleft())
    assert given == list(range(100))
    assert not queue
    assert len(queue) == 100 / ONE_IN


@contextmanager
def journal_played(folder: Path) -> Generator[Journal]:
    """A journal after rounds of one record, each with its snapshot and its checkpoint, as the table makes them."""
    with closing(open_journal(folder)) as journal:
        for number in range(1, RECORDS + 1):
            event = StoredEvent(number, "event/round", b"event")
            record = Record(number, number, b"fact", (event,))
            journal.append([record], Snapshot(number, number, "table/2", b"{}"))
            journal.checkpoint()
        yield journal


def log_bytes(folder: Path) -> int:
    return (folder / "journal.db-wal").stat().st_size


def stored_bytes(folder: Path) -> int:
    return (folder / "journal.db").stat().st_size


def test_a_planted_log_is_never_moved_into_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Journal, "checkpoint", Journal.checkpoint)
    with journal_played(tmp_path / "sound"):
        sound = log_bytes(tmp_path / "sound")
    soak_leaks.plant_log()
    with journal_played(tmp_path / "planted"):
        assert log_bytes(tmp_path / "planted") > 5 * sound


def test_a_planted_journal_stores_more_and_more_for_each_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journals, "store_snapshot", vars(journals)["store_snapshot"])
    with journal_played(tmp_path / "sound"):
        sound = stored_bytes(tmp_path / "sound")
    soak_leaks.plant_journal()
    with journal_played(tmp_path / "planted"), closing(open_reader(tmp_path / "planted")) as reader:
        assert stored_bytes(tmp_path / "planted") > sound + RECORDS**2 * 8
        assert reader.meta()["records 2"] == "0000000000000001 0000000000000002"


def test_planted_snapshots_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journals, "store_snapshot", vars(journals)["store_snapshot"])
    soak_leaks.plant_snapshots()
    with journal_played(tmp_path) as journal:
        newest = next(journal.snapshots(), None)
    assert newest is not None
    assert newest.record == RECORDS
    with closing(apsw.Connection(str(tmp_path / "journal.db"))) as connection:
        assert connection.execute("SELECT count(*) FROM snapshot").fetchone() == (RECORDS,)


def test_a_leak_by_the_second_holds_one_more_each_time() -> None:
    held: list[Any] = []
    for name in ("memory", "blocks", "descriptors"):
        BY_THE_SECOND[name][1](held, None)
    some, empty, descriptor = held
    os.close(descriptor)
    assert (len(some), empty) == (FEW_BYTES, [])


def test_what_fills_up_once_is_full_before_watched_daemon_begins() -> None:
    """In a process of its own, for it changes how much is remembered."""
    program = """
        import json, sys
        from bench.soak_filled import ROUNDS, SAYINGS, fill
        fill()
        import pydantic_core
        from tablectl.core import money
        from tablectl.core.bets import results
        from tablectl.history import board
        from tablectl.journal import encoding
        assert results.ROUNDS_KEPT == board.COUNTED == ROUNDS
        assert encoding._in_all_languages.cache_parameters()["maxsize"] == SAYINGS
        for kept in (money.format_money, money.parse_money):
            assert kept.cache_info().currsize == kept.cache_parameters()["maxsize"], kept
        new = json.dumps([f"new {number}" for number in range(5000)])
        before = sys.getallocatedblocks()
        pydantic_core.from_json(new)
        print(sys.getallocatedblocks() - before)
    """
    command = [sys.executable, "-c", textwrap.dedent(program)]
    run = subprocess.run(command, capture_output=True, text=True, check=True, timeout=PATIENCE_S)
    assert int(run.stdout) < 100, "5,000 if the texts were kept"
