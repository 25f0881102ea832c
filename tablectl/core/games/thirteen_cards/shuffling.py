"""The pack between rounds: shuffle by hand, then by machine, cut, and card box."""

from typing import Final

from tablectl.core.dealing.pack import PACK_SIZE, Pack, PackState, awaits, shuffled
from tablectl.core.effects import ShuffleCards
from tablectl.core.events.round import Consequence
from tablectl.core.facts.game_requests import PackConfirmed, PackCut
from tablectl.core.facts.reports import ShuffleCompleted, ShuffleFailed
from tablectl.core.games.thirteen_cards.dealing import begin_deal
from tablectl.core.games.thirteen_cards.state import (
    OUT_OF_PLAY,
    Cause,
    Cut,
    Outcome,
    Phase,
    Step,
    ThirteenCards,
    after,
    boxed,
    open_round,
    shuffle_anew,
)
from tablectl.core.step import irregular, refuse
from tablectl.core.table import operation, spoiling_fault
from tablectl.lazy_dataclass import replace

CUT_MIN: Final = 10
"""Cards that each cut has at least. Rule: 51/89/M art. 2(a)."""


def pack_confirmed(step: Step, _: PackConfirmed) -> Outcome:
    """The dealer has done their part with the pack.

    Without a shuffling machine on the table's wire, all of it: the pack is shuffled, cut and boxed. With one, first
    the hand's shuffle, upon which the machine shuffles; then, when that is done, the cut and the box.

    Rule: 51/89/M art. 2(a); art. 4 for a deal that was cancelled.
    """
    state = step.state
    if state.phase not in OUT_OF_PLAY:
        return refuse(step, "2(a)", "pack_in_play")
    if not _machine_is_fit(step):
        return _into_the_box(step, replace(state, pack=Pack(PackState.READY, by_hand=bool(step.settings.shuffler))))
    if state.pack.state is PackState.SHUFFLING:
        return refuse(step, "2(a)", "still_shuffling")
    if state.pack.state is PackState.READY and not state.boxed:
        return _into_the_box(step, state)
    number = operation(step.table)
    shuffling = replace(step.state, pack=Pack(PackState.SHUFFLING, number), boxed=False, cut=None)
    return shuffling, (ShuffleCards(number),)


def pack_cut(step: Step, cut: PackCut) -> Outcome:
    """Record the cut and the person who cut.

    A cut of fewer than ten cards, or none, is made again before the deal.

    Rule: 51/89/M art. 2(a) (any player, or the dealer if nobody wants to; ten cards); reading 23.
    """
    state = step.state
    if state.phase not in OUT_OF_PLAY:
        return refuse(step, "2(a)", "pack_in_play")
    if state.pack.state is PackState.SHUFFLING:
        return refuse(step, "2(a)", "still_shuffling")
    if not 0 <= cut.count <= PACK_SIZE - CUT_MIN:
        return refuse(step, "2(a)", "cut_of_more", cards=cut.count)
    if cut.count >= CUT_MIN:
        return replace(state, cut=Cut(cut.count, cut.bettor)), ()
    again = cut_again(state)
    return (
        irregular(step, again, "2(a)", "cut_wrongly", None, Consequence.MENDED, cut.bettor)
        if open_round(state)
        else (again, ())
    )


def cut_again(state: ThirteenCards) -> ThirteenCards:
    """Return the state in which the pack has to be cut, and boxed, before the deal.

    Rule: 51/89/M art. 2(a); reading 23.
    """
    return replace(state, boxed=False, cut=None)


def shuffle_completed(step: Step, done: ShuffleCompleted) -> Outcome:
    """Note that the machine's shuffle that the table asked for is done.

    The pack is fit if it counts 52.

    Rule: 51/89/M art. 1(a), 2(a).
    """
    pack, effects = shuffled(step.state.pack, done)
    return replace(step.state, pack=pack), effects


def shuffle_failed(step: Step, failed: ShuffleFailed) -> Outcome:
    """The shuffle did not come to its end: the pack has to be shuffled anew."""
    return (shuffle_anew(step.state) if awaits(step.state.pack, failed.operation) else step.state), ()


def machine_failed(step: Step) -> Outcome:
    """Mark the pack unshuffled after the shuffling machine failed.

    The cards in the machine aren't shuffled; a pack in the box is unaffected.
    """
    state = step.state
    return (state if boxed(state) else shuffle_anew(state)), ()


def unfinished(state: ThirteenCards) -> tuple[ShuffleCards, ...]:
    """The shuffle that was asked for and isn't reported done."""
    return (ShuffleCards(state.pack.operation),) if state.pack.state is PackState.SHUFFLING else ()


def _machine_is_fit(step: Step) -> bool:
    name = step.settings.shuffler
    return step.attached(name) and spoiling_fault(step.table, name) is None


def _into_the_box(step: Step, state: ThirteenCards) -> Outcome:
    """Note that the pack is in the box.

    After a cancelled deal it is dealt at once, by the same dice.

    Rule: 51/89/M art. 2(a), 4; reading 13.
    """
    ready, said = machine_skipped(step, replace(state, boxed=True))
    if state.phase is not Phase.RESHUFFLING:
        return ready, said
    return begin_deal(step, replace(ready, phase=after(state.phase, Cause.BOXED))), said


def machine_skipped(step: Step, state: ThirteenCards) -> Outcome:
    """Record that the machine should have shuffled the pack in the box and did not.

    It is recorded with the round, if there is one.

    Rule: 51/89/M art. 2(a); art. 4 for a deal that was cancelled.
    """
    if state.phase is Phase.IDLE or not state.pack.by_hand:
        return state, ()
    return irregular(step, state, "4" if state.phase is Phase.RESHUFFLING else "2(a)", "machine_skipped")
