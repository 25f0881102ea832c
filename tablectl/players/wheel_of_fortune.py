"""The player of Wheel of Fortune: bets on symbols, and a spin that may have to be made again."""

from typing import Any, Final

from tablectl.players.moves import Ask, Move, Sight, Spin, Wait, next_bet

TURNS_TOLD: Final = 3
"""As many turns as make a spin valid: more are not counted. Rule: 42/2003 art. 4(3)."""


def next_move(sight: Sight, plan: Any) -> Move:
    """The next move of a round from its bets to its payment (`tablectl.players.moves`)."""
    wheel = sight.round["wheel"]
    match sight.phase:
        case "idle":
            return Ask("open_round")
        case "paying":
            return Ask("pay_place")
        case "betting":
            return next_bet(sight, plan.bets) or Ask("close_betting")
        case "closed" if not wheel["turning"]:
            return Spin(plan.turns)
        case "spinning" if wheel["doubt"] and sight.rested is not None:
            return told(sight.rested)
        case "stopped":
            return Ask("confirm_spin")
        case _:
            return Wait()


def told(rested: Any) -> Ask:
    """What the wheel did, by a supervisor's word. Rule: 42/2003 art. 5; reading 11."""
    section = None if rested.on_peg else rested.section
    turns = min(rested.turns_milli // 1000, TURNS_TOLD)
    return Ask("declare_spin", {"turns": turns, "section": section}, by="supervisor")
