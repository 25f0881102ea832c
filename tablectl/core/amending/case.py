"""Case of an amendment: the round as it counted and as it counts now."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tablectl.core.amending.placed import Placed, fact_form
from tablectl.core.amending.refold import Refolded
from tablectl.core.bets.results import Ended
from tablectl.core.effects import (
    Refuse,
)
from tablectl.core.events.amendments import AskedAgain
from tablectl.core.events.text import Saying
from tablectl.core.facts import Fact
from tablectl.core.facts.amendments import Basis, Edit, RoundAmended
from tablectl.core.facts.game_requests import PlacePaid
from tablectl.core.game_step import Game
from tablectl.core.table import Table
from tablectl.lazy_dataclass import dataclass, replace


@dataclass(frozen=True, slots=True)
class Case:
    """An amendment at work.

    Args:
        then: the game by the terms of the round.
        before: the round as it counted; `after` as it counts now.
        recorded: the facts that counted; `facts` those that count now.
        ending: how it was over, where it was.
        is_last: whether no other round was opened since.
    """

    game: Game[Any]
    then: Game[Any]
    table: Table[Any]
    fact: Fact
    asked: RoundAmended
    basis: Basis
    round_id: str
    before: Refolded
    after: Refolded
    recorded: tuple[Placed, ...]
    facts: tuple[Placed, ...]
    ending: Ended | None
    is_last: bool


def no(said: Saying, where: str = "", asks_again: tuple[AskedAgain, ...] = ()) -> Refuse:
    """An amendment is refused, in these words."""
    return Refuse("table", said.key.rpartition(".")[2], said, where, asks_again)


def stated_now(case: Case) -> Mapping[tuple[int, int] | None, str]:
    """The changes that this amendment makes, with their paths.

    Each is as `made_by` has it, its path as in `changes[2]`. Where it puts an earlier amendment right, those that are
    new in that one are among them.
    """
    known = {*case.recorded}
    paths = dict(_paths(case.basis.edits, case.table.records, "changes"))
    new = (each.made_by for each in case.facts if each not in known)
    return {made: f"{paths[made[0]]}[{made[1]}]" for made in new if made and made[0] in paths}


def _paths(edits: Sequence[Edit], record: int, path: str) -> Iterator[tuple[int, str]]:
    """Yield an amendment and those it puts right, with the paths of their changes.

    They are named by their records.
    """
    yield record, path
    for nth, edit in enumerate(edits):
        if edit.edits:
            yield from _paths(edit.edits, edit.record, f"{path}[{nth}].to.changes")


def where_of(path: str, placed: Placed) -> str:
    """Return the path of what a change states, as in `changes[2].to`."""
    return f"{path}.{'to' if placed.record is not None else 'fields'}"


def came_since(case: Case, placed: Placed) -> bool:
    """Return True if a fact came after the round was over for the first time."""
    return any(each.record == placed.record for each in case.basis.tail)


def asked_again(case: Case) -> tuple[AskedAgain, ...]:
    """The facts that aren't lawful any more, and were before.

    A payment isn't asked for again. A round that is over wants nothing that came after an end it had before.
    """
    before = {each.placed.record for each in case.before.refused}
    before |= {each.record for each in case.before.rest} if case.after.end else set()
    return tuple(
        AskedAgain(
            each.placed.record,
            each.placed.verb,
            public_fields(case.after, each.placed),
            each.refused.article,
            each.refused.code,
            each.refused.text,
        )
        for each in case.after.refused
        if not came_since(case, each.placed) and each.placed.record not in before
        if not isinstance(each.placed.fact.body, PlacePaid) or each.refused.code != "nothing_due"
    )


def missing(case: Case) -> AskedAgain:
    """Ask for the next step that the round waits for and nobody has recorded yet."""
    waiting = case.then.waiting(replace(case.after.table, faults=()))
    return AskedAgain(None, None, {}, "table", "missing", waiting)


def public_fields(done: Refolded, placed: Placed) -> dict[str, Any]:
    """The fields of a fact, where its card lies, and which it is if everybody saw it."""
    form = fact_form(placed.fact.body)
    if placed.verb in {"card", "packet"}:
        form["lies"] = placed.lies or done.cards.get(placed, (None, 0))[0]
    if "card" in form and placed.verb == "card" and not done.was_seen(placed):
        form["card"] = None
    return form
