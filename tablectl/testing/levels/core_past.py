"""Journal of the core level's table, in a separate folder.

With it rounds can be amended.
"""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import field, replace
from functools import partial
from typing import Any

from tablectl.core.amending.refold import Refolds
from tablectl.core.effects import Refuse
from tablectl.core.facts import Fact
from tablectl.core.facts.amendments import RoundAmended
from tablectl.core.game_step import Game, device_of_kind
from tablectl.core.table import Table
from tablectl.daemon.requests.amendment_edits import EditReader
from tablectl.daemon.requests.record_list import record_list
from tablectl.daemon.requests.round_past import RoundReader
from tablectl.journal.journal import Journal, open_journal
from tablectl.journal.records import Record
from tablectl.lazy_dataclass import dataclass
from tablectl.testing.blocking import own_folder
from tablectl.testing.scenarios.scenario import Form


@dataclass(slots=True)
class CorePast:
    """The records of a table that is folded without a daemon. Blocks."""

    journal: Journal
    _new: list[Record] = field(default_factory=list[Record])
    _rounds: RoundReader | None = None

    def add(self, record: Record) -> None:
        """Remembers one more record; it is written when somebody reads."""
        self._new.append(record)

    def resolved(self, game: Game[Any], table: Table[Any], fact: Fact) -> Fact:
        """An amendment with what it rests on, or with why it can't be made."""
        assert isinstance(fact.body, RoundAmended)
        basis = self._reader(game).basis(table, fact.round_id or "")
        if not isinstance(basis, Refuse):
            edits = EditReader(basis, partial(device_of_kind, game), fact.at).edits(fact.body.changes)
            basis = edits if isinstance(edits, Refuse) else replace(basis, edits=edits)
        return replace(fact, basis=basis)

    def listed(self, game: Game[Any], table: Table[Any], round_id: str) -> Sequence[Form]:
        """Return a round's facts as the console lists them.

        There are none where it can't be amended any more.
        """
        found = self._reader(game).amended(table, round_id)
        return () if isinstance(found, Refuse) else record_list(game, round_id, *found, Refolds())["records"]

    def _reader(self, game: Game[Any]) -> RoundReader:
        if self._new:
            self.journal.append(self._new, None)
            self._new = []
        self._rounds = self._rounds or RoundReader(game, None, self.journal, lambda _: None)
        return self._rounds


@contextmanager
def core_past() -> Generator[CorePast]:
    """A journal that is gone after the block."""
    with own_folder() as folder:
        journal = open_journal(folder)
        try:
            yield CorePast(journal)
        finally:
            journal.close()
