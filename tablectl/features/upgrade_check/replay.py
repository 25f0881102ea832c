"""Table of this build that folds another build's journal."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tablectl.config import Config
from tablectl.config.game_setup import game_of
from tablectl.core.protocols import StoredEvent
from tablectl.daemon.host.clock import SystemClock
from tablectl.daemon.table import LiveTable
from tablectl.journal.journal import open_journal
from tablectl.journal.reading.rows import RecordRow, SnapshotRow
from tablectl.journal.records import Record, Snapshot


@dataclass(frozen=True, slots=True)
class Replay:
    """A table of this build that nobody plays at."""

    table: LiveTable[Any]

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
        snapshot = self.table.replayed_state()
        return snapshot.version, snapshot.state


@contextmanager
def replaying(config: Config) -> Generator[Replay]:
    """Open a table under this configuration with a journal of its own.

    The journal is empty at first, and gone afterwards.
    """
    played, place = game_of(config), (config.table.site, config.table.name)
    with TemporaryDirectory(prefix="tablectl-upgrade-check-") as folder:
        journal = open_journal(Path(folder))
        table = LiveTable(played.make(config), journal, SystemClock(), place, played.table, played.by_terms)
        try:
            yield Replay(table)
        finally:
            table.shut()
