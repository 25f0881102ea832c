"""Rounds that amendments are about, as the journal has them, with the edits."""

from collections.abc import Mapping
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from tablectl.core.copies import replace
from tablectl.core.effects import Refuse
from tablectl.core.facts import Fact
from tablectl.core.facts.amendments import Basis, RoundAmended
from tablectl.core.game_step import device_of_kind
from tablectl.core.protocols import Standing
from tablectl.core.table import Table, answered
from tablectl.daemon.table_fold import TableFold
from tablectl.journal.journal import Journal

if TYPE_CHECKING:
    from tablectl.daemon.requests.round_past import RoundReader

S = TypeVar("S")


class BasisReader(Generic[S]):
    """Reader of the basis of amendments. Its methods block.

    What only amendments need is imported with the first: most sessions have none.
    """

    def __init__(self, folding: TableFold[S], journal: Journal) -> None:
        self._folding, self._journal = folding, journal

    @cached_property
    def _rounds(self) -> "RoundReader":
        from tablectl.daemon.requests.round_past import RoundReader

        folding = self._folding
        return RoundReader(folding.game, folding.past.by_terms, self._journal, folding.read_snapshot, folding.refolded)

    def of_amendment(self, fact: Fact, standing: Standing) -> tuple[Basis | Refuse, Mapping[str, Any] | None]:
        """The basis of an amendment: the round as recorded, and the amendment's edits.

        With it the outcome that it had, where it was sent before.
        """
        from tablectl.daemon.requests.amendment_edits import EditReader

        assert isinstance(fact.body, RoundAmended)
        folding = self._folding
        basis = self._rounds.basis(folding.state, fact.round_id or "")
        if not isinstance(basis, Refuse):
            edits = EditReader(basis, partial(device_of_kind, folding.game), fact.at).edits(fact.body.changes)
            basis = edits if isinstance(edits, Refuse) else replace(basis, edits=edits)
        earlier = answered(folding.state, fact.by or "", fact.request_id or "")
        if standing.dry or earlier is None or earlier.asked != repr(fact.body):
            return basis, None
        return basis, self._rounds.outcome_of(earlier.record, standing.roles or ())

    def amended(self, table: Table[S], round_id: str) -> tuple[Basis, Mapping[int, Fact]] | Refuse:
        """A round as its journal has it, and its amendments by their records."""
        return self._rounds.amended(table, round_id)
