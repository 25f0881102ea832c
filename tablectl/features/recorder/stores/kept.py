"""Queries of what a recorder has kept, beside the recorder.

What history reads from a table's journal it reads from these events as well: they are put into a journal in memory,
which has no facts.
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import Any, Final, TypeVar

import apsw

from tablectl.core.money import utc_instant, utc_text
from tablectl.features.recorder.run import check_psycopg
from tablectl.features.recorder.stores.columns import when
from tablectl.features.recorder.stores.postgres_sql import UNCOMPILED
from tablectl.features.recorder.stores.records import SeenDevice
from tablectl.features.recorder.stores.sqlite_file import check_form, connected, look, with_store_errors
from tablectl.features.recorder.stores.store import StoreAwayError, StoreUnusableError
from tablectl.history.cold_files import topic_of
from tablectl.journal.reading.reader import JournalReader
from tablectl.lazy_dataclass import dataclass

R = TypeVar("R")

ANSWER_S: Final = 20
"""Seconds that PostgreSQL may take for one query."""

_LOG: Final = """
SELECT log FROM {in}log WHERE site = ? AND name = ? ORDER BY last_at IS NULL, last_at DESC, log DESC LIMIT 1
"""
_ROWS: Final = """
SELECT sequence, type, payload, received FROM {in}event
WHERE log = ? AND sequence > ? AND sequence < ? AND type LIKE ?
    AND received >= ? AND coalesce(time, received) >= ? AND coalesce(time, received) < ?
ORDER BY sequence {order} LIMIT ?
"""
_ROUND: Final = """
SELECT sequence, type, payload, received FROM {in}event WHERE log = ? AND round = ? ORDER BY sequence
"""
_HISTORY: Final = """
SELECT site, name, device, maker, model, serial, firmware, simulated, since FROM {in}device
WHERE serial = ? ORDER BY since LIMIT ?
"""
_TIMES: Final = """
SELECT l.site, l.name, e.time FROM {in}log l JOIN {in}event e ON e.log = l.log
WHERE e.received >= ? AND e.time >= ? AND e.type IN ({kinds}) ORDER BY e.log, e.sequence LIMIT ?
"""
_OF_ALL: Final = """
SELECT l.log, l.site, l.name, e.sequence, e.type, e.payload, e.received FROM {in}log l JOIN {in}event e ON e.log = l.log
WHERE e.received >= ? AND e.time >= ? AND e.type IN ({kinds}) ORDER BY e.log, e.sequence LIMIT ?
"""

EARLIEST, LATEST = "0001-01-01T00:00:00Z", "9999-12-31T00:00:00Z"
ENDLESS: Final = 1 << 62
DAY_US: Final = 86_400_000_000


@dataclass(frozen=True, slots=True)
class KeptEvent:
    """An event as a recorder keeps it.

    Args:
        kind: as `round.opened.v1`.
        received: when the recorder got it, RFC 3339.
    """

    sequence: int
    kind: str
    payload: bytes
    received: str


@dataclass(frozen=True, slots=True)
class Span:
    """The events that are wanted of a log.

    Args:
        after: only those that follow this number.
        before: only those before this number.
        kind: how their kind begins.
        since: only those that happened then or later, RFC 3339.
        until: only those that happened earlier than that.
        most: how many at most.
        newest: whether these are the newest ones.
    """

    after: int = 0
    before: int = ENDLESS
    kind: str = ""
    since: str = EARLIEST
    until: str = LATEST
    most: int = 200_000
    newest: bool = False


@dataclass(frozen=True, slots=True)
class Kept:
    """A recorder's database, open for reading.

    Args:
        ask: runs a query, whose parameters are question marks and whose tables are named after `{in}`.
        partitioned: whether each day's events can be dropped as a whole.
    """

    ask: Callable[[str, Sequence[object]], Iterable[Sequence[Any]]]
    partitioned: bool = False

    def log_of(self, place: str) -> int | None:
        """The number of the log in which a table wrote last; None for an unknown table."""
        return next((int(row[0]) for row in self.ask(_LOG, place.split("/"))), None)

    def events(self, log: int, span: Span) -> list[KeptEvent]:
        """The wanted events of a log, in order."""
        query = _ROWS.replace("{order}", "DESC" if span.newest else "")
        numbers = (log, span.after, span.before)
        bounds = (*numbers, f"{span.kind}%", _received(span.since), span.since, span.until, span.most)
        found = [_event(row) for row in self.ask(query, bounds)]
        return found[::-1] if span.newest else found

    def round(self, log: int, round_id: str) -> list[KeptEvent]:
        """Everything that falls into a round, in order."""
        return [_event(row) for row in self.ask(_ROUND, (log, round_id))]

    def history(self, serial: str, most: int) -> list[SeenDevice]:
        """Where a device was, and with which firmware, the oldest first."""
        return [
            SeenDevice(f"{site}/{table}", name, maker, model, own, firmware, bool(simulated), when(since) or "")
            for site, table, name, maker, model, own, firmware, simulated, since in self.ask(_HISTORY, (serial, most))
        ]

    def times(self, since: str, kinds: Sequence[str], most: int) -> Iterator[tuple[str, str]]:
        """The place and time of all tables' events of these kinds from an instant on."""
        for site, name, time in self.ask(_with_kinds(_TIMES, kinds), (_received(since), since, *kinds, most)):
            yield f"{site}/{name}", when(time) or ""

    def of_all(self, since: str, kinds: Sequence[str], most: int) -> list[tuple[str, list[KeptEvent]]]:
        """The events of these kinds from an instant on, by log, with its place."""
        rows = self.ask(_with_kinds(_OF_ALL, kinds), (_received(since), since, *kinds, most))
        of_logs = groupby(rows, key=lambda row: tuple(row[:3]))
        return [(f"{site}/{name}", [_event(row[3:]) for row in found]) for (_, site, name), found in of_logs]


