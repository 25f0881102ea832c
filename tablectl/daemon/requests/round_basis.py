"""Rounds that amendments are about, as the journal has them, with the edits."""

from dataclasses import replace
from functools import partial
from typing import Generic, TypeVar

from tablectl.core.effects import Refuse
from tablectl.core.facts import Fact
from tablectl.core.facts.amendments import Basis, RoundAmended
from tablectl.core.game_step import device_of_kind
from tablectl.core.table import Table
from tablectl.daemon.requests.amendment_edits import EditReader
from tablectl.daemon.requests.round_past import RoundReader
from tablectl.daemon.table_fold import TableFold
from tablectl.journal.journal import Journal

S = TypeVar("S")


class BasisReader(Generic[S]):
    """Reader of the basis of amendments. Its methods block."""

    def __init__(self, folding: TableFold[S], journal: Journal) -> None:
        self._folding = folding
        self._rounds = RoundReader(
            folding.game, folding.past.by_terms, journal, folding.read_snapshot, folding.refolded
        )

    def of_amendment(self, fact: Fact) -> Basis | Refuse:
        """The basis of an amendment: the round as recorded, and the amendment's edits."""
        assert isinstance(fact.body, RoundAmended)
        basis = self.of_round(self._folding.state, fact.round_id or "")
        if isinstance(basis, Refuse):
            return basis
        edits = EditReader(basis, partial(device_of_kind, self._folding.game), fact.at).edits(fact.body.changes)
        return edits if isinstance(edits, Refuse) else replace(basis, edits=edits)

    def of_round(self, table: Table[S], round_id: str) -> Basis | Refuse:
        """A round as its journal has it."""
        return self._rounds.basis(table, round_id)
