"""Recorders that share the tables: NATS deals them into shards, PostgreSQL's locks say who keeps which."""

import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from string import Template
from typing import Any

import aiomqtt
import pytest

from tablectl.config.errors import ConfigError
from tablectl.features.demo.processes import free_port
from tablectl.features.recorder.run import load_record_config, store_of
from tablectl.features.recorder.shards import Shard
from tablectl.features.recorder.status import Report
from tablectl.features.recorder.stores.records import Heartbeat
from tablectl.features.recorder.stores.store import ShardLostError, StoreAwayError
from tests.reader.record_nats import Nats, private_nats
from tests.reader.record_postgres import Postgres
from tests.reader.record_process import Process
from tests.reader.record_table import Table
from tests.reader.test_record_metrics import kept
from tests.reader.test_record_stores import BATCH, NOW, STATE
from tests.support.broker import Broker, private_broker
from tests.support.long import by_turn
from tests.support.patience import LONG_PATIENCE_S, PATIENCE_S

CONFIG = Path(__file__).parents[2] / "config" / "floor"
SHARDS = 4
NAMES = ("q1", "q2", "q3", "q4", "f5")

RECORD = """
[broker]
url = "{node}"
protocol = "3.1.1"
shards = {shards}
[pit_brokers.north]
url = "{pit}"
tables = ["macau/+"]
[store]
url = "{store}"
[tables]
listen = {places}
trust = "first_use"
"""


@pytest.fixture(name="node")
def _node(tmp_path: Path) -> Iterator[Nats]:
    (tmp_path / "nats").mkdir()
    dealt = Template((CONFIG / "nats-shards.conf").read_text()).substitute(SHARDS=SHARDS)
    with private_nats(tmp_path / "nats", dealt) as server:
        yield server


@pytest.fixture(name="pit")
def _pit(mosquitto: Path, tmp_path: Path, node: Nats) -> Iterator[Broker]:
    (tmp_path / "pit").mkdir()
    text = (CONFIG / "bridge.conf").read_text()
    bridge = Template(text).substitute(PIT="north", PASSWORD="x", NODES=f"127.0.0.1:{node.port}")
    with private_broker(mosquitto, tmp_path / "pit", bridge) as made:
        made.start()
        yield made


@pytest.fixture(name="store")
def _store(postgres: Postgres) -> str:
    return postgres.database()


@pytest.fixture(name="recorders")
def _recorders(tmp_path: Path, node: Nats, pit: Broker, store: str) -> Iterator[list[Process]]:
    config, places = tmp_path / "record.toml", str([f"macau/{name}" for name in NAMES]).replace("'", '"')
    config.write_text(RECORD.format(node=node.url, pit=pit.url, store=store, places=places, shards=SHARDS))
    both = [Process(config, tmp_path / f"record{nth}.log") for nth in (1, 2)]
    yield both
    for each in both:
        each.end(signal.SIGKILL)


def complete(last: int) -> Callable[[Report], bool]:
    """Whether all of each table up to a number is kept and verified, and all shards are."""

    def true(report: Report) -> bool:
        logs = [table.logs[-1] for table in report.tables if table.logs]
        return report.complete and [(log.last, log.verified) for log in logs] == [(last, last)] * len(NAMES)

    return true


def shared(postgres: Postgres, store: str, *parts: int) -> Callable[[Report], bool]:
    """Whether so many shards are kept by each of the recorders, which a lock of their own counts."""
    query = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2 AND mode = '{}Lock'"

    def true(_: Report) -> bool:
        (kept,), (at_work,) = (postgres.ask(store, query.format(mode))[0] for mode in ("Exclusive", "Share"))
        return (kept, at_work) == (sum(parts), len(parts))

    return true


async def test_shard_is_the_partition_of_nats(node: Nats) -> None:
    places = {f"macau/{name}" for name in NAMES} | {f"cotai/q{number}" for number in range(20)}
    connect: dict[str, Any] = {"protocol": aiomqtt.ProtocolVersion.V311, "timeout": PATIENCE_S}
    async with aiomqtt.Client("127.0.0.1", node.port, **connect) as client, asyncio.timeout(PATIENCE_S):
        await client.subscribe(f"shard/{SHARDS}/+/tablectl/v1/+/+/status", qos=1)
        for place in places:
            await client.publish(f"tablectl/v1/{place}/status", b"{}", qos=1)
        messages = aiter(client.messages)
        topics = [str((await anext(messages)).topic) for _ in places]
    found = {"/".join(topic.split("/")[5:7]): topic.partition("tablectl")[0] for topic in topics}
    assert found == {
        place: shard.prefix
        for place in places
        for number in range(SHARDS)
        if (shard := Shard(number, SHARDS)).holds(place)
    }
    assert len(set(found.values())) == SHARDS


