"""State of a Chinese dice table, the phases of a round and their transitions."""

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import Final

from tablectl.core import step
from tablectl.core.bets.stakes import Bet, Bets, Limits
from tablectl.core.cards import BANKER, Place
from tablectl.core.games.chinese_dice.chips import gathered
from tablectl.core.games.chinese_dice.rules import ChineseDiceRules
from tablectl.core.games.chinese_dice.settlement import PLACE_MAX, Throws
from tablectl.lazy_dataclass import dataclass

MOST_BANK_ROUNDS: Final = 2
"""Rounds for which one place holds the bank unless all others agree. Rule: 108/89/M art. 4(a)."""

CASINO: Final = "casino"
"""The bettor of the casino's share, and the name of its bet."""


class BetName(StrEnum):
    """Purpose of a stake.

    Those of the bank are named in the order in which they pay and collect.
    """

    CAPITAL = "capital"
    ASSOCIATE = "associate"
    CASINO = CASINO
    BANK = "bank"
    PLACE = "place"


class Phase(StrEnum):
    """Where a round stands."""

    IDLE = "idle"
    BETTING = "betting"
    BANKER_THROWING = "banker_throwing"
    THROWING = "throwing"
    PAYING = "paying"


class Cause(StrEnum):
    """Cause of a transition from phase to phase."""

    OPENED = "round opened"
    CLOSED = "betting closed"
    PLACES_THROW = "banker's throw is for the places to meet"
    BANKER_DECIDES = "banker's throw decides"
    BANKER_AGAIN = "banker's throw invalid"
    NOT_THE_BANKER = "thrown out of turn before the banker"
    PLACE_DECIDED = "place's throw decides"
    PLACE_AGAIN = "place's throw invalid"
    NEXT_PLACE = "place paid, the next throws"
    SETTLED = "settled"
    VOIDED = "void"


_BANKER_THREW: Final = {Cause.PLACES_THROW: Phase.THROWING, Cause.BANKER_DECIDES: Phase.PAYING}

TRANSITIONS: Mapping[Phase, Mapping[Cause, Phase]] = {
    Phase.IDLE: {Cause.OPENED: Phase.BETTING},
    Phase.BETTING: {Cause.CLOSED: Phase.BANKER_THROWING, **_BANKER_THREW, Cause.VOIDED: Phase.IDLE},
    Phase.BANKER_THROWING: {**_BANKER_THREW, Cause.NOT_THE_BANKER: Phase.BETTING, Cause.VOIDED: Phase.IDLE},
    Phase.THROWING: {
        Cause.BANKER_AGAIN: Phase.BANKER_THROWING,
        Cause.NOT_THE_BANKER: Phase.BETTING,
        Cause.PLACE_DECIDED: Phase.PAYING,
        Cause.VOIDED: Phase.IDLE,
    },
    Phase.PAYING: {
        Cause.BANKER_AGAIN: Phase.BANKER_THROWING,
        Cause.NOT_THE_BANKER: Phase.BETTING,
        Cause.PLACE_AGAIN: Phase.THROWING,
        Cause.NEXT_PLACE: Phase.THROWING,
        Cause.SETTLED: Phase.IDLE,
        Cause.VOIDED: Phase.IDLE,
    },
}
"""The only ways from phase to phase; diagrams are drawn from it."""

AWAITS_THROW: Final = frozenset({Phase.BETTING, Phase.BANKER_THROWING, Phase.THROWING})
"""The phases in which a throw is due: betting, because the banker's first throw ends it."""


class Kind(StrEnum):
    """Kind of irregularity that the regulation forbids.

    None of them makes a round void.
    """

    DICE_HELD_AWAY = "dice_held_away"
    SECOND_THROWER = "second_thrower"
    THROWN_OUT_OF_TURN = "thrown_out_of_turn"
    BET_MISPLACED = "bet_misplaced"
    BET_LATE = "bet_late"
    BET_MOVED = "bet_moved"
    DID_NOT_THROW = "did_not_throw"


