"""The dice: whose throw it is, what it shows, and when it doesn't count. Articles 2(a) to 2(e), 3(b) and 3(c).

What the reader saw is never refused. Its throw belongs to whoever is due; where nobody is, it counts for nothing.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from tablectl.core.dice import FACES, Throw
from tablectl.core.events import DiceShown
from tablectl.core.facts import DiceEntered, DiceThrown, ThrowInvalidated
from tablectl.core.faults import Code
from tablectl.core.games.chinese_dice.betting import betting_over
from tablectl.core.games.chinese_dice.hands import DICE, INDECISIVE, combination
from tablectl.core.games.chinese_dice.paying import key_of_last, next_place, settle
from tablectl.core.games.chinese_dice.settlement import banker_outcome
from tablectl.core.games.chinese_dice.state import (
    AWAITS_THROW,
    PLACE_MAX,
    Cause,
    ChineseDice,
    Doubt,
    Kind,
    Phase,
    Thrown,
    after,
    number_of,
    open_round,
    throws_of,
)
from tablectl.core.games.chinese_dice.turn import Outcome, Turn, announce, irregular, momentary, refuse, then
from tablectl.core.table import STALE_SCREEN, device

AWAY, OUT_OF_TURN, UNSURE, BY_HAND = "away", "out_of_turn", "unsure", "by_hand"

FLAWS: Final = frozenset(
    {"cocked", "stacked", "outside", "missing", "extra", "moved", "apart", UNSURE, AWAY, OUT_OF_TURN}
)
"""Why a throw isn't valid, as the dealer may say it. Rule: 108/89/M art. 2(d), 2(e), 3(c); reading 16."""

IRREGULAR: Final[Mapping[str, Kind]] = {AWAY: Kind.DICE_HELD_AWAY, OUT_OF_TURN: Kind.THROWN_OUT_OF_TURN}
"""The flaws that are more than a throw to repeat. Rule: 108/89/M art. 2(c), 3(c); reading 16."""


def dice_thrown(turn: Turn, seen: DiceThrown) -> Outcome:
    """The reader saw a throw: it belongs to whoever is due.

    Rule: 108/89/M art. 2(a), 2(c); reading 16.
    """
    state = turn.state
    if not turn.settings.dice or seen.device != turn.settings.dice:
        return state, ()
    flaw = seen.flaw or _flaw_of(seen.dice)
    if state.phase not in AWAITS_THROW:
        return _out_of_turn(turn, seen)
    if state.by_hand:
        return state, announce(_shown(state, None, seen.dice, BY_HAND))
    taken = replace(state, doubt=Doubt.UNREAD if flaw == UNSURE else Doubt.NONE)
    return _took(turn, taken, seen.dice, flaw)


def dice_entered(turn: Turn, entered: DiceEntered) -> Outcome:
    """The dealer read a throw himself, where there is no reader or it can't be relied on.

    Rule: 108/89/M art. 2(a), 2(c), 2(e).
    """
    state = turn.state
    if (no := _no_throw_now(turn, entered)) is not None:
        return no
    if entered.flaw and entered.flaw not in FLAWS:
        return refuse(state, "2(e)", "no_such_flaw", flaw=entered.flaw)
    if not entered.flaw and _flaw_of(entered.dice):
        return refuse(state, "2(a)", "three_dice")
    may_come_late = state.doubt is not Doubt.UNREAD
    taken = replace(state, doubt=Doubt.NONE, by_hand=state.by_hand or may_come_late)
    return _took(turn, taken, entered.dice, entered.flaw)


def throw_invalidated(turn: Turn, asked: ThrowInvalidated) -> Outcome:
    """The dealer calls the last throw invalid, before it is paid: it is repeated.

    Rule: 108/89/M art. 2(d), 2(e), 3(c); readings 13 and 16.
    """
    state = turn.state
    if outrun(turn):
        return state, (STALE_SCREEN,)
    if state.phase is Phase.IDLE:
        return refuse(state, "2(a)", "no_round")
    if asked.flaw not in FLAWS:
        return refuse(state, "2(e)", "no_such_flaw", flaw=asked.flaw)
    if standing_throw(state) is None:
        return refuse(state, "2(e)", "no_throw")
    return invalidated(turn, asked.flaw)


def standing_throw(state: ChineseDice) -> Thrown | None:
    """Who threw last, while that throw is valid and nothing was paid on it.

    Rule: 108/89/M art. 2(c).
    """
    last = state.thrown[-1] if state.thrown else None
    if last is None or last.throws[-1] is None:
        return None
    paid_on = bool(state.paid) if last.place == state.banker.place else last.place in state.paid
    return None if paid_on else last


def invalidated(turn: Turn, flaw: str) -> Outcome:
    """The last throw made invalid; who threw it throws again."""
    state = turn.state
    last = state.thrown[-1]
    void = replace(last, throws=(*last.throws[:-1], None))
    due = 0 if last.place == state.banker.place else last.place
    again = replace(state, thrown=(*state.thrown[:-1], void), due=due, phase=_again(state, last))
    told = announce(replace(_shown(state, last.place, last.throws[-1] or (), flaw), called_invalid=True))
    return then(told, _noted(turn, again, flaw, last.place))


