"""What goes wrong at the table: what the dealer declares, and a reader that was away."""

from dataclasses import replace

from tablectl.core.facts import DeviceAttached, FaultRaised, IrregularityDeclared, RoundVoided
from tablectl.core.faults import Code
from tablectl.core.games.chinese_dice.state import (
    AWAITS_THROW,
    PLACE_MAX,
    ChineseDice,
    Doubt,
    Kind,
    Phase,
    number_of,
)
from tablectl.core.games.chinese_dice.throwing import AWAY, due_to_throw, invalidated, outrun, standing_throw
from tablectl.core.games.chinese_dice.turn import Outcome, Turn, end_void, irregular, refuse
from tablectl.core.table import STALE_SCREEN, device, restarted


def irregularity_declared(turn: Turn, declared: IrregularityDeclared) -> Outcome:
    """The dealer saw what the regulation forbids: it is recorded, and the round goes on.

    Dice held away from the table make the throw that they were used for invalid, while it isn't paid.

    Rule: 108/89/M art. 2(c), 2(f), 2(g), 3(c); reading 16.
    """
    state = turn.state
    if state.phase is Phase.IDLE:
        return refuse(state, "2(a)", "no_round")
    if declared.kind not in tuple(Kind):
        return refuse(state, "table", "no_such_kind", kind=declared.kind)
    place = number_of(state, declared.place)
    if place is None and declared.place != "":
        return refuse(state, "3(a)", "no_such_place", place=declared.place, places=PLACE_MAX)
    kind = Kind(declared.kind)
    return _held_away(turn, place) if kind is Kind.DICE_HELD_AWAY else irregular(turn, state, kind, place)


def round_voided(turn: Turn, voided: RoundVoided) -> Outcome:
    """A supervisor ends the round without a result."""
    state = turn.state
    if state.phase is Phase.IDLE:
        return refuse(state, "2(a)", "no_round")
    if not voided.reason.strip():
        return refuse(state, "table", "reason_missing")
    return end_void(turn, state, "table", voided.reason)


def device_lost(turn: Turn, name: str) -> Outcome:
    """A reader that was away may have missed a throw; the dealer enters what he saw."""
    return (_maybe_missed(turn.state) if name and name == turn.settings.dice else turn.state), ()


def device_attached(turn: Turn, seen: DeviceAttached) -> Outcome:
    """A reader that comes back or started anew may have missed a throw, though none was due when it was lost."""
    before = device(turn.table, seen.device)
    was_away = not before.attached or restarted(before, seen.boot)
    return device_lost(turn, seen.device) if was_away else (turn.state, ())


def fault_raised(turn: Turn, raised: FaultRaised) -> Outcome:
    """Reports of the reader that are lost may have been throws."""
    return device_lost(turn, raised.device) if raised.code == Code.EVENT_GAP else (turn.state, ())


def _held_away(turn: Turn, declared: int | None) -> Outcome:
    """Dice held away from the table: the throw that they were used for is repeated.

    Rule: 108/89/M art. 3(c); reading 16.
    """
    state = turn.state
    if outrun(turn):
        return state, (STALE_SCREEN,)
    last, place = standing_throw(state), declared or (state.due or due_to_throw(state))
    if last is not None and last.place == place:
        return invalidated(turn, AWAY)
    return irregular(turn, state, Kind.DICE_HELD_AWAY, place)


def _maybe_missed(state: ChineseDice) -> ChineseDice:
    """The state in which a throw may have been made that nobody reported."""
    return replace(state, doubt=Doubt.AWAY) if state.phase in AWAITS_THROW else state
