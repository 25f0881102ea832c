"""Status of the recorder: `tablectl record status`, and metrics for Prometheus."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from itertools import groupby
from types import MappingProxyType
from typing import Any, Final

from tablectl.console.openmetrics import Family, Sample, counter, gauge, histogram, info
from tablectl.features.recorder.ingest import Tally
from tablectl.features.recorder.log_state import Account
from tablectl.features.recorder.ranges import Ranges
from tablectl.features.recorder.recorder import Recorder
from tablectl.features.recorder.stores.records import Heartbeat, Held, LogState, Trust
from tablectl.features.tail.completeness import Range, ranges_text
from tablectl.lazy_dataclass import dataclass
from tablectl.proof.note import fingerprint

SILENT_S: Final = 30
"""Without a sign of life for so long the recorder isn't at work."""

OVERDUE_S: Final = 60
"""A table signs at least every ten seconds while events come; after so long one was due."""


@dataclass(frozen=True, slots=True)
class LogReport:
    """One log.

    Args:
        since: the time of the first event after which none is missing.
        first: that event's number.
        last: the highest number that is kept.
        behind: events that are known to exist and aren't kept.
        verified: events under the last checkpoint that was verified.
        cosigned: events under the last one that enough witnesses cosigned; None where nobody has to.
        gaps: numbers that are missing, and may still come.
        gone: numbers that the table no longer has.
        wrong: why it isn't complete; empty where it is.
        retired: who says that this doesn't count any more, because the log ended.
    """

    source: str
    complete: bool
    since: str | None
    first: int
    last: int
    behind: int
    verified: int
    verified_at: str | None
    cosigned: int | None
    last_at: str | None
    key: str
    trust: str
    gaps: Sequence[Range]
    gone: Sequence[Range]
    gaps_filled: int
    wrong: Sequence[str]
    retired: str


@dataclass(frozen=True, slots=True)
class TableReport:
    """One table: its logs, and what is disputed about it."""

    place: str
    complete: bool
    disputes: int
    logs: Sequence[LogReport]


@dataclass(frozen=True, slots=True)
class Report:
    """Everything.

    Args:
        recorder: why the recorder isn't at work; empty where it is.
        remarks: on its certificates and its disk, which make nothing incomplete by themselves.
    """

    complete: bool
    recorder: str
    recorder_at: str | None
    tables: Sequence[TableReport]
    remarks: Sequence[str] = ()


def report(
    held: Sequence[Held],
    heartbeat: Heartbeat | None,
    now: str,
    wanted: Sequence[str] = (),
    cosigned: Mapping[str, int] = MappingProxyType({}),
) -> Report:
    """Report on all logs, tables and the recorder.

    Args:
        now: RFC 3339.
        wanted: `<site>/<table>` of tables that have to be there; those with `+` are let be.
        cosigned: by source, events under a checkpoint that enough witnesses cosigned; empty where nobody has to.
    """
    recorder = _recorder(heartbeat, now)
    by_place = {place: list(group) for place, group in groupby(held, lambda each: each.state.place)}
    places = sorted({*by_place, *(place for place in wanted if "+" not in place)})
    tables = tuple(_table(place, by_place.get(place, []), now, cosigned) for place in places)
    complete = not recorder and bool(tables) and all(table.complete for table in tables)
    return Report(complete, recorder, heartbeat.at if heartbeat else None, tables)


def _table(place: str, held: Sequence[Held], now: str, cosigned: Mapping[str, int]) -> TableReport:
    logs = tuple(_log(each, now, cosigned.get(each.state.source)) for each in held)
    disputes = held[0].disputes if held else 0
    return TableReport(place, bool(logs) and not disputes and all(log.complete for log in logs), disputes, logs)


def _log(held: Held, now: str, cosigned: int | None) -> LogReport:
    state = held.state
    ranges, gone = Ranges(state.ranges), Ranges(state.gone)
    gaps = ranges.missing(state.head, gone)
    wrong = tuple(_wrong(state, gaps, now, cosigned))
    return LogReport(
        source=state.source,
        complete=not wrong or bool(held.retired),
        since=held.since,
        first=state.ranges[-1][0] if state.ranges else 0,
        last=ranges.last,
        behind=sum(high - low + 1 for low, high in gaps),
        verified=state.verified,
        verified_at=state.verified_at,
        cosigned=cosigned,
        last_at=state.last_at,
        key=fingerprint(state.keys[-1]) if state.keys else "",
        trust=state.trust.value,
        gaps=gaps,
        gone=tuple(gone),
        gaps_filled=held.gaps_filled,
        wrong=wrong,
        retired=held.retired,
    )


