"""The recorder's store in one SQLite file, for one room."""

import asyncio
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, TypeVar

import apsw

from tablectl.features.recorder.stores.columns import (
    Key,
    device_columns,
    digest,
    frontier_of,
    gap_of,
    heartbeat_of,
    peaks_of,
    split_new,
    state_columns,
    state_of,
    when,
)
from tablectl.features.recorder.stores.records import (
    Batch,
    Dispute,
    Event,
    Gap,
    Heartbeat,
    Held,
    LogState,
    Saved,
    different,
)
from tablectl.features.recorder.stores.sqlite_file import (
    check_form,
    connected,
    look,
    number,
    opened,
    release,
    with_store_errors,
)
from tablectl.features.recorder.stores.sqlite_sql import (
    DISPUTED,
    FRONTIER,
    GAP,
    HELD,
    LOGGED,
    LOGS,
    NOTED,
    NOTES,
    OPEN_GAPS,
    PAYLOADS,
    SEEN,
)
from tablectl.features.recorder.stores.store import StoreUnusableError
from tablectl.proof.tree import Frontier

T = TypeVar("T")


class SqliteStore:
    """One file and one thread at a time.

    Args:
        path: of the file; it and its folder are made where they aren't there.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection: apsw.Connection | None = None
        self._lock: IO[bytes] | None = None
        self._numbers: dict[str, int] = {}
        self._turn = threading.Lock()  # a call that nobody waits for any more still has its thread

    async def open(self) -> Sequence[LogState]:
        """Makes the tables where they aren't there; returns what is known of every log."""
        rows = await self._do(lambda db: list(db.execute(LOGS)))
        self._numbers = {row[1]: row[0] for row in rows}
        return [state_of(row[1:]) for row in rows]

    async def open_gaps(self) -> Sequence[Gap]:
        """The gaps of which something is missing."""
        return [gap_of(row) for row in await self._do(lambda db: list(db.execute(OPEN_GAPS)))]

    async def save(self, batch: Batch) -> Saved:
        """Keeps all of it or nothing."""
        return await self._do(lambda db: _transaction(db, lambda: self._save(db, batch)))

    async def payloads(self, source: str, first: int, count: int) -> Sequence[bytes]:
        """The bytes of events as they are kept, from the first number on, up to a gap."""
        rows = await self._do(lambda db: list(db.execute(PAYLOADS, (source, first, first + count))))
        return [payload for nth, (sequence, payload) in enumerate(rows) if sequence == first + nth]

    async def frontier(self, source: str, size: int) -> Frontier:
        """The tree at the last agreeing checkpoint of at most this size."""
        row = await self._do(lambda db: db.execute(FRONTIER, (source, size)).fetchone())
        return frontier_of(row[0], row[1]) if row else Frontier()

    async def beat(self, heartbeat: Heartbeat) -> None:
        """Leaves a sign of life."""
        columns = (1, heartbeat.at, heartbeat.session, int(heartbeat.connected))
        await self._do(lambda db: db.execute("INSERT OR REPLACE INTO recorder VALUES (?, ?, ?, ?)", columns))

    async def close(self) -> None:
        """Closes the file."""
        await asyncio.to_thread(self._close)

    # --- the file, in another thread

    async def _do(self, call: Callable[[apsw.Connection], T]) -> T:
        return await asyncio.to_thread(self._called, call)

    def _called(self, call: Callable[[apsw.Connection], T]) -> T:
        with self._turn:
            return with_store_errors(self._path, lambda: call(self._opened()))

    def _opened(self) -> apsw.Connection:
        if self._connection is None:
            self._connection, self._lock = opened(self._path)
        return self._connection

    def _close(self) -> None:
        with self._turn:
            if self._connection is not None:
                self._connection.close()
            if self._lock is not None:
                release(self._path, self._lock)
            self._connection = self._lock = None

    # --- one transaction

    def _save(self, db: apsw.Connection, batch: Batch) -> Saved:
        for state in batch.logs:
            self._numbers[state.source] = number(db, LOGGED, state_columns(state))
        others = self._insert(db, batch.events)
        for each in batch.checkpoints:
            log, tree = self._numbers[each.source], each.frontier
            db.execute(NOTED, (log, tree.size, each.note, peaks_of(tree), int(each.verified), each.received))
        for seen in batch.devices:
            db.execute(SEEN, device_columns(seen))
        for gap in batch.gaps:
            db.execute(GAP, (self._numbers[gap.source], gap.low, gap.high, gap.noticed, gap.filled))
        disputes = (*batch.disputes, *map(different, others))
        return Saved(tuple(dispute for dispute in disputes if _dispute(db, dispute)), tuple(others))

    def _insert(self, db: apsw.Connection, events: Sequence[Event]) -> Sequence[Event]:
        keys = [(self._numbers[event.source], event.sequence) for event in events]
        inserted = [key for event, key in zip(events, keys, strict=True) if _insert(db, event, key)]
        return [event for event, key in split_new(events, keys, inserted) if _kept(db, key) != event.payload]


