"""The journal: every fact, and the exact bytes of every event that follows from it, on disk before anyone acts on it.

One SQLite file in WAL mode with ``synchronous=FULL``, one connection, one writer. A batch of records is one
transaction. The records are chained by SHA-256; each carries 32 secret random bytes, so that a face-down card can't
be guessed from a hash.
"""

import fcntl
import hashlib
import os
import secrets
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, NoReturn

import apsw

from tablectl.core.ports import StoredEvent

SCHEMA_VERSION = 1
RESERVE_BYTES = 1 << 20
_CHAIN_DOMAIN = b"tablectl.record.v1\0"
_FIRST_LINK = bytes(32)
_SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE record (
    number INTEGER PRIMARY KEY, recorded_us INTEGER NOT NULL, body BLOB NOT NULL, salt BLOB NOT NULL, link BLOB NOT NULL
) STRICT;
CREATE TABLE event (
    sequence INTEGER PRIMARY KEY, record INTEGER NOT NULL, topic TEXT NOT NULL, payload BLOB NOT NULL
) STRICT;
CREATE TABLE snapshot (
    record INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, version TEXT NOT NULL, state BLOB NOT NULL
) STRICT;
"""


class JournalError(Exception):
    """The journal can't be opened: what is wrong and what to do, in one line."""


class JournalBusyError(JournalError):
    """Another daemon has this table's journal."""


class JournalDamagedError(JournalError):
    """The journal's file isn't what was written."""


class JournalFailedError(Exception):
    """A write failed. Nothing of the batch counts, and this journal takes no more."""


class ChainBrokenError(JournalDamagedError):
    """A record is not what was written."""


@dataclass(frozen=True, slots=True)
class Record:
    """One fact as journaled, with the events that follow from it."""

    number: int
    recorded_us: int
    body: bytes
    events: tuple[StoredEvent, ...] = ()


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The folded state after ``record``, in the form that ``version`` names; ``sequence`` is the last event's."""

    record: int
    sequence: int
    version: str
    state: bytes


