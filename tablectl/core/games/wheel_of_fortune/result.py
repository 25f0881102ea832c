"""From a rotation that was read to the settlement, or to another spin."""

from dataclasses import replace
from decimal import Decimal
from typing import Final

from tablectl.core.effects import Effects
from tablectl.core.events import Consequence, Settled
from tablectl.core.facts import SpinDeclared, SpinInvalidated
from tablectl.core.games.wheel_of_fortune import forms, settlement
from tablectl.core.games.wheel_of_fortune.reading import article_of, invalid, read_by_dealer, valid, works
from tablectl.core.games.wheel_of_fortune.sections import SECTIONS, BetName
from tablectl.core.games.wheel_of_fortune.settlement import RespinReason, Round, Spin
from tablectl.core.games.wheel_of_fortune.state import (
    MOST_TURNS,
    Cause,
    Phase,
    Rotation,
    Stray,
    WheelOfFortune,
    after,
    is_section,
)
from tablectl.core.games.wheel_of_fortune.turn import GAME, Outcome, Turn, announce, cleared, irregular, refuse, then
from tablectl.core.money import format_money
from tablectl.core.table import STALE_SCREEN
from tablectl.core.when import utc_text

PAYS_BY_LAW: Final = (1, 3, 5, 10, 20, 45, 45)
"""What a settlement pays where its round names no other table. Rule: 42/2003 art. 6; reading 1."""


def judged(turn: Turn, state: WheelOfFortune, rotation: Rotation) -> Outcome:
    """A rotation at its end: another spin, or a result to be confirmed, or the settlement.

    Rule: 42/2003 art. 4(3), 4(4), 5.
    """
    if rotation.reasons:
        return respin(turn, state, rotation)
    said = announce(valid(state, rotation))
    if not turn.settings.confirm:
        return then(said, _settle(turn, state, rotation))
    stopped = replace(state, phase=after(state.phase, Cause.READ), rotation=rotation, direction="", turns=0)
    return replace(stopped, read_at=turn.table.records), said


def respin(turn: Turn, state: WheelOfFortune, rotation: Rotation, code: str = "") -> Outcome:
    """An invalid rotation: the wheel is spun again, any number of times, with the same bets.

    Rule: 42/2003 art. 4(4); reading 6 (no bet is laid or taken away in between).

    Args:
        code: of the irregularity, where it isn't the first of the rotation's reasons.
    """
    again = replace(
        state,
        phase=after(state.phase, Cause.INVALID),
        invalid=state.invalid + 1,
        rotation=rotation,
        direction="",
        turns=0,
        read_at=turn.table.records,
    )
    first = rotation.reasons[0]
    said = announce(invalid(state, rotation))
    return then(said, irregular(turn, again, article_of(first), code or first, Consequence.RESPIN))


def dropped(turn: Turn, state: WheelOfFortune, reason: str, code: str = "") -> Outcome:
    """The spin that turns is no result, whatever it will show: it is over for the round before the wheel stands.

    Rule: 42/2003 art. 4(2), 4(4); reading 7.
    """
    so_far = Rotation(state.direction, 1000 * state.turns, reasons=(reason,))
    return respin(turn, replace(state, stray=Stray.DROPPED), so_far, code)


def spin_declared(turn: Turn, declared: SpinDeclared) -> Outcome:
    """The dealer spun the wheel, counted its turns and read it, where no sensor does.

    Until it is confirmed he may enter what he read anew.

    Rule: 42/2003 art. 4(1), 4(3), 5.
    """
    state = turn.state
    if _outrun(turn):
        return state, (STALE_SCREEN,)
    if (no := _may_not_declare(turn)) is not None:
        return refuse(state, *no)
    if not 0 <= declared.turns <= MOST_TURNS:
        return refuse(state, "4(3)", "no_such_turns", most=MOST_TURNS)
    if declared.section is not None and not is_section(declared.section):
        return refuse(state, "1(2)", "no_such_section", section=declared.section, sections=SECTIONS)
    rotation = read_by_dealer(declared, turn.settings, turn.rules)
    seen_too = Stray.DROPPED if state.phase is Phase.SPINNING else Stray.NONE
    return judged(turn, replace(state, stray=seen_too), rotation)


