"""Comparison of this build with the one that wrote a journal.

A build that came to another state from the same facts would change what was published; so every record is folded
again, and each event's bytes and each snapshot's state are compared with what the journal has. Records of an earlier
procedure version are left out: a start takes over from that version's last snapshot, and so does the check.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final, cast

from tablectl.config.game_setup import game_of
from tablectl.config.models import Config
from tablectl.core.protocols import StoredEvent
from tablectl.daemon.table_fold import TableFold
from tablectl.journal.procedure import PROCEDURE, snapshot_form
from tablectl.journal.reading.reader import JournalReader
from tablectl.journal.reading.rows import RecordRow, SnapshotRow
from tablectl.journal.records import Record, Snapshot
from tablectl.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Replay:
    """A table of this build that nobody plays at."""

    table: TableFold[Any]

    def begin(self, row: SnapshotRow) -> bool:
        """Goes on from a snapshot; false where this build can't read it."""
        return self.table.replay_from(Snapshot(row.record, row.sequence, row.version, row.state))

    def replay(self, row: RecordRow, stored: Sequence[StoredEvent]) -> Sequence[StoredEvent]:
        """Return the events that follow from one more record.

        Where it is of an earlier procedure, they are those stored.
        """
        return self.table.replayed(Record(row.number, row.recorded_us, row.body, tuple(stored)))

    def state(self) -> tuple[str, bytes]:
        """The form of the state now, and the state."""
        snapshot = self.table.take_snapshot()
        return snapshot.version, snapshot.state


def replay_of(config: Config) -> Replay:
    """A table under this configuration that has seen nothing."""
    played, place = game_of(config), (config.table.site, config.table.name)
    return Replay(TableFold(played.make(config), place, played.table, played.by_terms))


SHOWN: Final = 60
"""Letters of a value in a difference."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The first thing that this build makes another of.

    Args:
        record: where in the journal.
        what: `event 17, data.phase` or `the state`.
        stored: as it was written, shortened.
        made: as this build makes it, shortened.
    """

    record: int
    what: str
    stored: str
    made: str


@dataclass(slots=True)
class Checked:
    """Progress and result of the comparison.

    Args:
        pruned: events of which only the hash is left, so that their bytes can't be compared.
        foreign: snapshots in another build's form, which this one passes over.
        taken_over: the record up to which another procedure was played: its last snapshot; 0 where there is none.
        start_records: those that a start folds now.
        record_us: how long a record took here, in microseconds.
    """

    records: int = 0
    events: int = 0
    pruned: int = 0
    snapshots: int = 0
    foreign: int = 0
    taken_over: int = 0
    start_records: int = 0
    record_us: int = 0
    difference: Difference | None = None


def check(reader: JournalReader, replayer: Replay) -> Iterator[Checked]:
    """Compare the journal record by record; end at the first difference.

    The progress is yielded after each record.
    """
    snapshots = {row.record: row for row in reader.snapshots()}
    begun = _taken_over(list(snapshots.values()), replayer)
    checked = Checked(taken_over=begun.record if begun else 0)
    newest = max((row.record for row in snapshots.values() if row.version == snapshot_form()), default=0)
    events = _Rows(reader, begun.sequence if begun else 0)
    for row in reader.records(checked.taken_over):
        checked.records += 1
        checked.start_records += row.number > newest
        stored = list(events.of(row.number))
        checked.difference = _compare_events(row, stored, replayer.replay(row, stored), checked)
        if checked.difference is None and row.number in snapshots:
            checked.difference = _compare_state(snapshots[row.number], replayer, checked)
        yield checked
        if checked.difference is not None:
            return


def _taken_over(snapshots: Sequence[SnapshotRow], replayer: Replay) -> SnapshotRow | None:
    """Return the last snapshot of an earlier procedure that this build can read.

    It continues from there. It is None where there is none.
    """
    before = [row for row in snapshots if row.version in {snapshot_form(number) for number in range(1, PROCEDURE)}]
    return next((row for row in reversed(before) if replayer.begin(row)), None)


class _Rows:
    """The events of the journal, handed out record by record."""

    def __init__(self, reader: JournalReader, after: int) -> None:
        self._rows = reader.events(after)
        self._next = next(self._rows, None)

    def of(self, record: int) -> Iterator[StoredEvent]:
        """The events that follow from this record."""
        while self._next is not None and self._next.record == record:
            row, self._next = self._next, next(self._rows, None)
            yield StoredEvent(row.sequence, row.topic, row.payload)


def _compare_events(
    row: RecordRow, stored: Sequence[StoredEvent], made: Sequence[StoredEvent], checked: Checked
) -> Difference | None:
    for was, now in zip(stored, made, strict=False):
        checked.events += 1
        if not was.payload:
            checked.pruned += 1
        elif was != now:
            where, before, after = _first_difference(_form(was), _form(now))
            return Difference(row.number, f"event {was.sequence}, {where}", before, after)
    if len(stored) != len(made):
        return Difference(row.number, "events", _types(stored), _types(made))
    return None


def _compare_state(row: SnapshotRow, replayer: Replay, checked: Checked) -> Difference | None:
    version, state = replayer.state()
    if row.version != version:
        checked.foreign += 1
        return None
    checked.snapshots += 1
    if row.state == state:
        return None
    where, before, after = _first_difference(_json(row.state), _json(state))
    return Difference(row.record, f"the state, {where}", before, after)


def _form(event: StoredEvent) -> Any:
    form = _json(event.payload)
    return {"topic": event.topic, **(form if isinstance(form, dict) else {"payload": form})}


def _json(written: bytes) -> Any:
    """The value that was written; its text where it is damaged."""
    try:
        return json.loads(written)
    except (ValueError, RecursionError):
        return written.decode(errors="replace")


def _types(events: Sequence[StoredEvent]) -> str:
    return ", ".join(str(_form(event).get("type")) if event.payload else "pruned" for event in events) or "none"


def _first_difference(was: Any, now: Any, path: str = "") -> tuple[str, str, str]:
    """Where two forms first differ, and what stands there in each."""
    for name, before, after in _parts(was, now):
        if before != after:
            return _first_difference(before, after, f"{path}{name}" if path else name.lstrip("."))
    return path or "its bytes", _short(was), _short(now)


def _parts(was: Any, now: Any) -> Iterator[tuple[str, Any, Any]]:
    """The parts of two forms side by side; none where they have no parts in common."""
    if isinstance(was, dict) and isinstance(now, dict):
        before, after = cast("dict[str, Any]", was), cast("dict[str, Any]", now)
        yield from ((f".{key}", before.get(key), after.get(key)) for key in dict.fromkeys([*before, *after]))
    elif isinstance(was, list) and isinstance(now, list):
        first, second = cast("Sequence[Any]", was), cast("Sequence[Any]", now)
        if len(first) == len(second):
            yield from ((f"[{at}]", *pair) for at, pair in enumerate(zip(first, second, strict=True)))


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"
