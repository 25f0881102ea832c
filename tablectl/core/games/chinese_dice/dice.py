"""Throws of the dice: turns, results, validity. Articles 2(a) to 2(e), 3(b), 3(c).

A throw that the reader saw is never refused. It belongs to the place that is due; where none is, it counts for
nothing.
"""

from collections.abc import Mapping
from typing import Final

from tablectl.core.effects import announce, momentary
from tablectl.core.events.device import DiceShown
from tablectl.core.events.round import Consequence
from tablectl.core.facts.game_requests import DiceEntered, ThrowInvalidated
from tablectl.core.facts.reports import DiceThrown
from tablectl.core.faults import Code
from tablectl.core.games.chinese_dice.betting import betting_over
from tablectl.core.games.chinese_dice.hands import DICE, INDECISIVE, combination
from tablectl.core.games.chinese_dice.settlement import PLACE_MAX, banker_outcome
from tablectl.core.games.chinese_dice.settling import key_of_last, next_place
from tablectl.core.games.chinese_dice.state import (
    ARTICLES,
    AWAITS_THROW,
    Cause,
    ChineseDice,
    Doubt,
    Kind,
    Outcome,
    Phase,
    Step,
    Thrown,
    after,
    has_bets,
    number_of,
    open_round,
    throws_of,
)
from tablectl.core.outcomes import FACES, Throw
from tablectl.core.step import irregular, refuse, then
from tablectl.core.table import STALE_SCREEN, device
from tablectl.lazy_dataclass import replace

AWAY, OUT_OF_TURN, UNSURE, BY_HAND = "away", "out_of_turn", "unsure", "by_hand"

FLAWS: Final = frozenset(
    {"cocked", "stacked", "outside", "missing", "extra", "moved", "apart", UNSURE, AWAY, OUT_OF_TURN}
)
"""Why a throw isn't valid, as the dealer may say it. Rule: 108/89/M art. 2(d), 2(e), 3(c); reading 16."""

IRREGULAR: Final[Mapping[str, Kind]] = {AWAY: Kind.DICE_HELD_AWAY, OUT_OF_TURN: Kind.THROWN_OUT_OF_TURN}
"""The flaws that are more than a throw to repeat. Rule: 108/89/M art. 2(c), 3(c); reading 16."""


def dice_thrown(step: Step, seen: DiceThrown) -> Outcome:
    """Take a throw that the reader saw for the place that is due.

    Before a bet lies it belongs to nobody.

    Rule: 108/89/M art. 2(a), 2(c); readings 16 and 19.
    """
    state = step.state
    if not step.settings.dice or seen.device != step.settings.dice:
        return state, ()
    flaw = seen.flaw or _flaw_of(seen.dice)
    if state.phase not in AWAITS_THROW or not has_bets(state):
        return _out_of_turn(step, seen)
    if state.by_hand:
        return state, announce(_shown(state, None, seen.dice, BY_HAND))
    taken = replace(state, doubt=Doubt.UNREAD if flaw == UNSURE else Doubt.NONE)
    return _took(step, taken, seen.dice, flaw)


def dice_entered(step: Step, entered: DiceEntered) -> Outcome:
    """Take a throw that the dealer read themselves.

    It is for a table without a reader, or where the reader can't be relied on.

    Rule: 108/89/M art. 2(a), 2(c), 2(e).
    """
    state = step.state
    if (no := _no_throw_now(step, entered)) is not None:
        return no
    if entered.flaw and entered.flaw not in FLAWS:
        return refuse(step, "2(e)", "no_such_flaw", flaw=entered.flaw)
    if not entered.flaw and _flaw_of(entered.dice):
        return refuse(step, "2(a)", "three_dice")
    may_come_late = bool(step.settings.dice) and state.doubt is not Doubt.UNREAD
    taken = replace(state, doubt=Doubt.NONE, by_hand=state.by_hand or may_come_late)
    return _took(step, taken, entered.dice, entered.flaw)