def spin_confirmed(turn: Turn) -> Outcome:
    """The dealer agrees with the result: the bets are settled.

    Rule: 42/2003 art. 5.
    """
    state = turn.state
    if _outrun(turn):
        return state, (STALE_SCREEN,)
    if state.phase is Phase.IDLE:
        return refuse(state, "2", "no_round")
    if state.phase is not Phase.STOPPED or state.rotation is None:
        return refuse(state, "5", "nothing_to_confirm")
    return _settle(turn, state, state.rotation)


def spin_invalidated(turn: Turn, asked: SpinInvalidated) -> Outcome:
    """The dealer calls "invalid rotation", for an interference that no sensor sees.

    Rule: 42/2003 art. 4(2), 4(4); reading 7.
    """
    state = turn.state
    reason = RespinReason.INTERFERENCE.value
    if _outrun(turn):
        return state, (STALE_SCREEN,)
    if state.phase is Phase.IDLE:
        return refuse(state, "2", "no_round")
    if asked.reason != reason:
        return refuse(state, "4(2)", "no_such_reason", reason=asked.reason)
    if state.phase is Phase.SPINNING:
        return dropped(turn, state, reason)
    if state.phase is Phase.STOPPED and state.rotation is not None:
        return respin(turn, state, replace(state.rotation, reasons=(reason,)))
    if state.phase is Phase.CLOSED and not works(turn.table, turn.settings):
        return respin(turn, state, Rotation(reasons=(reason,), declared=True))
    return refuse(state, "4(4)", "no_spin")


def _outrun(turn: Turn) -> bool:
    """Whether a rotation was read that the asker's screen didn't show: what he says is true of the one before."""
    return turn.fact.seen is not None and turn.fact.seen < turn.state.read_at


def _may_not_declare(turn: Turn) -> tuple[str, str] | None:
    """Why the dealer's own reading isn't taken now: article and code.

    Rule: 42/2003 art. 2 (the call comes first), art. 5 (what the wheel showed when it stopped stands).
    """
    state = turn.state
    match state.phase:
        case Phase.IDLE:
            return "2", "no_round"
        case Phase.BETTING:
            return "2", "call_first"
        case Phase.STOPPED:
            his_own = state.rotation is not None and state.rotation.declared
            return None if his_own else ("5", "result_stands")
        case Phase.CLOSED | Phase.SPINNING:
            return ("table", "sensor_reads") if works(turn.table, turn.settings) else None


def _settle(turn: Turn, state: WheelOfFortune, rotation: Rotation) -> Outcome:
    """All bets settled by the section at the indicator, and the round is over.

    Rule: 42/2003 art. 5, 6.
    """
    played = played_round(state, rotation)
    event = Settled(
        round_id=state.round_id,
        game=GAME,
        rules={} if turn.rules.pays == PAYS_BY_LAW else {"pays": list(turn.rules.pays)},
        round=_round_form(played, rotation),
        settlement=forms.settlement_form(played, turn.rules),
        rules_version=turn.rules.version,
        opened=utc_text(state.opened_us),
        settled=utc_text(turn.fact.at.utc_us),
        irregularities=state.irregularities,
    )
    over: Effects = announce(event)
    return cleared(state, Cause.SETTLED, rotation), over


def played_round(state: WheelOfFortune, rotation: Rotation) -> Round:
    """The round in the form of its settlement: the valid rotation and the bets, without their places."""
    spin = Spin(Decimal(rotation.turns_milli).scaleb(-3), rotation.symbol)
    return Round(spin, tuple(settlement.Bet(bet.bettor, BetName(bet.bet), bet.stake) for bet in state.bets))


def _round_form(played: Round, rotation: Rotation) -> dict[str, object]:
    return {
        "spin": {
            "turns": rotation.turns_milli / 1000,
            "symbol": rotation.symbol,
            "on_peg": False,
            "interfered": False,
        },
        "bets": [{"bettor": bet.bettor, "bet": bet.bet.value, "stake": format_money(bet.stake)} for bet in played.bets],
    }
