"""State of a table of 13 Cards, the phases of a round and their transitions."""

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import Final

from tablectl.core import step
from tablectl.core.bets.stakes import Bet, Limits
from tablectl.core.cards import BANKER, Place
from tablectl.core.dealing.hands import Hand, Hands, count, hand_of, put, seen_cards, unnamed
from tablectl.core.dealing.pack import Pack, PackState
from tablectl.core.effects import Effects, StartTimer, StopTimer
from tablectl.core.games.thirteen_cards.hands import Rows
from tablectl.core.games.thirteen_cards.rules import ThirteenCardsRules
from tablectl.core.games.thirteen_cards.settlement import PLACE_MAX, PLACE_MIN
from tablectl.core.outcomes import Throw
from tablectl.lazy_dataclass import dataclass, replace

NAME: Final = "thirteen_cards"
HAND_SIZE: Final = 13
BET: Final = "place"
"""The only bet: on a place, against the banker."""

BANKERS_NUMBER: Final = 1
PLAYERS: Final = tuple(range(PLACE_MIN, PLACE_MAX + 1))
"""The players' places, from the banker's right; numbers rise counter-clockwise (reading 17)."""

PLACES: Final[tuple[Place, ...]] = (BANKER, *PLAYERS)
"""All four places counter-clockwise, from the banker. Rule: 51/89/M art. 3."""


class Phase(StrEnum):
    """Where a round stands."""

    IDLE = "idle"
    BETTING = "betting"
    CLOSED = "closed"
    DEALING = "dealing"
    RESHUFFLING = "reshuffling"
    BANKER_SETTING = "banker_setting"
    PLAYERS_SETTING = "players_setting"
    COMPARING = "comparing"


class Cause(StrEnum):
    """Cause of a transition from phase to phase."""

    OPENED = "round opened"
    CLOSED = "betting closed"
    SHAKEN = "dice shaken"
    SHAKE_INVALID = "shake not valid"
    DEALT = "every card dealt"
    CANCELLED = "deal cancelled"
    BOXED = "pack shuffled anew"
    BANKER_SHOWN = "banker's cards shown"
    SET = "every place set"
    TIME_UP = "time is up"
    SETTLED = "settled"
    VOIDED = "void"


TRANSITIONS: Mapping[Phase, Mapping[Cause, Phase]] = {
    Phase.IDLE: {Cause.OPENED: Phase.BETTING},
    Phase.BETTING: {
        Cause.CLOSED: Phase.CLOSED,
        Cause.SHAKE_INVALID: Phase.CLOSED,
        Cause.SHAKEN: Phase.DEALING,
        Cause.VOIDED: Phase.IDLE,
    },
    Phase.CLOSED: {Cause.SHAKEN: Phase.DEALING, Cause.SHAKE_INVALID: Phase.CLOSED, Cause.VOIDED: Phase.IDLE},
    Phase.DEALING: {
        Cause.SHAKE_INVALID: Phase.CLOSED,
        Cause.DEALT: Phase.BANKER_SETTING,
        Cause.CANCELLED: Phase.RESHUFFLING,
        Cause.VOIDED: Phase.IDLE,
    },
    Phase.RESHUFFLING: {Cause.BOXED: Phase.DEALING, Cause.VOIDED: Phase.IDLE},
    Phase.BANKER_SETTING: {
        Cause.BANKER_SHOWN: Phase.PLAYERS_SETTING,
        Cause.CANCELLED: Phase.RESHUFFLING,
        Cause.VOIDED: Phase.IDLE,
    },
    Phase.PLAYERS_SETTING: {
        Cause.BANKER_SHOWN: Phase.PLAYERS_SETTING,
        Cause.SET: Phase.COMPARING,
        Cause.TIME_UP: Phase.COMPARING,
        Cause.CANCELLED: Phase.RESHUFFLING,
        Cause.SETTLED: Phase.IDLE,
        Cause.VOIDED: Phase.IDLE,
    },
    Phase.COMPARING: {
        Cause.CANCELLED: Phase.RESHUFFLING,
        Cause.SETTLED: Phase.IDLE,
        Cause.VOIDED: Phase.IDLE,
    },
}
"""The only ways from phase to phase; diagrams are drawn from it."""


