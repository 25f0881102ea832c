"""The recorder's store in PostgreSQL."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Any, Final

import psycopg
from psycopg.rows import TupleRow

from tablectl.features.recorder.ranges import Ranges
from tablectl.features.recorder.shards import Shard
from tablectl.features.recorder.stores.columns import (
    OTHER_FORM,
    TAKEN,
    Key,
    device_columns,
    digest,
    frontier_of,
    gap_of,
    heartbeat_of,
    peaks_of,
    state_columns,
    state_of,
    when,
)
from tablectl.features.recorder.stores.postgres_sql import (
    ADDED,
    COMPARED,
    COPIED,
    DAY,
    DISPUTED,
    ENDS_SOON,
    FORM,
    FRONTIER,
    GAP,
    HELD,
    LOCK,
    LOGGED,
    LOGS,
    MAKING,
    NOTED,
    NOTES,
    OPEN_GAPS,
    PARTITIONED,
    PAYLOADS,
    PULSE,
    PULSED,
    SCHEMA,
    SEEN,
    SHARD_LOCK,
    SHARD_PULSED,
    SHARD_TAKEN,
    SHARD_TURN,
    SHARDS_PULSE,
    STORED,
    TYPES,
    UNCOMPILED,
    UNLOCK,
)
from tablectl.features.recorder.stores.records import (
    Batch,
    Checkpoint,
    Dispute,
    Event,
    Gap,
    Heartbeat,
    Held,
    LogState,
    Saved,
    different,
)
from tablectl.features.recorder.stores.store import ShardLostError, StoreAwayError, StoreUnusableError
from tablectl.proof.tree import Frontier

ANSWER_S: Final = 30.0
"""How long one call may take: a batch is a second's work at most."""

_PASSING: Final = (
    psycopg.OperationalError,
    psycopg.InterfaceError,
    psycopg.errors.CheckViolation,  # a day's partition is gone, or couldn't be made yet
    TimeoutError,
    OSError,
)

Connection = psycopg.AsyncConnection[TupleRow]


