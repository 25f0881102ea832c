"""State of a Q Poker table, the phases of a round and their transitions."""

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import Final

from tablectl.core import step
from tablectl.core.bets.stakes import Bet, Limits
from tablectl.core.cards import DEALER
from tablectl.core.dealing.deal import Deal, live_hands
from tablectl.core.dealing.hands import Hand
from tablectl.core.dealing.pack import Pack
from tablectl.core.facts.game_requests import Dealing
from tablectl.core.games.q_poker.rules import QPokerRules
from tablectl.lazy_dataclass import dataclass

HAND_SIZE = 3
KINDS: Final[Mapping[str, str]] = {"foreign_card": "1(1)", "did_not_decide": "table"}
"""What the dealer may declare besides, and the article that it is about."""
NEEDS: Final[Mapping[str, tuple[str, ...]]] = {"foreign_card": ("place",), "did_not_decide": ("place", "bettor")}
"""What else has to be said of each."""

MOST_PLACES = 16
"""One pack gives 17 hands of three, the dealer's included (reading 17)."""


class Phase(StrEnum):
    """Where a round stands."""

    IDLE = "idle"
    BETTING = "betting"
    CLOSED = "closed"
    DEALING = "dealing"
    OPENING = "opening"
    DECIDING = "deciding"
    SHOWDOWN = "showdown"


class Cause(StrEnum):
    """Cause of a transition from phase to phase."""

    OPENED = "round opened"
    CLOSED = "betting closed"
    FIRST_CARD = "first card"
    DEALT = "every hand dealt"
    DEALT_UNREAD = "every hand dealt, by the dealer's word"
    TAKEN_BACK = "last card belongs to a dead hand"
    HANDS_OPENED = "players' hands open"
    NOTHING_TO_DECIDE = "nothing to decide"
    DECIDED = "every bet decided"
    SETTLED = "settled"
    VOIDED = "void"


TRANSITIONS: Mapping[Phase, Mapping[Cause, Phase]] = {
    Phase.IDLE: {Cause.OPENED: Phase.BETTING},
    Phase.BETTING: {
        Cause.CLOSED: Phase.CLOSED,
        Cause.FIRST_CARD: Phase.DEALING,
        Cause.DEALT_UNREAD: Phase.OPENING,
        Cause.VOIDED: Phase.IDLE,
    },
    Phase.CLOSED: {
        Cause.FIRST_CARD: Phase.DEALING,
        Cause.DEALT_UNREAD: Phase.OPENING,
        Cause.VOIDED: Phase.IDLE,
    },
    Phase.DEALING: {Cause.DEALT: Phase.OPENING, Cause.VOIDED: Phase.IDLE},
    Phase.OPENING: {
        Cause.TAKEN_BACK: Phase.DEALING,
        Cause.HANDS_OPENED: Phase.DECIDING,
        Cause.NOTHING_TO_DECIDE: Phase.SHOWDOWN,
        Cause.VOIDED: Phase.IDLE,
    },
    Phase.DECIDING: {Cause.DECIDED: Phase.SHOWDOWN, Cause.VOIDED: Phase.IDLE},
    Phase.SHOWDOWN: {Cause.SETTLED: Phase.IDLE, Cause.VOIDED: Phase.IDLE},
}
"""The only ways from phase to phase; diagrams are drawn from it."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How this table is set up. Money in hundredths.

    Args:
        places: how many places players may bet on, 1 to 16; numbered from the dealer's left.
        dealing: how cards are dealt unless the dealer asks for the other way.
        shoe: the name of the shoe reader; empty where there is none.
        shuffler: the name of the shuffler; empty where there is none.
        limits: the stakes that the house takes.
        confirm_payment: whether the dealer confirms what they have paid and collected.
        no_decision: what follows where a bettor doesn't decide.
    """

    places: int = 7
    dealing: Dealing = Dealing.SHOE
    shoe: str = "shoe"
    shuffler: str = "shuffler"
    limits: Limits = field(default_factory=Limits)
    confirm_payment: bool = False
    no_decision: step.HouseRule = step.HouseRule.ASK_AGAIN


@dataclass(frozen=True, slots=True)
class QPoker:
    """A Q Poker table's state.

    Args:
        round_id: the round in being, or the last one; empty before the first.
        dealing: how this round is dealt.
        pack: the pack's state.
        bets: in the order placed.
        deal: the cards on the table: the places' hands in their order, the dealer's last, then dead hands.
        opened_us: when the round was opened, UTC microseconds.
        irregularities: the articles of what went wrong so far.
        shoe_ended: whether the cut card has come out since the pack went in.
    """

    phase: Phase = Phase.IDLE
    round_id: str = ""
    dealing: Dealing = Dealing.SHOE
    pack: Pack = field(default_factory=Pack)
    bets: tuple[Bet, ...] = ()
    deal: Deal = field(default_factory=Deal)
    opened_us: int = 0
    irregularities: tuple[str, ...] = ()
    shoe_ended: bool = False


Step = step.Step[QPoker, Settings, QPokerRules]
Outcome = step.Outcome[QPoker]


def after(phase: Phase, cause: Cause) -> Phase:
    """The phase that follows; the table of transitions knows no other way."""
    return TRANSITIONS[phase][cause]


def players_hands(state: QPoker) -> tuple[Hand, ...]:
    """The hands that play against the dealer."""
    return tuple(hand for hand in live_hands(state.deal.hands) if hand.place != DEALER)


def places_with_bets(state: QPoker) -> tuple[int, ...]:
    """The places that are dealt, in the order dealt."""
    return tuple(sorted({int(bet.place) for bet in state.bets}))


def cleared(state: QPoker, cause: Cause) -> QPoker:
    """The table between rounds: nothing lies on it and the pack has to be shuffled."""
    return QPoker(
        phase=after(state.phase, cause),
        round_id=state.round_id,
        dealing=state.dealing,
        irregularities=state.irregularities,
        shoe_ended=state.shoe_ended,
    )