def outrun(turn: Turn) -> bool:
    """Whether a throw came that the asker's screen didn't show: what he says is true of the one before."""
    return turn.fact.seen is not None and turn.fact.seen < turn.state.thrown_at


def reader_reads(turn: Turn) -> bool:
    """Whether the reader reads this round's throws, so that nobody enters them."""
    name = turn.settings.dice
    trusted = not turn.state.by_hand and turn.state.doubt is Doubt.NONE
    failed = any(fault.device == name and fault.present for fault in turn.table.faults)
    return bool(name) and trusted and not failed and device(turn.table, name).attached


def _flaw_of(dice: Throw) -> str:
    """What is wrong with these faces by themselves; empty for three dice."""
    if len(dice) != DICE:
        return "missing" if len(dice) < DICE else "extra"
    return "" if all(face in FACES for face in dice) else UNSURE


def _no_throw_now(turn: Turn, entered: DiceEntered) -> Outcome | None:
    state = turn.state
    if outrun(turn):
        return state, (STALE_SCREEN,)
    if state.phase is Phase.IDLE:
        return refuse(state, "2(a)", "no_round")
    if state.phase not in AWAITS_THROW:
        return refuse(state, "2(c)", "pay_first", place=state.due)
    if (number := number_of(state, entered.place)) is None:
        return refuse(state, "3(a)", "no_such_place", place=entered.place, places=PLACE_MAX)
    if number != (due := due_to_throw(state)):
        return refuse(state, "2(c)", "not_the_place_due", place=number, due=due)
    return refuse(state, "table", "reader_reads", device=turn.settings.dice) if reader_reads(turn) else None


def due_to_throw(state: ChineseDice) -> int:
    """The place whose throw it is: the banker's until he has thrown what decides.

    Rule: 108/89/M art. 2(a), 2(c).
    """
    return state.due if state.phase is Phase.THROWING else state.banker.place


def _took(turn: Turn, state: ChineseDice, dice: Throw, flaw: str) -> Outcome:
    """One throw of the place that is due. The banker's first, valid or not, ends the betting.

    Rule: 108/89/M art. 2(a), 2(e), 2(f); readings 12, 13 and 14.
    """
    over = betting_over(state, "throw") if state.phase is Phase.BETTING else ()
    place = due_to_throw(state)
    throws = (*throws_of(state, place), None if flaw else dice)
    others = tuple(thrown for thrown in state.thrown if thrown.place != place)
    thrown = (*others, Thrown(place, throws))
    taken = replace(state, thrown=thrown, thrown_at=turn.table.records)
    noted, said = _noted(turn, taken, flaw, place)
    shown = announce(_shown(state, place, dice, flaw))
    return then(over + shown + said, _decided(turn, noted, place))


def _decided(turn: Turn, state: ChineseDice, place: int) -> Outcome:
    """What follows from a throw: another, the bets of a place to pay, or the places that throw against the banker.

    Rule: 108/89/M art. 2(a), 2(c), 5(a), 5(b); reading 4.
    """
    key = key_of_last(throws_of(state, place))
    if key == INDECISIVE:
        closed = after(state.phase, Cause.CLOSED) if state.phase is Phase.BETTING else state.phase
        return replace(state, phase=closed), ()
    if state.phase is Phase.THROWING:
        return replace(state, phase=after(state.phase, Cause.PLACE_DECIDED)), ()
    first = next_place(state, turn.rules)
    if first is None:
        return settle(turn, state)
    cause = Cause.PLACES_THROW if banker_outcome(key) is None else Cause.BANKER_DECIDES
    return replace(state, due=first, phase=after(state.phase, cause)), ()


def _again(state: ChineseDice, last: Thrown) -> Phase:
    """The phase in which the last throw is repeated."""
    if last.place == state.banker.place:
        banker_throws = state.phase is Phase.BANKER_THROWING
        return state.phase if banker_throws else after(state.phase, Cause.BANKER_AGAIN)
    return state.phase if state.phase is Phase.THROWING else after(state.phase, Cause.PLACE_AGAIN)


def _out_of_turn(turn: Turn, seen: DiceThrown) -> Outcome:
    """A throw when nobody was due: it counts for nothing, and is recorded.

    Rule: 108/89/M art. 2(c); reading 16.
    """
    said = announce(_shown(turn.state, None, seen.dice, OUT_OF_TURN))
    fault = momentary(Code.DICE_OUT_OF_TURN, seen.device)
    if turn.state.phase is Phase.IDLE:
        return turn.state, said + fault
    noted, irregularity = _noted(turn, turn.state, OUT_OF_TURN, None)
    return noted, said + irregularity + fault


def _noted(turn: Turn, state: ChineseDice, flaw: str, place: int | None) -> Outcome:
    """The irregularity that a flaw stands for, where it is one."""
    return irregular(turn, state, IRREGULAR[flaw], place) if flaw in IRREGULAR else (state, ())


def _shown(state: ChineseDice, place: int | None, dice: Throw, flaw: str) -> DiceShown:
    """The event of a throw, with the faces that can be."""
    faces = tuple(face for face in dice if face in FACES)
    made = None if flaw else combination(dice)
    return DiceShown(open_round(state), place, faces, not flaw, made.value if made else None, flaw)
