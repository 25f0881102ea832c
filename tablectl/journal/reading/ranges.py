"""Ranges of a journal, read from its newest end.

So what happened lately is found in the largest file at once.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, TypeVar, cast

from tablectl.journal.reading.reader import FILE, JournalReader
from tablectl.journal.reading.rows import EventRow, RecordRow, UnreadableError
from tablectl.journal.reading.sqlite import telling

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