OUT_OF_PLAY = frozenset({Phase.IDLE, Phase.BETTING, Phase.CLOSED, Phase.RESHUFFLING})
"""The phases in which no card of the pack has been dealt."""

CARDS_LIE = frozenset({Phase.DEALING, Phase.BANKER_SETTING, Phase.PLAYERS_SETTING, Phase.COMPARING})
"""The phases in which cards lie on the table, or are about to."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of this table. Money is in hundredths.

    An empty name means that the table has no such device.

    Args:
        shoe: a card box that reads. Without one the cards are unknown until they are shown.
        shuffler: the shuffling machine. Without one the dealer says when the pack is shuffled.
        dice: the reader of the four dice. Without one the dealer enters them.
        buzzer: the device that sounds the signal of article 2(d). Without one the dealer calls the time.
        limits: the stakes that the table takes.
        confirm_payment: whether the dealer confirms what they have paid and collected.
        unit: the table's unit; a stake is one, two or three of them (art. 11, reading 1).
        no_shake: what follows where somebody doesn't shake the dice.
        no_show: what follows where somebody doesn't show their tiers.
    """

    shoe: str = ""
    shuffler: str = ""
    dice: str = "dice"
    buzzer: str = ""
    limits: Limits = field(default_factory=Limits)
    confirm_payment: bool = False
    unit: int = 100_00
    no_shake: step.HouseRule = step.HouseRule.ASK_AGAIN
    no_show: step.HouseRule = step.HouseRule.ASK_AGAIN


@dataclass(frozen=True, slots=True)
class Seat:
    """A person who sits at a players' place."""

    place: int
    bettor: str


@dataclass(frozen=True, slots=True)
class Cut:
    """Cut of the pack in the box: the cards of its smaller part, and the person.

    The person is empty for the dealer.
    """

    count: int
    bettor: str = ""


@dataclass(frozen=True, slots=True)
class Tiers:
    """The cards of a place as set and shown."""

    place: Place
    rows: Rows


@dataclass(frozen=True, slots=True)
class ThirteenCards:
    """The state of a table of 13 Cards.

    Args:
        round_id: the round in being, or the last one; empty before the first.
        pack: the pack's state; ready means shuffled.
        boxed: whether the pack was cut after the shuffle and lies in the card box.
        cut: the cut of that pack, where it was said; None where it wasn't.
        seats: who sits where, in the order in which they sat down; kept between rounds.
        bets: in the order placed.
        dice: the shake that counts; empty before it.
        hands: in the order dealt, of all four places, from the first card to the end of the round.
        dealt_at: the record of the last card.
        last: the place that the last card belongs to; empty once nothing can be declared of it.
        misplaced: where a card lies that belongs elsewhere, while it waits to be put right.
        owner: the place that this card belongs to; empty where the dealer has to say it.
        holders: who holds the cards of each place, fixed when the deal began; empty before it.
        sure: how many cards were dealt before one may have been missed; None while every card was seen.
        redealt: whether a deal of this round was cancelled: its dice stand.
        tiers: the cards shown as set, the banker's first.
        picked: the places that took up their cards, in that order.
        done: the places that have set their cards, in that order.
        late: the places confirmed not to have when the signal was given.
        clock: the time to set, from its beginning to the signal.
        misdealt: the places whose cards were found misdealt while they were set: they aren't late.
        overdue: whether the time to set is over.
        signal: the buzzer's operation, while it isn't known to have sounded; 0 for none.
        call_time: whether the dealer has to call the time.
        called: whether the signal was given, by the buzzer or the dealer.
        opened_us: when the round was opened, UTC microseconds.
        irregularities: the articles of what went wrong so far.
        passed: who didn't shake the dice, so that the next highest bettor does.
    """

    phase: Phase = Phase.IDLE
    round_id: str = ""
    pack: Pack = field(default_factory=Pack)
    boxed: bool = False
    cut: Cut | None = None
    seats: tuple[Seat, ...] = ()
    bets: tuple[Bet, ...] = ()
    dice: Throw = ()
    hands: Hands = ()
    dealt_at: int = 0
    last: Place = ""
    misplaced: Place = ""
    owner: Place = ""
    holders: tuple[Seat, ...] = ()
    sure: int | None = None
    redealt: bool = False
    tiers: tuple[Tiers, ...] = ()
    picked: tuple[int, ...] = ()
    done: tuple[int, ...] = ()
    late: tuple[int, ...] = ()
    clock: StartTimer | None = None
    misdealt: tuple[Place, ...] = ()
    overdue: bool = False
    signal: int = 0
    call_time: bool = False
    called: bool = False
    opened_us: int = 0
    irregularities: tuple[str, ...] = ()
    passed: tuple[str, ...] = ()