ARTICLES: Final[Mapping[Kind, str]] = {
    Kind.DICE_HELD_AWAY: "3(c)",
    Kind.SECOND_THROWER: "3(c)",
    Kind.THROWN_OUT_OF_TURN: "2(c)",
    Kind.BET_MISPLACED: "2(g)",
    Kind.BET_LATE: "2(f)",
    Kind.BET_MOVED: "2(f)",
    Kind.DID_NOT_THROW: "table",
}
"""The article that each is against: a late or moved bet counts as it lay before, a misplaced one where it lies.

Rule: 108/89/M art. 2(c), 2(f), 2(g), 3(c); reading 16.
"""


class Doubt(StrEnum):
    """Why the dealer may have to enter a throw that the reader should have read."""

    NONE = ""
    AWAY = "away"
    UNREAD = "unread"


@dataclass(frozen=True, slots=True)
class Settings:
    """How this table is set up. Money in hundredths.

    Args:
        dice: the name of the dice reader; empty where there is none and the dealer enters every throw.
        limits: the stakes that the house takes.
        confirm_payment: whether the dealer confirms what they have paid and collected.
        least_capital: the least with which a banker may open a round.
        most_bank_rounds: rounds in a row for one banker. Rule: 108/89/M art. 4(a).
        no_throw: what follows where somebody doesn't throw.
    """

    dice: str = "dice"
    limits: Limits = field(default_factory=Limits)
    confirm_payment: bool = False
    least_capital: int = 1
    most_bank_rounds: int = MOST_BANK_ROUNDS
    no_throw: step.HouseRule = step.HouseRule.ASK_AGAIN


@dataclass(frozen=True, slots=True)
class Seat:
    """Seat of a bettor at a place."""

    place: int
    bettor: str


@dataclass(frozen=True, slots=True)
class Banker:
    """Holder of the bank; place 0 where there is none.

    `capital` is theirs, on the table; 0 until put there.
    """

    place: int = 0
    bettor: str = ""
    capital: int = 0


@dataclass(frozen=True, slots=True)
class Tenure:
    """Holder of the bank in the last round, and the number of their rounds in a row.

    Args:
        least: the capital that they have to leave if they continue, in hundredths; 0 where they are free.
        capital: what they put on the table themselves in that round, in hundredths.
        won: what they won with it, net of commission and with corrections by hand; negative where they lost.
        round_id: that round.
    """

    place: int = 0
    bettor: str = ""
    rounds: int = 0
    least: int = 0
    capital: int = 0
    won: int = 0
    round_id: str = ""


@dataclass(frozen=True, slots=True)
class Thrown:
    """Throws of a place so far; None is an invalid throw."""

    place: int
    throws: Throws


@dataclass(frozen=True, slots=True)
class ChineseDice:
    """A Chinese dice table's state.

    Args:
        round_id: the round in being, or the last one; empty before the first.
        seats: who sits where, in the order of the places.
        waived: the place that may hold the bank beyond the limit, because all others agreed; 0 where none may.
        turns: how many turns beyond its own that place may hold it.
        declined: the places that would not take the bank since it became free.
        played: who had money on the last round that was settled.
        casino: the casino's share of this round's bank, in hundredths.
        bets: at places, with the bank and of associates, in the order placed; a bettor may have several on a space.
        thrown: the throws of the places that threw, in the order of play; the banker's first.
        due: the place that throws, or whose bets are being paid; 0 where there is none.
        paid: the places whose bets are paid, in order.
        thrown_at: the record of the last throw.
        by_hand: whether the dealer enters this round's throws, because the reader may tell late what they entered.
        opened_us: when the round was opened, UTC microseconds.
        irregularities: the articles of what went wrong so far.
        passed: who didn't throw for the place that is due, so that the next highest bettor does.
        closed_by_throw: whether the banker's first throw ended the betting, and not the dealer's call.
    """

    phase: Phase = Phase.IDLE
    round_id: str = ""
    seats: tuple[Seat, ...] = ()
    banker: Banker = field(default_factory=Banker)
    tenure: Tenure = field(default_factory=Tenure)
    waived: int = 0
    turns: int = 1
    declined: tuple[int, ...] = ()
    played: tuple[str, ...] = ()
    casino: int = 0
    bets: Bets = ()
    thrown: tuple[Thrown, ...] = ()
    due: int = 0
    paid: tuple[int, ...] = ()
    thrown_at: int = 0
    doubt: Doubt = Doubt.NONE
    by_hand: bool = False
    opened_us: int = 0
    irregularities: tuple[str, ...] = ()
    passed: tuple[Seat, ...] = ()
    closed_by_throw: bool = False