def _wrong(state: LogState, gaps: Sequence[Range], now: str, cosigned: int | None) -> Iterator[str]:
    overdue = bool(state.last_at) and _age_s(str(state.last_at), now) > OVERDUE_S
    if gaps:
        yield f"missing: {ranges_text(gaps)}"
    if state.trouble:
        yield state.trouble
    if state.trust is Trust.NONE:
        yield "no key is trusted: pin the table's fingerprint"
    elif not state.verified:
        yield "nothing is verified yet" if not state.gone else "not verified: the table no longer has its first events"
    elif state.verified < state.head and overdue:
        yield f"events {state.verified + 1} to {state.head} came without a checkpoint"
    if cosigned is not None and cosigned < state.verified and overdue:
        yield f"events {cosigned + 1} to {state.verified}: too few witnesses have cosigned a checkpoint over them"


def _recorder(heartbeat: Heartbeat | None, now: str) -> str:
    if heartbeat is None:
        return "the recorder was never at work"
    if not heartbeat.session:
        return f"the recorder isn't at work: it was stopped at {heartbeat.at}"
    if (age_s := _age_s(heartbeat.at, now)) > SILENT_S:
        return f"the recorder isn't at work: its last sign of life is {age_s:.0f} s old"
    return "" if heartbeat.connected else "the recorder has no broker"


def report_form(given: Report) -> Mapping[str, Any]:
    """The report as JSON takes it."""
    return asdict(given)


def report_lines(given: Report) -> Iterator[str]:
    """The report for people, a line each."""
    yield f"recorder  {given.recorder or 'at work'}"
    yield from given.remarks
    for table in given.tables:
        yield f"{table.place}  {'complete' if table.complete else 'NOT COMPLETE'}{_disputes(table)}"
        if not table.logs:
            yield "  nothing was ever heard of it"
        for log in table.logs:
            yield from _log_lines(log)


def _log_lines(log: LogReport) -> Iterator[str]:
    yield f"  log {log.source.rpartition('/')[2]}: since {log.since or '–'}, events {log.first} to {log.last}"
    trust = {"pinned": "", "first_use": ", by a key that was trusted on first use", "none": ""}[log.trust]
    if log.verified:
        yield f"    verified up to {log.verified} at {log.verified_at}{trust}"
    if log.cosigned:
        yield f"    cosigned up to {log.cosigned}"
    if log.gone:
        tree = "; the tree goes on over their hashes" if log.verified > log.gone[-1][1] else ""
        yield f"    the table no longer has: {ranges_text(log.gone)}{tree}"
    if log.gaps_filled:
        yield f"    gaps that were filled: {log.gaps_filled}"
    if log.retired:
        yield f"    retired: {log.retired}"
    for wrong in log.wrong:
        yield f"    {wrong}"


def _disputes(table: TableReport) -> str:
    return f"; DISPUTED: {table.disputes}" if table.disputes else ""


def _age_s(then: str, now: str) -> float:
    return (datetime.fromisoformat(now) - datetime.fromisoformat(then)).total_seconds()


_OF_TABLES: Final[Mapping[str, tuple[str, Callable[[Account], int]]]] = {
    "tablectl_record_events_kept": ("Last event that is kept.", lambda log: log.ranges.last),
    "tablectl_record_events_known": ("Last event that is known to exist.", lambda log: log.head),
    "tablectl_record_events_verified": ("Events under a verified checkpoint.", lambda log: log.verified),
    "tablectl_record_events_missing": (
        "Events that are known to exist and aren't kept.",
        lambda log: sum(high - low + 1 for low, high in log.missing()),
    ),
}
"""Of the log in which each table writes now."""

_OF_WITNESSES: Final[Mapping[str, tuple[str, Callable[[Account], int]]]] = {
    "tablectl_record_events_cosigned": (
        "Events under a checkpoint that enough witnesses cosigned.",
        lambda log: log.cosigned,
    ),
}
"""Likewise, where a policy wants witnesses."""


def families(recorders: Collection[Recorder], tally: Tally, version: str) -> Iterator[Family]:
    """Every metric of a recorder at work, now.

    Args:
        recorders: one for each shard that it has, or the one that keeps all.
        tally: of all of them.
    """
    books = [each.book for each in recorders]
    yield info("tablectl_record_build", "What records.", {"version": version})
    connected = all(each.connected for each in recorders)
    yield gauge("tablectl_record_connected", "1 while the broker is there.", int(connected), {})
    yield counter("tablectl_record_events_received", "Events that came.", tally.events, {})
    text = "Events that came when there was no room, and are asked for again."
    yield counter("tablectl_record_events_let_go", text, tally.let_go, {})
    text = "Time until a batch is stored."
    yield histogram("tablectl_record_store_seconds", text, tally.stored.at_most(), tally.stored.sum_s, {})
    logs = {place: log for book in books for place, log in book.current().items()}
    figures = {**_OF_TABLES, **(_OF_WITNESSES if any(book.policy for book in books) else {})}
    labels = {place: labels_of(place) for place in logs}
    for name, (text, figure) in figures.items():
        yield Family(name, "gauge", text, tuple(Sample(figure(log), labels[place]) for place, log in logs.items()))


def labels_of(place: str) -> Mapping[str, str]:
    """A table's labels in Prometheus."""
    site, table = place.split("/")
    return {"site": site, "table": table}
