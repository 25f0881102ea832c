"""Check of a table's journal against a scenario.

It is possible where the journal lies on this machine or a copy of it can be had.
"""

import io
import json
import tarfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from tablectl.journal.encoding import read_fact
from tablectl.journal.reading.reader import open_reader
from tablectl.testing.levels.core_table import in_words
from tablectl.testing.scenarios.scenario import Form
from tablectl.testing.timeline import Lane, Moment, Timeline

FILES: Final = ("journal.db", "journal.db-wal")
"""What a copy of a journal is; nothing else of a state folder, which holds the log's key as well."""


def stored_events(state: Path) -> list[Form]:
    """Return the stored events, which are to be published, in order."""
    reader = open_reader(state)
    try:
        return [json.loads(row.payload) for row in reader.events()]
    finally:
        reader.close()


def offsets(arrivals: Iterable[tuple[float, Form]]) -> dict[str, float]:
    """Return the offset of another machine's monotonic clock to a timeline, by boot.

    It is in seconds, to be added to that clock. Nothing arrives before it was sent, so the event that took least time
    says best how the clocks stand; a fact may seem that little time too late, and never later than the message that
    follows from it.

    Args:
        arrivals: events, each with the second of the timeline at which it came.
    """
    found: dict[str, float] = {}
    for at_s, event in arrivals:
        boot, apart_s = str(event["bootid"]), at_s - int(event["monotonicns"]) / 1e9
        found[boot] = min(apart_s, found.get(boot, apart_s))
    return found


def stored_facts(state: Path, offset_s: Mapping[str, float] | float) -> list[Moment]:
    """The facts as moments; those of a boot of which no clock is known are left out.

    Args:
        offset_s: what to add to the daemon's monotonic clock, in seconds: for each boot, or one for all.
    """
    reader = open_reader(state)
    try:
        facts = [read_fact(row.body) for row in reader.records()]
    finally:
        reader.close()
    by_boot = (
        offset_s if isinstance(offset_s, Mapping) else dict.fromkeys((fact.at.boot_id for fact in facts), offset_s)
    )
    return [
        Moment(fact.at.monotonic_ns / 1e9 + by_boot[fact.at.boot_id], Lane.FACT, who, in_words(fact.body))
        for fact in facts
        if fact.at.boot_id in by_boot and (who := fact.by or fact.source)
    ]


def facts_onto(timeline: Timeline, state: Path, arrivals: Iterable[tuple[float, Form]] | None = None) -> None:
    """Puts the facts of a journal onto a timeline, in place of those that are there.

    Args:
        arrivals: where the table runs on another machine, the events with the seconds at which they came; without them
            the daemon's clock is this machine's.
    """
    moments = [moment for moment in timeline.moments if moment.lane is not Lane.FACT]
    if arrivals is None:
        facts = stored_facts(state, timeline.now_s() - timeline.clock_s())
    else:  # a journal on a bench may be years long
        facts = [fact for fact in stored_facts(state, offsets(arrivals)) if fact.at_s >= 0]
    timeline.moments[:] = [*moments, *facts]


def unpack_journal(archive: bytes, folder: Path) -> None:
    """Unpack a journal from a tar archive of another machine into a folder.

    Raises:
        OSError: it isn't such an archive, or holds no journal.
    """
    try:
        with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
            for member in tar.getmembers():
                name = Path(member.name).name
                if member.isfile() and name in FILES and (file := tar.extractfile(member)) is not None:
                    (folder / name).write_bytes(file.read())
    except tarfile.TarError as error:
        raise OSError(f"what came isn't a tar archive of a journal: {error}") from None
    if not (folder / FILES[0]).exists():
        raise OSError(f"what came holds no {FILES[0]}")