class Journal:
    """An open journal. Its methods block; call them from one thread at a time."""

    def __init__(self, folder: Path, connection: apsw.Connection, lock: IO[bytes]) -> None:
        self._folder = folder
        self._connection = connection
        self._lock = lock
        self._link = _FIRST_LINK
        self.last_record = 0
        self.last_sequence = 0
        self._failed = False

    def snapshot(self) -> Snapshot | None:
        """The newest snapshot.

        Raises:
            JournalDamagedError: it can't be read.
        """
        query = "SELECT record, sequence, version, state FROM snapshot ORDER BY record DESC LIMIT 1"
        with _readable():
            row = self._connection.execute(query).fetchone()
        return Snapshot(*row) if row else None

    def replay(self, after: int) -> list[Record]:
        """The records that follow ``after``, their links checked one by one.

        Raises:
            ChainBrokenError: a record is missing or was changed.
            JournalDamagedError: they can't be read.
        """
        with _readable():
            return self._replayed(after)

    def _replayed(self, after: int) -> list[Record]:
        link = self._link_of(after)
        records: list[Record] = []
        for number, recorded_us, body, salt, stored in self._connection.execute(
            "SELECT number, recorded_us, body, salt, link FROM record WHERE number > ? ORDER BY number", (after,)
        ):
            record = Record(number, recorded_us, body, self._events_of(number))
            link = chain(link, salt, record)
            if number != after + len(records) + 1 or link != stored:
                raise ChainBrokenError(f"record {after + len(records) + 1} of the journal is missing or was changed")
            records.append(record)
        self._link = link
        return records

    def append(self, records: Sequence[Record], snapshot: Snapshot | None = None) -> None:
        """Makes the records durable, all or none.

        A full disk is given back the reserve once, so that what already happened is still written down.

        Raises:
            JournalFailedError: they are not durable; the journal takes nothing from now on.
        """
        if self._failed:
            raise JournalFailedError("the journal failed before")
        try:
            self._commit(records, snapshot)
        except apsw.FullError as error:
            if not self._release_reserve():
                self._give_up(error)
            self._append_again(records, snapshot)
        except (apsw.Error, OSError) as error:
            self._give_up(error)

    def events_after(self, sequence: int, limit: int) -> list[StoredEvent]:
        """The events that follow ``sequence``, at most ``limit``, in order.

        Raises:
            JournalFailedError: they can't be read.
        """
        query = "SELECT sequence, topic, payload FROM event WHERE sequence > ? ORDER BY sequence LIMIT ?"
        try:
            return [StoredEvent(*row) for row in self._connection.execute(query, (sequence, limit))]
        except (apsw.Error, OSError) as error:
            self._give_up(error)

    def meta(self, key: str) -> str | None:
        """A remembered value."""
        row = self._connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return row[0] if row else None

    def remember(self, key: str, value: str) -> None:
        """Remembers a value that may be lost without harm, such as how far the broker is.

        Raises:
            JournalFailedError: it can't be written.
        """
        try:
            self._connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))
        except (apsw.Error, OSError) as error:
            self._give_up(error)

    def checkpoint(self) -> None:
        """Moves the log into the file, for when nothing else is to be done."""
        try:
            self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
        except apsw.Error as error:
            self._give_up(error)

    def free_bytes(self) -> int:
        """What is left on the journal's disk."""
        disk = os.statvfs(self._folder)
        return disk.f_bavail * disk.f_frsize

    def make_reserve(self) -> None:
        """Lays aside a little disk for the last facts before the disk is full."""
        path = self._folder / "reserve"
        if path.exists() and path.stat().st_size == RESERVE_BYTES:
            return
        try:
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as reserve:
                os.posix_fallocate(reserve.fileno(), 0, RESERVE_BYTES)
        except OSError:
            path.unlink(missing_ok=True)

    def close(self) -> None:
        """Closes the file and lets another daemon have it."""
        self._connection.close()
        self._lock.close()

    def _commit(self, records: Sequence[Record], snapshot: Snapshot | None) -> None:
        link, rows = self._link, []
        for record in records:
            salt = secrets.token_bytes(32)
            link = chain(link, salt, record)
            rows.append((record.number, record.recorded_us, record.body, salt, link))
        events = [(e.sequence, r.number, e.topic, e.payload) for r in records for e in r.events]
        with _Transaction(self._connection):
            self._connection.executemany("INSERT INTO record VALUES (?, ?, ?, ?, ?)", rows)
            self._connection.executemany("INSERT INTO event VALUES (?, ?, ?, ?)", events)
            if snapshot is not None:
                self._store(snapshot)
        self._link = link
        self.last_record = records[-1].number
        self.last_sequence = events[-1][0] if events else self.last_sequence

    def _store(self, snapshot: Snapshot) -> None:
        values = (snapshot.record, snapshot.sequence, snapshot.version, snapshot.state)
        self._connection.execute("INSERT OR REPLACE INTO snapshot VALUES (?, ?, ?, ?)", values)
        self._connection.execute("DELETE FROM snapshot WHERE record < ?", (snapshot.record,))

    def _append_again(self, records: Sequence[Record], snapshot: Snapshot | None) -> None:
        try:
            self._commit(records, snapshot)
        except (apsw.Error, OSError) as error:
            self._give_up(error)

    def _release_reserve(self) -> bool:
        try:
            (self._folder / "reserve").unlink()
        except OSError:
            return False
        return True

    def _give_up(self, error: Exception) -> NoReturn:
        # After a failed write or sync nobody knows what is on disk: only a new process that reads it does.
        self._failed = True
        raise JournalFailedError(f"the journal can't be written: {error}") from error

    def _link_of(self, number: int) -> bytes:
        if number == 0:
            return _FIRST_LINK
        row = self._connection.execute("SELECT link FROM record WHERE number = ?", (number,)).fetchone()
        if row is None:
            raise ChainBrokenError(f"record {number} of the journal is missing")
        return bytes(row[0])

    def _events_of(self, number: int) -> tuple[StoredEvent, ...]:
        rows = self._connection.execute(
            "SELECT sequence, topic, payload FROM event WHERE record = ? ORDER BY sequence", (number,)
        )
        return tuple(StoredEvent(*row) for row in rows)

    def read_ends(self) -> None:
        """Takes the numbers of the last record and the last event from the file."""
        self.last_record = _number(self._connection, "SELECT coalesce(max(number), 0) FROM record")
        self.last_sequence = _number(self._connection, "SELECT coalesce(max(sequence), 0) FROM event")