Step = step.Step[ChineseDice, Settings, ChineseDiceRules]
Outcome = step.Outcome[ChineseDice]


def after(phase: Phase, cause: Cause) -> Phase:
    """The phase that follows; the table of transitions knows no other way."""
    return TRANSITIONS[phase][cause]


def open_round(state: ChineseDice) -> str | None:
    """The id of the round in being, where there is one."""
    return state.round_id if state.phase is not Phase.IDLE else None


def number_of(state: ChineseDice, place: Place) -> int | None:
    """Return the number of a place of this table; None for a place that it lacks.

    `banker` is the banker's place.

    Rule: 108/89/M art. 3(a).
    """
    number = state.banker.place if place == BANKER else place
    return number if isinstance(number, int) and 1 <= number <= PLACE_MAX else None


def seated(state: ChineseDice, place: int) -> str:
    """Return the bettor who sits at a place; empty where nobody does."""
    return next((seat.bettor for seat in state.seats if seat.place == place), "")


def steps_from(start: int, place: int) -> int:
    """Return the number of places counter-clockwise from `start`, 1 to 8.

    The right neighbour of `start` is the first, and `start` itself the last.

    Rule: 108/89/M art. 2(a), 4(b); reading 2.
    """
    return (place - start - 1) % PLACE_MAX + 1


def named(state: ChineseDice, name: BetName) -> Bets:
    """The bets of one kind, in the order placed."""
    return tuple(bet for bet in state.bets if bet.bet == name)


def has_bets(state: ChineseDice) -> bool:
    """Return True if a bet lies against the banker, so that a throw has a purpose.

    Rule: 108/89/M art. 2(a), 2(f); reading 19.
    """
    return bool(named(state, BetName.PLACE))


def bets_at(state: ChineseDice, place: int) -> Bets:
    """The bets against the banker at a place, in the order placed."""
    return tuple(bet for bet in named(state, BetName.PLACE) if bet.place == place)


def laid(state: ChineseDice) -> Bets:
    """All money of the round: the banker's capital, the casino's share, and every bet."""
    banker = state.banker
    own = Bet(banker.place, banker.bettor, BetName.CAPITAL.value, banker.capital)
    share = Bet(banker.place, CASINO, CASINO, state.casino)
    return tuple(bet for bet in (own, share) if bet.stake) + state.bets


def throws_of(state: ChineseDice, place: int) -> Throws:
    """Return the throws of a place so far."""
    return next((thrown.throws for thrown in state.thrown if thrown.place == place), ())


def thrower(state: ChineseDice, place: int) -> str:
    """Return the bettor who throws the dice for a place.

    It is the banker at their place, elsewhere the one who bet most there; of several, the one who bet first. Who was
    passed over by the house's rule throws again only once all others were.

    Rule: 108/89/M art. 3(b), 3(c); reading 11.
    """
    if place == state.banker.place:
        return state.banker.bettor
    there = gathered(bets_at(state, place))
    left = [bet for bet in there if Seat(place, bet.bettor) not in state.passed]
    highest = max(left or there, key=lambda bet: bet.stake, default=None)
    return highest.bettor if highest else ""


def cleared(state: ChineseDice, cause: Cause) -> ChineseDice:
    """Return the state between rounds: only seats and the bank's holder stay."""
    return ChineseDice(
        phase=after(state.phase, cause),
        round_id=state.round_id,
        seats=state.seats,
        banker=state.banker,
        tenure=state.tenure,
        waived=state.waived,
        turns=state.turns,
        declined=state.declined,
        played=state.played,
        irregularities=state.irregularities,
    )