class PostgresStore:
    """One connection, made anew after it broke.

    What is stored of each log is read with the lock on writing, so a commit that may or may not have come about is
    known by then. Only by these numbers an event is new: each day has a partition, and none knows those of the others.

    Args:
        address: as libpq takes it: `postgresql://…` or `key=value …`.
        answer_s: how long one call may take.
        shard: of whose tables it is; None for all. Its lock is the connection's own, so that whoever has lost it can't
            write: `ShardLostError` is raised, also after another recorder has had it.
    """

    def __init__(self, address: str, *, answer_s: float = ANSWER_S, shard: Shard | None = None) -> None:
        self._address = address
        self._answer_s = answer_s
        self._shard = shard
        self._turn_taken = 0
        self._connection: Connection | None = None
        self._numbers: dict[str, int] = {}
        self._stored: dict[str, Ranges] = {}
        self._days: set[str] = set()
        self._turn = asyncio.Lock()

    async def open(self) -> Sequence[LogState]:
        """Makes the tables where they aren't there; returns what is known of every log."""
        async with self._call() as connection:
            if self._shard is not None and not self._turn_taken:
                self._turn_taken = await _one(connection, SHARD_TAKEN, self._shard.number)
            rows = await (await connection.execute(LOGS)).fetchall()
        return [state_of(row) for row in rows]

    async def open_gaps(self) -> Sequence[Gap]:
        """The gaps of which something is missing."""
        async with self._call() as connection:
            return [gap_of(row) for row in await (await connection.execute(OPEN_GAPS)).fetchall()]

    async def save(self, batch: Batch) -> Saved:
        """Keeps all of it or nothing."""
        async with self._call() as connection:
            await self._make_days(connection, batch.events)
            async with connection.transaction():
                return await self._save(connection, batch)

    async def _save(self, connection: Connection, batch: Batch) -> Saved:
        new, again = self._split(batch)
        await self._number(connection, batch)
        await self._insert(connection, new)
        others = await self._different(connection, again)
        disputes = [*batch.disputes, *map(different, others)]
        await self._insert_notes(connection, batch.checkpoints)
        await self._insert_gaps(connection, batch.gaps)
        for seen in batch.devices:
            await connection.execute(SEEN, device_columns(seen))
        unknown = [dispute for dispute in disputes if await self._dispute(connection, dispute)]
        return Saved(tuple(unknown), tuple(others))

    async def payloads(self, source: str, first: int, count: int) -> Sequence[bytes]:
        """The bytes of events as they are kept, from the first number on, up to a gap."""
        async with self._call() as connection:
            rows = await connection.execute(PAYLOADS, (source, first, first + count), binary=True)
            return [row[1] async for row in _successive(rows, first)]

    async def frontier(self, source: str, size: int) -> Frontier:
        """The tree at the last agreeing checkpoint of at most this size."""
        async with self._call() as connection:
            row = await (await connection.execute(FRONTIER, (source, size), binary=True)).fetchone()
        return frontier_of(row[0], row[1]) if row else Frontier()

    async def beat(self, heartbeat: Heartbeat) -> None:
        """Leaves a sign of life."""
        async with self._call() as connection:
            pulse = (heartbeat.at, heartbeat.session, heartbeat.connected)
            if self._shard is None:
                await connection.execute(PULSED, pulse)
            else:
                await connection.execute(SHARD_PULSED, (*pulse, self._shard.number))

    async def close(self) -> None:
        """Gives the database to the next writer, and hangs up."""
        connection, self._connection = self._connection, None
        if connection is not None:
            # The server would notice the hang-up in its own time.
            with suppress(psycopg.Error, TimeoutError):
                async with asyncio.timeout(ANSWER_S):
                    await connection.execute(UNLOCK)
            await connection.close()

    # --- the connection

    @asynccontextmanager
    async def _call(self) -> AsyncGenerator[Connection]:
        """The connection for one call. After one that failed it isn't used again."""
        try:
            async with self._turn, asyncio.timeout(self._answer_s) as limit:
                if self._connection is None:
                    self._connection = await self._connect(limit)
                yield self._connection
        except _PASSING as error:
            await self.close()
            raise StoreAwayError(f"the database doesn't answer ({_said(error)})") from None
        except psycopg.Error as error:
            await self.close()
            raise StoreUnusableError(f"the database says: {_said(error)}") from None
        except BaseException:
            await self.close()  # what is half done is undone
            raise

    async def _connect(self, limit: asyncio.Timeout) -> Connection:
        connection: Connection = await psycopg.AsyncConnection.connect(self._address, autocommit=True)
        try:
            await connection.execute(UNCOMPILED)
            await self._prepare(connection, limit)
            stored = await (await connection.execute(STORED)).fetchall()
        except BaseException:
            await connection.close()
            raise
        self._numbers = {source: number for source, number, _ in stored}
        self._stored = {source: Ranges(ranges) for source, _, ranges in stored}
        self._days.clear()
        return connection

    async def _prepare(self, connection: Connection, limit: asyncio.Timeout) -> None:
        """Take the writer's lock, and see to the tables.

        Raises:
            StoreUnusableError: the tables have another form.
            ShardLostError: another recorder has the shard.
            psycopg.OperationalError: another recorder writes.
        """
        if self._shard is not None:
            await connection.execute(ENDS_SOON)
            if not await _one(connection, SHARD_LOCK, self._shard.number):
                raise ShardLostError
        elif not await _one(connection, LOCK):
            raise psycopg.OperationalError(TAKEN)
        async with connection.transaction():
            await connection.execute(MAKING)
            if await _one(connection, "SELECT to_regclass('tablectl.form')") is None:
                await connection.execute(SCHEMA)
            form = await _one(connection, "SELECT version FROM tablectl.form")
            if form == 1:
                limit.reschedule(None)  # each event is read once
                await connection.execute(PARTITIONED)
            elif form != FORM:
                raise StoreUnusableError(OTHER_FORM.format(form, FORM))
            if await _one(connection, "SELECT to_regclass('tablectl.shard')") is None:
                await connection.execute(ADDED)
        shard, turn = self._shard, self._turn_taken
        if shard is not None and turn and turn != await _one(connection, SHARD_TURN, shard.number):
            raise ShardLostError

    # --- one transaction

    async def _make_days(self, connection: Connection, events: Sequence[Event]) -> None:
        """Makes the partitions of the days on which these came, and of those that follow."""
        came = {date.fromisoformat(day) for day in {event.received[:10] for event in events}}
        for day in sorted(came | {day + timedelta(1) for day in came}):
            if (name := f"{day:%Y%m%d}") not in self._days:
                await connection.execute(DAY.format(name=name, day=day, next=day + timedelta(1)).encode())
                self._days.add(name)

    def _split(self, batch: Batch) -> tuple[list[Event], list[Event]]:
        """Enter the numbers of the events.

        Returns:
            Those that are new, and those that came again.
        """
        new, again = list[Event](), list[Event]()
        for event in batch.events:
            stored = self._stored.setdefault(event.source, Ranges())
            if event.sequence in stored:
                again.append(event)
            else:
                stored.add(event.sequence)
                new.append(event)
        assert {event.source for event in new} <= {state.source for state in batch.logs}
        return new, again

    async def _number(self, connection: Connection, batch: Batch) -> None:
        """Write the logs' states, with the numbers that are stored.

        A new log is given its number.
        """
        if batch.logs:
            states = (replace(each, ranges=tuple(self._stored.get(each.source, ()))) for each in batch.logs)
            columns = zip(*map(state_columns, states), strict=True)
            cursor = await connection.execute(LOGGED, [list(column) for column in columns])
            self._numbers.update(await cursor.fetchall())

    async def _insert(self, connection: Connection, events: Sequence[Event]) -> None:
        if not events:
            return
        async with connection.cursor().copy(COPIED) as copy:
            copy.set_types(TYPES)
            for each in events:
                happened = datetime.fromisoformat(each.time) if each.time else None
                named = (self._numbers[each.source], each.sequence, each.id, each.kind, happened, each.round_id)
                await copy.write_row((*named, each.payload, datetime.fromisoformat(each.received)))

    async def _different(self, connection: Connection, again: Sequence[Event]) -> Sequence[Event]:
        """Those that are stored with other bytes.

        What has left for the archive can't be compared.
        """
        if not again:
            return []
        keys = [(self._numbers[event.source], event.sequence) for event in again]
        wanted: dict[int, Ranges] = {}
        for log, sequence in keys:
            wanted.setdefault(log, Ranges()).add(sequence)
        stretches = [(log, *stretch) for log, numbers in wanted.items() for stretch in numbers]
        columns = [list(column) for column in zip(*stretches, strict=True)]
        cursor = await connection.execute(COMPARED, columns, binary=True)
        kept: dict[Key, bytes] = {(row[0], row[1]): bytes(row[2]) for row in await cursor.fetchall()}
        return [event for event, key in zip(again, keys, strict=True) if kept.get(key, event.payload) != event.payload]

    async def _insert_notes(self, connection: Connection, checkpoints: Sequence[Checkpoint]) -> None:
        rows = [
            (self._numbers[each.source], each.frontier.size, each.note, peaks_of(each.frontier), each.verified, at)
            for each in checkpoints
            if (at := each.received)
        ]
        if rows:
            await connection.cursor().executemany(NOTED, rows)

    async def _insert_gaps(self, connection: Connection, gaps: Sequence[Gap]) -> None:
        rows = [(self._numbers[gap.source], gap.low, gap.high, gap.noticed, gap.filled) for gap in gaps]
        if rows:
            await connection.cursor().executemany(GAP, rows)

    @staticmethod
    async def _dispute(connection: Connection, each: Dispute) -> bool:
        """Keeps a dispute; returns whether it is new."""
        columns = (each.place, each.source, each.wrong.value, each.sequence, each.told, each.payload, digest(each))
        return (await connection.execute(DISPUTED, (*columns, each.received))).rowcount == 1


