"""From a rotation that was read to the settlement, or to another spin."""

from dataclasses import replace
from decimal import Decimal
from typing import Final

from tablectl.core.effects import Effects, announce
from tablectl.core.events import Consequence, Settled
from tablectl.core.facts import SpinConfirmed, SpinDeclared, SpinInvalidated
from tablectl.core.games.wheel_of_fortune import settlement, shapes
from tablectl.core.games.wheel_of_fortune.reading import (
    article_of,
    invalid,
    read_by_dealer,
    valid,
    whole_turns_milli,
    works,
)
from tablectl.core.games.wheel_of_fortune.sections import SECTIONS, BetName
from tablectl.core.games.wheel_of_fortune.settlement import RespinReason, Round, Spin
from tablectl.core.games.wheel_of_fortune.state import (
    MOST_TURNS,
    NAME,
    Cause,
    Outcome,
    Phase,
    Rotation,
    Step,
    Stray,
    WheelOfFortune,
    after,
    cleared,
    is_section,
)
from tablectl.core.money import format_money, utc_text
from tablectl.core.step import irregular, refuse, then
from tablectl.core.table import STALE_SCREEN

PAYS_BY_LAW: Final = (1, 3, 5, 10, 20, 45, 45)
"""What a settlement pays where its round names no other table. Rule: 42/2003 art. 6; reading 1."""


def judged(step: Step, state: WheelOfFortune, rotation: Rotation) -> Outcome:
    """A rotation at its end: another spin, or a result to be confirmed, or the settlement.

    Rule: 42/2003 art. 4(3), 4(4), 5.
    """
    if rotation.reasons:
        return respin(step, state, rotation)
    said = announce(valid(state, rotation))
    if not step.settings.confirm:
        return then(said, _settle(step, state, rotation))
    stopped = replace(state, phase=after(state.phase, Cause.READ), rotation=rotation, direction="", turns=0)
    return replace(stopped, read_at=step.table.records), said


def respin(step: Step, state: WheelOfFortune, rotation: Rotation, code: str = "") -> Outcome:
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
        read_at=step.table.records,
    )
    first = rotation.reasons[0]
    said = announce(invalid(state, rotation))
    return then(said, irregular(step, again, article_of(first), code or first, consequence=Consequence.RESPIN))


def dropped(step: Step, state: WheelOfFortune, reason: str, code: str = "") -> Outcome:
    """The spin that turns is no result, whatever it will show: it is over for the round before the wheel stands.

    Rule: 42/2003 art. 4(2), 4(4); reading 7.
    """
    so_far = Rotation(state.direction, 1000 * state.turns, reasons=(reason,))
    return respin(step, replace(state, stray=Stray.DROPPED), so_far, code)


def spin_declared(step: Step, declared: SpinDeclared) -> Outcome:
    """The dealer spun the wheel, counted its turns and read it, where no sensor does.

    Until it is confirmed they may enter what they read anew.

    Rule: 42/2003 art. 4(1), 4(3), 5.
    """
    state = step.state
    if _outrun(step):
        return state, (STALE_SCREEN,)
    if (no := _may_not_declare(step)) is not None:
        return refuse(step, *no)
    if not 0 <= declared.turns <= MOST_TURNS:
        return refuse(step, "4(3)", "no_such_turns", most=MOST_TURNS)
    if declared.section is not None and not is_section(declared.section):
        return refuse(step, "1(2)", "no_such_section", section=declared.section, sections=SECTIONS)
    rotation = read_by_dealer(declared, step.settings, step.rules)
    seen_too = Stray.DROPPED if state.phase is Phase.SPINNING else Stray.NONE
    return judged(step, replace(state, stray=seen_too), rotation)


def spin_confirmed(step: Step, _: SpinConfirmed) -> Outcome:
    """The dealer agrees with the result: the bets are settled.

    Rule: 42/2003 art. 5.
    """
    state = step.state
    if _outrun(step):
        return state, (STALE_SCREEN,)
    if state.phase is Phase.IDLE:
        return refuse(step, "2", "no_round")
    if state.phase is not Phase.STOPPED or state.rotation is None:
        return refuse(step, "5", "nothing_to_confirm")
    return _settle(step, state, state.rotation)


def spin_invalidated(step: Step, asked: SpinInvalidated) -> Outcome:
    """The dealer calls "invalid rotation", for an interference that no sensor sees.

    Rule: 42/2003 art. 4(2), 4(4); reading 7.
    """
    state = step.state
    reason = RespinReason.INTERFERENCE.value
    if _outrun(step):
        return state, (STALE_SCREEN,)
    if state.phase is Phase.IDLE:
        return refuse(step, "2", "no_round")
    if asked.reason != reason:
        return refuse(step, "4(2)", "no_such_reason", reason=asked.reason)
    if state.phase is Phase.SPINNING:
        return dropped(step, state, reason)
    if state.phase is Phase.STOPPED and state.rotation is not None:
        return respin(step, state, replace(state.rotation, reasons=(reason,)))
    if state.phase is Phase.CLOSED and not works(step.table, step.settings):
        return respin(step, state, Rotation(reasons=(reason,), declared=True))
    return refuse(step, "4(4)", "no_spin")


def _outrun(step: Step) -> bool:
    """Whether a rotation was read that the asker's screen didn't show: what they say is true of the one before."""
    return step.fact.seen is not None and step.fact.seen < step.state.read_at


def _may_not_declare(step: Step) -> tuple[str, str] | None:
    """Why the dealer's own reading isn't taken now: article and code.

    Rule: 42/2003 art. 2 (the call comes first), art. 5 (what the wheel showed when it stopped stands).
    """
    state = step.state
    match state.phase:
        case Phase.IDLE:
            return "2", "no_round"
        case Phase.BETTING:
            return "2", "call_first"
        case Phase.STOPPED:
            his_own = state.rotation is not None and state.rotation.declared
            return None if his_own else ("5", "result_stands")
        case Phase.CLOSED | Phase.SPINNING:
            return ("table", "sensor_reads") if works(step.table, step.settings) else None


def _settle(step: Step, state: WheelOfFortune, rotation: Rotation) -> Outcome:
    """All bets settled by the section at the indicator, and the round is over.

    Rule: 42/2003 art. 5, 6.
    """
    played = played_round(state, rotation)
    event = Settled(
        round_id=state.round_id,
        game=NAME,
        rules={} if step.rules.pays == PAYS_BY_LAW else {"pays": list(step.rules.pays)},
        round=_round_form(played, rotation),
        settlement=shapes.settlement_form(played, step.rules),
        rules_version=step.rules.version,
        opened=utc_text(state.opened_us),
        settled=utc_text(step.fact.at.utc_us),
        irregularities=state.irregularities,
    )
    over: Effects = announce(event)
    return cleared(state, Cause.SETTLED, rotation), over


def played_round(state: WheelOfFortune, rotation: Rotation) -> Round:
    """The round in the form of its settlement: the valid rotation and the bets, without their places."""
    spin = Spin(Decimal(whole_turns_milli(rotation.turns_milli)).scaleb(-3), rotation.symbol)
    return Round(spin, tuple(settlement.Bet(bet.bettor, BetName(bet.bet), bet.stake) for bet in state.bets))


def _round_form(played: Round, rotation: Rotation) -> dict[str, object]:
    return {
        "spin": {
            "turns": whole_turns_milli(rotation.turns_milli) / 1000,
            "symbol": rotation.symbol,
            "on_peg": False,
            "interfered": False,
        },
        "bets": [{"bettor": bet.bettor, "bet": bet.bet.value, "stake": format_money(bet.stake)} for bet in played.bets],
    }