def throw_invalidated(step: Step, asked: ThrowInvalidated) -> Outcome:
    """The dealer calls the last throw invalid, before it is paid: it is repeated.

    Rule: 108/89/M art. 2(d), 2(e), 3(c); readings 13 and 16.
    """
    state = step.state
    if outrun(step):
        return state, (STALE_SCREEN,)
    if state.phase is Phase.IDLE:
        return refuse(step, "2(a)", "no_round")
    if asked.flaw not in FLAWS:
        return refuse(step, "2(e)", "no_such_flaw", flaw=asked.flaw)
    if standing_throw(state) is None:
        return refuse(step, "2(e)", "no_throw")
    return invalidated(step, asked.flaw)


def standing_throw(state: ChineseDice) -> Thrown | None:
    """Return the last throw, while it is valid and nothing was paid on it.

    Rule: 108/89/M art. 2(c).
    """
    last = state.thrown[-1] if state.thrown else None
    if last is None or last.throws[-1] is None:
        return None
    paid_on = bool(state.paid) if last.place == state.banker.place else last.place in state.paid
    return None if paid_on else last


def invalidated(step: Step, flaw: str) -> Outcome:
    """The last throw made invalid; who threw it throws again.

    One that was taken for the banker's first, and was out of turn, is nobody's: the betting that it ended is open.

    Rule: 108/89/M art. 2(c), 2(f); readings 17 and 19.
    """
    state = step.state
    last = state.thrown[-1]
    if flaw == OUT_OF_TURN and state.closed_by_throw and (last.place, len(last.throws)) == (state.banker.place, 1):
        reopened = replace(
            state, thrown=(), due=0, closed_by_throw=False, phase=after(state.phase, Cause.NOT_THE_BANKER)
        )
        nobodys = replace(_shown(state, None, last.throws[0] or (), flaw), called_invalid=True)
        return then(announce(nobodys), _noted(step, reopened, flaw, None))
    void = replace(last, throws=(*last.throws[:-1], None))
    due = 0 if last.place == state.banker.place else last.place
    again = replace(state, thrown=(*state.thrown[:-1], void), due=due, phase=_again(state, last))
    told = announce(replace(_shown(state, last.place, last.throws[-1] or (), flaw), called_invalid=True))
    return then(told, _noted(step, again, flaw, last.place))


def outrun(step: Step) -> bool:
    """Return True if a throw came that the requester's screen didn't show.

    Their request is then about the throw before.
    """
    return step.fact.seen is not None and step.fact.seen < step.state.thrown_at


def reader_reads(step: Step) -> bool:
    """Return True if the reader reads this round's throws, so that nobody enters them."""
    name = step.settings.dice
    trusted = not step.state.by_hand and step.state.doubt is Doubt.NONE
    failed = any(fault.device == name and fault.present for fault in step.table.faults)
    return bool(name) and trusted and not failed and device(step.table, name).attached


def _flaw_of(dice: Throw) -> str:
    """Return the flaw of these faces by themselves; empty for three dice."""
    if len(dice) != DICE:
        return "missing" if len(dice) < DICE else "extra"
    return "" if all(face in FACES for face in dice) else UNSURE


def _no_throw_now(step: Step, entered: DiceEntered) -> Outcome | None:
    state = step.state
    if outrun(step):
        return state, (STALE_SCREEN,)
    if state.phase is Phase.IDLE:
        return refuse(step, "2(a)", "no_round")
    if state.phase not in AWAITS_THROW:
        return refuse(step, "2(c)", "pay_first", place=state.due)
    if not has_bets(state):
        return refuse(step, "2(f)", "no_bets")
    if (number := number_of(state, entered.place)) is None:
        return refuse(step, "3(a)", "no_such_place", place=entered.place, places=PLACE_MAX)
    if number != (due := due_to_throw(state)):
        return refuse(step, "2(c)", "not_the_place_due", place=number, due=due)
    return refuse(step, "table", "reader_reads", device=step.settings.dice) if reader_reads(step) else None


