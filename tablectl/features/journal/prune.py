"""`tablectl journal prune`: events whose payloads may go, and why others stay."""

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import field
from datetime import UTC, datetime, timedelta
from typing import Final

from tablectl.core.amending.counted_round import ENDS, OPENED, REOPENED
from tablectl.core.money import utc_text
from tablectl.journal.reading.by_time import Found
from tablectl.journal.reading.reader import JournalReader, number_of
from tablectl.journal.reading.rows import Remembered, TimedEvent
from tablectl.lazy_dataclass import dataclass
from tablectl.proof.envelope import read_envelope
from tablectl.proof.tree import TILE

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_DAY_US: Final = 86_400_000_000


@dataclass(frozen=True, slots=True)
class PrunePlan:
    """Events that go and events that stay.

    Args:
        through: the last event whose payload goes; 0 where none does.
        before: how far it was pruned already.
        kept: lines for people.
        left_out: events that bear a time later than now; only their place in the log counted.
    """

    through: int
    before: int
    kept: tuple[str, ...]
    left_out: int = 0

    @property
    def nothing(self) -> bool:
        """True if there is nothing to prune."""
        return self.through <= self.before


@dataclass(slots=True)
class _Walk:
    """The rounds up to some event.

    Args:
        cut: the last event after which no round was under way.
        taken_back: the ids of ends after which the round was opened again: they are none.
        under_way: rounds that were opened and have no end yet, and their first events.
    """

    cut: int
    taken_back: frozenset[str] = frozenset()
    under_way: dict[str, int] = field(default_factory=dict[str, int])


def plan_prune(reader: JournalReader, before_us: int, now_us: int) -> PrunePlan:
    """Return the plan for the events recorded before this instant.

    Whole rounds go, in order from the first; never one that isn't over, never an event that the broker hasn't
    acknowledged or whose hash isn't kept in a full tile yet.

    Args:
        before_us: UTC, microseconds.
        now_us: the present; a time later than both is wrong and says nothing.

    Raises:
        UnreadableError: the journal can't be read.
    """
    size, pruned = reader.last_sequence, reader.pruned()
    found = _last_before(reader, before_us, max(before_us, now_us))
    old = found.sequence or pruned
    tiled, published = size // TILE * TILE, number_of(reader.meta().get(Remembered.PUBLISHED, "0"))
    limit = min(old, tiled, published)
    walk = _Walk(pruned, frozenset(_taken_back(reader)))
    for event in reader.timed_events():
        _step(walk, event, limit)
    reasons = list(_reasons(walk, limit, (old, tiled, published), size, before_us))
    return PrunePlan(walk.cut, pruned, (*reasons, *_always(reader)), found.left_out)


def instant_of(text: str) -> int:
    """Return the instant of a date or an ISO 8601 time, in UTC microseconds.

    It is taken as UTC where it doesn't say.

    Raises:
        ValueError: it is neither.
    """
    at = datetime.fromisoformat(text)
    at = at.replace(tzinfo=UTC) if at.tzinfo is None else at
    return (at - _EPOCH) // timedelta(microseconds=1)


def days_before(now_us: int, days: int) -> int:
    """The instant so many times 24 hours ago."""
    return now_us - days * _DAY_US


def _last_before(reader: JournalReader, before_us: int, now_us: int) -> Found:
    """Return the last event of those recorded before an instant.

    Clocks may step back, so the first later event ends them.
    """
    last = left_out = 0
    for event in reader.timed_events():
        if event.recorded_us > now_us:
            left_out += 1
        elif event.recorded_us >= before_us:
            break
        else:
            last = event.sequence
    return Found(last, left_out)


def _step(walk: _Walk, event: TimedEvent, limit: int) -> None:
    within = event.sequence <= limit
    if event.topic == "event/round":
        _turn(walk, event, within=within)
    if within and not walk.under_way:
        walk.cut = event.sequence


def _turn(walk: _Walk, event: TimedEvent, *, within: bool) -> None:
    """Note that a round begins or ends.

    Beyond the limit only the end of those that began before it counts.
    """
    try:
        envelope = read_envelope(event.payload)
    except ValueError:
        return
    if envelope.kind == OPENED and within:
        walk.under_way[envelope.round_id] = event.sequence
    elif envelope.kind not in ENDS or envelope.id in walk.taken_back:
        return
    elif within:
        walk.under_way.pop(envelope.round_id, None)
    elif envelope.round_id in walk.under_way:
        walk.under_way[envelope.round_id] = -abs(walk.under_way[envelope.round_id])


def _taken_back(reader: JournalReader) -> Iterator[str]:
    """The ids of the ends that an amendment took back."""
    for event in reader.timed_events():
        if event.topic == "event/round" and REOPENED.encode() in event.payload:
            with suppress(ValueError, LookupError, TypeError, RecursionError):
                form = json.loads(event.payload)
                yield str(form["data"]["reopens"])


def _reasons(walk: _Walk, limit: int, limits: tuple[int, int, int], size: int, before_us: int) -> Iterator[str]:
    old, tiled, published = limits
    for round_id, first in walk.under_way.items():
        why = "would be cut in two" if first < 0 else "isn't over"
        yield f"events {abs(first)} to {limit}: round {round_id} {why}"
    for edge, why in sorted(
        ((published, "the broker hasn't acknowledged them"), (tiled, "their hashes are in no full tile yet"))
    ):
        if limit == edge < old:
            yield f"events {edge + 1} to {old}: {why}"
    if old < size:
        yield f"events {old + 1} to {size}: not recorded before {utc_text(before_us)}"


def _always(reader: JournalReader) -> Sequence[str]:
    head = reader.head()
    records = head.record if head else 0
    return (
        "the hashes of all events: every proof and every checkpoint holds as before",
        f"all {records} records with their facts: the table's state is folded from them",
    )