@pytest.mark.slow
@pytest.mark.timeout(4 * LONG_PATIENCE_S)
@pytest.mark.parametrize("number", by_turn([signal.SIGKILL, signal.SIGSTOP]), ids=lambda number: number.name)
async def test_other_recorder_takes_over_and_nothing_is_lost(
    recorders: list[Process], pit: Broker, postgres: Postgres, store: str, number: signal.Signals
) -> None:
    (first, second), port = recorders, free_port()
    tables = [Table(pit.port, name) for name in NAMES]

    async def live(until: Process, last: int) -> None:
        for table in tables:
            await table.live(10)
        await asyncio.to_thread(until.until, complete(last))

    async with AsyncExitStack() as stack:
        for table in tables:
            await stack.enter_async_context(table.online())
        first.changes = (f"metrics.listen=127.0.0.1:{port}",)
        first.start()
        await live(first, 10)
        assert await asyncio.to_thread(kept, port) == 10 * len(NAMES)
        second.start()
        await asyncio.to_thread(first.says, "given back")
        await asyncio.to_thread(first.until, shared(postgres, store, 2, 2))
        await live(first, 20)
        first.send(number)
        await live(second, 30)
        await asyncio.to_thread(second.until, shared(postgres, store, 4))
        first.send(signal.SIGCONT)
        if number is signal.SIGSTOP:
            await asyncio.to_thread(first.says, "another recorder has it")
            await asyncio.to_thread(second.until, shared(postgres, store, 2, 2))
            await live(second, 40)
    rows = postgres.ask(
        store, "SELECT name, payload FROM tablectl.event JOIN tablectl.log USING (log) ORDER BY 1, log, sequence"
    )
    assert [(name, bytes(payload)) for name, payload in rows] == [
        (table.name, payload) for table in sorted(tables, key=lambda each: each.name) for payload in table.payloads
    ]


async def test_whoever_lost_a_shard_writes_nothing_more(postgres: Postgres, store: str) -> None:
    number = next(number for number in range(SHARDS) if Shard(number, SHARDS).holds(STATE.place))
    one, other = (store_of(store, Shard(number, SHARDS)) for _ in range(2))
    await one.open()
    with pytest.raises(ShardLostError):
        await other.open()
    others = "datname = current_database() AND pid <> pg_backend_pid()"
    ended = f"SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity WHERE {others}"
    postgres.ask(store, ended)
    with pytest.raises(StoreAwayError):
        await one.beat(Heartbeat(NOW, "s", connected=True))
    await one.beat(Heartbeat(NOW, "s", connected=True))  # nobody had it meanwhile
    postgres.ask(store, ended)
    await other.open()
    with pytest.raises(StoreAwayError):
        await one.save(BATCH)
    with pytest.raises(ShardLostError):
        await one.save(BATCH)
    await other.close()
    with pytest.raises(ShardLostError):  # though it is free
        await one.save(BATCH)
    assert postgres.ask(store, "SELECT count(*) FROM tablectl.event") == [(0,)]
    await one.close()


async def test_recorder_without_shards_and_one_with_exclude_each_other(postgres: Postgres, store: str) -> None:
    alone, part = store_of(store), store_of(store, Shard(0, 1))
    await alone.open()
    with pytest.raises(ShardLostError):
        await part.open()
    await alone.close()
    await part.open()
    with pytest.raises(StoreAwayError, match="another recorder writes into it"):
        await alone.open()
    await part.close()


def test_shards_want_postgresql_and_pits() -> None:
    changes = {"store.url": '"sqlite:/tmp/room.db"', "broker.shards": "4"}
    with pytest.raises(ConfigError) as refused:
        load_record_config(Path(os.devnull), changes)
    assert {problem.key for problem in refused.value.problems} == {"broker.shards", "store.url"}