Step = step.Step[ThirteenCards, Settings, ThirteenCardsRules]
Outcome = step.Outcome[ThirteenCards]


def after(phase: Phase, cause: Cause) -> Phase:
    """The phase that follows; the table of transitions knows no other way."""
    return TRANSITIONS[phase][cause]


def open_round(state: ThirteenCards) -> str | None:
    """The id of the round in being, where there is one."""
    return state.round_id if state.phase is not Phase.IDLE else None


def hand_at(state: ThirteenCards, place: Place) -> Hand | None:
    """The cards of a place."""
    return hand_of(state.hands, place)


def dealt(state: ThirteenCards) -> int:
    """How many cards were dealt."""
    return count(state.hands)


def places_with_bets(state: ThirteenCards) -> tuple[int, ...]:
    """The places that play against the banker.

    Rule: 51/89/M art. 8; reading 15.
    """
    return tuple(sorted({int(bet.place) for bet in state.bets}))


def in_time(state: ThirteenCards) -> tuple[int, ...]:
    """The places that play and aren't late."""
    return tuple(place for place in places_with_bets(state) if place not in state.late)


def still_setting(state: ThirteenCards) -> tuple[int, ...]:
    """The places that play and are neither set nor late."""
    return tuple(place for place in in_time(state) if place not in state.done)


def tiers_of(state: ThirteenCards, place: Place) -> Rows | None:
    """A place's cards as shown."""
    return next((shown.rows for shown in state.tiers if shown.place == place), None)


def place_named(place: Place) -> Place | None:
    """Return the place of this number or name; None if there is no such place.

    The banker's place has both.
    """
    if place in {BANKER, BANKERS_NUMBER}:
        return BANKER
    return place if place in PLAYERS else None


def shuffle_anew(state: ThirteenCards) -> ThirteenCards:
    """Return the state in which the pack is no longer shuffled and whole.

    A pack in play is left as it is.
    """
    return replace(state, pack=Pack(), boxed=False, cut=None) if state.phase in OUT_OF_PLAY else state


def first_place(dice: Throw) -> Place:
    """Return the place that gets the first card.

    The total is counted round the table, and the banker is one.

    Rule: 51/89/M art. 2(b); reading 8.
    """
    return PLACES[(sum(dice) - 1) % len(PLACES)]


def boxed(state: ThirteenCards) -> bool:
    """Return True if a shuffled and cut pack is in the card box.

    Rule: 51/89/M art. 2(a).
    """
    return state.boxed and state.pack.state is PackState.READY


def is_open(state: ThirteenCards, place: Place) -> bool:
    """Return True if the cards of a place lie face up."""
    hand = hand_at(state, place)
    return hand is not None and hand.opened


def with_hand(state: ThirteenCards, new: Hand) -> ThirteenCards:
    """The state with these cards of a place."""
    return replace(state, hands=put(state.hands, new))


def with_seen(state: ThirteenCards, new: Hand) -> ThirteenCards:
    """The state with a hand of which persons see cards.

    The same readings of cards face down don't count.
    """
    hands = put(state.hands, new)
    for card in seen_cards((new,)):
        hands = unnamed(hands, card)
    return replace(state, hands=hands)


def stop_clock(state: ThirteenCards) -> Effects:
    """The end of the time to set, where it runs."""
    return (StopTimer(state.clock.operation),) if state.clock and not state.overdue else ()


def cleared(state: ThirteenCards, cause: Cause) -> ThirteenCards:
    """Return the state between rounds: seats stay, and the pack has to be shuffled.

    Rule: 51/89/M art. 2(a); reading 14: all 52 cards were dealt.
    """
    return ThirteenCards(
        phase=after(state.phase, cause),
        round_id=state.round_id,
        seats=state.seats,
        irregularities=state.irregularities,
    )
