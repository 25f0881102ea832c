"""Reports of the wheel's sensor.

Spins that are due, spins out of turn, and a wheel that moves by itself.
"""

from typing import Final

from tablectl.core.effects import announce, momentary
from tablectl.core.events.device import SpinBegan
from tablectl.core.facts import FaultRaised, SessionBegan
from tablectl.core.facts.reports import DeviceAttached, DeviceLost, SpinStarted, SpinStopped, TurnCompleted, WheelMoved
from tablectl.core.faults import Code
from tablectl.core.games.wheel_of_fortune.reading import BLOCKING, believed, doubt_about, invalid, read, works
from tablectl.core.games.wheel_of_fortune.spin_result import doubted, judged
from tablectl.core.games.wheel_of_fortune.state import (
    MOST_TURNS,
    Cause,
    Outcome,
    Phase,
    Rotation,
    Step,
    Stray,
    WheelOfFortune,
    after,
    is_section,
    open_round,
    symbol_at,
)
from tablectl.core.outcomes import Flaw
from tablectl.core.step import irregular, then
from tablectl.lazy_dataclass import replace

MOST_MRPM: Final = 1_000_000
"""No wheel is let go faster."""


def spin_started(step: Step, started: SpinStarted) -> Outcome:
    """Take the beginning of a spin.

    It is the round's where the bets are closed, and out of turn elsewhere.
    A second beginning without an end puts the spin that turns in doubt: its number of turns isn't known.

    Rule: 42/2003 art. 2 (the call comes before the spin), art. 4(1) (either direction); reading 12.
    """
    state = step.state
    if not (_is_the_wheel(step, started.device) and believed(step.table, step.settings)):
        return state, ()
    if state.phase is Phase.SPINNING:
        return doubted(step, state, Flaw.SAMPLE_GAP.value)
    if state.phase is Phase.CLOSED:
        return _begun(step, state, started)
    if state.phase is Phase.IDLE and not works(step.table, step.settings):
        # A sensor that doesn't know its position asks for the wheel to be turned; by the end of it, it may know.
        return replace(state, stray=Stray.DROPPED), ()
    turning = replace(state, stray=Stray.OUT_OF_TURN)
    return then(announce(_beginning(step, started)), _out_of_turn(step, turning))


def turn_completed(step: Step, done: TurnCompleted) -> Outcome:
    """One more full turn of the spin that counts."""
    state = step.state
    if state.phase is not Phase.SPINNING or not _is_the_wheel(step, done.device):
        return state, ()
    return replace(state, turns=min(max(state.turns, done.turns), MOST_TURNS)), ()


def spin_stopped(step: Step, stopped: SpinStopped) -> Outcome:
    """Take the end of a spin.

    It is a result if the spin was the round's and nothing was wrong with it.

    Rule: 42/2003 art. 4(3), 4(4), 5; reading 11 (a sensor that didn't see all of it leaves it to people).
    """
    state = step.state
    if not _is_the_wheel(step, stopped.device):
        return state, ()
    rotation = read(stopped.spin, step.settings, step.rules)
    if state.phase is Phase.SPINNING:
        return _witnessed(step, replace(state, stray=Stray.NONE), rotation)
    if state.stray is not Stray.NONE:
        return _stray_stopped(state, rotation)
    return _unannounced(step, rotation) if works(step.table, step.settings) else (state, ())


def wheel_moved(step: Step, moved: WheelMoved) -> Outcome:
    """Take a movement of the wheel at rest.

    The result that was read stands, and the round notes the movement.

    Rule: 42/2003 art. 4(2), 5.
    """
    state = step.state
    if state.phase is Phase.STOPPED and _is_the_wheel(step, moved.device):
        noted, said = irregular(step, state, "5", "moved_after_stop")
        return noted, said + momentary(Code.WHEEL_MOVED_AFTER_STOP, moved.device)
    if _is_the_wheel(step, moved.device) and works(step.table, step.settings):
        return state, momentary(Code.WHEEL_UNEXPECTED_MOTION, moved.device)
    return state, ()


def device_lost(step: Step, lost: DeviceLost) -> Outcome:
    """Take the loss of the wheel's sensor."""
    return _sensor_lost(step, lost.device)


def device_attached(step: Step, seen: DeviceAttached) -> Outcome:
    """A sensor that was put in anew in the middle of a spin did not see all of it."""
    return _sensor_lost(step, seen.device)


def session_began(step: Step, _: SessionBegan) -> Outcome:
    """Treat the sensor as lost.

    Its reports while the daemon was away weren't received.
    """
    return _sensor_lost(step, step.settings.wheel)


