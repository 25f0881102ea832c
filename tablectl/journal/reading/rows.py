"""A journal's file opened to be read: its rows, queries and remembered values."""

from collections.abc import Generator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Final, NamedTuple

import apsw

from tablectl.words.terminal import visible


class UnreadableError(Exception):
    """The journal can't be read: what is wrong and what to do, in one line."""


class MissingRowError(UnreadableError):
    """A row that others speak of isn't there."""


class RecordRow(NamedTuple):
    """A record as it stands in the file."""

    number: int
    recorded_us: int
    body: bytes
    salt: bytes
    link: bytes


class EventRow(NamedTuple):
    """An event as it stands in the file; its payload is empty once it was pruned."""

    sequence: int
    record: int
    topic: str
    payload: bytes


class TileRow(NamedTuple):
    """A full tile of the tree as it stands in the file."""

    number: int
    root: bytes
    leaves: bytes


class SnapshotRow(NamedTuple):
    """A snapshot as it stands in the file."""

    record: int
    sequence: int
    version: str
    state: bytes
    seal: bytes


class TimedEvent(NamedTuple):
    """An event and when it was recorded, UTC microseconds."""

    sequence: int
    topic: str
    payload: bytes
    recorded_us: int


RECORDS: Final = "SELECT number, recorded_us, body, salt, link FROM record WHERE number > ? ORDER BY number"
EVENTS: Final = "SELECT sequence, record, topic, payload FROM event WHERE sequence > ? ORDER BY sequence"
TILES: Final = "SELECT number, root, leaves FROM tile ORDER BY number"
SNAPSHOTS: Final = "SELECT record, sequence, version, state, seal FROM snapshot ORDER BY record"
TIMED: Final = (
    "SELECT sequence, topic, payload, recorded_us FROM event JOIN record ON record.number = event.record"
    " WHERE payload != x'' ORDER BY sequence"
)
NAMING: Final = "SELECT sequence, record, topic, payload FROM event WHERE instr(payload, ?) ORDER BY sequence"
NAMING_BACK: Final = (
    "SELECT sequence, record, topic, payload FROM event WHERE sequence < ? AND instr(payload, ?) ORDER BY sequence DESC"
)
FOUND: Final = "SELECT sequence, record, topic, payload FROM event WHERE sequence = ?"
LAST: Final = "SELECT sequence, record, topic, payload FROM event ORDER BY sequence DESC LIMIT 1"
LAST_RECORD: Final = "SELECT number, recorded_us, body, salt, link FROM record ORDER BY number DESC LIMIT 1"
KEY_CHANGES: Final = "SELECT body FROM record WHERE instr(body, CAST('\"key_changed\"' AS BLOB)) ORDER BY number"
TILE: Final = "SELECT number, root, leaves FROM tile WHERE number = ?"


class Remembered(StrEnum):
    """Keys of the journal's table `meta`; nothing is written under another one."""

    PUBLISHED = "published"
    """The last event that the broker has."""

    CHECKPOINT = "checkpoint"
    """The last signed note."""

    PRUNED = "pruned"
    """The last event without its payload."""

    FAIRNESS = "fairness"
    """The account of the evidence, as far as it was weighed."""

    CERTIFICATES = "certificates"
    """The last threshold told of each certificate, by its fingerprint, as JSON."""


BUSY_TIMEOUT_MS: Final = 5000


def connected(path: Path) -> apsw.Connection:
    """A connection that sees the file as it is now, and can't write to it.

    Raises:
        UnreadableError: it lies where nothing can be written, and a part of it in another file.
    """
    try:
        return _began(path, "mode=ro")
    except (apsw.CantOpenError, apsw.ReadOnlyError):
        # On a medium that can't be written SQLite makes no shared memory; where nothing waits in a log it needs none.
        log = path.with_name(f"{path.name}-wal")
        if log.exists() and log.stat().st_size:
            raise UnreadableError(
                f"{path} can't be read where nothing can be written, for {log.name} still holds a part of it:"
                " copy the whole folder to another disk and read it there"
            ) from None
        return _began(path, "immutable=1")


def _began(path: Path, how: str) -> apsw.Connection:
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    connection = apsw.Connection(f"{path.resolve().as_uri()}?{how}", flags=flags)
    try:
        connection.set_busy_timeout(BUSY_TIMEOUT_MS)
        connection.execute("PRAGMA trusted_schema=OFF")
        connection.execute("BEGIN")
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()
    except apsw.Error:
        connection.close()
        raise
    return connection


@contextmanager
def telling(path: Path) -> Generator[None]:
    """Says in one line what is wrong with the file."""
    try:
        yield
    except UnicodeDecodeError:
        raise UnreadableError(f"{path}: a row holds what no journal writes: it is damaged") from None
    except (apsw.Error, OSError, ValueError, OverflowError) as error:
        said = visible(str(error).replace("\n", " ")) or type(error).__name__  # SQLite repeats what stands in the file.
        raise UnreadableError(f"{path} can't be read: {said}") from None
