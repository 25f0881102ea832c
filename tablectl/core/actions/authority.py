"""Roles that a request needs, by the state of the table.

From the first visible outcome on, nobody undoes it alone.
"""

from collections.abc import Iterator, Sequence
from enum import IntEnum
from typing import Any, Final

from tablectl.core.amending.placed import REPORTS, that_stand
from tablectl.core.bets.payments import awaited
from tablectl.core.cards import BANKER, DEALER
from tablectl.core.effects import Refuse
from tablectl.core.facts import Fact
from tablectl.core.facts.amendments import Basis, Edit, RoundAmended
from tablectl.core.facts.game_requests import (
    CardExposed,
    CardsCounted,
    CasinoJoined,
    DealCancelled,
    MalfunctionDeclared,
    MisdealDeclared,
    SpinDeclared,
    SpinInvalidated,
)
from tablectl.core.facts.table_requests import IrregularityDeclared, MaterialNamed, RoundOpened, RoundVoided
from tablectl.core.game_step import Game, device_of_kind, one
from tablectl.core.materials import FOREIGN_CARD, in_use
from tablectl.core.table import Table
from tablectl.lazy_dataclass import replace

SUPERVISOR: Final = "supervisor"
STOPPED: Final = "stopped"
"""The phase in which a spin's result stands and isn't confirmed."""

SUPERVISORS_WORD: Final = frozenset({"shown_otherwise"})
"""The kinds of irregularity that a supervisor alone declares, whatever can be seen."""

JUDGED: Final = (
    CardExposed,
    CardsCounted,
    DealCancelled,
    IrregularityDeclared,
    MalfunctionDeclared,
    MaterialNamed,
    MisdealDeclared,
    RoundAmended,
    RoundOpened,
    SpinDeclared,
    SpinInvalidated,
)
"""The facts of which the table's state says whose word they take; any other takes anybody's."""


SUPERVISED: Final = (RoundVoided, CasinoJoined)
"""The requests that take a supervisor in every phase: the console asks for one whatever the table's state."""


class Need(IntEnum):
    """Roles that have to stand behind a request."""

    ANY = 0
    SUPERVISOR = 1
    TWO = 2


def is_met(need: Need, roles: Sequence[str]) -> bool:
    """Return True if persons of these roles can do it together."""
    return need is Need.ANY or (SUPERVISOR in roles and (need is Need.SUPERVISOR or len(roles) > 1))


def need_of(game: Game[Any], table: Table[Any], fact: Fact) -> Need:
    """Return the roles that a request needs now.

    By the contract on amendments ("Who may"). A dealer declares a spin alone only where the table has no sensor.

    Rule: 42/2003 art. 5; readings 11, 12.
    """
    if not isinstance(fact.body, JUDGED):
        return Need.ANY
    if isinstance(fact.body, RoundAmended):
        return _to_amend(game, table, fact)
    if isinstance(fact.body, RoundOpened):
        return Need.SUPERVISOR if awaited(table.payments) else Need.ANY
    if isinstance(fact.body, IrregularityDeclared) and fact.body.kind in SUPERVISORS_WORD:
        return Need.SUPERVISOR
    if isinstance(fact.body, MaterialNamed):  # one that is unfit comes back only with a supervisor
        used = in_use(table.materials, fact.body.kind)
        return Need.SUPERVISOR if used and not used.fit and used.name in {"", fact.body.name} else Need.ANY
    if isinstance(fact.body, SpinInvalidated):  # an invalid rotation is called of a spin that has started
        return Need.SUPERVISOR
    if isinstance(fact.body, SpinDeclared) and device_of_kind(game, "wheel"):
        return Need.SUPERVISOR
    undoes = game.outcome_seen(table.game) and _undoes(game, table, fact)
    return Need.SUPERVISOR if undoes else Need.ANY


def _to_amend(game: Game[Any], table: Table[Any], fact: Fact) -> Need:
    if isinstance(fact.basis, Refuse):  # whoever asks, it can't be made
        return Need.ANY
    if fact.round_id != game.round_id(table.game):
        return Need.TWO
    basis = fact.basis
    if game.outcome_seen(table.game) or (isinstance(basis, Basis) and basis.outcome_shown):
        return Need.SUPERVISOR
    edits = tuple(_in_full(basis, basis.edits)) if isinstance(basis, Basis) else ()
    supervised = any(_contradicts(edit) or _is_supervised(game, table, fact, edit) for edit in edits)
    return Need.SUPERVISOR if supervised else Need.ANY


def _in_full(basis: Basis, edits: Sequence[Edit]) -> Iterator[Edit]:
    """Yield the changes in full.

    In the place of one of an amendment stand those that it made, that count of it, and that it makes now.
    """
    made = (*basis.earlier, *that_stand(basis.earlier))
    seen, left = set[Edit](), [*edits]
    while left:
        edit = left.pop()
        if edit in seen:
            continue
        seen.add(edit)
        amended = () if edit.inserted else made  # what follows an amendment's record doesn't touch it
        of_before = [each for every in amended if every.record == edit.record for each in every.edits]
        if of_before or edit.edits:
            left += (*of_before, *edit.edits)
        else:
            yield edit


def _is_supervised(game: Game[Any], table: Table[Any], fact: Fact, edit: Edit) -> bool:
    """Return True if a change states what the dealer may not ask for alone."""
    if edit.body is None:
        return False
    return isinstance(edit.body, SUPERVISED) or need_of(game, table, replace(fact, body=edit.body)) is not Need.ANY


def _contradicts(edit: Edit) -> bool:
    """Return True if a change is about the content of a device's report.

    A change of nothing but the place where the reported card lies contradicts no device.
    """
    if edit.verb not in REPORTS.values():
        return False
    if edit.inserted and edit.verb in {"card", "packet"}:
        return "card" in edit.stated and getattr(edit.body, "card", None) is not None
    return edit.body is None or bool({*(edit.own or edit.stated)} - {"lies"})


def _undoes(game: Game[Any], table: Table[Any], fact: Fact) -> bool:
    """Return True if a request can undo an outcome that was seen."""
    match fact.body:
        case MisdealDeclared() | MalfunctionDeclared() | DealCancelled():
            return True
        case SpinDeclared():  # after an invalid rotation there is no result to undo
            return game.phase(table.game) == STOPPED
        case IrregularityDeclared(kind):
            return kind == FOREIGN_CARD
        case CardExposed(place):
            return place in {DEALER, BANKER}
        case CardsCounted():
            after, _, _ = one(game, table, fact)
            return game.round_id(after.game) != game.round_id(table.game)
        case _:
            return False
