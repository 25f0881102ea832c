"""One step of a Q Poker round in the making: what it was given, and the few moves that every rule is made of."""

from dataclasses import replace

from tablectl.core.effects import Effects
from tablectl.core.events import Consequence, Irregular, Voided, saying
from tablectl.core.facts import Place
from tablectl.core.games.q_poker.rules import QPokerRules
from tablectl.core.games.q_poker.state import Cause, Hand, Pack, Phase, QPoker, Settings, after
from tablectl.core.lying import put
from tablectl.core.stakes import returned
from tablectl.core.turn import Turn as AnyTurn
from tablectl.core.turn import announce as announce
from tablectl.core.turn import momentary as momentary
from tablectl.core.turn import refusal
from tablectl.core.turn import then as then

Turn = AnyTurn[QPoker, Settings, QPokerRules]
Outcome = tuple[QPoker, Effects]


def refuse(state: QPoker, article: str, code: str, **values: object) -> Outcome:
    """Nothing changes; the asker is told why."""
    return state, (refusal("q_poker", article, code, **values),)


def with_hand(state: QPoker, new: Hand) -> QPoker:
    """The state with this hand in place of its older self, or at the end."""
    return replace(state, hands=put(state.hands, new))


def irregular(
    turn: Turn, state: QPoker, article: str, code: str, consequence: Consequence, place: Place | None = None
) -> Outcome:
    """The irregularity noted in the round, and published with its article."""
    event = Irregular(
        state.round_id,
        article,
        code,
        saying(f"irregular.q_poker.{code}", place=place or ""),
        consequence,
        place,
        turn.fact.by,
    )
    return replace(state, irregularities=(*state.irregularities, article)), announce(event)


def void(turn: Turn, state: QPoker, article: str, code: str, place: Place | None = None) -> Outcome:
    """The round void for an irregularity: every stake goes back, a new round needs a new pack.

    Rule: 89/2004 art. 11(1), 11(3), 11(5); reading 19 (bets already paid are reversed).
    """
    noted, said = irregular(turn, state, article, code, Consequence.ROUND_VOID, place)
    closed, ended = end_void(turn, noted, article, code)
    return closed, said + ended


def end_void(turn: Turn, state: QPoker, article: str, reason: str) -> Outcome:
    """The round ended without a result, for this reason."""
    event = Voided(state.round_id, reason, article, turn.who, returned(state.bets))
    return cleared(replace(state, phase=after(state.phase, Cause.VOIDED))), announce(event)


def cleared(state: QPoker) -> QPoker:
    """The table between rounds: nothing lies on it and the pack has to be shuffled."""
    return QPoker(
        phase=Phase.IDLE,
        round_id=state.round_id,
        dealing=state.dealing,
        pack=Pack(),
        irregularities=state.irregularities,
        shoe_ended=state.shoe_ended,
    )
