"""How values of the recorder stand in columns, whichever the database."""

import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from typing import cast

from tablectl.features.recorder.ranges import Range
from tablectl.features.recorder.stores.records import Dispute, Event, Gap, Heartbeat, LogState, SeenDevice, Trust
from tablectl.proof.tree import HASH_BYTES, Frontier

FORM = 1
"""The form of the tables."""

OTHER_FORM = "the recorder's tables there have form {}, this build knows {}: use the build that made them"
TAKEN = "another recorder writes into it"

Key = tuple[int, int]
"""A log's number in the database, and an event's."""


def ranges_text(ranges: Sequence[Range]) -> str:
    """Ranges as JSON."""
    return json.dumps(ranges)


def frontier_of(size: int, peaks: bytes) -> Frontier:
    """A tree from its columns."""
    return Frontier(size, _hashes(peaks))


def peaks_of(frontier: Frontier) -> bytes:
    """A tree's hashes, one behind the other."""
    return b"".join(frontier.peaks)


def state_columns(state: LogState) -> tuple[object, ...]:
    """A log's columns, without its number."""
    site, name = state.place.split("/")
    return (
        state.source,
        site,
        name,
        ranges_text(state.ranges),
        ranges_text(state.gone),
        state.head,
        state.agreed.size,
        peaks_of(state.agreed),
        state.verified,
        state.verified_at,
        b"".join(state.keys),
        state.trust.value,
        state.trouble,
        state.last_at,
    )


def state_of(columns: Sequence[object]) -> LogState:
    """Make a log's state from its columns.

    They are source, ranges, gone, head, agreed, peaks, verified and so on.
    """
    source, ranges, gone, head, agreed, peaks, verified, verified_at, keys, trust, trouble, last_at = columns
    return LogState(
        str(source),
        _ranges(ranges),
        _ranges(gone),
        int(str(head)),
        frontier_of(int(str(agreed)), _bytes(peaks)),
        int(str(verified)),
        when(verified_at),
        _hashes(_bytes(keys)),
        Trust(str(trust)),
        str(trouble),
        when(last_at),
    )


def when(value: object) -> str | None:
    """A time from its column, RFC 3339 in UTC to the microsecond."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"
    return None if value is None else str(value)


def gap_of(columns: Sequence[object]) -> Gap:
    """A gap from its columns: source, low, high, noticed, filled."""
    source, low, high, noticed, filled = columns
    return Gap(str(source), int(str(low)), int(str(high)), when(noticed) or "", when(filled))


def heartbeat_of(columns: Sequence[object]) -> Heartbeat:
    """A sign of life from its columns: at, session, connected."""
    at, session, connected = columns
    return Heartbeat(when(at) or "", str(session), connected=bool(connected))


def device_columns(seen: SeenDevice) -> dict[str, object]:
    """A device's columns, by name."""
    site, name = seen.place.split("/")
    return {
        "site": site,
        "name": name,
        "device": seen.name,
        "maker": seen.maker,
        "model": seen.model,
        "serial": seen.serial,
        "firmware": seen.firmware,
        "simulated": seen.simulated,
        "since": seen.since,
    }


def digest(dispute: Dispute) -> bytes:
    """By what a dispute is known again."""
    return sha256(dispute.payload).digest()


def split_new(events: Sequence[Event], keys: Sequence[Key], inserted: Iterable[Key]) -> list[tuple[Event, Key]]:
    """Return the events that were stored already, with their keys.

    Of an event that comes twice at once the first is new.
    """
    new = set(inserted)
    old: list[tuple[Event, Key]] = []
    for event, key in zip(events, keys, strict=True):
        if key in new:
            new.remove(key)
        else:
            old.append((event, key))
    return old


def _hashes(row: bytes) -> tuple[bytes, ...]:
    """Hashes or keys that stand one behind the other."""
    return tuple(row[at : at + HASH_BYTES] for at in range(0, len(row), HASH_BYTES))


def _ranges(text: object) -> tuple[Range, ...]:
    """Ranges from JSON, which some databases have read already."""
    form = cast("Sequence[Sequence[int]]", json.loads(text) if isinstance(text, str) else text)
    return tuple((int(low), int(high)) for low, high in form)


def _bytes(value: object) -> bytes:
    assert isinstance(value, bytes)
    return value
