"""One step of a Football Poker round in the making: what it was given, and the few moves that every rule is made of."""

from dataclasses import replace

from tablectl.core.deal import Deal
from tablectl.core.effects import Effects
from tablectl.core.events import Consequence, Irregular, Voided, saying
from tablectl.core.facts import Dealing, Place
from tablectl.core.games.football_poker.drawing import put_away, voided_draw
from tablectl.core.games.football_poker.rules import FootballPokerRules
from tablectl.core.games.football_poker.state import CAUSES, PHASES, Cause, FootballPoker, Phase, Settings, after, needy
from tablectl.core.pack import Pack, PackState
from tablectl.core.stakes import returned
from tablectl.core.turn import Turn as AnyTurn
from tablectl.core.turn import announce, refusal

Turn = AnyTurn[FootballPoker, Settings, FootballPokerRules]
Outcome = tuple[FootballPoker, Effects]


def refuse(state: FootballPoker, article: str, code: str, **values: object) -> Outcome:
    """Nothing changes; the asker is told why."""
    return state, (refusal("football_poker", article, code, **values),)


def onward(turn: Turn, state: FootballPoker) -> FootballPoker:
    """The state in the phase that its hands call for; a settlement is not made here."""
    need, _ = needy(state.deal.hands, turn.rules.post_numbers)
    if need is None or PHASES[need] is state.phase:
        return state
    return replace(state, phase=after(state.phase, CAUSES[need]))


def with_cards(turn: Turn, state: FootballPoker, deal: Deal) -> FootballPoker:
    """The state with these cards on the table, in the phase that they call for."""
    return onward(turn, replace(state, deal=deal))


def irregular(
    turn: Turn, state: FootballPoker, article: str, code: str, consequence: Consequence, place: Place | None = None
) -> Outcome:
    """The irregularity noted in the round, and published with its article."""
    event = Irregular(
        state.round_id,
        article,
        code,
        saying(f"irregular.football_poker.{code}", place=place or ""),
        consequence,
        place,
        turn.fact.by,
    )
    return replace(state, irregularities=(*state.irregularities, article)), announce(event)


def void(turn: Turn, state: FootballPoker, article: str, code: str, place: Place | None = None) -> Outcome:
    """The round void for an irregularity: every stake goes back.

    Rule: 41/2003 reading 9 (a misdeal or a wrong count voids the round).
    """
    noted, said = irregular(turn, state, article, code, Consequence.ROUND_VOID, place)
    closed, ended = end_void(turn, noted, article, code)
    return closed, said + ended


def end_void(turn: Turn, state: FootballPoker, article: str, reason: str) -> Outcome:
    """The round ended without a result, for this reason; its draw counts for nothing."""
    event = Voided(state.round_id, reason, article, turn.who, returned(state.bets))
    drawn = voided_draw(turn.rules, state, reason)
    away, blanked = put_away(turn.settings, state)
    untouched = state.dealing is Dealing.SHOE and state.pack.state is PackState.READY and not state.deal.doubtful
    kept = away if untouched else replace(away, pack=Pack())
    ended = cleared(replace(kept, phase=after(state.phase, Cause.VOIDED)))
    return ended, announce(*drawn, event) + blanked


def cleared(state: FootballPoker) -> FootballPoker:
    """The table between rounds: nothing lies on it, and only the shoe may hold what a next round is dealt from."""
    return FootballPoker(
        phase=Phase.IDLE,
        round_id=state.round_id,
        dealing=state.dealing,
        pack=state.pack,
        left=state.left,
        used=state.used,
        past=state.past,
        irregularities=state.irregularities,
        shoe_ended=state.shoe_ended,
    )
