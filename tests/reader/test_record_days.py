"""Events in PostgreSQL lie in a partition for each day, and none is kept twice."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tablectl.features.recorder.run import store_of
from tablectl.features.recorder.shards import Shard
from tablectl.features.recorder.stores.kept import Kept
from tablectl.features.recorder.stores.kept import opened as kept_in
from tablectl.features.recorder.stores.postgres import PostgresStore
from tablectl.features.recorder.stores.postgres_sql import COMPARED
from tablectl.features.recorder.stores.records import Batch, Event
from tablectl.features.recorder.stores.store import StoreAwayError
from tests.reader.record_postgres import Postgres
from tests.reader.test_record_floor_page import COMMANDS, Shell
from tests.reader.test_record_stores import BATCH, EVENTS, NOW, SOURCE, STATE, opened

NEXT_DAY = "2026-11-21T00:00:00.000000Z"
DAY_AFTER = "2026-11-22T00:00:00.000000Z"
PARTITIONS = "SELECT relname FROM pg_inherits JOIN pg_class ON oid = inhrelid WHERE relkind = 'r' ORDER BY 1"
OTHERS_ENDED = (
    "SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity"
    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
)
FORM_1 = """
DROP TABLE tablectl.event;
CREATE TABLE tablectl.event (
    log integer NOT NULL REFERENCES tablectl.log, sequence bigint NOT NULL,
    id text NOT NULL, type text NOT NULL, time timestamptz, round text NOT NULL,
    payload bytea NOT NULL, received timestamptz NOT NULL,
    PRIMARY KEY (log, sequence)
);
CREATE INDEX event_round ON tablectl.event (round) WHERE round <> '';
CREATE INDEX event_time ON tablectl.event USING brin (time);
UPDATE tablectl.form SET version = 1;
UPDATE tablectl.log SET ranges = '[[1, 2]]';
"""


@pytest.fixture(name="address")
def _address(postgres: Postgres) -> str:
    return postgres.database()


def of_day(received: str, *numbers: int) -> Batch:
    """A batch with the events of these numbers, which came then."""
    events = tuple(event(number, received) for number in numbers)
    return Batch(events, (replace(STATE, ranges=tuple((number, number) for number in numbers)),))


def of_table(table: str, received: str, number: int) -> Batch:
    """A batch with a table's event, which came then."""
    source = SOURCE.replace("/q1/", f"/{table}/")
    return Batch((replace(event(number, received), source=source),), (replace(STATE, source=source),))


def event(number: int, received: str = NOW) -> Event:
    return Event(SOURCE, number, f"log7-{number}", "bet.placed.v1", received, "r1", b"\0 payload %d" % number, received)


def kept(postgres: Postgres, address: str) -> list[int]:
    return [int(row[0]) for row in postgres.ask(address, "SELECT sequence FROM tablectl.event ORDER BY 1")]


async def test_each_day_is_a_partition_and_the_next_is_ready(postgres: Postgres, address: str) -> None:
    store = await opened(address)
    await store.save(BATCH)
    assert postgres.ask(address, PARTITIONS) == [("event_20261120",), ("event_20261121",)]
    await store.save(of_day(NEXT_DAY, 6))
    assert postgres.ask(address, "SELECT sequence FROM tablectl.event_20261121") == [(6,)]
    assert len(postgres.ask(address, PARTITIONS)) == 3
    assert await store.payloads(SOURCE, 5, 9) == [EVENTS[3].payload, event(6).payload]
    await store.close()


async def test_what_comes_again_on_another_day_is_kept_once(postgres: Postgres, address: str) -> None:
    store = await opened(address)
    await store.save(BATCH)
    for _ in range(2):
        saved = await store.save(of_day(NEXT_DAY, 1, 4, 5))
        assert saved.different == ()
        other = replace(event(2, NEXT_DAY), payload=b"other")
        saved = await store.save(Batch((other,)))
        assert saved.different == (other,)
        await store.close()
        store = await opened(address)
    assert kept(postgres, address) == [1, 2, 3, 4, 5]
    assert (await store.open())[0].ranges == ((1, 5),)
    await store.close()


