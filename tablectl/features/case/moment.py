"""The moment that an incident case is about: named by a bookmark, an event or a round."""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from tablectl.core.money import utc_text
from tablectl.history.events import first_from
from tablectl.history.explain.build import EVENT, UnknownRoundError, round_meant
from tablectl.history.explain.steps import event_form
from tablectl.journal.reader import JournalReader
from tablectl.journal.reader_rows import EventRow
from tablectl.journal.record_ranges import events_between, naming_back, records_between
from tablectl.proof.envelope import ENDS, TYPE_PREFIX

_EVENT_ID: Final = re.compile(r"[0-9a-z]{1,32}-([0-9]{16})")

_SHORTEST_TIME: Final = len("2026-11-20T14:03")

STEP: Final = 256


@dataclass(frozen=True, slots=True)
class Moment:
    """What is looked at.

    Args:
        mark: what the case was asked for by.
        note: of the bookmark; empty where it is none.
        sequence: the event that is meant.
        at_us: when that was stored, UTC microseconds.
        from_us: the beginning of the time that is collected.
        to_us: its end.
        first: the first record in that time.
        last: the last one.
    """

    mark: str
    note: str
    sequence: int
    at_us: int
    from_us: int
    to_us: int
    first: int
    last: int

    @property
    def at(self) -> str:
        """When it was, as text."""
        return utc_text(self.at_us)


def moment_of(reader: JournalReader, mark: str, minutes: float) -> Moment:
    """The moment, and the time around it.

    Args:
        mark: `event:24` or the id of an event, a bookmark's among them; a round, as `round_meant` reads it; or a time,
            as `wall_time` reads it.
        minutes: before and after it; before the round's opening and after its end, where a round is meant.

    Raises:
        UnknownRoundError: the journal has neither such an event nor such a round.
        UnreadableError: the journal can't be read.
    """
    if found := EVENT.fullmatch(mark) or _EVENT_ID.fullmatch(mark):
        return _around_event(reader, mark, int(found[1]), minutes)
    if (at_us := wall_time(mark)) is not None:
        row = event_by(reader, at_us)
        return _moment(reader, mark, "", row, (row.record, row.record), (at_us, at_us, at_us), minutes)
    return _around_round(reader, round_meant(reader, mark), minutes)


def wall_time(text: str) -> int | None:
    """UTC microseconds of a day's time as people write it, such as 2026-11-20T14:03:07; None where it isn't one.

    Without a zone it is this machine's local time.
    """
    try:
        return round(datetime.fromisoformat(text).timestamp() * 1_000_000) if len(text) >= _SHORTEST_TIME else None
    except (ValueError, OverflowError):
        return None


def event_by(reader: JournalReader, at_us: int) -> EventRow:
    """The last event that was stored by this time, UTC microseconds.

    Raises:
        UnknownRoundError: there is none so early.
        UnreadableError: the journal can't be read.
    """
    if (sequence := first_from(reader, at_us + 1, 1) - 1) < 1:
        raise UnknownRoundError(f"the journal has no event as early as {utc_text(at_us)}")
    return _event(reader, sequence)


def _around_event(reader: JournalReader, mark: str, sequence: int, minutes: float) -> Moment:
    row = _event(reader, sequence)
    form = event_form(row)
    note = ""
    if form.get("type") == f"{TYPE_PREFIX}audit.bookmark.v1":
        note, marks = str(form["data"].get("note", "")), _EVENT_ID.fullmatch(str(form["data"].get("marks") or ""))
        row = _event(reader, int(marks[1])) if marks else row
    at_us = _recorded(reader, row.record)
    return _moment(reader, mark, note, row, (row.record, row.record), (at_us, at_us, at_us), minutes)


def _around_round(reader: JournalReader, round_id: str, minutes: float) -> Moment:
    own = [row for row in naming_back(reader, round_id) if event_form(row).get("correlationid") == round_id]
    if not own:
        raise UnknownRoundError(f"the journal has no round {round_id}")
    first, last = own[-1], next((row for row in own if _ends(row)), own[0])  # not a correction, hours later
    times = _recorded(reader, last.record), _recorded(reader, first.record), _recorded(reader, last.record)
    return _moment(reader, round_id, "", last, (first.record, last.record), times, minutes)


def _ends(row: EventRow) -> bool:
    return str(event_form(row).get("type", "")).removeprefix(TYPE_PREFIX) in ENDS


def _moment(
    reader: JournalReader,
    mark: str,
    note: str,
    row: EventRow,
    records: tuple[int, int],
    times: tuple[int, int, int],
    minutes: float,
) -> Moment:
    at_us, first_us, last_us = times
    margin_us = round(minutes * 60_000_000)
    from_us, to_us = first_us - margin_us, last_us + margin_us
    first, last = _earliest(reader, records[0], from_us), _latest(reader, records[1], to_us)
    return Moment(mark, note, row.sequence, at_us, from_us, to_us, first, last)


def _event(reader: JournalReader, sequence: int) -> EventRow:
    row = next(events_between(reader, sequence, sequence), None)
    if row is None:
        raise UnknownRoundError(f"the journal has no event {sequence}; its last one is {reader.last_sequence}")
    return row


def _recorded(reader: JournalReader, record: int) -> int:
    return next((row.recorded_us for row in records_between(reader, record, record)), 0)


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


def _latest(reader: JournalReader, record: int, to_us: int) -> int:
    """The last record in a row after this one that is not younger."""
    while rows := list(records_between(reader, record + 1, record + STEP)):
        for row in rows:
            if row.recorded_us > to_us:
                return record
            record = row.number
    return record
