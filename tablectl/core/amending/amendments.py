"""Amendments of recorded facts: refold of the round, and the events that follow.

The round is folded again with the amended facts in their places. The cards on the table decide, not what was read or
typed first. Nothing is erased: an amendment is a separate fact, and says which events it strikes.
"""

from collections.abc import Iterator
from itertools import takewhile
from typing import Any, Final, TypeVar

from tablectl.core.actions.authority import Need
from tablectl.core.amending.case import Case, came_since, no, stated_now
from tablectl.core.amending.placed import as_amended
from tablectl.core.amending.published import announced, payments_due
from tablectl.core.amending.refold import Refolds, fold_again, without_limits
from tablectl.core.amending.refusals import why_not
from tablectl.core.bets.results import ended
from tablectl.core.effects import (
    Announce,
    BlankDisplay,
    Command,
    Effects,
    RaiseFault,
    Refuse,
    ShowDraw,
    StopTimer,
)
from tablectl.core.events.round import (
    Consequence,
    Irregular,
)
from tablectl.core.events.text import saying
from tablectl.core.facts import Fact
from tablectl.core.facts.amendments import Amendment, Basis, RoundAmended
from tablectl.core.facts.table_requests import RoundOpened
from tablectl.core.game_step import Game
from tablectl.core.table import STALE_SCREEN, Table, round_named, round_number
from tablectl.lazy_dataclass import replace

S = TypeVar("S")
UNLAWFUL_SINCE: Final = "unlawful_since_amendment"
"""The irregularity of a later round's fact that stays, and wouldn't have been lawful after the amended round."""


def step(
    game: Game[S], table: Table[S], fact: Fact, asked: RoundAmended, then: Game[S], refolded: Refolds
) -> tuple[Table[S], Effects]:
    """The table after an amendment, and what follows from it.

    Args:
        then: the game by the terms of the amended round.
        refolded: folds the round again.
    """
    basis = fact.basis
    if not isinstance(basis, Basis):
        return table, (basis or no(saying("refuse.no_such_round", round=fact.round_id or "")),)
    if fact.seen is not None and fact.seen < basis.fresh_from:
        return table, (STALE_SCREEN,)
    case = _worked_out(game, table, fact, asked, basis, then, refolded)
    if (refused := why_not(case)) is not None:
        return table, (refused,)
    said = announced(case)
    is_repeatable = case.is_last and case.after.end is not None and case.after.bets
    bets = tuple(case.after.bets) if is_repeatable else table.last_bets
    amended = replace(_state(case), payments=payments_due(case, said, table.announced + 1), last_bets=bets)
    return amended, (*said, *_unlawful_since(case), *_faults(case), *_commands(case))


def second_needed(need: Need, fact: Fact) -> Refuse:
    """The refusal of what one person, or one without a supervisor, may not do."""
    if isinstance(fact.body, RoundOpened):
        return no(saying("refuse.payments_outstanding"))
    said = saying("refuse.two_persons_needed") if need is Need.TWO else saying("refuse.supervisor_needed")
    return no(said)


def _worked_out(
    game: Game[S],
    table: Table[S],
    fact: Fact,
    asked: RoundAmended,
    basis: Basis,
    then: Game[S],
    refolded: Refolds,
) -> Case:
    round_id = fact.round_id or ""
    this = Amendment(table.records, fact.by, fact.second, basis.edits)
    recorded = as_amended(basis.known(), basis.earlier)
    facts = as_amended(basis.known(), (*basis.earlier, this))
    is_open = game.round_id(table.game) == round_id
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(recorded, facts, strict=False)))
    refolded.as_they_stand(then, basis.opening, facts[:same])
    return Case(
        game,
        then,
        table,
        fact,
        asked,
        basis,
        round_id,
        refolded(then, basis.opening, recorded),
        refolded(then, basis.opening, facts),
        recorded,
        facts,
        None if is_open else ended(table.endings, round_id),
        round_number(round_id) == table.rounds,
    )


def _state(case: Case) -> Table[Any]:
    if case.ending is not None and not case.is_last:
        return case.table
    game = _after_its_end(case)
    return replace(case.table, game=game, phase_since=case.table.records)


def _after_its_end(case: Case) -> Any:
    """The game's state, with what happened since the round's end."""
    free = without_limits(case.game)
    table = case.after.table
    for each in case.after.rest:
        if came_since(case, each):
            table, _, _ = fold_again(free, table, each.fact, each.number)
    return table.game


def _commands(case: Case) -> tuple[Command, ...]:
    """Return the commands that the amended round needs and that were never sent."""
    if case.ending is not None and not case.is_last:
        return ()
    needed = case.game.outstanding(case.after.table.game)
    new = (each for each in case.after.commands if each not in case.before.commands)
    return tuple(each for each in new if each in needed or isinstance(each, BlankDisplay | ShowDraw | StopTimer))


def _faults(case: Case) -> tuple[RaiseFault, ...]:
    """The faults that show only now."""
    known = {(fault.code, fault.device) for _, fault in case.before.faults}
    paths = stated_now(case)
    new = (fault for placed, fault in case.after.faults if placed.made_by in paths)
    return tuple(dict.fromkeys(fault for fault in new if (fault.code, fault.device) not in known))


def _unlawful_since(case: Case) -> Iterator[Announce]:
    """Note the facts of the next round that would have been refused.

    They stay, and the round with them. By the contract on amendments ("What follows", 4).
    """
    free = without_limits(case.game)
    before, after = case.before.table, case.after.table
    round_id = round_named(case.table, round_number(case.round_id) + 1)
    for each in case.basis.later:
        if not each.counts or isinstance(each.fact.body, RoundAmended):
            continue
        before, _, said = fold_again(free, before, each.fact, each.record)
        known = any(isinstance(effect, Refuse) for effect in said)
        now, _, said = fold_again(free, after, each.fact, each.record)
        refused = next((effect for effect in said if isinstance(effect, Refuse)), None)
        after = now if refused is None else before
        if refused is not None and not known:
            text = saying("irregular.table.unlawful_since_amendment", record=each.record, round=case.round_id)
            by = case.fact.by
            yield Announce(Irregular(round_id, refused.article, UNLAWFUL_SINCE, text, Consequence.CONTINUES, None, by))
