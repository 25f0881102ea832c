"""What the wheel's sensor reports: spins in their turn and out of it, and a wheel that moves by itself."""

from dataclasses import replace

from tablectl.core.events import Consequence, SpinBegan
from tablectl.core.facts import DeviceAttached, FaultRaised, SpinStarted, SpinStopped, TurnCompleted, WheelMoved
from tablectl.core.faults import Code
from tablectl.core.games.wheel_of_fortune.reading import BLOCKING, believed, invalid, read, works
from tablectl.core.games.wheel_of_fortune.result import dropped, judged, respin
from tablectl.core.games.wheel_of_fortune.state import (
    MOST_TURNS,
    Cause,
    Phase,
    Rotation,
    Stray,
    WheelOfFortune,
    after,
    is_section,
    open_round,
    symbol_at,
)
from tablectl.core.games.wheel_of_fortune.turn import Outcome, Turn, announce, irregular, momentary, then
from tablectl.core.wheel import Flaw


def spin_started(turn: Turn, started: SpinStarted) -> Outcome:
    """The wheel turns: this is the round's spin where the bets are closed, and out of turn elsewhere.

    Rule: 42/2003 art. 2 (the call comes before the spin), art. 4(1) (either direction).
    """
    state = turn.state
    if not (_is_the_wheel(turn, started.device) and believed(turn.table, turn.settings)):
        return state, ()
    if state.phase is Phase.SPINNING:
        lost, said = dropped(turn, state, Flaw.SAMPLE_GAP.value)
        return then(said, _begun(turn, lost, started))
    if state.phase is Phase.CLOSED:
        return _begun(turn, state, started)
    if state.phase is Phase.IDLE and not works(turn.table, turn.settings):
        # A sensor that doesn't know its position asks for the wheel to be turned; by the end of it, it may know.
        return replace(state, stray=Stray.DROPPED), ()
    turning = replace(state, stray=Stray.OUT_OF_TURN)
    return then(announce(_beginning(turn, started)), _out_of_turn(turn, turning))


def turn_completed(turn: Turn, done: TurnCompleted) -> Outcome:
    """One more full turn of the spin that counts."""
    state = turn.state
    if state.phase is not Phase.SPINNING or not _is_the_wheel(turn, done.device):
        return state, ()
    return replace(state, turns=min(max(state.turns, done.turns), MOST_TURNS)), ()


def spin_stopped(turn: Turn, stopped: SpinStopped) -> Outcome:
    """The wheel came to rest: a result if it was the round's spin and nothing was wrong with it.

    Rule: 42/2003 art. 4(3), 4(4), 5.
    """
    state = turn.state
    if not _is_the_wheel(turn, stopped.device):
        return state, ()
    rotation = read(stopped.spin, turn.settings, turn.rules)
    if state.phase is Phase.SPINNING:
        return judged(turn, state, rotation if works(turn.table, turn.settings) else _nowhere(rotation))
    if state.stray is not Stray.NONE:
        return _stray_stopped(state, rotation)
    return _unannounced(turn, rotation) if works(turn.table, turn.settings) else (state, ())


def wheel_moved(turn: Turn, moved: WheelMoved) -> Outcome:
    """The wheel moved at rest: the result that was read stands, and the round notes it.

    Rule: 42/2003 art. 4(2), 5.
    """
    state = turn.state
    if state.phase is Phase.STOPPED and _is_the_wheel(turn, moved.device):
        noted, said = irregular(turn, state, "5", "moved_after_stop", Consequence.CONTINUES)
        return noted, said + momentary(Code.WHEEL_MOVED_AFTER_STOP, moved.device)
    if _is_the_wheel(turn, moved.device) and works(turn.table, turn.settings):
        return state, momentary(Code.WHEEL_UNEXPECTED_MOTION, moved.device)
    return state, ()


def sensor_lost(turn: Turn, name: str) -> Outcome:
    """The sensor is away: what it saw of a spin is no result, and what it will see has no beginning.

    Rule: 42/2003 art. 4(4): the wheel is spun again.
    """
    state = turn.state
    if not _is_the_wheel(turn, name):
        return state, ()
    if state.phase is not Phase.SPINNING:
        return replace(state, stray=Stray.NONE), ()
    lost, said = dropped(turn, state, Flaw.SAMPLE_GAP.value, "sensor_lost")
    return replace(lost, stray=Stray.NONE), said