class SqliteReading:
    """Read access to what a recorder has written.

    Args:
        path: of the file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    async def held(self) -> Sequence[Held]:
        """Everything known of every log."""
        return await asyncio.to_thread(self._read, _held)

    async def heartbeat(self) -> Heartbeat | None:
        """The recorder's last sign of life."""
        return await asyncio.to_thread(self._read, _heartbeat)

    async def notes(self, source: str, skipped: int, count: int) -> Sequence[tuple[int, str]]:
        """The size and text of verified checkpoints of a log, the newest first."""
        asked = (source, count, skipped)
        rows = await asyncio.to_thread(self._read, lambda db: list(db.execute(NOTES, asked)))
        return [(row[0], row[1]) for row in rows]

    async def close(self) -> None:
        """There is nothing to let go of."""

    def _read(self, query: Callable[[apsw.Connection], T]) -> T:
        if not self._path.exists():
            raise StoreUnusableError(f"no recorder has written {self._path} yet")
        return with_store_errors(self._path, lambda: _read(self._path, query))


def kept_payloads(path: Path) -> Iterator[bytes]:
    """Every event that a recorder has kept, log by log, in order.

    Raises:
        StoreUnusableError: the file is another program's, or another build's, or damaged.
    """
    with_store_errors(path, lambda: look(path))
    db = with_store_errors(path, lambda: connected(path, apsw.SQLITE_OPEN_READWRITE))
    try:
        rows = iter(db.execute("SELECT payload FROM event ORDER BY log, sequence"))
        while (row := with_store_errors(path, lambda: next(rows, None))) is not None:
            yield row[0]
    finally:
        db.close()


def _read(path: Path, query: Callable[[apsw.Connection], T]) -> T:
    look(path)
    db = connected(path, apsw.SQLITE_OPEN_READWRITE)
    try:
        check_form(db)
        return query(db)
    finally:
        db.close()


def _held(db: apsw.Connection) -> Sequence[Held]:
    return [Held(state_of(row[:12]), when(row[12]), *row[13:]) for row in db.execute(HELD)]


def _heartbeat(db: apsw.Connection) -> Heartbeat | None:
    row = db.execute("SELECT at, session, connected FROM recorder").fetchone()
    return heartbeat_of(row) if row else None


def _transaction(db: apsw.Connection, call: Callable[[], T]) -> T:
    """Make the call in one transaction, so that all of it is done or nothing.

    SQLite itself has rolled back already where the disk was full.
    """
    db.execute("BEGIN IMMEDIATE")
    try:
        outcome = call()
        db.execute("COMMIT")
    finally:
        if db.in_transaction:
            db.execute("ROLLBACK")
    return outcome


def _insert(db: apsw.Connection, event: Event, key: Key) -> bool:
    columns = (*key, event.id, event.kind, event.time, event.round_id, event.payload, event.received)
    db.execute("INSERT OR IGNORE INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?)", columns)
    return db.changes() == 1


def _kept(db: apsw.Connection, key: Key) -> bytes:
    row = db.execute("SELECT payload FROM event WHERE log = ? AND sequence = ?", key).fetchone()
    assert row is not None  # it is there, or it would have been inserted
    return bytes(row[0])


def _dispute(db: apsw.Connection, each: Dispute) -> bool:
    columns = (each.place, each.source, each.wrong.value, each.sequence, each.told, each.payload, digest(each))
    db.execute(DISPUTED, (*columns, each.received))
    return db.changes() == 1
