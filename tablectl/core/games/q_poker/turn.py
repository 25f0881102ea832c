"""One step of a Q Poker round in the making: what it was given, and the few moves that every rule is made of."""

from dataclasses import dataclass, replace

from tablectl.core.effects import Announce, Effects, Refuse
from tablectl.core.events import Consequence, Event, Irregular, ReturnedStake, Voided, saying
from tablectl.core.facts import Fact, Place
from tablectl.core.games.q_poker.settlement import QPokerRules
from tablectl.core.games.q_poker.state import Cause, Hand, Pack, Phase, QPoker, Settings, after
from tablectl.core.money import format_money
from tablectl.core.table import Table

Outcome = tuple[QPoker, Effects]


@dataclass(frozen=True, slots=True)
class Turn:
    """The table before the step, the fact, and the rules and settings that hold."""

    table: Table[QPoker]
    fact: Fact
    settings: Settings
    rules: QPokerRules

    @property
    def state(self) -> QPoker:
        """The game's state before the step."""
        return self.table.game

    @property
    def who(self) -> str:
        """The person behind the fact, or its source."""
        return self.fact.by or self.fact.source


def announce(*events: Event) -> Effects:
    """The events as effects."""
    return tuple(Announce(event) for event in events)


def refuse(state: QPoker, article: str, code: str, **values: object) -> Outcome:
    """Nothing changes; the asker is told why."""
    return state, (Refuse(article, code, saying(f"refuse.q_poker.{code}", **values)),)


def with_hand(state: QPoker, new: Hand) -> QPoker:
    """The state with this hand in place of its older self, or at the end."""
    if all(hand.place != new.place for hand in state.hands):
        return replace(state, hands=(*state.hands, new))
    return replace(state, hands=tuple(new if hand.place == new.place else hand for hand in state.hands))


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
    returned = tuple(ReturnedStake(b.bettor, b.place, b.bet, format_money(b.stake)) for b in state.bets)
    event = Voided(state.round_id, reason, article, turn.who, returned)
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
