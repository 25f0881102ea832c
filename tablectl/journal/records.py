"""Records and snapshots as rows of the journal's file.

They are written, and read back with their links checked.
"""

import json
import secrets
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from types import MappingProxyType
from typing import Any, Final

import apsw

from tablectl.core.protocols import StoredEvent
from tablectl.journal.database import ChainBrokenError
from tablectl.journal.tree import KeptHashes
from tablectl.lazy_dataclass import dataclass
from tablectl.proof.chain import FIRST_LINK, next_link, seal
from tablectl.proof.tree import TILE

_RECORDS: Final = "SELECT number, recorded_us, body, salt, link FROM record WHERE number > ? ORDER BY number"
_EVENTS: Final = "SELECT record, sequence, topic, payload FROM event WHERE sequence >= ? ORDER BY sequence"
_RECORD_OF: Final = "SELECT record FROM event WHERE sequence >= ? ORDER BY sequence LIMIT 1"
_STRETCH: Final = "SELECT number, recorded_us, body FROM record WHERE number BETWEEN ? AND ? ORDER BY number"
_EVENTS_BETWEEN: Final = (
    "SELECT record, sequence, topic, payload FROM event WHERE sequence >= ? AND sequence < ? ORDER BY sequence"
)
_OF_EVENT: Final = "SELECT record FROM event WHERE sequence = ?"
_SNAPSHOTS: Final = "SELECT record, sequence, version, state, seal FROM snapshot WHERE record < ? ORDER BY record DESC"
_ROWS: Final = "SELECT * FROM record WHERE number BETWEEN ? AND ? ORDER BY number"
_EVENT_ROWS: Final = "SELECT * FROM event WHERE sequence >= ? AND sequence < ? ORDER BY sequence"
_TILE_ROWS: Final = "SELECT * FROM tile WHERE number IN (SELECT value FROM json_each(?)) ORDER BY number"
_SNAPSHOT_ROWS: Final = "SELECT * FROM snapshot WHERE record IN (SELECT value FROM json_each(?)) ORDER BY record"
_PUT: Final[Mapping[str, str]] = MappingProxyType(
    {
        "record": "INSERT OR REPLACE INTO record VALUES (?, ?, ?, ?, ?)",
        "event": "INSERT OR REPLACE INTO event VALUES (?, ?, ?, ?)",
        "tile": "INSERT OR REPLACE INTO tile VALUES (?, ?, ?)",
        "snapshot": "INSERT OR REPLACE INTO snapshot VALUES (?, ?, ?, ?, ?)",
    }
)
_KEPT: Final = "SELECT record FROM snapshot ORDER BY record"
_OLD: Final = (
    "DELETE FROM snapshot WHERE record NOT IN (SELECT value FROM json_each(?))"
    " AND record NOT IN (SELECT max(record) FROM snapshot GROUP BY version)"
)


Rows = Mapping[str, Sequence[tuple[Any, ...]]]
"""Rows as the file has them, by the name of their table."""


