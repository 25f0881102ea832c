"""Admission of requests: which are recorded, their consequences, and refusals."""

from collections.abc import Mapping, Sequence
from typing import Any

from tablectl.core import fold
from tablectl.core.actions.authority import SUPERVISOR, Need, is_met, need_of
from tablectl.core.actions.names import refused_name
from tablectl.core.amending.amendments import second_needed
from tablectl.core.amending.as_seen import as_everybody_sees, in_full, names_cards
from tablectl.core.amending.case import no
from tablectl.core.bets.results import Ended, Nets, ended, rest_of
from tablectl.core.dealing.deal import as_seen
from tablectl.core.effects import Announce, Effects, Refuse
from tablectl.core.events.amendments import Amended
from tablectl.core.facts import Body, Fact
from tablectl.core.facts.amendments import Amendment, Basis, RoundAmended
from tablectl.core.facts.game_requests import HandOpened
from tablectl.core.game_step import Game, shown_phase
from tablectl.core.money import format_money
from tablectl.core.protocols import JUDGED, Reply, Standing
from tablectl.core.table import Table, answered
from tablectl.daemon.table_fold import TableFold
from tablectl.journal.encoding import plain
from tablectl.lazy_dataclass import replace


def outcome(
    game: Game[Any],
    before: Table[Any],
    after: Table[Any],
    fact: Fact,
    effects: Effects,
    need: Need,
    roles: Sequence[str],
) -> dict[str, Any]:
    """The outcome of a request, as the console says it.

    Args:
        roles: of who asks, alone.
    """
    amended = next(
        (each.event for each in effects if isinstance(each, Announce) and isinstance(each.event, Amended)), None
    )
    round_id = fact.round_id or game.round_id(before.game) or ""
    was_open = game.round_id(before.game) == round_id
    is_open = game.round_id(after.game) == round_id
    return {
        "phase": amended.phase if amended else shown_phase(game, after),
        "asks_again": plain(amended.asks_again) if amended else [],
        "nets": {
            "before": None if was_open else nets_form(ended(before.endings, round_id)),
            "after": None if is_open else nets_form(ended(after.endings, round_id)),
        },
        "to_pay": plain(amended.to_pay) if amended else None,
        "to_take_back": plain(amended.to_take_back) if amended else None,
        "needs_second": need is Need.TWO or (need is Need.SUPERVISOR and SUPERVISOR not in roles),
    }


def nets_form(ending: Ended | None) -> dict[str, Any] | None:
    """The net results of a round for the bettors and the casino.

    None where it isn't over.
    """
    if ending is None:
        return None
    nets: Nets = ending.nets
    return {
        "bettors": [{"bettor": bettor, "net": format_money(net)} for bettor, net in nets],
        "house": rest_of(nets),
    }


def unrecorded(folding: TableFold[Any], fact: Fact, standing: Standing) -> Reply | None:
    """The reply to a request that isn't to be recorded; None where it is.

    It isn't where it is a dry run, where its names can't be told apart, or where the requester may not make it. One
    that was answered before has that answer again, whoever it would take and whoever else is there by now.
    """
    if not standing.dry and _first_sent(folding.state, fact):
        return None
    if (unfit := refused_name(folding.state, fact)) is not None:
        return Reply(0, no(*unfit))
    if standing == JUDGED:
        return None
    if not standing.dry and fold.is_repeated(folding.state, fact):
        return None
    need, roles = need_of(folding.game, folding.state, fact), standing.roles or ()
    if standing.dry:
        return dry_run(folding, fact, need, roles)
    return None if is_met(need, roles) else Reply(0, second_needed(need, fact))


def dry_run(folding: TableFold[Any], fact: Fact, need: Need, roles: tuple[str, ...]) -> Reply:
    """The consequences of a request, without recording it.

    Nobody learns from it what lies face down: cards that the request names are taken as named, whatever was read, and
    a hand that would be opened as it was read comes to nothing yet.
    """
    game, before, then = folding.game, folding.state, folding.past.then(fact)
    known = replace(before, game=as_seen(before.game)) if names_cards(fact.body) else before
    bodies: list[Body | None] = [fact.body]
    if isinstance(basis := fact.basis, Basis):
        bodies = [edit.body for edit in in_full(basis.edits)]
        this = Amendment(before.records + 1, fact.by, fact.second, basis.edits)
        fact = replace(fact, basis=as_everybody_sees(then, basis, this, folding.refolded))
    after, effects = fold.step(game, known, fact, then, folding.refolded)
    if (refused := next((each for each in effects if isinstance(each, Refuse)), None)) is not None:
        return Reply(0, refused)
    told = outcome(game, before, after, fact, effects, need, roles)
    if any(isinstance(body, HandOpened) and not body.cards for body in bodies):
        told = {**told, "nets": {**told["nets"], "after": None}, "to_pay": None, "to_take_back": None}
    return Reply(0, None, told)


def amended(
    folding: TableFold[Any], before: Table[Any], fact: Fact, standing: Standing, effects: Effects
) -> Mapping[str, Any] | None:
    """The consequences of an amendment just folded; None for any other fact."""
    if not isinstance(fact.body, RoundAmended):
        return None
    need = need_of(folding.game, before, fact)
    return outcome(folding.game, before, folding.state, fact, effects, need, standing.roles or ())


def record_of(table: Table[Any], fact: Fact) -> int:
    """The record of the request just folded.

    That of its first sending, where it was sent again.
    """
    return _first_sent(table, fact) or table.records


def _first_sent(table: Table[Any], fact: Fact) -> int:
    """The record of this very request; 0 where it wasn't answered before."""
    earlier = answered(table, fact.by or "", fact.request_id) if fact.request_id else None
    return earlier.record if earlier and earlier.asked == repr(fact.body) else 0
