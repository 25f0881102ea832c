"""Stored events: their fields, from the newest back, and the rounds that ended last."""

import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from tablectl.core.events import KINDS, TYPE_PREFIX
from tablectl.core.protocols import EventStore, StoredEvent
from tablectl.journal.encoding import plain

STEP: Final = 128
"""Events that are read at once: the journal's reader is its writer as well, and cards don't wait."""

FURTHEST: Final = 20_000
"""Events that are looked at before the past is left alone."""

ENDS: Final[Mapping[str, str]] = MappingProxyType(
    {"mo.tablectl.round.settled.v1": "settled", "mo.tablectl.round.void.v1": "void"}
)
"""The types with which a round ends, and how."""

OPENED: Final = "mo.tablectl.round.opened.v1"

_ENVELOPE_BYTES: Final = 1024
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
    _, mark, rest = event.payload[:_ENVELOPE_BYTES].partition(f'"{name}":"'.encode())
    value, end, _ = rest.partition(b'"')
    return value.decode(errors="replace") if mark and end else ""


def kind_of(event: StoredEvent) -> str:
    """CloudEvents type of an event; read from its bytes only where it came from the journal."""
    return envelope_field(event, "type") if event.event is None else TYPE_PREFIX + KINDS[type(event.event)][1]


def data_of(event: StoredEvent) -> Mapping[str, Any]:
    """Content of an event's `data`; read from its bytes only where it came from the journal.

    Raises:
        ValueError: the bytes aren't JSON.
        LookupError: they have no `data`.
        TypeError: they aren't an object.
    """
    data: Mapping[str, Any] = json.loads(event.payload)["data"] if event.event is None else plain(event.event)
    return data


def end_of(event: StoredEvent) -> str:
    """Return how this event ends a round: `settled`, `void` or not at all."""
    return ENDS.get(kind_of(event), "") if event.topic == "event/round" else ""


async def backwards(store: EventStore) -> AsyncGenerator[StoredEvent]:
    """The stored events from the newest on, as far back as they aren't pruned and anybody wants to look.

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
    """The last rounds that ended, oldest first, as many as are asked for and wholly there.

    Raises:
        TableStoppedError: the journal can't be read.
    """
    ends: dict[str, tuple[str, int]] = {}
    rounds: list[EndedRound] = []
    async with aclosing(backwards(store)) as events:
        async for event in events:
            round_id = envelope_field(event, "correlationid")
            if (end := end_of(event)) and round_id not in ends:
                ends[round_id] = end, event.sequence
            elif round_id in ends and kind_of(event) == OPENED:
                rounds.append(EndedRound(round_id, ends[round_id][0], event.sequence, ends[round_id][1]))
            if len(rounds) == count:
                break
    return rounds[::-1]
