"""Explanation of one round, from the bytes on the links to the last message.

It is made for `tablectl explain`. The journal is only read: that of a table at work, of one that stopped or failed, or
a copy.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from tablectl.core.amending.counted_round import AMENDED, CORRECTED, ENDS, OPENED, CountedRound, counted, kind_of
from tablectl.core.events import TYPE_PREFIX
from tablectl.history.events import EVENT
from tablectl.history.explain.amended import marks
from tablectl.history.explain.cards import OpenCards, open_cards
from tablectl.history.explain.frames import Listening
from tablectl.history.explain.model import ClockQuality, Explanation, Form, Money, Refused, Renderers, Step
from tablectl.history.explain.money import money_of
from tablectl.history.explain.steps import REPEATED_US, Telling, event_form, fact_form, with_frames
from tablectl.journal.reading.ranges import events_between, records_between
from tablectl.journal.reading.reader import JournalReader
from tablectl.journal.reading.rows import EventRow, RecordRow

CAPTURES: Final = "capture"

MOST_RECORDS: Final = 5_000
"""Records of one round that are shown; no round has nearly so many."""

RECORDS_BEFORE: Final = 20
"""Records before the first one that are shown, back to the end of the round before: the pack that was made ready."""

ROUND: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
_ROUND_NUMBER: Final = re.compile(r"(?:([0-9a-z]{1,32})-)?0*([0-9]{1,12})")
"""A round's number alone: a journal is one log, and no number comes twice in one."""

OVERRIDE: Final = f"{TYPE_PREFIX}audit.override.v1"
"""The line for the audit beside a correction; alone where the table didn't remember the round any more."""

LEAD_US: Final = 1_000_000
"""So long before the log's first fact the links are listened to."""


class UnknownRoundError(Exception):
    """The journal has no such round: why, in one line."""


def explain(
    reader: JournalReader, round_id: str, renderers: Renderers, refused: Mapping[int, Refused] | None = None
) -> Explanation:
    """The round explained.

    Args:
        refused: what the table refused, by record; None where nobody has worked it out.

    Raises:
        UnknownRoundError: there is no such round.
        UnreadableError: the journal can't be read.
    """
    own = _own_events(reader, round_id)
    round_ = counted(event_form(row) for row in own)
    ending, head = ending_of(own, round_), reader.head()
    first, last = own[0].record, ending.record if ending else head.record if head else own[-1].record
    rows = _rows(reader, own, first, last)
    events = _by_record(reader, own, rows, last)
    cards = _cards(rows, events, round_id)
    game = str(event_form(own[0])["data"].get("game", ""))
    made = ((row.record, form["data"]) for row in own if kind_of(form := event_form(row)) == AMENDED)
    telling = Telling(renderers, game, cards, refused or {}, round_.struck, marks(made))
    steps = tuple(telling.step(row, events.get(row.number, ()), _when(row, first, last)) for row in rows)
    steps, missing = _with_frames(reader, steps, renderers, cards.named)
    if len(rows) > MOST_RECORDS:
        missing = (*missing, "records_cut")
    return _explanation(own, round_, steps, renderers, missing)


def explain_events(reader: JournalReader, round_id: str, renderers: Renderers) -> Explanation:
    """The round explained by its published events alone: one step for each event.

    Raises:
        UnknownRoundError: there is no such round.
        UnreadableError: the events can't be read.
    """
    own = _own_events(reader, round_id)
    round_ = counted(event_form(row) for row in own)
    game, ending = str(event_form(own[0])["data"].get("game", "")), ending_of(own, round_)
    telling = Telling(renderers, game, OpenCards(frozenset(), {}), {}, round_.struck)
    last = ending.sequence if ending else own[-1].sequence
    steps = tuple(telling.event_step(row, "after" if row.sequence > last else "round") for row in own)
    return _explanation(own, round_, steps, renderers, ("only_events",))


