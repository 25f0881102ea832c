"""The player of high card."""

from collections.abc import Mapping
from typing import Any

from tablectl.players.moves import Ask, Draw, Move, next_bet


def next_move(sight: Mapping[str, Any], plan: Any, drawn: int) -> Move:
    """Open, take the bets that are planned, call, draw from the planned pack, and pay (`tablectl.players.moves`)."""
    match sight["phase"]:
        case "idle":
            return Ask("open_round")
        case "betting":
            return next_bet(sight["round"], plan.bets) or Ask("close_betting")
        case "dealing":
            return Draw(plan.pack[drawn % len(plan.pack)])
        case _:
            return Ask("pay_place")
