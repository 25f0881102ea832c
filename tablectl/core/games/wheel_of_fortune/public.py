"""Public state of a Wheel of Fortune table: its prompt, the bets, and the wheel."""

from collections.abc import Mapping
from typing import Any

from tablectl.core.events.text import Saying, saying
from tablectl.core.games.wheel_of_fortune.reading import works
from tablectl.core.games.wheel_of_fortune.state import (
    Phase,
    Rotation,
    Settings,
    Stray,
    WheelOfFortune,
    open_round,
)
from tablectl.core.money import format_money
from tablectl.core.table import Table, device, entry, stopping_fault


def waiting(table: Table[WheelOfFortune], settings: Settings) -> Saying:
    """The prompt: an obstacle first, otherwise the next step of the procedure."""
    return _obstacle(table, settings) or _next_step(table, settings)


def public(state: WheelOfFortune, settings: Settings) -> Mapping[str, Any]:
    """The public state of the round.

    It has the bets, the wheel's rim, the spin that turns and the result of the last one.
    """
    return {
        "round_id": open_round(state),
        "phase": state.phase.value,
        "wheel": {
            "layout": list(settings.layout),
            "turning": (state.phase is Phase.SPINNING and not state.doubt) or state.stray is not Stray.NONE,
            "counts": state.phase is Phase.SPINNING,
            "direction": state.direction or None,
            "turns": state.turns,
            "invalid_rotations": state.invalid,
            "doubt": state.doubt or None,
        },
        "rotation": _public_rotation(state.rotation),
        "bets": [
            {"place": bet.place, "bettor": bet.bettor, "bet": bet.bet, "stake": format_money(bet.stake)}
            for bet in state.bets
        ],
    }


def _public_rotation(rotation: Rotation | None) -> Mapping[str, Any] | None:
    if rotation is None:
        return None
    return {
        "valid": not rotation.reasons,
        "direction": rotation.direction or None,
        "turns": rotation.turns_milli / 1000,
        "section": rotation.section,
        "symbol": rotation.symbol,
        "on_peg": rotation.on_peg,
        "reasons": list(rotation.reasons),
        "declared": rotation.declared,
    }


def _obstacle(table: Table[WheelOfFortune], settings: Settings) -> Saying | None:
    state = table.game
    if state.phase is Phase.IDLE and (fault := stopping_fault(table)) is not None:
        return saying("prompt.wheel_of_fortune.fault", code=fault.code, fault=entry(fault.code).key)
    if state.phase is Phase.IDLE and settings.wheel and not device(table, settings.wheel).attached:
        return saying("prompt.wheel_of_fortune.device", device=settings.wheel)
    if state.stray is not Stray.NONE and state.phase is Phase.BETTING:
        return saying("prompt.wheel_of_fortune.betting_turning")
    if state.stray is not Stray.NONE and state.phase is Phase.CLOSED:
        return saying("prompt.wheel_of_fortune.closed_turning")
    return None


def _next_step(table: Table[WheelOfFortune], settings: Settings) -> Saying:
    state = table.game
    match state.phase:
        case Phase.IDLE:
            return saying("prompt.wheel_of_fortune.open_round")
        case Phase.BETTING:
            return saying("prompt.wheel_of_fortune.betting")
        case Phase.CLOSED:
            return _before_the_spin(table, settings)
        case Phase.SPINNING if state.doubt:
            return saying("prompt.wheel_of_fortune.state_spin")
        case Phase.SPINNING:
            return saying("prompt.wheel_of_fortune.spinning", turns=state.turns)
        case Phase.STOPPED:
            return _to_confirm(state.rotation or Rotation())


def _before_the_spin(table: Table[WheelOfFortune], settings: Settings) -> Saying:
    """The prompt for the next spin.

    It depends on whether the sensor or the dealer reads the spin, and on whether the spin is the round's first.
    """
    again = table.game.invalid > 0
    if works(table, settings):
        return saying("prompt.wheel_of_fortune.spin_again") if again else saying("prompt.wheel_of_fortune.spin")
    if not settings.wheel:
        return saying("prompt.wheel_of_fortune.declare_again") if again else saying("prompt.wheel_of_fortune.declare")
    if again:
        return saying("prompt.wheel_of_fortune.declare_away_again", device=settings.wheel)
    return saying("prompt.wheel_of_fortune.declare_away", device=settings.wheel)


def _to_confirm(rotation: Rotation) -> Saying:
    turns, section, symbol = f"{rotation.turns_milli / 1000:g}", rotation.section, rotation.symbol
    if rotation.declared:
        return saying("prompt.wheel_of_fortune.confirm_declared", section=section, symbol=symbol, turns=turns)
    return saying("prompt.wheel_of_fortune.confirm", section=section, symbol=symbol, turns=turns)
