"""What is known of a Q Poker round, its phases, and how it goes from one to the next."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from tablectl.core import deal as dealt
from tablectl.core.cards import Card
from tablectl.core.deal import Deal
from tablectl.core.facts import DEALER, Dealing, Place
from tablectl.core.lying import Hand as Hand
from tablectl.core.lying import hand_of
from tablectl.core.lying import lies_up as lies_up
from tablectl.core.pack import PACK_SIZE as PACK_SIZE
from tablectl.core.pack import Pack as Pack
from tablectl.core.pack import PackState as PackState
from tablectl.core.stakes import Bet as Bet
from tablectl.core.stakes import Limits as Limits

HAND_SIZE = 3
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
    """What moves a round from phase to phase."""

    OPENED = "round opened"
    CLOSED = "betting closed"
    FIRST_CARD = "first card"
    DEALT = "every hand dealt"
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
        Cause.VOIDED: Phase.IDLE,
    },
    Phase.CLOSED: {Cause.FIRST_CARD: Phase.DEALING, Cause.VOIDED: Phase.IDLE},
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
    """

    places: int = 7
    dealing: Dealing = Dealing.SHOE
    shoe: str = "shoe"
    shuffler: str = "shuffler"
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True)
class QPoker:
    """A Q Poker table's state.

    Args:
        round_id: the round in being, or the last one; empty before the first.
        dealing: how this round is dealt.
        pack: the pack's state.
        bets: in the order placed.
        hands: in the order dealt, the dealer's last; dead hands after it.
        dealt_at: the record of the last card or packet.
        last: the place that the last card or packet was counted for; empty once nothing can be declared of it.
        misplaced: where that card really lies, while it waits to be put right.
        surplus: cards that came when every hand was complete.
        doubtful: whether cards may have been missed, so that they must be counted.
        opened_us: when the round was opened, UTC microseconds.
        irregularities: the articles of what went wrong so far.
        shoe_ended: whether the cut card has come out since the pack went in.
    """

    phase: Phase = Phase.IDLE
    round_id: str = ""
    dealing: Dealing = Dealing.SHOE
    pack: Pack = field(default_factory=Pack)
    bets: tuple[Bet, ...] = ()
    hands: tuple[Hand, ...] = ()
    dealt_at: int = 0
    last: Place = ""
    misplaced: Place = ""
    surplus: tuple[Card | None, ...] = ()
    doubtful: bool = False
    opened_us: int = 0
    irregularities: tuple[str, ...] = ()
    shoe_ended: bool = False


def after(phase: Phase, cause: Cause) -> Phase:
    """The phase that follows; the table of transitions knows no other way."""
    return TRANSITIONS[phase][cause]


def deal_of(state: QPoker) -> Deal:
    """The cards on the table, and what is uncertain of them."""
    return Deal(state.hands, state.last, state.misplaced, state.surplus, state.doubtful, state.dealt_at)


def with_deal(state: QPoker, deal: Deal) -> QPoker:
    """The state with these cards on the table."""
    return replace(
        state,
        hands=deal.hands,
        last=deal.last,
        misplaced=deal.misplaced,
        surplus=deal.surplus,
        doubtful=deal.doubtful,
        dealt_at=deal.dealt_at,
    )


def live_hands(state: QPoker) -> tuple[Hand, ...]:
    """The hands that play, in the order dealt, the dealer's last."""
    return dealt.live_hands(state.hands)


def players_hands(state: QPoker) -> tuple[Hand, ...]:
    """The hands that play against the dealer."""
    return tuple(hand for hand in live_hands(state) if hand.place != DEALER)


def hand_at(state: QPoker, place: Place) -> Hand | None:
    """The hand of a place, dead or alive."""
    return hand_of(state.hands, place)


def places_with_bets(state: QPoker) -> tuple[int, ...]:
    """The places that are dealt, in the order dealt."""
    return tuple(sorted({int(bet.place) for bet in state.bets}))


def known_cards(state: QPoker) -> tuple[Card, ...]:
    """Every card of the round whose identity is known, face up or down, in a hand or waiting for its place."""
    return dealt.known_cards(deal_of(state))


def face_down(state: QPoker) -> frozenset[Card]:
    """The known cards that lie face down."""
    return dealt.face_down(deal_of(state))
