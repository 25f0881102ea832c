"""Records of the recorder: the values between its ingest and its store."""

import re
from dataclasses import field
from enum import StrEnum
from typing import Final

from tablectl.features.recorder.ranges import Range
from tablectl.lazy_dataclass import dataclass
from tablectl.proof.tree import Frontier

_SOURCE: Final = re.compile(r"/tablectl/([^/+#\0]+/[^/+#\0]+)/[A-Za-z0-9._-]{1,64}")


class Trust(StrEnum):
    """Why a log's key is believed."""

    NONE = "none"
    PINNED = "pinned"
    FIRST_USE = "first_use"


class Wrong(StrEnum):
    """Subject of a dispute."""

    DIFFERENT = "different"
    """An event with a number that is kept already, and other bytes."""
    ROOT = "root"
    """A checkpoint that the table signed, and that isn't of the events that are kept."""
    SIGNATURE = "signature"
    """A checkpoint that isn't signed by the log's key."""
    KEY = "key"
    """A table that names another key than the one that is trusted."""
    UNREADABLE = "unreadable"
    """Something that isn't what its topic says."""
    ELSEWHERE = "elsewhere"
    """A message of one table on a topic of another."""


@dataclass(frozen=True, slots=True)
class Event:
    """An event as it came.

    Args:
        source: `/tablectl/<site>/<table>/<log id>`.
        kind: as `round.opened.v1`.
        time: of what happened, RFC 3339; None where it can't be read.
        payload: its exact bytes.
        received: when it came here, RFC 3339.
    """

    source: str
    sequence: int
    id: str
    kind: str
    time: str | None
    round_id: str
    payload: bytes
    received: str


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A signed note that agrees with the events that are kept.

    Args:
        frontier: the tree at its size, from which any later one can be made.
        verified: whether the log's trusted key signed it.
    """

    source: str
    note: str
    frontier: Frontier
    received: str
    verified: bool


@dataclass(frozen=True, slots=True)
class Gap:
    """Numbers that were missing.

    Args:
        filled: when the last of them had come; None while one is missing.
    """

    source: str
    low: int
    high: int
    noticed: str
    filled: str | None = None


@dataclass(frozen=True, slots=True)
class Dispute:
    """Evidence that something isn't as it should be.

    It is stored beside what was there first, never over it.

    Args:
        place: `<site>/<table>`, from the topic.
        source: the log; empty where the message doesn't tell.
        sequence: the event's number, or the checkpoint's size; else 0.
        told: one line for people.
    """

    place: str
    source: str
    wrong: Wrong
    sequence: int
    told: str
    payload: bytes
    received: str


@dataclass(frozen=True, slots=True)
class SeenDevice:
    """A device as its table names it.

    Args:
        place: `<site>/<table>`.
        name: as its table calls it, such as `shoe`.
        since: when it was seen there so first, RFC 3339.
    """

    place: str
    name: str
    maker: str
    model: str
    serial: str
    firmware: str
    simulated: bool
    since: str


@dataclass(frozen=True, slots=True)
class LogState:
    """How far a log is kept and verified.

    Args:
        ranges: the numbers that are kept.
        gone: numbers that the table itself no longer has.
        head: the highest number known to exist, from an event or a verified checkpoint.
        agreed: the tree at the last checkpoint that agreed with it.
        verified: events under the last checkpoint that agreed and was signed by a trusted key.
        verified_at: when that checkpoint came.
        keys: the log's public keys that are believed, in their order; none while none is.
        trouble: why the table doesn't fill a gap; empty where it does.
        last_at: when the last event came.
    """

    source: str
    ranges: tuple[Range, ...] = ()
    gone: tuple[Range, ...] = ()
    head: int = 0
    agreed: Frontier = field(default_factory=Frontier)
    verified: int = 0
    verified_at: str | None = None
    keys: tuple[bytes, ...] = ()
    trust: Trust = Trust.NONE
    trouble: str = ""
    last_at: str | None = None

    @property
    def place(self) -> str:
        """`<site>/<table>`."""
        return place_of(self.source)


@dataclass(frozen=True, slots=True)
class Batch:
    """Content of one transaction of the store.

    The states are those after the events.
    """

    events: tuple[Event, ...] = ()
    logs: tuple[LogState, ...] = ()
    checkpoints: tuple[Checkpoint, ...] = ()
    gaps: tuple[Gap, ...] = ()
    disputes: tuple[Dispute, ...] = ()
    devices: tuple[SeenDevice, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.events or self.logs or self.checkpoints or self.gaps or self.disputes or self.devices)


@dataclass(frozen=True, slots=True)
class Saved:
    """Outcome of a batch in the store.

    Args:
        disputes: those that weren't known before.
        different: the events that are stored with other bytes, known before or not.
    """

    disputes: tuple[Dispute, ...] = ()
    different: tuple[Event, ...] = ()


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """A sign of life of the recorder itself.

    Args:
        at: RFC 3339.
        session: the run of the recorder; empty in its last word, when it was told to stop.
        connected: whether the broker was there.
    """

    at: str
    session: str
    connected: bool


@dataclass(frozen=True, slots=True)
class Held:
    """All that a store knows of a log.

    Args:
        since: the time of the first event of the last unbroken stretch.
        gaps_filled: how many there were of which nothing is missing any more.
        disputes: of its table.
        retired: who says, and why, that the log ended and is as complete as it will ever be; empty: nobody.
    """

    state: LogState
    since: str | None
    gaps_filled: int
    disputes: int
    retired: str = ""


def place_of(source: str) -> str:
    """`<site>/<table>` of a source; empty where it isn't one."""
    form = _SOURCE.fullmatch(source)
    return form[1] if form else ""


def different(event: Event) -> Dispute:
    """The dispute about an event whose number is kept with other bytes."""
    told = f"event {event.sequence} came with other bytes than those that are kept"
    place = place_of(event.source)
    return Dispute(place, event.source, Wrong.DIFFERENT, event.sequence, told, event.payload, event.received)