class PostgresReading:
    """Read access to what a recorder has written.

    Args:
        address: as libpq takes it.
        shards: how many recorders share; 0 where one writes all.
    """

    def __init__(self, address: str, shards: int = 0) -> None:
        self._address = address
        self._shards = shards
        self._connection: Connection | None = None

    async def held(self) -> Sequence[Held]:
        """Everything known of every log."""
        connection = await self._connected()
        try:
            rows = await (await connection.execute(HELD)).fetchall()
        except psycopg.Error as error:
            raise StoreUnusableError(f"the database says: {_said(error)}") from None
        return [Held(state_of(row[:12]), when(row[12]), *row[13:]) for row in rows]

    async def heartbeat(self) -> Heartbeat | None:
        """The recorder's last sign of life."""
        connection = await self._connected()
        if self._shards and await _one(connection, "SELECT to_regclass('tablectl.shard')") is None:
            return None
        query = SHARDS_PULSE if self._shards else PULSE
        row = await (await connection.execute(query, {"count": self._shards})).fetchone()
        return heartbeat_of(row) if row else None

    async def notes(self, source: str, skipped: int, count: int) -> Sequence[tuple[int, str]]:
        """The size and text of verified checkpoints of a log, the newest first."""
        connection = await self._connected()
        rows = await (await connection.execute(NOTES, (source, count, skipped))).fetchall()
        return [(row[0], row[1]) for row in rows]

    async def close(self) -> None:
        """Hangs up."""
        if self._connection is not None:
            await self._connection.close()

    async def _connected(self) -> Connection:
        if self._connection is None:
            try:
                async with asyncio.timeout(ANSWER_S):
                    connection: Connection = await psycopg.AsyncConnection.connect(self._address, autocommit=True)
            except _PASSING as error:
                raise StoreAwayError(f"the database doesn't answer ({_said(error)})") from None
            self._connection = connection
            await connection.execute(UNCOMPILED)
            if await _one(connection, "SELECT to_regclass('tablectl.form')") is None:
                raise StoreUnusableError("no recorder has written into this database yet")
        return self._connection


async def _successive(rows: psycopg.AsyncCursor[TupleRow], first: int) -> AsyncGenerator[TupleRow]:
    async for row in rows:
        if row[0] != first:
            return
        first += 1
        yield row


async def _one(connection: Connection, query: Any, *values: object) -> Any:
    row = await (await connection.execute(query, values)).fetchone()
    return row[0] if row else None


def _said(error: BaseException) -> str:
    return str(error).strip().split("\n", 1)[0] or "no answer in time"
