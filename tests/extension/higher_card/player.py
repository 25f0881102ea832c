"""The player of high card."""

from typing import Any

from tablectl.players.moves import Ask, Draw, Move, Sight, next_bet


def next_move(sight: Sight, plan: Any) -> Move:
    """Open, take the bets that are planned, call, draw from the planned pack, and pay (`tablectl.players.moves`)."""
    match sight.phase:
        case "idle":
            return Ask("open_round")
        case "betting":
            return next_bet(sight, plan.bets) or Ask("close_betting")
        case "dealing":
            return Draw(plan.pack[sight.drawn % len(plan.pack)])
        case _:
            return Ask("pay_place")