@dataclass(frozen=True, slots=True)
class Record:
    """One fact as journaled, with the events that follow from it.

    A pruned event has no payload any more.
    """

    number: int
    recorded_us: int
    body: bytes
    events: tuple[StoredEvent, ...] = ()


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Folded state after `record`, in the form that `version` names.

    Args:
        sequence: the last event's.
        openings: the records that opened the rounds which can still be amended; not stored.
    """

    record: int
    sequence: int
    version: str
    state: bytes
    openings: tuple[int, ...] = field(default=(), compare=False)


def store_records(
    connection: apsw.Connection, records: Sequence[Record], leaves: Sequence[bytes], link: bytes
) -> bytes:
    """Writes records and their events; in the transaction that is under way.

    Args:
        leaves: the hashes of all their events, in order.
        link: of the record before.

    Returns:
        The last one's link.
    """
    rows: list[tuple[int, int, bytes, bytes, bytes]] = []
    done = 0
    for record in records:
        salt, upto = secrets.token_bytes(32), done + len(record.events)
        link = _link_after(link, salt, record, leaves[done:upto])
        rows.append((record.number, record.recorded_us, record.body, salt, link))
        done = upto
    events = [
        (event.sequence, record.number, event.topic, event.payload) for record in records for event in record.events
    ]
    connection.executemany("INSERT INTO record VALUES (?, ?, ?, ?, ?)", rows)
    connection.executemany("INSERT INTO event VALUES (?, ?, ?, ?)", events)
    return link


def read_records(connection: apsw.Connection, after: int, hashes: KeptHashes) -> Iterator[Record]:
    """Yield the records that follow `after`, their links checked.

    One is in memory at a time.

    Raises:
        ChainBrokenError: a record is missing or was changed.
    """
    link = link_of(connection, after)
    first = _first_event_after(connection, after, hashes.tree.size)
    events = connection.execute(_EVENTS, (first,))
    following = next(events, None)
    rows = connection.execute(_RECORDS, (after,))
    for expected, (found, recorded_us, body, salt, stored) in enumerate(rows, after + 1):
        own: list[StoredEvent] = []
        while following is not None and following[0] == found:
            own.append(StoredEvent(*following[1:]))
            following = next(events, None)
        record = Record(found, recorded_us, body, tuple(own))
        link = _link_after(link, salt, record, [hashes.leaf(event) for event in own])
        if found != expected or link != stored:
            raise _broken(expected)
        yield record
    if following is not None:
        raise _broken(following[0])


def stretch(connection: apsw.Connection, first: int, last: int) -> list[Record]:
    """Return the records from one number to another as they are stored.

    Their links aren't checked.
    """
    begin = _first_event_after(connection, first - 1, _last_event(connection))
    end = _first_event_after(connection, last, _last_event(connection))
    events: dict[int, list[StoredEvent]] = {}
    for record, *event in connection.execute(_EVENTS_BETWEEN, (begin, end)):
        events.setdefault(record, []).append(StoredEvent(*event))
    rows = connection.execute(_STRETCH, (first, last))
    return [Record(number, recorded_us, body, tuple(events.get(number, ()))) for number, recorded_us, body in rows]


def record_of_event(connection: apsw.Connection, sequence: int) -> int:
    """The record from which an event follows; 0 where there is no such event."""
    row = connection.execute(_OF_EVENT, (sequence,)).fetchone()
    return row[0] if row else 0


def _last_event(connection: apsw.Connection) -> int:
    row = connection.execute("SELECT coalesce(max(sequence), 0) FROM event").fetchone()
    return row[0] if row else 0


def link_of(connection: apsw.Connection, record: int) -> bytes:
    """The record's link; the first one's predecessor where it is 0.

    Raises:
        ChainBrokenError: there is no such record.
    """
    if record == 0:
        return FIRST_LINK
    row = connection.execute("SELECT link FROM record WHERE number = ?", (record,)).fetchone()
    if row is None:
        raise ChainBrokenError(f"record {record} of the journal is missing")
    return bytes(row[0])


def store_snapshot(connection: apsw.Connection, snapshot: Snapshot) -> None:
    """Store a snapshot after its record, and drop those that are no longer needed.

    The newest two stay, so that a start finds one where the other is damaged; the newest one before each opening, from
    which an amendment is worked out; and the last of each version.
    """
    values = (snapshot.record, snapshot.sequence, snapshot.version, snapshot.state, _seal(connection, snapshot))
    connection.execute("INSERT OR REPLACE INTO snapshot VALUES (?, ?, ?, ?, ?)", values)
    kept = [record for (record,) in connection.execute(_KEPT)]
    before = {kept[at - 1] for opening in snapshot.openings if (at := bisect_left(kept, opening))}
    connection.execute(_OLD, (json.dumps([*before, *kept[-2:]]),))


def read_snapshots(connection: apsw.Connection, before: int) -> Iterator[Snapshot]:
    """Yield the snapshots of the state before this record, newest first.

    Those that aren't what was written are left out.

    Raises:
        ChainBrokenError: the record of one is missing.
    """
    for *values, sealed in connection.execute(_SNAPSHOTS, (before,)):
        snapshot = Snapshot(*values)
        if _seal(connection, snapshot) == sealed:
            yield snapshot


def unsealed(connection: apsw.Connection) -> list[int]:
    """Return the records of the snapshots that aren't what was written."""
    rows = connection.execute(_SNAPSHOTS, (2**62,))
    return [snapshot[0] for *snapshot, sealed in rows if _seal(connection, Snapshot(*snapshot)) != sealed]


def rows_between(connection: apsw.Connection, first: int, last: int) -> Rows:
    """Return the rows of a range of records, and of their events."""
    begin = _first_event_after(connection, first - 1, _last_event(connection))
    end = _first_event_after(connection, last, _last_event(connection))
    return {
        "record": list(connection.execute(_ROWS, (first, last))),
        "event": list(connection.execute(_EVENT_ROWS, (begin, end))),
    }


def tile_rows(connection: apsw.Connection, sequences: Iterable[int]) -> Rows:
    """Return the rows of the full tiles in which these events are."""
    numbers = sorted({(sequence - 1) // TILE for sequence in sequences})
    return {"tile": list(connection.execute(_TILE_ROWS, (json.dumps(numbers),)))}


def snapshot_rows(connection: apsw.Connection, records: Iterable[int]) -> Rows:
    """Return the rows of the snapshots after these records."""
    return {"snapshot": list(connection.execute(_SNAPSHOT_ROWS, (json.dumps(list(records)),)))}


def put_rows(connection: apsw.Connection, rows: Rows) -> None:
    """Write rows over those that are there; in the transaction under way."""
    for table, found in rows.items():
        connection.executemany(_PUT[table], found)


def copy_snapshots(source: apsw.Connection, target: apsw.Connection) -> None:
    """Give another file the snapshots of this one; in its transaction."""
    here, there = ({record for (record,) in each.execute(_KEPT)} for each in (source, target))
    put_rows(target, snapshot_rows(source, here - there))
    target.executemany("DELETE FROM snapshot WHERE record = ?", [(record,) for record in there - here])


def _first_event_after(connection: apsw.Connection, record: int, last: int) -> int:
    """Return the number of the first event of a later record, by binary search.

    Events have no index of records.
    """
    low, high = 1, last + 1
    while low < high:
        middle = (low + high) // 2
        row = connection.execute(_RECORD_OF, (middle,)).fetchone()
        if row is not None and row[0] <= record:
            low = middle + 1
        else:
            high = middle
    return low


def _link_after(link: bytes, salt: bytes, record: Record, leaves: Sequence[bytes]) -> bytes:
    events = [(event.sequence, event.topic, leaf) for event, leaf in zip(record.events, leaves, strict=True)]
    return next_link(link, salt, record.number, record.recorded_us, record.body, events)


def _seal(connection: apsw.Connection, snapshot: Snapshot) -> bytes:
    link = link_of(connection, snapshot.record)
    return seal(link, snapshot.sequence, snapshot.version, snapshot.state)


def _broken(record: int) -> ChainBrokenError:
    return ChainBrokenError(f"record {record} of the journal is missing or was changed")
