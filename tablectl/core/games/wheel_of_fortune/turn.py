"""One step of a Wheel of Fortune round in the making, and the few moves that every rule is made of."""

from dataclasses import replace

from tablectl.core.effects import Effects
from tablectl.core.events import Consequence, Irregular, Voided, saying
from tablectl.core.facts import Place
from tablectl.core.games.wheel_of_fortune.rules import WheelOfFortuneRules
from tablectl.core.games.wheel_of_fortune.state import (
    Cause,
    Phase,
    Rotation,
    Settings,
    Stray,
    WheelOfFortune,
    after,
)
from tablectl.core.stakes import returned
from tablectl.core.turn import Turn as AnyTurn
from tablectl.core.turn import announce as announce
from tablectl.core.turn import momentary as momentary
from tablectl.core.turn import refusal
from tablectl.core.turn import then as then

GAME = "wheel_of_fortune"

Turn = AnyTurn[WheelOfFortune, Settings, WheelOfFortuneRules]
Outcome = tuple[WheelOfFortune, Effects]


def refuse(state: WheelOfFortune, article: str, code: str, **values: object) -> Outcome:
    """Nothing changes; the asker is told why."""
    return state, (refusal(GAME, article, code, **values),)


def irregular(
    turn: Turn, state: WheelOfFortune, article: str, code: str, consequence: Consequence, place: Place | None = None
) -> Outcome:
    """The irregularity noted in the round, and published with its article."""
    text = saying(f"irregular.wheel_of_fortune.{code}", place=place or "")
    event = Irregular(state.round_id, article, code, text, consequence, place, turn.fact.by)
    return replace(state, irregularities=(*state.irregularities, article)), announce(event)


def end_void(turn: Turn, state: WheelOfFortune, reason: str) -> Outcome:
    """The round ended without a result, for this reason: every stake goes back."""
    event = Voided(state.round_id, reason, "table", turn.who, returned(state.bets))
    still_turns = Stray.DROPPED if state.phase is Phase.SPINNING else state.stray
    return cleared(replace(state, stray=still_turns), Cause.VOIDED), announce(event)


def cleared(state: WheelOfFortune, cause: Cause, shown: Rotation | None = None) -> WheelOfFortune:
    """The table between rounds: no bet lies on it, and the wheel shows the result of the last round, if it had one."""
    return WheelOfFortune(phase=after(state.phase, cause), round_id=state.round_id, stray=state.stray, rotation=shown)
