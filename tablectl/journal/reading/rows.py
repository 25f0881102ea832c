"""Rows of a journal's file, the queries for them, and its remembered values."""

from enum import StrEnum
from typing import Final, NamedTuple


class UnreadableError(Exception):
    """The journal can't be read: what is wrong and what to do, in one line."""


class MissingRowError(UnreadableError):
    """A row that others speak of isn't there."""


class RecordRow(NamedTuple):
    """A record as it stands in the file."""

    number: int
    recorded_us: int
    body: bytes
    salt: bytes
    link: bytes


class EventRow(NamedTuple):
    """An event as it stands in the file; its payload is empty once it was pruned."""

    sequence: int
    record: int
    topic: str
    payload: bytes


class TileRow(NamedTuple):
    """A full tile of the tree as it stands in the file."""

    number: int
    root: bytes
    leaves: bytes


class SnapshotRow(NamedTuple):
    """A snapshot as it stands in the file."""

    record: int
    sequence: int
    version: str
    state: bytes
    seal: bytes


class TimedEvent(NamedTuple):
    """An event and when it was recorded, UTC microseconds."""

    sequence: int
    topic: str
    payload: bytes
    recorded_us: int


RECORDS: Final = "SELECT number, recorded_us, body, salt, link FROM record WHERE number > ? ORDER BY number"
EVENTS: Final = "SELECT sequence, record, topic, payload FROM event WHERE sequence > ? ORDER BY sequence"
TILES: Final = "SELECT number, root, leaves FROM tile ORDER BY number"
SNAPSHOTS: Final = "SELECT record, sequence, version, state, seal FROM snapshot ORDER BY record"
TIMED: Final = (
    "SELECT sequence, topic, payload, recorded_us FROM event JOIN record ON record.number = event.record"
    " WHERE payload != x'' ORDER BY sequence"
)
NAMING: Final = "SELECT sequence, record, topic, payload FROM event WHERE instr(payload, ?) ORDER BY sequence"
NAMING_BACK: Final = (
    "SELECT sequence, record, topic, payload FROM event WHERE sequence < ? AND instr(payload, ?) ORDER BY sequence DESC"
)
FOUND: Final = "SELECT sequence, record, topic, payload FROM event WHERE sequence = ?"
LAST: Final = "SELECT sequence, record, topic, payload FROM event ORDER BY sequence DESC LIMIT 1"
LAST_RECORD: Final = "SELECT number, recorded_us, body, salt, link FROM record ORDER BY number DESC LIMIT 1"
KEY_CHANGES: Final = "SELECT body FROM record WHERE instr(body, CAST('\"key_changed\"' AS BLOB)) ORDER BY number"
TILE: Final = "SELECT number, root, leaves FROM tile WHERE number = ?"


class Remembered(StrEnum):
    """Keys of the journal's table `meta`; nothing is written under another one."""

    PUBLISHED = "published"
    """The last event that the broker has."""

    CHECKPOINT = "checkpoint"
    """The last signed note."""

    PRUNED = "pruned"
    """The last event without its payload."""

    FAIRNESS = "fairness"
    """The account of the evidence, as far as it was weighed."""

    CERTIFICATES = "certificates"
    """The last threshold told of each certificate, by its fingerprint, as JSON."""