@dataclass(frozen=True, slots=True)
class _Transaction:
    """BEGIN and COMMIT. SQLite has already rolled back where the disk was full, which apsw's own form trips over."""

    connection: apsw.Connection

    def __enter__(self) -> None:
        self.connection.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self.connection.execute("COMMIT")
        finally:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")


def open_journal(folder: Path) -> Journal:
    """Opens the journal in this folder, or makes a new one.

    Raises:
        JournalError: the folder or the file can't be used; in one line, with what to do.
    """
    lock = _lock(folder)
    path = folder / "journal.db"
    try:
        journal = Journal(folder, _connect(path), lock)
        journal.read_ends()
    except JournalError:
        lock.close()
        raise
    except (apsw.Error, OSError) as error:
        lock.close()
        kind = JournalDamagedError if isinstance(error, apsw.CorruptError | apsw.NotADBError) else JournalError
        raise kind(f"the journal {path} can't be opened: {error}. {_advice(error)}") from error
    journal.make_reserve()
    return journal


def chain(link: bytes, salt: bytes, record: Record) -> bytes:
    """The link that follows ``link``: it covers the record, its salt and the bytes of its events."""
    digest = hashlib.sha256(_CHAIN_DOMAIN + link + salt)
    digest.update(record.number.to_bytes(8) + record.recorded_us.to_bytes(8, signed=True))
    for part in (record.body, *(event.topic.encode() + b"\0" + event.payload for event in record.events)):
        digest.update(len(part).to_bytes(8) + part)
    return digest.digest()


@contextmanager
def _readable() -> Generator[None]:
    """Says of a file that can't be read while the table is recovered that it is damaged."""
    try:
        yield
    except apsw.Error as error:
        raise JournalDamagedError(f"the journal can't be read: {error}") from error


def _lock(folder: Path) -> IO[bytes]:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = (folder / "lock").open("ab")
        os.fchmod(lock.fileno(), 0o600)
    except OSError as error:
        raise JournalError(f"the state folder {folder} can't be used: {error.strerror}. {_advice(error)}") from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        message = f"another tablectl already runs this table (it holds {folder / 'lock'}); stop it first"
        raise JournalBusyError(message) from None
    return lock


def _connect(path: Path) -> apsw.Connection:
    fresh = not path.exists()
    path.touch(mode=0o600)
    connection = apsw.Connection(str(path))
    connection.set_busy_timeout(0)
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "wal_autocheckpoint=0", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")
    if fresh or not _number(connection, "PRAGMA user_version"):
        with connection:
            connection.execute(_SCHEMA + f"PRAGMA user_version={SCHEMA_VERSION}")
    version = _number(connection, "PRAGMA user_version")
    if version != SCHEMA_VERSION:
        connection.close()
        raise JournalError(f"{path} has form {version}, this build knows {SCHEMA_VERSION}: use the build that wrote it")
    return connection


def _number(connection: apsw.Connection, query: str) -> int:
    row = connection.execute(query).fetchone()
    return int(row[0]) if row else 0


def _advice(error: Exception) -> str:
    if isinstance(error, apsw.FullError) or getattr(error, "errno", None) == 28:
        return "The disk is full: make room and start again."
    if isinstance(error, apsw.CorruptError | apsw.NotADBError):
        return "The file is damaged: keep it for examination and move it aside to begin a new log."
    return "Give the daemon's user a folder of its own that it can write (`[paths] state`)."
