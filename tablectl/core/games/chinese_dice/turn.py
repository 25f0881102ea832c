"""One step of a Chinese dice round in the making: what it was given, and the few moves that every rule is made of."""

from dataclasses import replace

from tablectl.core.effects import Effects
from tablectl.core.events import Consequence, Irregular, Voided, saying
from tablectl.core.facts import Place
from tablectl.core.games.chinese_dice.chips import gathered
from tablectl.core.games.chinese_dice.rules import ChineseDiceRules
from tablectl.core.games.chinese_dice.state import ARTICLES, Cause, ChineseDice, Kind, Phase, Settings, after, laid
from tablectl.core.stakes import returned
from tablectl.core.turn import Turn as AnyTurn
from tablectl.core.turn import announce as announce
from tablectl.core.turn import momentary as momentary
from tablectl.core.turn import refusal
from tablectl.core.turn import then as then

Turn = AnyTurn[ChineseDice, Settings, ChineseDiceRules]
Outcome = tuple[ChineseDice, Effects]


def refuse(state: ChineseDice, article: str, code: str, **values: object) -> Outcome:
    """Nothing changes; the asker is told why."""
    return state, (refusal("chinese_dice", article, code, **values),)


def irregular(turn: Turn, state: ChineseDice, kind: Kind, place: Place | None = None) -> Outcome:
    """The irregularity noted in the round, and published with its article; the round goes on.

    No article of this regulation makes a round void.
    """
    article = ARTICLES[kind]
    event = Irregular(
        state.round_id,
        article,
        kind.value,
        saying(f"irregular.chinese_dice.{kind.value}", place=place or ""),
        Consequence.CONTINUES,
        place,
        turn.fact.by,
    )
    return replace(state, irregularities=(*state.irregularities, article)), announce(event)


def end_void(turn: Turn, state: ChineseDice, article: str, reason: str) -> Outcome:
    """The round ended without a result, for this reason: every layer of the bank and every bet goes back.

    It counts neither as a round of the banker's nor as one that anybody bet in.
    """
    event = Voided(state.round_id, reason, article, turn.who, returned(gathered(laid(state))))
    ended = replace(state, phase=after(state.phase, Cause.VOIDED), banker=replace(state.banker, capital=0))
    return cleared(ended), announce(event)


def cleared(state: ChineseDice) -> ChineseDice:
    """The table between rounds: who sits where and who holds the bank is all that stays."""
    return ChineseDice(
        phase=Phase.IDLE,
        round_id=state.round_id,
        seats=state.seats,
        banker=state.banker,
        tenure=state.tenure,
        waived=state.waived,
        declined=state.declined,
        played=state.played,
        irregularities=state.irregularities,
    )
