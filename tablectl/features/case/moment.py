"""Moment of an incident case, named by a bookmark, an event, a round or a time."""

import re
from dataclasses import replace
from datetime import datetime
from typing import Final

from tablectl.core.amending.counted_round import counted
from tablectl.core.events import TYPE_PREFIX
from tablectl.core.money import utc_text
from tablectl.history.events import EVENT, found_by
from tablectl.history.explain.build import UnknownRoundError, ending_of, round_meant
from tablectl.history.explain.steps import event_form
from tablectl.journal.reading.ranges import events_between, records_between
from tablectl.journal.reading.reader import JournalReader
from tablectl.journal.reading.rows import EventRow
from tablectl.lazy_dataclass import dataclass

_EVENT_ID: Final = re.compile(r"[0-9a-z]{1,32}-([0-9]{16})")

_SHORTEST_TIME: Final = len("2026-11-20T14:03")

STEP: Final = 256


@dataclass(frozen=True, slots=True)
class Moment:
    """Moment that a case covers.

    Args:
        mark: what the case was asked for by.
        note: of the bookmark; empty where it is none.
        sequence: the event that is meant.
        at_us: when that was stored, UTC microseconds.
        from_us: the beginning of the time that is collected.
        to_us: its end.
        first: the first record in that time.
        last: the last one.
        left_out: events that were passed over when it was looked for, as they bear a time later than now.
    """

    mark: str
    note: str
    sequence: int
    at_us: int
    from_us: int
    to_us: int
    first: int
    last: int
    left_out: int = 0

    @property
    def at(self) -> str:
        """When it was, as text."""
        return utc_text(self.at_us)


def moment_of(reader: JournalReader, mark: str, minutes: float, now_us: int) -> Moment:
    """The moment, and the time around it.

    Args:
        mark: `event:24` or the id of an event, a bookmark's among them; a round, as `round_meant` reads it; or a time,
            as `wall_time` reads it.
        minutes: before and after it; before the round's opening and after its end, where a round is meant.
        now_us: the present, UTC microseconds; a record of a later time counts by its place.

    Raises:
        UnknownRoundError: the journal has neither such an event nor such a round.
        UnreadableError: the journal can't be read.
    """
    if found := EVENT.fullmatch(mark) or _EVENT_ID.fullmatch(mark):
        return _around_event(reader, mark, int(found[1]), minutes, now_us)
    if (at_us := wall_time(mark)) is not None:
        row, left_out = event_by(reader, at_us, now_us)
        at = _At(row, row.record, row.record, at_us, at_us, at_us)
        return replace(_moment(reader, mark, "", at, minutes, now_us), left_out=left_out)
    return _around_round(reader, round_meant(reader, mark), minutes, now_us)


def wall_time(text: str) -> int | None:
    """Return the UTC microseconds of a written time; None where it isn't one.

    A time is written with its day, such as 2026-11-20T14:03:07. Without a zone it is this machine's local time.
    """
    try:
        return round(datetime.fromisoformat(text).timestamp() * 1_000_000) if len(text) >= _SHORTEST_TIME else None
    except (ValueError, OverflowError):
        return None


def event_by(reader: JournalReader, at_us: int, now_us: int) -> tuple[EventRow, int]:
    """Return the last event stored by a time, and the number of events passed over.

    Those that bear a time later than now are passed over.

    Args:
        at_us: that time, UTC microseconds.
        now_us: the present.

    Raises:
        UnknownRoundError: there is none so early.
        UnreadableError: the journal can't be read.
    """
    found = found_by(reader, at_us, now_us)
    if not found.sequence:
        raise UnknownRoundError(f"the journal has no event as early as {utc_text(at_us)}")
    return _event(reader, found.sequence), found.left_out


@dataclass(frozen=True, slots=True)
class _At:
    """Meaning of a mark: an event, its records and their times.

    The times are the event's own and those of its first and last record.
    """

    row: EventRow
    first: int
    last: int
    at_us: int
    first_us: int
    last_us: int


def _around_event(reader: JournalReader, mark: str, sequence: int, minutes: float, now_us: int) -> Moment:
    row = _event(reader, sequence)
    form = event_form(row)
    note = ""
    if form.get("type") == f"{TYPE_PREFIX}audit.bookmark.v1":
        note, marks = str(form["data"].get("note", "")), _EVENT_ID.fullmatch(str(form["data"].get("marks") or ""))
        row = _event(reader, int(marks[1])) if marks else row
    at_us = _recorded(reader, row.record, now_us)
    return _moment(reader, mark, note, _At(row, row.record, row.record, at_us, at_us, at_us), minutes, now_us)


def _around_round(reader: JournalReader, round_id: str, minutes: float, now_us: int) -> Moment:
    own = [row for row in reader.naming_back(round_id) if event_form(row).get("correlationid") == round_id][::-1]
    if not own:
        raise UnknownRoundError(f"the journal has no round {round_id}")
    ending = ending_of(own, counted(map(event_form, own)))
    first, last = own[0], ending or own[-1]  # not a correction, hours later
    first_us, last_us = (_recorded(reader, each.record, now_us) for each in (first, last))
    at = _At(last, first.record, last.record, last_us, first_us, last_us)
    return _moment(reader, round_id, "", at, minutes, now_us)


def _moment(reader: JournalReader, mark: str, note: str, at: _At, minutes: float, now_us: int) -> Moment:
    margin_us = round(minutes * 60_000_000)
    from_us, to_us = at.first_us - margin_us, at.last_us + margin_us
    first, last = _earliest(reader, at.first, from_us), _latest(reader, at.last, to_us, max(to_us, now_us))
    return Moment(mark, note, at.row.sequence, at.at_us, from_us, to_us, first, last)


def _event(reader: JournalReader, sequence: int) -> EventRow:
    row = next(events_between(reader, sequence, sequence), None)
    if row is None:
        raise UnknownRoundError(f"the journal has no event {sequence}; its last one is {reader.last_sequence}")
    return row


def _recorded(reader: JournalReader, record: int, now_us: int) -> int:
    """Return the time at which a record was stored.

    It is the record's own time or, where that is later than now, that of the last record before it whose time isn't.
    """
    own = next((row.recorded_us for row in records_between(reader, record, record)), 0)
    for last in range(record, 0, -STEP):
        rows = list(records_between(reader, max(1, last - STEP + 1), last))
        for row in reversed(rows):
            if row.recorded_us <= now_us:
                return row.recorded_us
    return own


def _earliest(reader: JournalReader, record: int, from_us: int) -> int:
    """The first record in a row before this one that is not older."""
    while record > 1:
        rows = list(records_between(reader, max(1, record - STEP), record - 1))
        for row in reversed(rows):
            if row.recorded_us < from_us:
                return record
            record = row.number
        if not rows:
            break
    return record


def _latest(reader: JournalReader, record: int, to_us: int, now_us: int) -> int:
    """Return the last record in a row after this one that is not younger.

    Records between that bear a time later than now don't end the row.
    """
    while rows := list(records_between(reader, record + 1, record + STEP)):
        for row in rows:
            if to_us < row.recorded_us <= now_us:
                return record
            record = row.number
    return record
