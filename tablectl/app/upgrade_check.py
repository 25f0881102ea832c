"""What `tablectl upgrade-check` needs of the shell: this build's table, folding somebody's journal."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tablectl.app.games import game_of
from tablectl.core.ports import StoredEvent
from tablectl.shell.clock import SystemClock
from tablectl.shell.config import Config
from tablectl.shell.journal import open_journal
from tablectl.shell.journal_rows import Record
from tablectl.shell.table import LiveTable
from tablectl.tools.journal_reader import RecordRow


@dataclass(frozen=True, slots=True)
class Replay:
    """A table of this build that nobody plays at."""

    table: LiveTable[Any]

    def replay(self, row: RecordRow) -> Sequence[StoredEvent]:
        """The events that follow from one more record."""
        return self.table.replayed(Record(row.number, row.recorded_us, row.body))

    def state(self) -> tuple[str, bytes]:
        """The form of the state now, and the state."""
        snapshot = self.table.replayed_state()
        return snapshot.version, snapshot.state


@contextmanager
def replaying(config: Config) -> Generator[Replay]:
    """A table under this configuration with a journal of its own, empty and gone afterwards."""
    played, place = game_of(config), (config.table.site, config.table.name)
    with TemporaryDirectory(prefix="tablectl-upgrade-check-") as folder:
        journal = open_journal(Path(folder))
        table = LiveTable(played.make(config), journal, SystemClock(), place, played.table, played.by_terms)
        try:
            yield Replay(table)
        finally:
            table.shut()
