"""Both stores keep the same promises."""

import asyncio
import os
import signal
from dataclasses import replace
from pathlib import Path

import apsw
import pytest

from tablectl.features.recorder.run import reading_of, store_of
from tablectl.features.recorder.stores.postgres import PostgresStore
from tablectl.features.recorder.stores.records import (
    Batch,
    Checkpoint,
    Dispute,
    Event,
    Gap,
    Heartbeat,
    LogState,
    Trust,
    Wrong,
)
from tablectl.features.recorder.stores.store import Store, StoreAwayError, StoreUnusableError
from tablectl.proof.tree import Frontier, leaf_hash
from tests.reader.record_postgres import Postgres
from tests.support.patience import PATIENCE_S

SOURCE = "/tablectl/macau/q1/log7"
NOW = "2026-11-20T00:00:01.000001Z"
EVENTS = tuple(
    Event(SOURCE, number, f"log7-{number}", "bet.placed.v1", NOW, "r1", b"\0 payload %d" % number, NOW)
    for number in (1, 2, 3, 5)
)
TREE = Frontier().grown([leaf_hash(event.payload) for event in EVENTS[:3]])
STATE = LogState(
    SOURCE, ((1, 3), (5, 5)), ((7, 9),), 9, TREE, 3, NOW, (b"k" * 32, b"l" * 32), Trust.PINNED, "trouble", NOW
)
GAP = Gap(SOURCE, 4, 4, NOW)
DISPUTE = Dispute("macau/q1", SOURCE, Wrong.ROOT, 3, "told", b"\0note", NOW)
BATCH = Batch(EVENTS, (STATE,), (Checkpoint(SOURCE, "note", TREE, NOW, verified=True),), (GAP,), (DISPUTE,))


@pytest.fixture(name="address", params=["postgres", "sqlite"])
def _address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:{tmp_path / 'room' / 'room.db'}"
    server: Postgres = request.getfixturevalue("postgres")
    return server.database()


async def opened(address: str) -> Store:
    store = await asyncio.to_thread(store_of, address)
    await store.open()
    return store


async def test_what_is_saved_is_there_after_a_restart(address: str) -> None:
    store = await opened(address)
    assert (await store.save(BATCH)).disputes == (DISPUTE,)
    await store.beat(Heartbeat(NOW, "s", connected=True))
    await store.close()
    store = await opened(address)
    assert await store.open() == [STATE]
    assert await store.open_gaps() == [GAP]
    assert await store.payloads(SOURCE, 1, 10) == [event.payload for event in EVENTS[:3]]
    assert await store.payloads(SOURCE, 2, 1) == [EVENTS[1].payload]
    assert await store.payloads(SOURCE, 4, 9) == []
    assert await store.frontier(SOURCE, 2) == Frontier()
    assert await store.frontier(SOURCE, 4) == TREE
    await store.save(Batch(gaps=(replace(GAP, filled=NOW),)))
    assert await store.open_gaps() == []
    await store.close()
    reading = await asyncio.to_thread(reading_of, address)
    assert await reading.notes(SOURCE, 0, 9) == [(3, "note")]
    assert await reading.notes(SOURCE, 1, 9) == await reading.notes("another", 0, 9) == []
    await reading.close()


async def test_the_same_batch_again_changes_nothing(address: str) -> None:
    store = await opened(address)
    await store.save(BATCH)
    again = await store.save(BATCH)
    assert (again.disputes, again.different) == ((), ())
    assert await store.payloads(SOURCE, 1, 10) == [event.payload for event in EVENTS[:3]]
    await store.close()


async def test_other_bytes_under_number_are_dispute_and_never_overwrite(address: str) -> None:
    store = await opened(address)
    other = replace(EVENTS[1], payload=b"other")
    saved = await store.save(replace(BATCH, events=(*EVENTS, other, EVENTS[0])))
    assert saved.different == (other,)
    assert [each.wrong for each in saved.disputes] == [Wrong.ROOT, Wrong.DIFFERENT]
    assert await store.payloads(SOURCE, 2, 1) == [EVENTS[1].payload]
    again = await store.save(Batch((other,)))
    assert (again.disputes, again.different) == ((), (other,))
    await store.close()


async def test_a_batch_that_fails_in_its_middle_leaves_nothing(address: str) -> None:
    store = await opened(address)
    spoilt = replace(BATCH, disputes=(DISPUTE, replace(DISPUTE, sequence=1 << 70)))
    with pytest.raises((StoreUnusableError, OverflowError)):
        await store.save(spoilt)
    assert await store.payloads(SOURCE, 1, 10) == []
    assert await store.open() == []
    await store.close()


async def test_second_writer_is_kept_out_until_the_first_is_gone(address: str) -> None:
    store, second = await opened(address), await asyncio.to_thread(store_of, address)
    with pytest.raises(StoreAwayError, match="another recorder"):
        await second.open()
    await store.close()
    assert await second.open() == []
    await second.close()


async def test_tables_of_another_form_are_left_alone(address: str, request: pytest.FixtureRequest) -> None:
    await (await opened(address)).close()
    if address.startswith("sqlite:"):
        db = apsw.Connection(address.removeprefix("sqlite:"))
        db.execute("PRAGMA user_version=99")
        db.close()
    else:
        request.getfixturevalue("postgres").ask(address, "UPDATE tablectl.form SET version = 99")
    store = await asyncio.to_thread(store_of, address)
    with pytest.raises(StoreUnusableError, match="form 99"):
        await store.open()
    await store.close()


