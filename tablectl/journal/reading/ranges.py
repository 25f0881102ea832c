"""Ranges of a journal, read from its newest end, and found by time.

So what happened lately is found in the largest file at once.

Search for events by the time at which they were stored.

A clock may have been wrong, so times later than now are left out: a board without a battery for its clock may write a
record of the year 2099 between two of today.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, TypeVar, cast

import apsw

from tablectl.journal.reading.reader import FILE, JournalReader
from tablectl.journal.reading.rows import EventRow, RecordRow, UnreadableError
from tablectl.journal.reading.sqlite import telling
from tablectl.lazy_dataclass import dataclass

R = TypeVar("R")

_EVENT: Final = (int, int, str, bytes)
_RECORD: Final = (int, int, bytes, bytes, bytes)

_BACK: Final = (
    "SELECT sequence, record, topic, payload FROM event"
    " WHERE sequence < ? AND sequence >= ? AND topic = ? ORDER BY sequence DESC"
)
_ANY_BACK: Final = "SELECT sequence, record, topic, payload FROM event WHERE sequence < ? ORDER BY sequence DESC"
_ON: Final = "SELECT sequence, record, topic, payload FROM event WHERE sequence > ? ORDER BY sequence"
_ABOUT: Final = (
    "SELECT sequence, record, topic, payload FROM event WHERE sequence >= ? AND sequence <= ? ORDER BY sequence"
)
_FACTS: Final = (
    "SELECT number, recorded_us, body, salt, link FROM record WHERE number >= ? AND number <= ? ORDER BY number"
)

ENDLESS: Final = 1 << 62
"""More than any number of an event or record."""


def topic_back(reader: JournalReader, topic: str, before: int = ENDLESS, least: int = 0) -> Iterator[EventRow]:
    """The events of a topic before one number and from another on, the newest first."""
    return _rows(reader, EventRow, _EVENT, _BACK, (before, least, topic))


def events_back(reader: JournalReader, before: int = ENDLESS) -> Iterator[EventRow]:
    """The events before this number, the newest first."""
    return _rows(reader, EventRow, _EVENT, _ANY_BACK, (before,))


def events_on(reader: JournalReader, after: int) -> Iterator[EventRow]:
    """The events that follow this number, in order."""
    return _rows(reader, EventRow, _EVENT, _ON, (after,))


def events_between(reader: JournalReader, first: int, last: int) -> Iterator[EventRow]:
    """The events from one number to another, in order."""
    return _rows(reader, EventRow, _EVENT, _ABOUT, (first, last))


def records_between(reader: JournalReader, first: int, last: int) -> Iterator[RecordRow]:
    """The records from one number to another, in order."""
    return _rows(reader, RecordRow, _RECORD, _FACTS, (first, last))


def _rows(
    reader: JournalReader, form: Callable[..., R], kinds: Sequence[type], query: str, values: tuple[Any, ...]
) -> Iterator[R]:
    """Yield the rows, the type of each value checked.

    SQLite doesn't check again what a damaged page holds.
    """
    path = reader.folder / FILE
    with telling(path):
        for row in reader.connection.execute(query, values):
            cells = cast("tuple[Any, ...]", row)
            if [type(cell) for cell in cells] != list(kinds):
                raise UnreadableError(f"{path}: a row holds what no journal writes: it is damaged")
            yield form(*cells)


_LAST: Final = "SELECT coalesce(max(sequence), 0) FROM event"
_KNOWN: Final = (
    "SELECT sequence, recorded_us FROM event JOIN record ON record = number"
    " WHERE sequence BETWEEN ? AND ? AND recorded_us <= ? ORDER BY sequence DESC LIMIT 1"
)


@dataclass(frozen=True, slots=True)
class Found:
    """The last event that was stored by some time.

    Args:
        sequence: its number; 0 where none was stored so early.
        left_out: events that were looked at on the way to it and bear a time later than now.
    """

    sequence: int
    left_out: int


def last_event_by(connection: apsw.Connection, at_us: int, now_us: int) -> Found:
    """The last event that was stored by a time, found by halving.

    Args:
        at_us: that time, UTC microseconds.
        now_us: the present; what bears a time later than both is left out.
    """
    low, high, found, left_out = 1, _last(connection) + 1, 0, 0
    while low < high:
        middle = (low + high) // 2
        row = connection.execute(_KNOWN, (low, middle, max(at_us, now_us))).fetchone()
        sequence, stored_us = row or (low - 1, at_us)
        left_out += middle - sequence
        if stored_us <= at_us:
            low, found = middle + 1, sequence if row else found
        else:
            high = sequence
    return Found(found, left_out)


def _last(connection: apsw.Connection) -> int:
    row = connection.execute(_LAST).fetchone()
    return row[0] if row else 0
