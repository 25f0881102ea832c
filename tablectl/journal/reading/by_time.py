"""Search for events by the time at which they were stored.

A clock may have been wrong, so times later than now are left out: a board without a battery for its clock may write a
record of the year 2099 between two of today.
"""

from typing import Final

import apsw

from tablectl.lazy_dataclass import dataclass

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
