"""The player of high card."""

from typing import Any

from tablectl.players.moves import Ask, Draw, Move, TableView, next_bet


def next_move(view: TableView, plan: Any) -> Move:
    """Open, take the bets that are planned, call, draw from the planned pack, and pay (`tablectl.players.moves`)."""
    match view.phase:
        case "idle":
            return Ask("open_round")
        case "betting":
            return next_bet(view, plan.bets) or Ask("close_betting")
        case "dealing":
            return Draw(plan.pack[view.drawn % len(plan.pack)])
        case _:
            return Ask("pay_place")
