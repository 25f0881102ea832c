"""One step of a round of 13 Cards in the making: what it was given, and the few moves that every rule is made of."""

from dataclasses import replace

from tablectl.core.effects import Effects, StopTimer
from tablectl.core.events import Consequence, Irregular, Voided, saying
from tablectl.core.facts import Place
from tablectl.core.games.thirteen_cards.rules import ThirteenCardsRules
from tablectl.core.games.thirteen_cards.state import GAME, Cause, Hand, Settings, ThirteenCards, after
from tablectl.core.lying import put
from tablectl.core.stakes import returned
from tablectl.core.table import device
from tablectl.core.turn import Turn as AnyTurn
from tablectl.core.turn import announce as announce
from tablectl.core.turn import momentary as momentary
from tablectl.core.turn import refusal
from tablectl.core.turn import then as then

Turn = AnyTurn[ThirteenCards, Settings, ThirteenCardsRules]
Outcome = tuple[ThirteenCards, Effects]


def refuse(state: ThirteenCards, article: str, code: str, **values: object) -> Outcome:
    """Nothing changes; the asker is told why."""
    return state, (refusal(GAME, article, code, **values),)


def attached(turn: Turn, name: str) -> bool:
    """Whether the table has this device and it is there."""
    return bool(name) and device(turn.table, name).attached


def with_hand(state: ThirteenCards, new: Hand) -> ThirteenCards:
    """The state with these cards of a place."""
    return replace(state, hands=put(state.hands, new))


def irregular(
    turn: Turn,
    state: ThirteenCards,
    article: str,
    code: str,
    place: Place | None = None,
    consequence: Consequence = Consequence.CONTINUES,
) -> Outcome:
    """The irregularity noted in the round, and published with its article."""
    text = saying(f"irregular.thirteen_cards.{code}", place=place or "")
    event = Irregular(state.round_id, article, code, text, consequence, place, turn.fact.by)
    return replace(state, irregularities=(*state.irregularities, article)), announce(event)


def end_void(turn: Turn, state: ThirteenCards, article: str, reason: str) -> Outcome:
    """The round ended without a result, for this reason: every stake goes back."""
    event = Voided(state.round_id, reason, article, turn.who, returned(state.bets))
    ended = cleared(replace(state, phase=after(state.phase, Cause.VOIDED), signal=0, call_time=False))
    return ended, stop_clock(state) + announce(event)


def stop_clock(state: ThirteenCards) -> Effects:
    """The end of the five minutes, where they run."""
    return (StopTimer(state.clock.operation),) if state.clock else ()


def cleared(state: ThirteenCards) -> ThirteenCards:
    """The table between rounds: whoever sits there stays, and the pack has to be shuffled.

    Rule: 51/89/M art. 2(a); reading 14: all 52 cards were dealt.
    """
    return ThirteenCards(
        phase=state.phase,
        round_id=state.round_id,
        seats=state.seats,
        signal=state.signal,
        call_time=state.call_time,
        irregularities=state.irregularities,
    )
