"""Scan of stored events from the newest back, and the rounds that ended last.

It reads the fields of events.
"""

from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import aclosing, suppress
from functools import lru_cache
from typing import Final, cast

from pydantic_core import from_json

from tablectl.core.amending.counted_round import MOVES_END, OPENED, Form, counted
from tablectl.core.events import KINDS, TYPE_PREFIX
from tablectl.core.protocols import EventStore, StoredEvent
from tablectl.lazy_dataclass import dataclass

STEP: Final = 128
"""Events that are read at once: the journal's reader is its writer as well, and cards don't wait."""

FURTHEST: Final = 20_000
"""Events that are looked at before the past is left alone."""

ENVELOPE_BYTES: Final = 1024
"""The envelope's fields stand at the beginning of a payload."""


@dataclass(frozen=True, slots=True)
class EndedRound:
    """A round that is over, by the numbers of its first and last event."""

    round_id: str
    end: str
    first: int
    last: int


def envelope_field(event: StoredEvent, name: str) -> str:
    """A text of the envelope, without decoding all of it; empty where there is none."""
    _, mark, rest = event.payload[:ENVELOPE_BYTES].partition(_mark(name))
    value, end, _ = rest.partition(b'"')
    return value.decode(errors="replace") if mark and end else ""


@lru_cache(maxsize=64)
def _mark(name: str) -> bytes:
    return f'"{name}":"'.encode()


def kind_of(event: StoredEvent) -> str:
    """The event's kind, as `round.opened.v1`.

    It is read from the event's bytes only where the event came from the journal.
    """
    if event.event is not None:
        return KINDS[type(event.event)][1]
    return envelope_field(event, "type").removeprefix(TYPE_PREFIX)


def form_of(event: StoredEvent) -> Form:
    """The event as the JSON object that was published.

    An object without a kind where its bytes aren't an event.
    """
    with suppress(ValueError):
        form = from_json(event.payload, cache_strings="keys")
        if isinstance(form, dict) and isinstance(form.get("data"), dict):
            return cast("Form", form)
    return {"data": {}}


def moves_end(event: StoredEvent) -> bool:
    """Return True if this event changes the end of a round, or opens it again."""
    return event.topic == "event/round" and kind_of(event) in MOVES_END


async def backwards(store: EventStore) -> AsyncGenerator[StoredEvent]:
    """The stored events from the newest on.

    They go as far back as they aren't pruned and `FURTHEST` allows.

    Raises:
        TableStoppedError: the journal can't be read.
    """
    upper = store.last_sequence()
    last = max(0, upper - FURTHEST)
    while upper > last:
        after = max(last, upper - STEP)
        events = await store.events_after(after, upper - after)
        found = [event for event in events if event.sequence <= upper]
        for event in reversed(found):
            yield event
        if not found:
            return
        upper = after


async def last_rounds(store: EventStore, count: int) -> list[EndedRound]:
    """The last rounds that ended, oldest first.

    They are as many as requested, as far as all their events are there.

    Raises:
        TableStoppedError: the journal can't be read.
    """
    moved: dict[str, dict[int, Form]] = {}
    rounds: list[EndedRound] = []
    async with aclosing(backwards(store)) as events:
        async for event in events:
            round_id = envelope_field(event, "correlationid")
            if moves_end(event):
                moved.setdefault(round_id, {})[event.sequence] = form_of(event)
            elif round_id in moved and kind_of(event) == OPENED:
                rounds.extend(_ended(round_id, event.sequence, moved.pop(round_id)))
            if len(rounds) == count:
                break
    return rounds[::-1]


def _ended(round_id: str, first: int, moved: Mapping[int, Form]) -> Iterator[EndedRound]:
    """The round, if it is over.

    Its end is computed from the events that ended, reopened or corrected it, the newest first.
    """
    if (ending := counted(moved[number] for number in sorted(moved)).ending) is not None:
        last = next(number for number, event in moved.items() if event is ending.event)
        yield EndedRound(round_id, ending.end, first, last)