@contextmanager
def opened(url: str, *, writes: bool = False) -> Generator[Kept]:
    """Open the database at an address for one look, or to take something out of it.

    Raises:
        StoreAwayError: it doesn't answer.
        StoreUnusableError: it can't be used, or there is nothing yet.
    """
    if url.startswith("sqlite:"):
        with _in_sqlite(Path(url.removeprefix("sqlite:")), writes=writes) as kept:
            yield kept
    else:
        with _in_postgres(url, writes=writes) as kept:
            yield kept


@contextmanager
def _in_sqlite(path: Path, *, writes: bool) -> Generator[Kept]:
    if not path.exists():
        raise StoreUnusableError(f"no recorder has written {path} yet")
    with_store_errors(path, lambda: look(path))
    db = with_store_errors(path, lambda: connected(path, apsw.SQLITE_OPEN_READWRITE))  # its log of changes needs it

    def ask(query: str, values: Sequence[object]) -> Iterable[Sequence[Any]]:
        text = query.replace("{in}", "")
        return with_store_errors(path, lambda: list(db.execute(text, tuple(values))))  # pyright: ignore[reportArgumentType]

    try:
        db.execute(f"PRAGMA query_only={'OFF' if writes else 'ON'}")
        with_store_errors(path, lambda: check_form(db))
        yield Kept(ask)
    finally:
        db.close()


@contextmanager
def _in_postgres(url: str, *, writes: bool) -> Generator[Kept]:
    check_psycopg()
    import psycopg  # an optional extra

    try:
        with psycopg.connect(url, autocommit=True, connect_timeout=ANSWER_S) as connection:
            read_only = "off" if writes else "on"
            settings = f"SET statement_timeout = '{ANSWER_S}s'; SET default_transaction_read_only = {read_only}"
            connection.execute(f"{settings}; {UNCOMPILED}".encode())

            def ask(query: str, values: Sequence[object]) -> Iterable[Sequence[Any]]:
                text = query.replace("{in}", "tablectl.").replace("?", "%s")
                cursor = connection.execute(text.encode(), values)
                return cursor.fetchall() if cursor.description else ()

            row = connection.execute("SELECT to_regclass('tablectl.form')").fetchone()
            if row is None or row[0] is None:
                raise StoreUnusableError("no recorder has written into this database yet")
            yield Kept(ask, partitioned=True)
    except (psycopg.OperationalError, psycopg.InterfaceError) as error:
        raise StoreAwayError(f"the database doesn't answer ({_first_line(error)})") from None
    except psycopg.Error as error:
        raise StoreUnusableError(f"the database says: {_first_line(error)}") from None


def journal_of(events: Iterable[KeptEvent]) -> JournalReader:
    """A journal in memory with these events, and a record without a fact for each."""
    db = apsw.Connection(":memory:")
    db.execute(
        "CREATE TABLE event (sequence INTEGER PRIMARY KEY, record INTEGER, topic TEXT, payload BLOB);"
        "CREATE TABLE record (number INTEGER PRIMARY KEY, recorded_us INTEGER, body BLOB, salt BLOB, link BLOB);"
        "CREATE TABLE meta (key TEXT, value TEXT)"
    )
    with db:
        for each in events:
            row = (each.sequence, each.sequence, topic_of(each.kind), each.payload)
            db.execute("INSERT INTO event VALUES (?, ?, ?, ?)", row)
            stored = (each.sequence, utc_instant(each.received) or 0)
            db.execute("INSERT INTO record VALUES (?, ?, x'', x'', x'')", stored)
    return JournalReader(Path("recorder"), db)


def _event(row: Sequence[Any]) -> KeptEvent:
    sequence, kind, payload, received = row
    return KeptEvent(int(sequence), str(kind), bytes(payload), when(received) or "")


def _received(since: str) -> str:
    """Since when events came that happened since an instant.

    A table's clock is less than a day ahead.
    """
    return utc_text((utc_instant(since) or 0) - DAY_US)


def _with_kinds(query: str, kinds: Sequence[str]) -> str:
    return query.replace("{kinds}", ", ".join("?" for _ in kinds))


def _first_line(error: Exception) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)