def sensor_attached(turn: Turn, seen: DeviceAttached) -> Outcome:
    """A sensor that was put in anew in the middle of a spin did not see all of it."""
    return sensor_lost(turn, seen.device)


def fault_raised(turn: Turn, raised: FaultRaised) -> Outcome:
    """A fault with which the sensor isn't believed, or that hides what it reported, makes the spin no result.

    Rule: 42/2003 art. 4(4): the wheel is spun again.
    """
    state = turn.state
    if state.phase is not Phase.SPINNING or not _is_the_wheel(turn, raised.device):
        return state, ()
    if raised.code in BLOCKING:
        return dropped(turn, state, Flaw.POSITION_UNKNOWN.value)
    return dropped(turn, state, Flaw.SAMPLE_GAP.value) if raised.code == Code.EVENT_GAP else (state, ())


def _is_the_wheel(turn: Turn, name: str) -> bool:
    return bool(name) and name == turn.settings.wheel


def _begun(turn: Turn, state: WheelOfFortune, started: SpinStarted) -> Outcome:
    spinning = replace(
        state,
        phase=after(state.phase, Cause.SPUN),
        direction=started.direction.value,
        turns=0,
        stray=Stray.NONE,
        rotation=None,
    )
    return spinning, announce(_beginning(turn, started))


def _beginning(turn: Turn, started: SpinStarted) -> SpinBegan:
    section = started.section if is_section(started.section) else None
    symbol = symbol_at(turn.settings, section)
    return SpinBegan(open_round(turn.state), started.direction.value, section=section, symbol=symbol)


def _out_of_turn(turn: Turn, state: WheelOfFortune) -> Outcome:
    """A spin when none is due: it is no result, and nothing else changes.

    Rule: 42/2003 art. 2 before the call, art. 5 where the wheel has shown its result.
    """
    noted, said = _noted(turn, state)
    return noted, said + momentary(Code.WHEEL_SPIN_OUT_OF_TURN, turn.settings.wheel)


def _noted(turn: Turn, state: WheelOfFortune) -> Outcome:
    """The spin out of turn as an irregularity of the round, if there is one."""
    if state.phase is Phase.IDLE:
        return state, ()
    if state.phase is Phase.BETTING:
        return irregular(turn, state, "2", "spun_before_call", Consequence.CONTINUES)
    return irregular(turn, state, "5", "spun_after_stop", Consequence.CONTINUES)


def _stray_stopped(state: WheelOfFortune, rotation: Rotation) -> Outcome:
    """A spin that was no result from its beginning, or was called none, came to its end."""
    ended = replace(state, stray=Stray.NONE)
    if state.stray is Stray.DROPPED:
        return ended, ()
    return ended, announce(invalid(state, _with_reason(rotation, Stray.OUT_OF_TURN.value)))


def _unannounced(turn: Turn, rotation: Rotation) -> Outcome:
    """The end of a spin whose beginning nobody reported.

    Rule: 42/2003 art. 4(4) where a spin was due; art. 2 where none was.
    """
    state = turn.state
    if state.phase is Phase.CLOSED:
        return respin(turn, state, _with_reason(rotation, Flaw.SAMPLE_GAP.value))
    said = announce(invalid(state, _with_reason(rotation, Stray.OUT_OF_TURN.value)))
    return then(said, _out_of_turn(turn, state))


def _nowhere(rotation: Rotation) -> Rotation:
    """The rotation as a sensor can read it that still doesn't know its position."""
    nowhere = replace(rotation, section=None, symbol=None, margin_mdeg=None)
    return _with_reason(nowhere, Flaw.POSITION_UNKNOWN.value)


def _with_reason(rotation: Rotation, reason: str) -> Rotation:
    """The rotation with one more reason, after those that it has."""
    return replace(rotation, reasons=tuple(dict.fromkeys((*rotation.reasons, reason))))
