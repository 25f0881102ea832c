"""Metrics of the recorder for Prometheus, by site and table.

Sites and tables are those that the broker lets publish.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from tablectl.console.openmetrics import Family, Sample, counter, gauge, histogram, info
from tablectl.features.recorder.log_state import Account
from tablectl.features.recorder.recorder import Recorder

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


def families(recorder: Recorder, version: str) -> Iterator[Family]:
    """Every metric of a recorder at work, now."""
    book = recorder.book
    yield info("tablectl_record_build", "What records.", {"version": version})
    yield gauge("tablectl_record_connected", "1 while the broker is there.", int(recorder.connected), {})
    yield counter("tablectl_record_events_received", "Events that came.", book.tally.events, {})
    text = "Events that came when there was no room, and are asked for again."
    yield counter("tablectl_record_events_let_go", text, book.tally.let_go, {})
    stored = recorder.stored
    text = "Time until a batch is stored."
    yield histogram("tablectl_record_store_seconds", text, stored.at_most(), stored.sum_s, {})
    logs = book.current()
    labels = {place: _labels(place) for place in logs}
    for name, (text, figure) in _OF_TABLES.items():
        yield Family(name, "gauge", text, tuple(Sample(figure(log), labels[place]) for place, log in logs.items()))


def _labels(place: str) -> Mapping[str, str]:
    site, table = place.split("/")
    return {"site": site, "table": table}
