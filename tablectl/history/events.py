"""Search of stored events by number, time, kind, round and text.

A period of them can be exported.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Final

from tablectl.core.events import TYPE_PREFIX
from tablectl.history.explain.model import Renderers
from tablectl.history.explain.steps import event_form
from tablectl.history.rounds import stands_in
from tablectl.journal.reading.by_time import Found, last_event_by
from tablectl.journal.reading.ranges import ENDLESS, events_back, events_between, events_on
from tablectl.journal.reading.reader import FILE, JournalReader
from tablectl.journal.reading.rows import EventRow
from tablectl.journal.reading.sqlite import telling
from tablectl.lazy_dataclass import dataclass

LOOKED_THROUGH: Final = 20_000
"""Events that are looked at for one answer; the next one goes on behind them."""

EVENT: Final = re.compile(r"event:0*([1-9][0-9]{0,15})")
"""An event, as people name it: a bare number is a round's."""

MOST_TAKEN: Final = 200_000
"""Events of one period that is taken away."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Filter of stored events.

    Args:
        after: only those that follow this number, in order; None looks back from the newest one.
        before: looking back, only those before this number.
        kind: how their type begins, without what all types begin with, as `fault.`.
        round_id: the round they belong to.
        text: what stands in a value of theirs, great or small letters alike.
    """

    after: int | None = None
    before: int = ENDLESS
    limit: int = 100
    kind: str = ""
    round_id: str = ""
    text: str = ""

    def fits(self, form: dict[str, Any]) -> bool:
        """Return True if this event is wanted."""
        kind = str(form.get("type", "")).removeprefix(TYPE_PREFIX)
        return (
            kind.startswith(self.kind)
            and self.round_id in {"", form.get("correlationid")}
            and stands_in(form, self.text)
        )


def look_for(reader: JournalReader, wanted: Wanted, renderers: Renderers) -> dict[str, Any]:
    """The events, each with how it is said in every language; and where to go on.

    Raises:
        UnreadableError: the journal can't be read.
    """
    rows = events_back(reader, wanted.before) if wanted.after is None else events_on(reader, wanted.after)
    found: list[dict[str, Any]] = []
    reached, more = wanted.after if wanted.after is not None else wanted.before, False
    for looked, row in enumerate(rows):
        if len(found) == wanted.limit or looked == LOOKED_THROUGH:
            more = True
            break
        reached = row.sequence
        form = event_form(row) if row.payload else {}
        if form and wanted.fits(form):
            found.append({**form, "topic": row.topic, "text": said(form, renderers)})
    return {"events": found, "reached": min(reached, reader.last_sequence + 1), "more": more}


def said(form: dict[str, Any], renderers: Renderers) -> dict[str, list[str]]:
    """The message in every language."""
    return {language: list(voice.lines(form)) for language, voice in renderers.voices.items()}


@dataclass(frozen=True, slots=True)
class EventPeriod:
    """Events of a period of the journal.

    Args:
        first: the number of the first one.
        last: of the last one.
        left_out: events that were passed over when these were looked for, as they bear a time later than now.
    """

    reader: JournalReader
    first: int
    last: int
    left_out: int = 0

    def events(self, after: int = 0) -> Iterator[EventRow]:
        """Those that follow this number, in order."""
        return events_between(self.reader, max(self.first, after + 1), self.last)

    def rounds(self) -> tuple[str, ...]:
        """The rounds of which there is something among them."""
        names = (str(event_form(row).get("correlationid") or "") for row in self.events() if row.payload)
        return tuple(name for name in dict.fromkeys(names) if name)


def period_of(reader: JournalReader, begin: str, end: str, now_us: int) -> EventPeriod:
    """The events of a period.

    Args:
        begin: an event as `event:24`, or an instant (a day means its beginning); empty means the first.
        end: the same; a day means its end; empty means the last.
        now_us: the present, UTC microseconds.

    Raises:
        ValueError: one of them is neither an event nor an instant, or it ends before it begins.
        UnreadableError: the journal can't be read.
    """
    if _is_backwards(begin, end):
        raise ValueError(f"the period ends, at {end}, before it begins, at {begin}")
    before, until = Found(0, 0), Found(reader.last_sequence, 0)
    if begin:
        event = EVENT.fullmatch(begin)
        before = Found(int(event[1]) - 1, 0) if event else found_by(reader, instant(begin) - 1, now_us)
    if end:
        event = EVENT.fullmatch(end)
        until = Found(int(event[1]), 0) if event else found_by(reader, instant(end) + whole_day(end) - 1, now_us)
    last = min(until.sequence, reader.last_sequence)
    return EventPeriod(reader, max(1, before.sequence + 1), last, before.left_out + until.left_out)


def _is_backwards(begin: str, end: str) -> bool:
    """Return True if a period ends before it begins.

    An event and an instant are not compared, and such a period may be empty.
    """
    first, last = EVENT.fullmatch(begin), EVENT.fullmatch(end)
    if not (begin and end) or bool(first) != bool(last):
        return False
    return int(first[1]) > int(last[1]) if first and last else instant(begin) > instant(end) + whole_day(end)


def instant(text: str) -> int:
    """UTC microseconds of a day or an instant.

    Raises:
        ValueError: it is none.
    """
    try:
        moment = datetime.fromisoformat(text)
        aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return round(aware.timestamp() * 1_000_000)
    except (ValueError, OverflowError):
        raise ValueError(
            "an event such as event:4031, a day such as 2026-11-20, or an instant such as 2026-11-20T08:00:00Z"
        ) from None


def whole_day(text: str) -> int:
    """Microseconds by which a period's end goes on: a day's where it is a day, or 0."""
    return 86_400_000_000 if len(text) == len("2026-11-20") else 0


def found_by(reader: JournalReader, at_us: int, now_us: int) -> Found:
    """The last event that was stored by a time, as `last_event_by` finds it.

    Raises:
        UnreadableError: the journal can't be read.
    """
    with telling(reader.folder / FILE):
        return last_event_by(reader.connection, at_us, now_us)
