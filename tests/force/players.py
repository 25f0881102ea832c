"""Who plays at a small table: what they do next follows from the table's state alone, so they go on after any kill."""

import random
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from tablectl.core.cards import COMMON, PACK
from tablectl.core.facts.game_requests import Dealing
from tablectl.players.moves import Move, Plan, TableView
from tablectl.rule_tables import game_record, part
from tests.support.crash_players import bets

LAST_ROUND: Final = 2
"""Which is opened and bet on, and left open: so there is a log that was written over, and a state to come back to."""

PLANS: Final[Mapping[str, Plan]] = {
    "q-poker": Plan(bets(*((place, bet) for place in (2, 5) for bet in ("pair_or_better", "versus_dealer")))),
    "football-poker": Plan(bets((2, "even"), (5, "post"), (COMMON, "odd")), dealing=Dealing.SHUFFLER),
}
"""What is played, by the name of the game's demonstration."""


def next_move(game: str, state: Mapping[str, Any]) -> Move | None:
    """What the dealer does next; None where the script is at its end.

    Args:
        state: as the console would show it.
    """
    number = int(state["round_id"].split("-")[1]) if state["round_id"] else 0
    if number == LAST_ROUND and state["round"]["bets"]:
        return None
    lying = sum(len(hand["cards"]) for hand in state["round"]["hands"])
    pack = tuple(random.Random(f"force {number}").sample(PACK, len(PACK)))
    move: Move = part(game_record(game.replace("-", "_")).player)(
        TableView(state, lying), replace(PLANS[game], pack=pack)
    )
    return move