def round_meant(reader: JournalReader, given: str) -> str:
    """Return the id of the round that a person names.

    Args:
        given: `24` for the newest round of that number, `1a2b3c4d-24` for a round of that log, or `event:24` for the
            round of an event.

    Raises:
        UnknownRoundError: there is no such round or event.
        UnreadableError: the journal can't be read.
    """
    if event := EVENT.fullmatch(given):
        row = next(events_between(reader, int(event[1]), int(event[1])), None)
        named = str(event_form(row).get("correlationid", "")) if row else ""
        if not named:
            raise UnknownRoundError(f"the journal has no event {event[1]} of a round")
        return named
    if short := _ROUND_NUMBER.fullmatch(given):
        tail = f"{short[1] or ''}-{int(short[2]):06d}"
        for row in reader.naming_back(f'{tail}"'):
            named = str(event_form(row).get("correlationid", ""))
            if named.endswith(tail):
                return named
    return given


def _own_events(reader: JournalReader, round_id: str) -> list[EventRow]:
    """The round's own events, in order.

    They go from its opening to now, for it may have been corrected.
    """
    if not ROUND.fullmatch(round_id):
        raise UnknownRoundError(f"{round_id[:64]!r} is not the id of a round, such as 1a2b3c4d-000017")
    own: list[EventRow] = []
    for row in reader.naming_back(round_id):
        form = event_form(row)
        if form.get("correlationid") != round_id:
            continue
        own.append(row)
        if form.get("type") == TYPE_PREFIX + OPENED:
            return own[::-1]
    pruned = reader.pruned()
    gone = f"; the events up to {pruned} were pruned" if pruned else ""
    raise UnknownRoundError(f"the journal has no round {round_id}{gone}")


def ending_of(own: Sequence[EventRow], round_: CountedRound) -> EventRow | None:
    """The event with which a round is over; None while it isn't, or is open again."""
    name = round_.ending.event.get("id") if round_.ending else None
    return next((row for row in own if name is not None and event_form(row).get("id") == name), None)


def _rows(reader: JournalReader, own: Sequence[EventRow], first: int, last: int) -> list[RecordRow]:
    """The records before, of, and after the round that are about it."""
    rows = list(records_between(reader, _before(reader, first), min(last, first + MOST_RECORDS)))
    later = sorted({row.record for row in own if row.record > last})
    return rows + [row for number in later[:RECORDS_BEFORE] for row in records_between(reader, number, number)]


def _before(reader: JournalReader, first: int) -> int:
    """The first record that is shown before the round: none of another round."""
    least = max(1, first - RECORDS_BEFORE)
    for row in events_of_records(reader, least, first - 1):
        if kind_of(event_form(row)) in ENDS:
            least = row.record + 1
    return least


def events_of_records(reader: JournalReader, first: int, last: int) -> list[EventRow]:
    """The events of these records.

    Events have no index of records: the newest of them are searched.
    """
    lower = _first_event(reader, first)
    found: list[EventRow] = []
    for row in events_between(reader, lower, reader.last_sequence):
        if row.record > last:
            break
        found.append(row)
    return found


def _first_event(reader: JournalReader, record: int) -> int:
    """The number of the first event of this record or a later one, found by halving."""
    low, high = 1, reader.last_sequence + 1
    while low < high:
        middle = (low + high) // 2
        row = next(events_between(reader, middle, middle), None)
        if row is not None and row.record < record:
            low = middle + 1
        else:
            high = middle
    return low


def _by_record(
    reader: JournalReader, own: Sequence[EventRow], rows: Sequence[RecordRow], last: int
) -> Mapping[int, list[EventRow]]:
    """The events of the records that are shown.

    Of those after the round only the round's own are included.
    """
    in_a_row = [row.number for row in rows if row.number <= last]
    found: dict[int, list[EventRow]] = {}
    for row in events_of_records(reader, in_a_row[0], in_a_row[-1]) if in_a_row else ():
        found.setdefault(row.record, []).append(row)
    for row in own:
        if row.record > last:
            found.setdefault(row.record, []).append(row)
    return found


def _cards(rows: Iterable[RecordRow], events: Mapping[int, Sequence[EventRow]], round_id: str) -> OpenCards:
    forms = (event_form(row) for each in events.values() for row in each)
    own = [form for form in forms if form.get("correlationid") == round_id]
    public = [(str(form.get("id", "")), kind_of(form), form["data"]) for form in own]
    return open_cards((fact_form(row.body) for row in rows), public)


