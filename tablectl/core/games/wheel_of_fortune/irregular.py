"""What the dealer or a supervisor declares of a round beside its spins."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from tablectl.core.events import Consequence
from tablectl.core.facts import IrregularityDeclared, RoundVoided
from tablectl.core.games.wheel_of_fortune.betting import is_place
from tablectl.core.games.wheel_of_fortune.state import Phase
from tablectl.core.games.wheel_of_fortune.turn import Outcome, Turn, end_void, irregular, refuse


class Kind(StrEnum):
    """What can be declared."""

    LATE_BET = "late_bet"
    BET_DISPUTED = "bet_disputed"


ARTICLES: Final[Mapping[Kind, str]] = {Kind.LATE_BET: "2", Kind.BET_DISPUTED: "3(3)"}


def irregularity_declared(turn: Turn, declared: IrregularityDeclared) -> Outcome:
    """Chips put down or moved after the call, or a bettor who says that his bet lies wrong: noted; the bets stand.

    Rule: 42/2003 art. 2 (no bet accepted, replaced or taken back after the call), art. 3(3) and 3(4) (bettors alone
    answer for where their chips lie, even where the dealer helped).
    """
    state = turn.state
    if state.phase is Phase.IDLE:
        return refuse(state, "2", "no_round")
    if declared.kind not in tuple(Kind):
        return refuse(state, "table", "no_such_kind", kind=declared.kind)
    if declared.place != "" and not is_place(turn.settings, declared.place):
        return refuse(state, "table", "no_such_place", place=declared.place, places=turn.settings.places)
    kind = Kind(declared.kind)
    return irregular(turn, state, ARTICLES[kind], kind.value, Consequence.CONTINUES, declared.place or None)


def round_voided(turn: Turn, voided: RoundVoided) -> Outcome:
    """A supervisor ends the round without a result; every stake goes back."""
    state = turn.state
    if state.phase is Phase.IDLE:
        return refuse(state, "2", "no_round")
    if not voided.reason.strip():
        return refuse(state, "table", "reason_missing")
    return end_void(turn, state, voided.reason)
