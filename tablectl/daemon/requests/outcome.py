"""Consequences of a request, for its answer and for a dry run."""

from collections.abc import Sequence
from typing import Any

from tablectl.core.actions.authority import SUPERVISOR, Need
from tablectl.core.bets.results import Ended, Nets, ended, rest_of
from tablectl.core.effects import Announce, Effects
from tablectl.core.events.amendments import Amended
from tablectl.core.facts import Fact
from tablectl.core.game_step import Game, shown_phase
from tablectl.core.money import format_money
from tablectl.core.table import Table
from tablectl.journal.encoding import plain


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
