"""What is known of a Q Poker round, its phases, and how it goes from one to the next."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from tablectl.core.cards import Card
from tablectl.core.facts import DEALER, Dealing, Place

HAND_SIZE = 3
PACK_SIZE = 52
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


class PackState(StrEnum):
    """What is known of the pack of 52. A round is dealt from a ready one only."""

    NEEDED = "needed"
    SHUFFLING = "shuffling"
    READY = "ready"
    IN_PLAY = "in_play"


@dataclass(frozen=True, slots=True)
class Pack:
    """The pack; ``operation`` is the shuffler's, while it shuffles."""

    state: PackState = PackState.NEEDED
    operation: int = 0


@dataclass(frozen=True, slots=True)
class Bet:
    """A bettor's chips on one space of a place. ``stake`` in hundredths; ``decision`` is empty until given."""

    place: int
    bettor: str
    bet: str
    stake: int
    decision: str = ""


@dataclass(frozen=True, slots=True)
class Hand:
    """The cards of a place, or of the dealer. None stands for a card whose identity isn't known.

    ``shown`` counts from 1 the cards that lie face up though the hand isn't open. A dead hand was dealt without a bet.
    """

    place: Place
    cards: tuple[Card | None, ...] = ()
    opened: bool = False
    dead: bool = False
    shown: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Settings:
    """How this table is set up. Money in hundredths.

    Args:
        places: how many places players may bet on, 1 to 16; numbered from the dealer's left.
        dealing: how cards are dealt unless the dealer asks for the other way.
        shoe: the name of the shoe reader; empty where there is none.
        shuffler: the name of the shuffler; empty where there is none.
        least_stake: the smallest stake of one bet.
        most_stake: the largest.
        stake_step: every stake is a multiple of it.
    """

    places: int = 7
    dealing: Dealing = Dealing.SHOE
    shoe: str = "shoe"
    shuffler: str = "shuffler"
    least_stake: int = 1
    most_stake: int = 100_000_000
    stake_step: int = 1


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


def live_hands(state: QPoker) -> tuple[Hand, ...]:
    """The hands that play, in the order dealt, the dealer's last."""
    return tuple(hand for hand in state.hands if not hand.dead)


def players_hands(state: QPoker) -> tuple[Hand, ...]:
    """The hands that play against the dealer."""
    return tuple(hand for hand in live_hands(state) if hand.place != DEALER)


def hand_at(state: QPoker, place: Place) -> Hand | None:
    """The hand of a place, dead or alive."""
    return next((hand for hand in state.hands if hand.place == place), None)


def places_with_bets(state: QPoker) -> tuple[int, ...]:
    """The places that are dealt, in the order dealt."""
    return tuple(sorted({bet.place for bet in state.bets}))


def known_cards(state: QPoker) -> tuple[Card, ...]:
    """Every card of the round whose identity is known, face up or down, in a hand or waiting for its place."""
    lying = (*(card for hand in state.hands for card in hand.cards), *state.surplus)
    return tuple(card for card in lying if card is not None)


def lies_up(hand: Hand, nth: int) -> bool:
    """Whether a hand's ``nth`` card, from 1, lies face up."""
    return hand.opened or nth in hand.shown


def face_down(state: QPoker) -> frozenset[Card]:
    """The known cards that lie face down."""
    up = {card for hand in state.hands for nth, card in enumerate(hand.cards, 1) if lies_up(hand, nth)}
    return frozenset(known_cards(state)) - up
