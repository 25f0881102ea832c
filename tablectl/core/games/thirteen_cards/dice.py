"""The four dice: who shakes them, which shake counts, and how it ends the betting."""

from typing import Final

from tablectl.core.bets.stakes import total
from tablectl.core.dealing.pack import Pack, PackState
from tablectl.core.effects import Effects, announce, momentary
from tablectl.core.events.device import DiceShown
from tablectl.core.events.round import BettingOver
from tablectl.core.facts.game_requests import DiceEntered, ThrowInvalidated
from tablectl.core.facts.reports import DiceThrown
from tablectl.core.faults import Code
from tablectl.core.games.thirteen_cards.betting import not_to_be_shaken
from tablectl.core.games.thirteen_cards.dealing import begin_deal
from tablectl.core.games.thirteen_cards.seats import shakers_place
from tablectl.core.games.thirteen_cards.state import Cause, Outcome, Phase, Step, ThirteenCards, after, boxed, dealt
from tablectl.core.games.thirteen_cards.state import open_round as round_of
from tablectl.core.outcomes import FACES, Throw
from tablectl.core.step import refuse, then
from tablectl.lazy_dataclass import replace

DICE: Final = 4
BEFORE_THE_DEAL = frozenset({Phase.BETTING, Phase.CLOSED})
FLAWS: Final = ("cocked", "stacked", "outside", "missing", "extra", "unsure", "moved", "away", "out_of_turn")
"""Why a person may call a throw invalid."""


def dice_thrown(step: Step, thrown: DiceThrown) -> Outcome:
    """Handle a shake that the reader saw come to rest, the round's or out of turn.

    Rule: 51/89/M art. 2(b), 2(c).
    """
    state = step.state
    due = state.phase in BEFORE_THE_DEAL and thrown.device == step.settings.dice and bool(step.settings.dice)
    if not due or not boxed(state) or not_to_be_shaken(state):
        return state, _shown(state, thrown.dice, "out_of_turn") + momentary(Code.DICE_OUT_OF_TURN, thrown.device)
    return _shaken(step, thrown.dice, thrown.flaw or _miscounted(thrown.dice))


def dice_entered(step: Step, entered: DiceEntered) -> Outcome:
    """Take the dice as the dealer reads them, where no reader does.

    `place` is where the person sits who shook them.

    Rule: 51/89/M art. 2(b), 2(c).
    """
    state = step.state
    if state.phase is Phase.IDLE:
        return refuse(step, "2", "no_round")
    if state.phase not in BEFORE_THE_DEAL:
        return refuse(step, "2(c)", "dice_stand")
    if step.attached(step.settings.dice):
        return refuse(step, "table", "reader_works", device=step.settings.dice)
    if (no := not_to_be_shaken(state)) is not None:
        return state, (no,)
    if not boxed(state):
        return refuse(step, "2(a)", "pack_not_confirmed")
    if entered.place != shakers_place(state):
        return refuse(step, "2(b)", "not_his_shake", place=entered.place, due=shakers_place(state))
    if not entered.flaw and _miscounted(entered.dice):
        return refuse(step, "1(c)", "four_dice")
    if entered.flaw and entered.flaw not in FLAWS:
        return refuse(step, "table", "no_such_kind", kind=entered.flaw)
    return _shaken(step, entered.dice, entered.flaw)


def throw_invalidated(step: Step, called: ThrowInvalidated) -> Outcome:
    """Invalidate a shake by which no card was dealt yet: the dice are shaken again.

    Rule: 51/89/M art. 2(c): once cards lie, nothing is added to the total or taken from it; reading 13.
    """
    state = step.state
    if state.phase is Phase.IDLE:
        return refuse(step, "2", "no_round")
    if not state.dice:
        return refuse(step, "2(c)", "no_dice")
    if state.phase is not Phase.DEALING or dealt(state) or state.redealt:
        return refuse(step, "2(c)", "dice_stand")
    if called.flaw not in FLAWS:
        return refuse(step, "table", "no_such_kind", kind=called.flaw)
    back = replace(state, pack=Pack(PackState.READY), boxed=True, dice=(), hands=(), sure=None)
    return _to_be_shaken_again(back, state.dice, called.flaw, called=True)


def _shaken(step: Step, dice: Throw, flaw: str) -> Outcome:
    """The shake ends the betting, whether it is valid or has to be repeated.

    Rule: 51/89/M art. 2(c).
    """
    state = step.state
    over = BettingOver(state.round_id, "throw", total(state.bets))
    said = announce(over) if state.phase is Phase.BETTING else ()
    if flaw:
        return then(said, _to_be_shaken_again(state, dice, flaw))
    shaken = replace(state, phase=after(state.phase, Cause.SHAKEN), dice=dice)
    return begin_deal(step, shaken), said + _shown(state, dice)


def _to_be_shaken_again(state: ThirteenCards, dice: Throw, flaw: str, *, called: bool = False) -> Outcome:
    return replace(state, phase=after(state.phase, Cause.SHAKE_INVALID)), _shown(state, dice, flaw, called=called)


def _shown(state: ThirteenCards, dice: Throw, flaw: str = "", *, called: bool = False) -> Effects:
    """The event of a shake, with the faces that can be."""
    place = shakers_place(state) if round_of(state) else None
    faces = tuple(face for face in dice if face in FACES)
    return announce(DiceShown(round_of(state), place, faces, not flaw, None, flaw, called))


def _miscounted(dice: Throw) -> str:
    """Why these can't be the faces of four dice; empty where they can.

    Rule: 51/89/M art. 1(c).
    """
    if len(dice) != DICE:
        return "missing" if len(dice) < DICE else "extra"
    return "" if all(face in FACES for face in dice) else "unsure"
