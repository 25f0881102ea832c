"""Records and snapshots as rows of the journal's file: written, and read back with their links checked."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import apsw

from tablectl.core.ports import StoredEvent
from tablectl.proof.chain import FIRST_LINK, next_link, seal
from tablectl.shell.journal_file import ChainBrokenError
from tablectl.shell.journal_tree import KeptHashes

_RECORDS: Final = "SELECT number, recorded_us, body, salt, link FROM record WHERE number > ? ORDER BY number"
_EVENTS: Final = "SELECT record, sequence, topic, payload FROM event WHERE sequence >= ? ORDER BY sequence"
_RECORD_OF: Final = "SELECT record FROM event WHERE sequence >= ? ORDER BY sequence LIMIT 1"
_SNAPSHOT: Final = "SELECT record, sequence, version, state, seal FROM snapshot ORDER BY record DESC LIMIT 1"


@dataclass(frozen=True, slots=True)
class Record:
    """One fact as journaled, with the events that follow from it; a pruned event has no payload any more."""

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


def read_records(connection: apsw.Connection, after: int, hashes: KeptHashes) -> tuple[list[Record], bytes]:
    """The records that follow ``after``, and the last one's link.

    Raises:
        ChainBrokenError: a record is missing or was changed.
    """
    link = link_of(connection, after)
    events = _events_from(connection, _first_event_after(connection, after, hashes.tree.size))
    records: list[Record] = []
    rows = connection.execute(_RECORDS, (after,))
    for expected, (found, recorded_us, body, salt, stored) in enumerate(rows, after + 1):
        record = Record(found, recorded_us, body, tuple(events.pop(found, ())))
        link = _link_after(link, salt, record, [hashes.leaf(event) for event in record.events])
        if found != expected or link != stored:
            raise _broken(expected)
        records.append(record)
    if events:
        raise _broken(min(events))
    return records, link


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
    """Writes a snapshot in place of those before; after the record that it names."""
    values = (snapshot.record, snapshot.sequence, snapshot.version, snapshot.state, _seal(connection, snapshot))
    connection.execute("INSERT OR REPLACE INTO snapshot VALUES (?, ?, ?, ?, ?)", values)
    connection.execute("DELETE FROM snapshot WHERE record < ?", (snapshot.record,))


def read_snapshot(connection: apsw.Connection) -> Snapshot | None:
    """The newest snapshot. One that isn't what was written is none: the records themselves are the truth.

    Raises:
        ChainBrokenError: its record is missing.
    """
    row = connection.execute(_SNAPSHOT).fetchone()
    if row is None:
        return None
    *values, sealed = row
    snapshot = Snapshot(*values)
    return snapshot if _seal(connection, snapshot) == sealed else None


def _first_event_after(connection: apsw.Connection, record: int, last: int) -> int:
    """The number of the first event of a later record: found by halving, for events have no index of records."""
    low, high = 1, last + 1
    while low < high:
        middle = (low + high) // 2
        row = connection.execute(_RECORD_OF, (middle,)).fetchone()
        if row is not None and row[0] <= record:
            low = middle + 1
        else:
            high = middle
    return low


def _events_from(connection: apsw.Connection, sequence: int) -> dict[int, list[StoredEvent]]:
    """The events from this number on, by their records."""
    events: dict[int, list[StoredEvent]] = {}
    for record, *event in connection.execute(_EVENTS, (sequence,)):
        events.setdefault(record, []).append(StoredEvent(*event))
    return events


def _link_after(link: bytes, salt: bytes, record: Record, leaves: Sequence[bytes]) -> bytes:
    events = [(event.sequence, event.topic, leaf) for event, leaf in zip(record.events, leaves, strict=True)]
    return next_link(link, salt, record.number, record.recorded_us, record.body, events)


def _seal(connection: apsw.Connection, snapshot: Snapshot) -> bytes:
    link = link_of(connection, snapshot.record)
    return seal(link, snapshot.sequence, snapshot.version, snapshot.state)


def _broken(record: int) -> ChainBrokenError:
    return ChainBrokenError(f"record {record} of the journal is missing or was changed")
