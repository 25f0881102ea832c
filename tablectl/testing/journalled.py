"""What a table's journal holds of a scenario, where it lies on this machine."""

import json
from pathlib import Path

from tablectl.shell.wire import read_fact
from tablectl.testing.scenario import Form
from tablectl.testing.telling import in_words
from tablectl.testing.timeline import Lane, Moment, Timeline
from tablectl.tools.journal_reader import open_reader


def stored_events(state: Path) -> list[Form]:
    """What is to be published, in order."""
    reader = open_reader(state)
    try:
        return [json.loads(row.payload) for row in reader.events()]
    finally:
        reader.close()


def stored_facts(state: Path, start_s: float) -> list[Moment]:
    """The facts as moments.

    Args:
        start_s: of the timeline, by this machine's monotonic clock, which is the daemon's as well.
    """
    reader = open_reader(state)
    try:
        facts = [read_fact(row.body) for row in reader.records()]
    finally:
        reader.close()
    return [
        Moment(fact.at.monotonic_ns / 1e9 - start_s, Lane.FACT, fact.by or fact.source, in_words(fact.body))
        for fact in facts
    ]


def facts_onto(timeline: Timeline, state: Path) -> None:
    """Puts the facts of a journal onto a timeline, in place of those that are there."""
    moments = [moment for moment in timeline.moments if moment.lane is not Lane.FACT]
    timeline.moments[:] = [*moments, *stored_facts(state, timeline.clock_s() - timeline.now_s())]