def due_to_throw(state: ChineseDice) -> int:
    """The place whose throw it is: the banker's until they have thrown what decides.

    Rule: 108/89/M art. 2(a), 2(c).
    """
    return state.due if state.phase is Phase.THROWING else state.banker.place


def _took(step: Step, state: ChineseDice, dice: Throw, flaw: str) -> Outcome:
    """Add a throw of the place that is due.

    The banker's first, valid or not, ends the betting. A throw out of turn belongs to nobody, and leaves the betting
    open.

    Rule: 108/89/M art. 2(a), 2(e), 2(f); readings 12, 13, 14, 17 and 19.
    """
    if flaw == OUT_OF_TURN:
        return then(announce(_shown(state, None, dice, flaw)), _noted(step, state, flaw, None))
    over = betting_over(state, "throw") if state.phase is Phase.BETTING else ()
    place = due_to_throw(state)
    throws = (*throws_of(state, place), None if flaw else dice)
    others = tuple(thrown for thrown in state.thrown if thrown.place != place)
    thrown = (*others, Thrown(place, throws))
    by_throw = state.closed_by_throw or bool(over)
    taken = replace(state, thrown=thrown, thrown_at=step.table.records, closed_by_throw=by_throw)
    noted, said = _noted(step, taken, flaw, place)
    shown = announce(_shown(state, place, dice, flaw))
    return then(over + shown + said, _decided(step, noted, place))


def _decided(step: Step, state: ChineseDice, place: int) -> Outcome:
    """Return the state that follows from a throw.

    Next come another throw, the payment of a place's bets, or the throws of the places against the banker.

    Rule: 108/89/M art. 2(a), 2(c), 5(a), 5(b); reading 4.
    """
    key = key_of_last(throws_of(state, place))
    if key == INDECISIVE:
        closed = after(state.phase, Cause.CLOSED) if state.phase is Phase.BETTING else state.phase
        return replace(state, phase=closed), ()
    if state.phase is Phase.THROWING:
        return replace(state, phase=after(state.phase, Cause.PLACE_DECIDED)), ()
    first = next_place(state, step.rules)
    assert first is not None, "nobody throws before a bet lies against a bank with capital"
    cause = Cause.PLACES_THROW if banker_outcome(key) is None else Cause.BANKER_DECIDES
    return replace(state, due=first, phase=after(state.phase, cause)), ()


def _again(state: ChineseDice, last: Thrown) -> Phase:
    """The phase in which the last throw is repeated."""
    if last.place == state.banker.place:
        banker_throws = state.phase is Phase.BANKER_THROWING
        return state.phase if banker_throws else after(state.phase, Cause.BANKER_AGAIN)
    return state.phase if state.phase is Phase.THROWING else after(state.phase, Cause.PLACE_AGAIN)


def _out_of_turn(step: Step, seen: DiceThrown) -> Outcome:
    """Record a throw when none was due, or no bet lay; it counts for nothing.

    Rule: 108/89/M art. 2(c); readings 16 and 19.
    """
    said = announce(_shown(step.state, None, seen.dice, OUT_OF_TURN))
    fault = momentary(Code.DICE_OUT_OF_TURN, seen.device)
    if step.state.phase is Phase.IDLE:
        return step.state, said + fault
    noted, irregularity = _noted(step, step.state, OUT_OF_TURN, None)
    return noted, said + irregularity + fault


def _noted(step: Step, state: ChineseDice, flaw: str, place: int | None) -> Outcome:
    """The irregularity that a flaw stands for, where it is one."""
    if flaw not in IRREGULAR:
        return state, ()
    kind = IRREGULAR[flaw]
    repeated = Consequence.CONTINUES if place is None else Consequence.RETHROW
    return irregular(step, state, ARTICLES[kind], kind.value, place, repeated)


def _shown(state: ChineseDice, place: int | None, dice: Throw, flaw: str) -> DiceShown:
    """The event of a throw, with the faces that can be."""
    faces = tuple(face for face in dice if face in FACES)
    made = None if flaw else combination(dice)
    return DiceShown(open_round(state), place, faces, not flaw, made.value if made else None, flaw)
