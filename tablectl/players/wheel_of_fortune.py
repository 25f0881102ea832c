"""The player of Wheel of Fortune: bets on symbols, and spins until one counts."""

from typing import Any, Final

from tablectl.players.moves import Ask, Move, Spin, TableView, Wait, next_bet

TURNS_TOLD: Final = 3
"""As many turns as make a spin valid: more are not counted. Rule: 42/2003 art. 4(3)."""


def next_move(view: TableView, plan: Any) -> Move:
    """The next move of a round, from its bets to its payment."""
    wheel = view.round["wheel"]
    match view.phase:
        case "idle":
            return Ask("open_round")
        case "paying":
            return Ask("pay_place")
        case "betting":
            return next_bet(view, plan.bets) or Ask("close_betting")
        case "closed" if not wheel["turning"]:
            return Spin(plan.turns)
        case "spinning" if wheel["doubt"] and view.rested is not None:
            return declared(view.rested)
        case "stopped":
            return Ask("confirm_spin")
        case _:
            return Wait()


def declared(rested: Any) -> Ask:
    """A supervisor's statement of the spin.

    Rule: 42/2003 art. 5; reading 11.
    """
    section = None if rested.on_peg else rested.section
    turns = min(rested.turns_milli // 1000, TURNS_TOLD)
    return Ask("declare_spin", {"turns": turns, "section": section}, by="supervisor")
