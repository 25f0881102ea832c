"""Irregularities at the table: declared by the dealer, or of an absent reader."""

from tablectl.core.facts import FaultRaised, SessionBegan
from tablectl.core.facts.reports import DeviceAttached, DeviceLost
from tablectl.core.facts.table_requests import IrregularityDeclared, RoundEnded, RoundVoided
from tablectl.core.faults import Code
from tablectl.core.games.chinese_dice.chips import gathered
from tablectl.core.games.chinese_dice.dice import AWAY, OUT_OF_TURN, due_to_throw, invalidated, outrun, standing_throw
from tablectl.core.games.chinese_dice.settlement import PLACE_MAX
from tablectl.core.games.chinese_dice.state import (
    ARTICLES,
    AWAITS_THROW,
    Cause,
    ChineseDice,
    Doubt,
    Kind,
    Outcome,
    Phase,
    Seat,
    Step,
    bets_at,
    cleared,
    has_bets,
    laid,
    number_of,
    thrower,
)
from tablectl.core.step import HouseRule, end_without_bets, irregular, left_undone, refuse, voided
from tablectl.core.table import STALE_SCREEN, device, restarted
from tablectl.lazy_dataclass import replace


def irregularity_declared(step: Step, declared: IrregularityDeclared) -> Outcome:
    """Record an irregularity that the dealer saw; the round continues.

    Dice held away from the table, or thrown out of turn, make that throw invalid while it isn't paid.

    Rule: 108/89/M art. 2(c), 2(f), 2(g), 3(c); readings 16 and 17.
    """
    state = step.state
    if state.phase is Phase.IDLE:
        return refuse(step, "2(a)", "no_round")
    if declared.kind not in tuple(Kind):
        return refuse(step, "table", "no_such_kind", kind=declared.kind)
    place = number_of(state, declared.place)
    if place is None and declared.place != "":
        return refuse(step, "3(a)", "no_such_place", place=declared.place, places=PLACE_MAX)
    kind = Kind(declared.kind)
    if kind is Kind.DICE_HELD_AWAY:
        return _held_away(step, place, declared.bettor)
    if kind is Kind.DID_NOT_THROW:
        return _not_thrown(step, place)
    last = standing_throw(state)
    if kind is Kind.THROWN_OUT_OF_TURN and last is not None and place in {None, last.place}:
        return (state, (STALE_SCREEN,)) if outrun(step) else invalidated(step, OUT_OF_TURN)
    return irregular(step, state, ARTICLES[kind], kind.value, place, bettor=declared.bettor)


def round_voided(step: Step, asked: RoundVoided) -> Outcome:
    """End the round without a result, at a supervisor's request.

    Every layer of the bank and every bet is returned. The round counts neither as one of the banker's nor as one in
    which anybody bet.
    """
    state = step.state
    if state.phase is Phase.IDLE:
        return refuse(step, "2(a)", "no_round")
    if not asked.reason.strip():
        return refuse(step, "table", "reason_missing")
    closed = cleared(replace(state, banker=replace(state.banker, capital=0)), Cause.VOIDED)
    return closed, voided(step, state, "table", asked.reason, gathered(laid(state)))


def round_ended(step: Step, _: RoundEnded) -> Outcome:
    """End a round in which nobody has bet, at the dealer's request.

    The capital of the banker and the share of the casino are returned.
    """
    return end_without_bets(step, step.state.bets, round_voided)


def device_lost(step: Step, lost: DeviceLost) -> Outcome:
    """A reader that was away may have missed a throw; the dealer enters what they saw."""
    return _maybe_missed(step, lost.device), ()


def session_began(step: Step, _: SessionBegan) -> Outcome:
    """While the daemon was away nobody took in what the reader saw."""
    return _maybe_missed(step, step.settings.dice), ()


def device_attached(step: Step, seen: DeviceAttached) -> Outcome:
    """Note that a reader that comes back or restarted may have missed a throw.

    It may have missed one though none was due when it was lost.
    """
    before = device(step.table, seen.device)
    was_away = not before.attached or restarted(before, seen.boot)
    return (_maybe_missed(step, seen.device) if was_away else step.state), ()


def fault_raised(step: Step, raised: FaultRaised) -> Outcome:
    """Reports of the reader that are lost may have been throws."""
    return (_maybe_missed(step, raised.device) if raised.code == Code.EVENT_GAP else step.state), ()


def _held_away(step: Step, declared: int | None, bettor: str) -> Outcome:
    """Dice held away from the table: the throw that they were used for is repeated.

    Rule: 108/89/M art. 3(c); reading 16.
    """
    state = step.state
    if outrun(step):
        return state, (STALE_SCREEN,)
    last, place = standing_throw(state), declared or (state.due or due_to_throw(state))
    if last is not None and last.place == place:
        return invalidated(step, AWAY)
    held = Kind.DICE_HELD_AWAY
    return irregular(step, state, ARTICLES[held], held.value, place, bettor=bettor)


def _not_thrown(step: Step, declared: int | None) -> Outcome:
    """Record that the person whose throw it is doesn't throw.

    What follows is for the house to say, as the law is silent.

    Rule: 108/89/M art. 2(a), 3(b).
    """
    state = step.state
    if state.phase not in AWAITS_THROW:
        return refuse(step, "2(c)", "pay_first", place=state.due)
    if not has_bets(state):
        return refuse(step, "2(f)", "no_bets")
    due = due_to_throw(state)
    if declared not in {None, due}:
        return refuse(step, "2(c)", "not_the_place_due", place=declared, due=due)
    bettor = thrower(state, due)
    passed = replace(state, passed=(*state.passed, Seat(due, bettor)))
    if step.settings.no_throw is HouseRule.ASK_AGAIN or thrower(passed, due) == bettor:
        return left_undone(step, state, "no_throw", "did_not_throw", due, bettor, HouseRule.ASK_AGAIN)
    everybody = {Seat(due, bet.bettor) for bet in bets_at(state, due)} <= {*passed.passed}
    new = replace(state, passed=()) if everybody else passed
    return left_undone(step, new, "no_throw", "did_not_throw", due, bettor)


def _maybe_missed(step: Step, name: str) -> ChineseDice:
    """Return the state in which an unreported throw is possible.

    The state changes only if this device reads the dice.
    """
    reads = bool(name) and name == step.settings.dice
    return replace(step.state, doubt=Doubt.AWAY) if reads and step.state.phase in AWAITS_THROW else step.state
