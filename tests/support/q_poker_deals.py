"""Q Poker rounds played up to a phase, or with one card out."""

from typing import Any

from tablectl.core.facts.game_requests import Dealing
from tablectl.core.facts.table_requests import BetOffered
from tablectl.core.games.q_poker.state import Phase
from tests.support.poker import next_cards
from tests.support.q_poker import Sitting, new_table, versus


def dealing_to(*places: int, dealing: Dealing = Dealing.SHOE, **settings: Any) -> Sitting:
    """A deal with one card, or one packet, out."""
    table = new_table(dealing, **settings).begin(*(versus(place) for place in places))
    next_cards(table, "As")
    return table


def all_dealt(*places: int, dealing: Dealing = Dealing.SHOE) -> Sitting:
    """A round whose hands have all their cards."""
    return new_table(dealing).begin(*(versus(place) for place in places)).deal()


def in_phase(phase: Phase, dealing: Dealing) -> Sitting:
    """A round with a bet of each kind on place 1, played up to this phase."""
    table = new_table(dealing)
    if phase == Phase.IDLE:
        return table
    table.begin(versus(1), BetOffered(1, "bob", "pair_or_better", 10_00))
    if phase == Phase.BETTING:
        return table
    table.close()
    if phase == Phase.CLOSED:
        return table
    if phase == Phase.DEALING:
        next_cards(table, "As", "Qs")
        return table
    table.deal()
    if phase is not Phase.OPENING:
        table.turn_up_players()
    if phase == Phase.SHOWDOWN:
        table.decide_all()
    return table
