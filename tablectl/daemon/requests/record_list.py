"""Rounds as the journal has them, and lists of their facts for those who amend.

No card that lies face down is named.
"""

from collections.abc import Mapping
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from tablectl.core.amending.case import public_fields
from tablectl.core.amending.placed import Placed, as_amended, fact_form, is_amendable, that_stand
from tablectl.core.amending.refold import Refolded, Refolds
from tablectl.core.effects import Refuse
from tablectl.core.facts import Fact
from tablectl.core.facts.amendments import AMEND, Basis, Edit, Recorded, RoundAmended
from tablectl.core.facts.table_requests import RoundOpened
from tablectl.core.game_step import Game, device_of_kind
from tablectl.core.money import utc_text
from tablectl.core.protocols import Standing
from tablectl.core.table import Table, answered
from tablectl.daemon.table_fold import TableFold
from tablectl.journal.journal import Journal
from tablectl.lazy_dataclass import replace

if TYPE_CHECKING:
    from tablectl.daemon.requests.round_past import RoundReader


def record_list(
    then: Game[Any], round_id: str, basis: Basis, made: Mapping[int, Fact], refolded: Refolds
) -> Mapping[str, Any]:
    """The facts of a round in the order of their records, with its amendments.

    Args:
        then: the game by the terms of the round.
        made: its amendments, by their records.
        refolded: folds the round again.
    """
    recorded = as_amended(basis.facts, ())
    counting = as_amended(basis.facts, basis.earlier)
    known = {each.record: each for each in counting if each.record is not None}
    now, first = refolded(then, basis.opening, counting), refolded(then, basis.opening, recorded)
    before = {each.record: each for each in recorded}
    standing = that_stand(basis.earlier)
    changed = {edit.record: (each.record, edit) for each in standing for edit in each.edits if not edit.inserted}
    listed = {each.record for each in basis.facts}
    later = (Recorded(number, fact, AMEND) for number, fact in made.items() if number not in listed)
    lines = [_line(each, before, known, now, first, changed) for each in (*basis.facts, *later)]
    return {"round_id": round_id, "records": lines}


def _line(
    each: Recorded,
    before: Mapping[int | None, Placed],
    known: Mapping[int, Placed],
    now: Refolded,
    first: Refolded,
    changed: Mapping[int, tuple[int, Edit]],
) -> Mapping[str, Any]:
    body = each.fact.body
    amended_by, edit = changed.get(each.record, (None, None))
    line: dict[str, Any] = {
        "record": each.record,
        "time": utc_text(each.fact.at.utc_us),
        "source": each.fact.source,
        "by": each.fact.by,
        "verb": each.verb,
        "fields": _fields(each, before, known, now, first),
        "amendable": each.counts and is_amendable(type(body)),
        "strikable": each.counts and is_amendable(type(body)) and not isinstance(body, RoundOpened),
        "amended_by": amended_by,
    }
    if edit is not None and isinstance(edit.body, RoundAmended):
        line["now"] = fact_form(edit.body)
    elif edit is not None:
        line["now"] = public_fields(now, known[each.record]) if each.record in known else None
    return line


def _fields(
    each: Recorded, before: Mapping[int | None, Placed], known: Mapping[int, Placed], now: Refolded, first: Refolded
) -> dict[str, Any]:
    """The fields as they were recorded."""
    if not is_amendable(type(each.fact.body)):
        return {}
    if isinstance(each.fact.body, RoundAmended):
        return fact_form(each.fact.body)
    form = fact_form(each.fact.body)
    if not each.counts:
        return {name: value for name, value in form.items() if name not in {"card", "cards", "rows"}}
    placed = before[each.record]
    counted = known.get(each.record)
    seen = first.was_seen(placed) or (counted == placed and now.was_seen(placed))
    if each.verb in {"card", "packet"}:
        form["lies"] = now.cards[counted][0] if counted in now.cards else None
    if each.verb == "card" and not seen:
        form["card"] = None
    return {**form, **({"lies": placed.lies} if placed.lies else {})}


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