def _when(row: RecordRow, first: int, last: int) -> str:
    return "before" if row.number < first else "after" if row.number > last else "round"


def _with_frames(
    reader: JournalReader, steps: Sequence[Step], renderers: Renderers, named: frozenset[str]
) -> tuple[tuple[Step, ...], tuple[str, ...]]:
    """Add the frames received since the record before to each step.

    Returns:
        The steps, and the keys of what is missing.
    """
    folder = reader.folder / CAPTURES
    times = [step.fact.at_us for step in steps if step.fact.at_us and step.when != "after"]
    if not times or not folder.is_dir():
        return tuple(steps), ("no_captures",)
    listening = Listening(renderers.explaining, named, sorted(times))
    try:
        heard = listening.heard(folder, _since(reader, steps[0].record, times[0]), max(times) + REPEATED_US)
        found = with_frames(steps, heard)
    except OSError:
        return tuple(steps), ("no_captures",)
    if not any(step.frames for step in found):
        return found, ("no_captures",)
    return found, ("damaged_capture",) if listening.damaged else ()


def _since(reader: JournalReader, record: int, at_us: int) -> int:
    """The instant from which frames belong to this record: that of the fact before it."""
    for row in records_between(reader, record - 1, record - 1):
        before = fact_form(row.body).get("at", {}).get("utc_us", 0)
        if 0 < before <= at_us:
            return int(before) + REPEATED_US
    return at_us - LEAD_US


def _explanation(
    own: Sequence[EventRow], round_: CountedRound, steps: Sequence[Step], renderers: Renderers, missing: tuple[str, ...]
) -> Explanation:
    opened, ending = event_form(own[0]), ending_of(own, round_)
    end = round_.ending
    settled: dict[str, Any] = {**end.data} if end else {}
    _, site, table, log = ["", "", "", "", *str(opened.get("source", "")).split("/")][-4:]
    return Explanation(
        round_id=str(opened["correlationid"]),
        site=site,
        table=table,
        log=log,
        game=str(opened["data"].get("game", "")),
        rules_version=str(opened["data"].get("rules_version", "")),
        simulated=any(event_form(row).get("simulated") is True for row in own),
        end=end.end if end else "",
        corrections=tuple(_corrections(map(event_form, own), round_)),
        amended=len(round_.amendments),
        result=renderers.result(settled),
        article=str(settled.get("article") or "") if "settlement" not in settled else "",
        reason=str(settled.get("reason") or ""),
        opened=str(opened.get("time", "")),
        ended=str(end.event.get("time", "")) if end else "",
        first=own[0].sequence,
        last=(ending or own[-1]).sequence,
        clock=_clock(steps),
        settled=settled if "settlement" in settled else {},
        returned=tuple(settled.get("returned") or ()),
        money=_money(settled),
        steps=tuple(steps),
        missing=missing,
    )


def _corrections(own: Iterable[Form], round_: CountedRound) -> Iterator[dict[str, Any]]:
    """The data of what put the round right and holds, once each.

    An override that follows from a correction says it again; alone it stands where the table had forgotten the round.
    """
    seen: set[str] = set()
    for form in own:
        name = str(form.get("id"))
        if kind_of(form) == CORRECTED:
            seen.add(name)
        if name in round_.corrections:
            yield dict(round_.corrections[name]["data"])
        elif form.get("type") == OVERRIDE and form.get("causationid") not in seen:
            yield form["data"]


def _money(settled: Form) -> Money | None:
    try:
        return money_of(settled["settlement"])
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def _clock(steps: Iterable[Step]) -> ClockQuality:
    facts = [step.fact for step in steps if step.when == "round" and step.fact.at_us]
    errors = [fact.error_us for fact in facts]
    known = [error for error in errors if error is not None]
    bound = max(known) if known and len(known) == len(errors) else None
    return ClockQuality(tuple(sorted({fact.clock for fact in facts})), bound, len({fact.boot for fact in facts}))