async def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "room.db"
    file.write_bytes(b"not a database, but long enough to be read as one" * 50)
    store = await asyncio.to_thread(store_of, f"sqlite:{file}")
    with pytest.raises(StoreUnusableError, match=r"room\.db can't be used"):
        await store.open()
    await store.close()
    assert file.read_bytes().startswith(b"not a database")


@pytest.mark.parametrize("form", [0, 1])
async def test_another_programs_database_is_left_as_it_was(tmp_path: Path, form: int) -> None:
    file = tmp_path / "room.db"
    db = apsw.Connection(str(file))
    db.execute(f"CREATE TABLE event (a); INSERT INTO event VALUES (1); PRAGMA user_version={form}")
    db.close()
    before = file.read_bytes()
    store = await asyncio.to_thread(store_of, f"sqlite:{file}")
    with pytest.raises(StoreUnusableError, match="it is another program's"):
        await store.open()
    await store.close()
    reading = await asyncio.to_thread(reading_of, f"sqlite:{file}")
    with pytest.raises(StoreUnusableError, match="it is another program's"):
        await reading.held()
    assert file.read_bytes() == before
    assert names_in(tmp_path) == ["room.db"]


async def test_a_path_that_was_mistyped_makes_no_folders(tmp_path: Path) -> None:
    store = await asyncio.to_thread(store_of, f"sqlite:{tmp_path}/rom/room/room.db")
    with pytest.raises(StoreUnusableError, match=r"room\.db can't be used: .*No such file"):
        await store.open()
    await store.close()
    assert names_in(tmp_path) == []


async def test_a_recorder_that_ended_leaves_its_database_and_nothing_else(tmp_path: Path) -> None:
    store = await opened(f"sqlite:{tmp_path / 'room' / 'room.db'}")
    assert (tmp_path / "room" / "room.db.lock").exists()
    await store.close()
    assert names_in(tmp_path / "room") == ["room.db"]


async def test_a_lock_that_a_killed_recorder_left_keeps_nobody_out(tmp_path: Path) -> None:
    (tmp_path / "room.db.lock").touch()
    store = await opened(f"sqlite:{tmp_path / 'room.db'}")
    await store.close()
    assert names_in(tmp_path) == ["room.db"]


async def test_waiting_recorder_gets_its_lock_when_the_first_leaves(tmp_path: Path) -> None:
    file = tmp_path / "room.db"
    for _ in range(5):
        first, second, third = [await asyncio.to_thread(store_of, f"sqlite:{file}") for _ in range(3)]
        await first.open()
        await first.close()
        won = [await has_it(store) for store in (second, third)]
        assert won == [True, False]
        await second.close()
        await third.close()


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


async def has_it(store: Store) -> bool:
    try:
        await store.open()
    except StoreAwayError:
        return False
    return True


async def test_the_file_of_a_room_is_its_owners_alone(tmp_path: Path) -> None:
    store = await opened(f"sqlite:{tmp_path / 'room' / 'room.db'}")
    await store.save(BATCH)
    assert (tmp_path / "room").stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in (tmp_path / "room").iterdir()} == {0o600}
    await store.close()


async def test_frozen_server_counts_as_away_and_batches_may_repeat(postgres: Postgres) -> None:
    address = postgres.database()
    store = PostgresStore(address, answer_s=2.0)
    await store.open()
    query = "SELECT pid FROM pg_stat_activity WHERE datname = %s AND pid <> pg_backend_pid()"
    ((pid,),) = await asyncio.to_thread(postgres.ask, address, query, address.split("/")[3].split("?")[0])
    os.kill(pid, signal.SIGSTOP)
    with pytest.raises(StoreAwayError, match="doesn't answer"):
        await store.save(BATCH)
    os.kill(pid, signal.SIGCONT)
    async with asyncio.timeout(PATIENCE_S):
        while True:
            try:
                await store.save(BATCH)
                break
            except StoreAwayError:
                await asyncio.sleep(0.05)
    assert await store.payloads(SOURCE, 1, 10) == [event.payload for event in EVENTS[:3]]
    await store.close()


def test_without_the_extra_the_recorder_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tablectl.features.recorder.run.find_spec", lambda _name: None)
    with pytest.raises(StoreUnusableError, match=r"psycopg is needed: .*\.\[record\]"):
        store_of("postgresql:///floor")


@pytest.mark.parametrize("kept_from", [1, 2, 3])
async def test_since_is_oldest_event_of_last_stretch_that_is_there(
    address: str, request: pytest.FixtureRequest, kept_from: int
) -> None:
    times = {number: f"2026-11-20T00:00:0{number}.000000Z" for number in (1, 2, 3)}
    store = await opened(address)
    events = tuple(replace(event, time=times[event.sequence]) for event in EVENTS[:3])
    await store.save(Batch(events, (replace(STATE, ranges=((1, 3),)),)))
    await store.close()
    if address.startswith("sqlite:"):
        db = apsw.Connection(address.removeprefix("sqlite:"))
        db.execute("DELETE FROM event WHERE sequence < ?", (kept_from,))
        db.close()
    else:
        request.getfixturevalue("postgres").ask(address, "DELETE FROM tablectl.event WHERE sequence < %s", kept_from)
    reading = await asyncio.to_thread(reading_of, address)
    (held,) = await reading.held()
    await reading.close()
    assert (held.since, held.state.ranges) == (times[kept_from], ((1, 3),))
