"""Journal and captures in a bundle: published events, times and frames.

No fact's content is among them.
"""

import base64
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from typing import Any, Final

from tablectl.core.money import utc_text
from tablectl.features.bundle.archive import lines, pretty
from tablectl.history.explain.build import CAPTURES, events_of_records
from tablectl.history.explain.frames import Heard, Listening
from tablectl.history.explain.model import Frame, MakeExplaining, inside
from tablectl.history.explain.steps import fact_form
from tablectl.journal.reading.ranges import ENDLESS, records_between
from tablectl.journal.reading.reader import JournalReader
from tablectl.journal.reading.rows import RecordRow, UnreadableError
from tablectl.journal.reading.verify import BrokenError, Whole, checkpoints, verify
from tablectl.lazy_dataclass import dataclass
from tablectl.proof.note import NoteError, fingerprint

PUBLIC: Final = "event/"
"""Below this are the messages that anybody may read; what is restricted has its own journal and topic."""

MOST_RECORDS: Final = 100_000
MOST_FRAMES: Final = 50_000
_STEP: Final = 1000


@dataclass(frozen=True, slots=True)
class Lately:
    """The records of the last hours.

    Args:
        first: the first record; one past the last where there are none.
        last: the journal's last record.
        cut: whether older ones of that time were too many.
    """

    first: int
    last: int
    cut: bool


def journal_files(reader: JournalReader, since_us: int, make: MakeExplaining) -> Mapping[str, bytes]:
    """Return the files of a bundle that come from a table's state folder.

    One that can't be made says why instead.

    Args:
        since_us: from when on, UTC microseconds; what is of a later time than now, as after a clock was set back,
            counts too.
        make: makes what explains a link's bytes.
    """
    makers: Mapping[str, Callable[[], bytes]] = {
        "journal.json": lambda: pretty(_head(reader)),
        "events.jsonl": lambda: b"".join(_events(reader, lately(reader, since_us))),
        "clock.jsonl": lambda: lines(_times(reader, lately(reader, since_us))),
        "frames.jsonl": lambda: lines(_frames(reader, since_us, make)),
    }
    files: dict[str, bytes] = {}
    for name, making in makers.items():
        try:
            files[name] = making()
        except (UnreadableError, OSError, ValueError, OverflowError) as error:
            files[name] = lines([{"unreadable": str(error)}])
    return files


def lately(reader: JournalReader, since_us: int) -> Lately:
    """The records from an instant on, found from the newest end."""
    head = reader.head()
    last = head.record if head else 0
    first = last + 1
    while first > 1 and last - first < MOST_RECORDS:
        rows = list(records_between(reader, max(1, first - _STEP), first - 1))
        young = next((row.number for row in rows if row.recorded_us >= since_us), None)
        if young is None:
            break
        first = young
        if young != rows[0].number:
            break
    least = last - MOST_RECORDS + 1
    return Lately(max(first, least), last, first < least)


def _head(reader: JournalReader) -> dict[str, Any]:
    """Where the journal ends, whose it is, and whether it is what was written."""
    head = reader.head()
    return {
        "origin": reader.origin(),
        "records": head.record if head else 0,
        "link": head.link.hex() if head else None,
        "events": reader.last_sequence,
        "pruned": reader.pruned(),
        "meta": dict(reader.meta()),
        "key": _key(reader),
        "key_changes": list(reader.key_changes()),
        "verify": _verified(reader),
    }


def _key(reader: JournalReader) -> dict[str, str]:
    try:
        public = reader.public_key()
    except UnreadableError as error:
        return {"unreadable": str(error)}
    return {"public": base64.b64encode(public).decode("ascii"), "fingerprint": fingerprint(public)}


def _verified(reader: JournalReader) -> dict[str, Any]:
    try:
        whole = verify(reader, checkpoints(reader, None, ()))
    except (BrokenError, NoteError, UnreadableError) as error:
        return {"whole": False, "why": str(error)}
    return {"whole": True, **_whole(whole)}


def _whole(whole: Whole) -> dict[str, Any]:
    times = {"first": whole.first_us, "last": whole.last_us}
    return {
        "records": whole.records,
        "events": whole.events,
        "root": base64.b64encode(whole.root).decode("ascii"),
        **{name: utc_text(at_us) for name, at_us in times.items() if at_us is not None},
    }


def _events(reader: JournalReader, span: Lately) -> Iterator[bytes]:
    """The events as they were published, to the byte."""
    for row in events_of_records(reader, span.first, span.last):
        if row.payload and row.topic.startswith(PUBLIC):
            yield row.payload + b"\n"


def _times(reader: JournalReader, span: Lately) -> Iterator[dict[str, Any]]:
    return (_time(row) for row in records_between(reader, span.first, span.last))


def _time(row: RecordRow) -> dict[str, Any]:
    """Return the clocks' readings at one fact, and the kind of the fact.

    Nothing of its content is in it.
    """
    form = fact_form(row.body)
    at = inside(form, "at")
    at_us = at.get("utc_us")
    return {
        "record": row.number,
        "recorded": utc_text(row.recorded_us),
        "fact": form.get("fact"),
        "time": utc_text(at_us) if isinstance(at_us, int) else None,
        **{key: at.get(key) for key in ("monotonic_ns", "boot_id", "clock", "error_us")},
    }


def _frames(reader: JournalReader, since_us: int, make: MakeExplaining) -> Iterator[dict[str, Any]]:
    """Yield the traffic of the links, with no card named.

    Of a shoe's reports it has only that they came.
    """
    folder = reader.folder / CAPTURES
    if not folder.is_dir():
        return
    span = lately(reader, since_us)
    times = sorted(row.recorded_us for row in records_between(reader, span.first, span.last))
    listening = Listening(make, frozenset(), times)
    yield from map(asdict, _counted(listening.heard(folder, since_us, ENDLESS)))
    if listening.damaged:
        yield {"damaged_lines": listening.damaged}


def _counted(heard: Iterable[Heard]) -> Iterable[Frame]:
    """Return the newest frames.

    One that is repeated in a row is there once, with the number of times.
    """
    kept: deque[Frame] = deque(maxlen=MOST_FRAMES)
    for frame in (each.frame for each in heard):
        last = kept[-1] if kept else None
        if last and (last.device, last.way, last.said) == (frame.device, frame.way, frame.said):
            kept[-1] = replace(last, times=last.times + 1)
        else:
            kept.append(frame)
    return kept
