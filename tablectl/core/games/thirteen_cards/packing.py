"""The pack between rounds: shuffled by hand, then by machine, cut, and put into the card box."""

from dataclasses import replace

from tablectl.core.effects import Effects, ShuffleCards
from tablectl.core.facts import ShuffleCompleted, ShuffleFailed
from tablectl.core.games.thirteen_cards.dealing import begin_deal
from tablectl.core.games.thirteen_cards.state import (
    OUT_OF_PLAY,
    Cause,
    Pack,
    PackState,
    Phase,
    ThirteenCards,
    after,
    boxed,
    shuffle_anew,
)
from tablectl.core.games.thirteen_cards.turn import Outcome, Turn, attached, irregular, refuse
from tablectl.core.pack import awaits, shuffled
from tablectl.core.table import operation, spoiling_fault


def pack_confirmed(turn: Turn) -> Outcome:
    """The dealer has done his part with the pack.

    Without a shuffling machine on the table's wire, all of it: the pack is shuffled, cut and boxed. With one, first
    the hand's shuffle, upon which the machine shuffles; then, when that is done, the cut and the box.

    Rule: 51/89/M art. 2(a); art. 4 for a deal that was cancelled.
    """
    state = turn.state
    if state.phase not in OUT_OF_PLAY:
        return refuse(state, "2(a)", "pack_in_play")
    if not _machine_is_fit(turn):
        return _into_the_box(turn, replace(state, pack=Pack(PackState.READY, by_hand=bool(turn.settings.shuffler))))
    if state.pack.state is PackState.SHUFFLING:
        return refuse(state, "2(a)", "still_shuffling")
    if state.pack.state is PackState.READY and not state.boxed:
        return _into_the_box(turn, state)
    return _into_the_machine(turn)


def shuffle_completed(turn: Turn, done: ShuffleCompleted) -> Outcome:
    """The machine's shuffle that the table asked for is done; the pack is fit if it counts 52.

    Rule: 51/89/M art. 1(a), 2(a).
    """
    pack, effects = shuffled(turn.state.pack, done)
    return replace(turn.state, pack=pack), effects


def shuffle_failed(turn: Turn, failed: ShuffleFailed) -> Outcome:
    """The shuffle did not come to its end: the pack has to be shuffled anew."""
    return (shuffle_anew(turn.state) if awaits(turn.state.pack, failed.operation) else turn.state), ()


def machine_failed(turn: Turn) -> Outcome:
    """The shuffling machine failed: what it has in it isn't shuffled; a pack in the box is none of its business."""
    state = turn.state
    return (state if boxed(state) else shuffle_anew(state)), ()


def unfinished(state: ThirteenCards) -> tuple[ShuffleCards, ...]:
    """The shuffle that was asked for and isn't reported done."""
    return (ShuffleCards(state.pack.operation),) if state.pack.state is PackState.SHUFFLING else ()


def _machine_is_fit(turn: Turn) -> bool:
    name = turn.settings.shuffler
    return attached(turn, name) and spoiling_fault(turn.table, name) is None


def _into_the_machine(turn: Turn) -> Outcome:
    number = operation(turn.table)
    effects: Effects = (ShuffleCards(number),)
    return replace(turn.state, pack=Pack(PackState.SHUFFLING, number), boxed=False, signal=0, call_time=False), effects


def _into_the_box(turn: Turn, state: ThirteenCards) -> Outcome:
    """The pack lies in the box; after a cancelled deal it is dealt at once, the dice being what they are.

    Rule: 51/89/M art. 2(a), 4; reading 13.
    """
    ready, said = machine_skipped(turn, replace(state, boxed=True, signal=0, call_time=False))
    if state.phase is not Phase.RESHUFFLING:
        return ready, said
    return begin_deal(turn, replace(ready, phase=after(state.phase, Cause.BOXED))), said


def machine_skipped(turn: Turn, state: ThirteenCards) -> Outcome:
    """A pack in the box that the machine should have shuffled and did not is on the round's record, if there is one.

    Rule: 51/89/M art. 2(a); art. 4 for a deal that was cancelled.
    """
    if state.phase is Phase.IDLE or not state.pack.by_hand:
        return state, ()
    return irregular(turn, state, "4" if state.phase is Phase.RESHUFFLING else "2(a)", "machine_skipped")