def _sensor_lost(step: Step, name: str) -> Outcome:
    """Go on without the sensor.

    It is no witness of the spin that turns, and the next end that it reports has no beginning.

    Rule: 42/2003 art. 5; reading 11.
    """
    state = step.state
    if not _is_the_wheel(step, name):
        return state, ()
    if state.phase is not Phase.SPINNING:
        return replace(state, stray=Stray.NONE), ()
    return doubted(step, state, Flaw.SAMPLE_GAP.value, "sensor_lost", stray=Stray.NONE)


def fault_raised(step: Step, raised: FaultRaised) -> Outcome:
    """Leave the spin to people after a fault of the sensor.

    The fault makes its reports worthless, or some of them are missing.

    Rule: 42/2003 art. 5; reading 11.
    """
    state = step.state
    if state.phase is not Phase.SPINNING or not _is_the_wheel(step, raised.device):
        return state, ()
    if raised.code in BLOCKING:
        return doubted(step, state, Flaw.POSITION_UNKNOWN.value)
    return doubted(step, state, Flaw.SAMPLE_GAP.value) if raised.code == Code.EVENT_GAP else (state, ())


def _is_the_wheel(step: Step, name: str) -> bool:
    return bool(name) and name == step.settings.wheel


def _witnessed(step: Step, state: WheelOfFortune, rotation: Rotation) -> Outcome:
    """The end of the round's spin, as a sensor saw it whose word is taken, or isn't."""
    if state.doubt:
        return state, ()
    doubt = doubt_about(rotation) if works(step.table, step.settings) else Flaw.POSITION_UNKNOWN.value
    return doubted(step, state, doubt, stray=Stray.NONE) if doubt else judged(step, state, rotation)


def _begun(step: Step, state: WheelOfFortune, started: SpinStarted) -> Outcome:
    spinning = replace(
        state,
        phase=after(state.phase, Cause.SPUN),
        direction=started.direction.value,
        turns=0,
        stray=Stray.NONE,
        rotation=None,
    )
    return spinning, announce(_beginning(step, started))


def _beginning(step: Step, started: SpinStarted) -> SpinBegan:
    section = started.section if is_section(started.section) else None
    symbol = symbol_at(step.settings, section)
    release_rpm = min(max(started.release_mrpm or 0, 0), MOST_MRPM) / 1000
    return SpinBegan(
        open_round(step.state), started.direction.value, section=section, symbol=symbol, release_rpm=release_rpm
    )


def _out_of_turn(step: Step, state: WheelOfFortune) -> Outcome:
    """A spin when none is due: it is no result, and nothing else changes.

    Rule: 42/2003 art. 2 before the call, art. 5 where the wheel has shown its result.
    """
    noted, said = _noted(step, state)
    return noted, said + momentary(Code.WHEEL_SPIN_OUT_OF_TURN, step.settings.wheel)


def _noted(step: Step, state: WheelOfFortune) -> Outcome:
    """The spin out of turn as an irregularity of the round, if there is one."""
    if state.phase is Phase.IDLE:
        return state, ()
    if state.phase is Phase.BETTING:
        return irregular(step, state, "2", "spun_before_call")
    return irregular(step, state, "5", "spun_after_stop")


def _stray_stopped(state: WheelOfFortune, rotation: Rotation) -> Outcome:
    """Take the end of a spin that never was a result or was declared invalid."""
    ended = replace(state, stray=Stray.NONE)
    if state.stray is Stray.DROPPED:
        return ended, ()
    return ended, announce(invalid(state, _with_reason(rotation, Stray.OUT_OF_TURN.value)))


def _unannounced(step: Step, rotation: Rotation) -> Outcome:
    """The end of a spin whose beginning nobody reported.

    Rule: 42/2003 art. 5, reading 11 where a spin was due; art. 2 where none was.
    """
    state = step.state
    if state.phase is Phase.CLOSED:
        unseen = replace(state, phase=after(state.phase, Cause.SPUN), rotation=None)
        return doubted(step, unseen, Flaw.SAMPLE_GAP.value, stray=Stray.NONE)
    said = announce(invalid(state, _with_reason(rotation, Stray.OUT_OF_TURN.value)))
    return then(said, _out_of_turn(step, state))


def _with_reason(rotation: Rotation, reason: str) -> Rotation:
    """The rotation with one more reason, after those that it has."""
    return replace(rotation, reasons=tuple(dict.fromkeys((*rotation.reasons, reason))))