async def test_commit_whose_outcome_is_unknown_is_found_out(postgres: Postgres, address: str) -> None:
    store = PostgresStore(address, answer_s=2.0)
    await store.open()
    await store.save(of_day(NOW, 1))
    try:
        postgres.ask(address, "ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
        postgres.ask(address, "SELECT pg_reload_conf()")
        with pytest.raises(StoreAwayError):  # as the answer to its commit is held back
            await store.save(of_day(NOW, 2, 3))
    finally:
        postgres.ask(address, "ALTER SYSTEM RESET synchronous_standby_names")
        postgres.ask(address, "SELECT pg_reload_conf()")
    assert kept(postgres, address) == [1, 2, 3]
    other = replace(event(3, NEXT_DAY), payload=b"other")
    saved = await store.save(replace(of_day(NEXT_DAY, 2, 3, 4), events=(event(2), event(3), event(4), other)))
    assert saved.different == (other,)
    assert kept(postgres, address) == [1, 2, 3, 4]
    await store.close()


async def test_commit_that_did_not_come_about_is_made_again(postgres: Postgres, address: str) -> None:
    store = await opened(address)
    await store.save(of_day(NOW, 1))
    postgres.ask(address, OTHERS_ENDED)
    with pytest.raises(StoreAwayError):
        await store.save(of_day(NOW, 2, 3))
    assert kept(postgres, address) == [1]
    await store.save(of_day(NOW, 2, 3))
    assert kept(postgres, address) == [1, 2, 3]
    await store.close()


async def test_recorder_that_is_back_forgets_nothing_of_the_other(postgres: Postgres, address: str) -> None:
    first, second = await opened(address), await asyncio.to_thread(store_of, address)
    await first.save(of_day(NOW, 1))
    postgres.ask(address, OTHERS_ENDED)
    await second.open()
    await second.save(of_day(NOW, 2, 3))
    with pytest.raises(StoreAwayError):
        await first.save(of_day(NOW, 4))
    with pytest.raises(StoreAwayError, match="another recorder"):
        await first.save(of_day(NOW, 4))
    await second.close()
    await first.save(of_day(NEXT_DAY, 4))  # whose state doesn't know of 2 and 3
    await first.close()
    third = await opened(address)
    await third.save(of_day(NEXT_DAY, 2, 3, 4))
    assert kept(postgres, address) == [1, 2, 3, 4]
    assert (await third.open())[0].ranges == ((1, 4),)
    await third.close()


async def test_database_of_form_1_keeps_its_events_and_readers(postgres: Postgres, address: str) -> None:
    await (await opened(address)).close()
    store = await opened(address)
    await store.save(replace(BATCH, events=()))
    await store.close()
    postgres.ask(address, FORM_1)
    for each in EVENTS:
        columns = (each.sequence, each.id, each.kind, each.time, each.round_id, each.payload, each.received)
        postgres.ask(address, "INSERT INTO tablectl.event VALUES (1, %s, %s, %s, %s, %s, %s, %s)", *columns)
    postgres.ask(address, 'CREATE ROLE "the page"; GRANT USAGE ON SCHEMA tablectl TO "the page"')
    postgres.ask(address, 'GRANT SELECT ON ALL TABLES IN SCHEMA tablectl TO "the page"')
    store = await opened(address)
    assert (await store.open())[0].ranges == ((1, 3), (5, 5))
    await store.save(of_day(NOW, 3, 4))
    assert (await store.save(of_day(NEXT_DAY, 1, 5, 6))).different == ()
    assert kept(postgres, address) == [1, 2, 3, 4, 5, 6]
    assert postgres.ask(address, PARTITIONS) == [("event_20261121",), ("event_20261122",), ("event_before",)]
    assert postgres.ask(address, "SELECT has_table_privilege('the page', 'tablectl.event', 'SELECT')") == [(True,)]
    await store.close()
    await (await opened(address)).close()


async def test_day_that_was_dropped_is_made_anew(postgres: Postgres, address: str) -> None:
    store = await opened(address)
    await store.save(of_day(NOW, 1))
    postgres.ask(address, "DROP TABLE tablectl.event_20261120")
    with pytest.raises(StoreAwayError, match="no partition"):
        await store.save(of_day(NOW, 2))
    await store.save(of_day(NOW, 2))
    assert kept(postgres, address) == [2]
    await store.close()


async def test_retention_as_documented_drops_old_days_beside_recorder(
    postgres: Postgres, address: str, tmp_path: Path
) -> None:
    store = await opened(address)
    await store.save(of_day("2020-01-05T12:00:00.000000Z", 1))
    await store.save(of_day("2999-01-01T12:00:00.000000Z", 2))
    (told,) = (each for each in COMMANDS if "DETACH PARTITION" in each)
    await asyncio.to_thread(Shell(tmp_path, postgres).run, told.replace("psql floor", f"psql '{address}'"))
    assert postgres.ask(address, PARTITIONS) == [("event_29990101",), ("event_29990102",)]
    with pytest.raises(StoreAwayError, match="no partition"):
        await store.save(of_day("2020-01-05T12:00:00.000000Z", 3))
    await store.save(of_day("2020-01-05T12:00:00.000000Z", 3))
    assert kept(postgres, address) == [2, 3]
    await store.close()


async def test_day_ahead_is_not_waited_for(postgres: Postgres, address: str) -> None:
    store = await opened(address)
    await store.save(of_day(NOW, 1))
    with psycopg.connect(address) as analysing:
        analysing.execute("LOCK TABLE tablectl.event IN SHARE UPDATE EXCLUSIVE MODE")
        await store.save(of_day(NEXT_DAY, 2))
    await store.save(of_day(NEXT_DAY, 3))
    with pytest.raises(StoreAwayError, match="no partition"):
        await store.save(of_day(DAY_AFTER, 4))
    await store.save(of_day(DAY_AFTER, 4))
    assert kept(postgres, address) == [1, 2, 3, 4]
    await store.close()


async def test_shards_take_form_1_over_and_make_days_together(postgres: Postgres, address: str) -> None:
    await (await opened(address)).close()
    postgres.ask(address, FORM_1)
    stores = [PostgresStore(address, shard=Shard(number, 4)) for number in range(4)]
    await asyncio.gather(*(store.open() for store in stores))
    for day in range(1, 5):
        batches = [of_table(f"t{nth}", f"2999-01-{day:02}T00:00:00.000000Z", day) for nth in range(4)]
        await asyncio.gather(*(store.save(batch) for store, batch in zip(stores, batches, strict=True)))
    await asyncio.gather(*(store.close() for store in stores))
    assert kept(postgres, address) == sorted([1, 2, 3, 4] * 4)
    assert len(postgres.ask(address, PARTITIONS)) == 1 + 5


async def test_many_that_come_again_are_compared_by_index(postgres: Postgres, address: str) -> None:
    store = await opened(address)
    for day in range(20, 30):
        await store.save(of_day(f"2026-11-{day}T00:00:00.000000Z", *range(day * 100, day * 100 + 100)))
    await store.close()
    plan = postgres.ask(address, f"EXPLAIN {COMPARED}", [1] * 400, [*range(2000, 2400)], [*range(2000, 2400)])
    assert " Join" not in str(plan)


async def test_floor_page_looks_only_into_the_days_it_asks_for(postgres: Postgres, address: str) -> None:
    store = await opened(address)
    await store.save(BATCH)
    await store.save(of_day("2026-11-25T00:00:00.000000Z", 6))
    await store.close()
    asked: list[tuple[str, Sequence[object]]] = []

    def note(query: str, values: Sequence[object]) -> Sequence[Sequence[Any]]:
        asked.append((query, values))
        return ()

    assert list(Kept(note).times("2026-11-24T09:00:00.000000Z", ["bet.placed.v1"], 9)) == []
    assert Kept(note).of_all("2026-11-24T09:00:00.000000Z", ["bet.placed.v1"], 9) == []
    with kept_in(address) as there:
        assert list(there.ask("SHOW jit", ())) == [("off",)]
        for query, values in asked:
            plan = str(list(there.ask(f"EXPLAIN {query}", values)))
            assert "event_20261125" in plan
            assert "event_20261120" not in plan
        assert list(there.times("2026-11-24T09:00:00.000000Z", ["bet.placed.v1"], 9)) == [
            ("macau/q1", "2026-11-25T00:00:00.000000Z")
        ]
