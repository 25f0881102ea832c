"""From a rotation that was read to the settlement, or to another spin."""

from decimal import Decimal
from typing import Final

from tablectl.core.effects import Effects, announce, momentary
from tablectl.core.events.round import Consequence, Settled
from tablectl.core.facts.game_requests import SpinConfirmed, SpinDeclared, SpinInvalidated
from tablectl.core.faults import Code
from tablectl.core.games.wheel_of_fortune import settlement, shapes
from tablectl.core.games.wheel_of_fortune.reading import (
    TURNS_UNKNOWN,
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
from tablectl.lazy_dataclass import replace

PAYS_BY_LAW: Final = (1, 3, 5, 10, 20, 45, 45)
"""What a settlement pays where its round names no other table. Rule: 42/2003 art. 6; reading 1."""

CALLED: Final = (RespinReason.INTERFERENCE.value, TURNS_UNKNOWN)
"""The reasons for which the dealer calls a rotation invalid."""


def judged(step: Step, state: WheelOfFortune, rotation: Rotation) -> Outcome:
    """Complete a rotation: another spin, a result to be confirmed, or the settlement.

    Rule: 42/2003 art. 4(3), 4(4), 5.
    """
    if rotation.reasons:
        return respin(step, state, rotation)
    said = announce(valid(state, rotation))
    if not step.settings.confirm:
        return then(said, _settle(step, state, rotation))
    stopped = replace(state, phase=after(state.phase, Cause.READ), rotation=rotation, direction="", turns=0)
    return replace(stopped, read_at=step.table.records, doubt=""), said


def respin(step: Step, state: WheelOfFortune, rotation: Rotation) -> Outcome:
    """Have the wheel spun again with the same bets, after an invalid rotation.

    There is no limit to the number of times.

    Rule: 42/2003 art. 4(4); reading 6 (no bet is laid or taken away in between).
    """
    again = replace(
        state,
        phase=after(state.phase, Cause.INVALID),
        invalid=state.invalid + 1,
        rotation=rotation,
        direction="",
        turns=0,
        read_at=step.table.records,
        doubt="",
    )
    first = rotation.reasons[0]
    said = announce(invalid(state, rotation))
    return then(said, irregular(step, again, article_of(first), first, consequence=Consequence.RESPIN))


def doubted(step: Step, state: WheelOfFortune, reason: str, code: str = "", *, stray: Stray = Stray.DROPPED) -> Outcome:
    """Reject the sensor's reading of the round's spin.

    People declare its turns and the section at the indicator instead. The spin stays the round's: no further report of
    the sensor on it counts, a second beginning included.

    Rule: 42/2003 art. 5; readings 11 (a sensor's failure makes no rotation invalid), 12 (one spin counts once).

    Args:
        code: of the irregularity, where it isn't the reason.
        stray: whether the sensor has still to report the spin's end.
    """
    if state.doubt:
        return replace(state, stray=stray if stray is Stray.NONE else state.stray), ()
    return irregular(step, replace(state, doubt=reason, stray=stray), "table", code or reason)


def spin_declared(step: Step, declared: SpinDeclared) -> Outcome:
    """Take the turns and the section that people declare.

    They declare them where no sensor read the spin, its reading is in doubt, or the indicator differs from it. Until
    the spin is confirmed the reading may be entered again.

    Rule: 42/2003 art. 4(1), 4(3), 5; reading 11 (the indicator decides, a sensor is a witness).
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
    if state.phase is Phase.STOPPED and state.rotation is not None and not state.rotation.declared:
        return _against_the_sensor(step, state.rotation, rotation)
    still_turns = Stray.DROPPED if state.phase is Phase.SPINNING and not state.doubt else state.stray
    return judged(step, replace(state, stray=still_turns), rotation)


def _against_the_sensor(step: Step, read: Rotation, stated: Rotation) -> Outcome:
    """Publish the sensor's reading and a different one from the indicator.

    A fault asks a technician to see to the sensor.

    Rule: 42/2003 art. 5; reading 11.
    """
    if stated.section == read.section and not stated.reasons:
        return refuse(step, "5", "result_stands")
    noted, said = irregular(step, step.state, "5", "indicator_differs")
    fault = momentary(Code.WHEEL_INDICATOR_DIFFERS, step.settings.wheel) if step.settings.wheel else ()
    return then(said + fault, judged(step, noted, stated))


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
    """Take the dealer's call of an invalid rotation.

    Its reason is an interference that no sensor sees, or turns that nobody can vouch for.

    Rule: 42/2003 art. 4(2), 4(3), 4(4); readings 7, 11 (turns that nobody can show), 12.
    """
    state = step.state
    is_declared = state.rotation is not None and state.rotation.declared
    read_by_people = bool(state.doubt) or is_declared or not works(step.table, step.settings)
    if _outrun(step):
        return state, (STALE_SCREEN,)
    if state.phase is Phase.IDLE:
        return refuse(step, "2", "no_round")
    if asked.reason not in CALLED:
        return refuse(step, "4(2)", "no_such_reason", reason=asked.reason)
    if asked.reason == TURNS_UNKNOWN and not read_by_people:
        return refuse(step, "table", "sensor_reads")
    if state.phase is Phase.SPINNING:
        so_far = Rotation(state.direction, 1000 * state.turns, reasons=(asked.reason,))
        return respin(step, replace(state, stray=state.stray if state.doubt else Stray.DROPPED), so_far)
    if state.phase is Phase.STOPPED and state.rotation is not None:
        return respin(step, state, replace(state.rotation, reasons=(asked.reason,)))
    if state.phase is Phase.CLOSED and not works(step.table, step.settings):
        return respin(step, state, Rotation(reasons=(asked.reason,), declared=True))
    return refuse(step, "4(4)", "no_spin")


def _outrun(step: Step) -> bool:
    """Return True if the requester's screen didn't show the last rotation yet.

    Their request is about the rotation before it.
    """
    return step.fact.seen is not None and step.fact.seen < step.state.read_at


def _may_not_declare(step: Step) -> tuple[str, str] | None:
    """Why people's own reading isn't taken now: article and code.

    Rule: 42/2003 art. 2 (the call comes first).
    """
    state = step.state
    match state.phase:
        case Phase.IDLE:
            return "2", "no_round"
        case Phase.BETTING:
            return "2", "call_first"
        case Phase.STOPPED:
            return None
        case Phase.CLOSED | Phase.SPINNING:
            is_read = works(step.table, step.settings) and not state.doubt
            return ("table", "sensor_reads") if is_read else None


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
    """The round in the form of its settlement.

    It has the valid rotation and the bets, without their places.
    """
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
