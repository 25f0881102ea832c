"""Published events of a round, its bets and its cards.

Their topics are `event/round`, `event/bet` and `event/card`.
"""

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final, Literal

from tablectl.core.cards import Card, Place
from tablectl.core.events.text import Saying
from tablectl.lazy_dataclass import dataclass

MAY_LACK: Final[Mapping[str, bool]] = MappingProxyType({"may_lack": True})
"""Metadata of a field that a message leaves out while it is empty."""


class Consequence(StrEnum):
    """What an irregularity does to the round."""

    CONTINUES = "continues"
    HAND_VOID = "hand_void"
    ROUND_VOID = "round_void"
    RESPIN = "respin"
    MENDED = "mended"
    HAND_LOST = "hand_lost"
    RETHROW = "rethrow"
    REDEALT = "redealt"
    ASK_AGAIN = "ask_again"
    NEXT_HIGHEST = "next_highest"
    PLAYS = "plays"
    DEALER_OPENS = "dealer_opens"


@dataclass(frozen=True, slots=True)
class RoundBegan:
    """``event/round`` round.opened: betting began.

    Args:
        rules_hash: SHA-256 of the rule table; left out of the message where the session's terms don't have it.
    """

    round_id: str
    game: str
    rules_version: str
    places: tuple[Place, ...]
    rules_hash: str = field(default="", metadata=MAY_LACK)


@dataclass(frozen=True, slots=True)
class BettingOver:
    """``event/round`` round.betting_closed, and by what."""

    round_id: str
    by: str
    total_stakes: str


@dataclass(frozen=True, slots=True)
class Revealed:
    """``event/round`` round.revealed: a hand lies face up."""

    round_id: str
    place: Place
    cards: tuple[Card, ...]
    hand: str | None


@dataclass(frozen=True, slots=True)
class Decided:
    """``event/round`` round.decided: a bettor's irrevocable decision."""

    round_id: str | None
    place: Place
    bettor: str
    decision: str


@dataclass(frozen=True, slots=True)
class Irregular:
    """`event/round` round.irregular: what was wrong, by which article, and what follows.

    Args:
        bettor: who is meant; left out of the message where nobody is.
        house_rule: the setting that the consequence follows, as `no_decision = "plays"`; left out where the law says
            what follows.
    """

    round_id: str
    article: str
    code: str
    text: Saying
    consequence: Consequence
    place: Place | None = None
    by: str | None = None
    bettor: str = field(default="", metadata=MAY_LACK)
    house_rule: str = field(default="", metadata=MAY_LACK)


@dataclass(frozen=True, slots=True)
class Settled:
    """``event/round`` round.settled: all that is needed to settle it again."""

    round_id: str
    game: str
    rules: Mapping[str, Any]
    round: Mapping[str, Any]
    settlement: Mapping[str, Any]
    rules_version: str
    opened: str
    settled: str
    irregularities: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReturnedStake:
    """One stake that goes back to its bettor."""

    bettor: str
    place: Place
    bet: str
    stake: str


@dataclass(frozen=True, slots=True)
class Regiven:
    """What a bettor gets more, or gives back where it is negative, after a settlement was found wrong."""

    bettor: str
    amount: str


@dataclass(frozen=True, slots=True)
class PaidBet:
    """A bet that was paid or collected before its round ended, and its net."""

    place: Place
    bettor: str
    bet: str
    net: str


@dataclass(frozen=True, slots=True)
class Voided:
    """`event/round` round.void: the round ended without a result.

    Args:
        paid: bets that were paid or collected before; left out of the message where there are none.
        to_take_back: what bettors were paid of these and give back; left out where there is none.
    """

    round_id: str
    reason: str
    article: str
    by: str
    returned: tuple[ReturnedStake, ...]
    paid: tuple[PaidBet, ...] = field(default=(), metadata=MAY_LACK)
    to_take_back: tuple[Regiven, ...] = field(default=(), metadata=MAY_LACK)


@dataclass(frozen=True, slots=True)
class PartBet:
    """A bet of a part of a round that is settled before the rest, as a settlement has it."""

    place: Place
    bettor: str
    stake: str
    outcome: str
    net: str
    commission: str
    bet: str = field(default="", metadata=MAY_LACK)
    covered: str = field(default="", metadata=MAY_LACK)


@dataclass(frozen=True, slots=True)
class PartSettled:
    """`event/round` round.part_settled: bets that are paid and collected before the round ends.

    Args:
        part: the kind of the bets, or the place where they lie.
    """

    round_id: str
    game: str
    part: Place
    bets: tuple[PartBet, ...]


@dataclass(frozen=True, slots=True)
class RoundPaid:
    """`event/round` round.paid: the dealer has paid and collected.

    Args:
        of: the id of the event that says what.
        place: None is every place.
        taken_back: what bettors gave back of what they were paid before.
    """

    round_id: str
    of: str
    place: Place | None
    by: str
    taken_back: tuple[Regiven, ...]


@dataclass(frozen=True, slots=True)
class CorrectedNet:
    """What a round does to a person's money after a correction, all their bets and shares of the bank together."""

    bettor: str
    net: str


@dataclass(frozen=True, slots=True)
class CorrectedSettlement:
    """What a round comes to after a correction; the house's is the rest, its commission included.

    ``bettors`` and ``house`` sum to zero.
    """

    status: Literal["corrected"]
    bettors: tuple[CorrectedNet, ...]
    house: str


@dataclass(frozen=True, slots=True)
class CorrectedVoid:
    """A round that has no result after all: the article and reason, and the stakes that go back."""

    article: str
    reason: str
    returned: tuple[ReturnedStake, ...]


@dataclass(frozen=True, slots=True)
class Corrected:
    """`event/round` round.corrected: two persons put right what a round that is over did to its bettors' money.

    Args:
        corrects: the id of the event that ended the round; of its last correction, where there is one.
        by: both persons.
        settlement: what the round comes to now.
        changes: how that differs from what it came to before; with `house` they sum to zero.
        by_hand: whether the amounts were stated; otherwise they follow from the facts as amended.
        round: those facts, as `round.settled` has them; with `game`, `rules` and `rules_version`.
        result: their settlement.
        void: in the place of these, where the round has no result.
    """

    round_id: str
    corrects: str
    reason: str
    by: str
    settlement: CorrectedSettlement
    changes: tuple[Regiven, ...]
    house: str
    by_hand: bool = True
    game: str | None = None
    rules: Mapping[str, Any] | None = None
    rules_version: str | None = None
    round: Mapping[str, Any] | None = None
    result: Mapping[str, Any] | None = None
    void: CorrectedVoid | None = None


@dataclass(frozen=True, slots=True)
class BetPlaced:
    """``event/bet`` bet.placed: ``stake`` was added."""

    round_id: str
    place: Place
    bettor: str
    bet: str
    stake: str


@dataclass(frozen=True, slots=True)
class BetWithdrawn:
    """``event/bet`` bet.withdrawn: the whole ``stake`` was taken back."""

    round_id: str
    place: Place
    bettor: str
    bet: str
    stake: str


@dataclass(frozen=True, slots=True)
class BetRefused:
    """``event/bet`` bet.refused, and by which article."""

    round_id: str | None
    place: Place
    bettor: str
    bet: str
    stake: str
    article: str
    text: Saying


@dataclass(frozen=True, slots=True)
class CardDealt:
    """``event/card`` card.dealt: the ``index``-th card (from 1) of a place, face down."""

    round_id: str
    place: Place
    index: int


@dataclass(frozen=True, slots=True)
class CardShown:
    """``event/card`` card.exposed: a card showed by mistake; ``cards`` where it is known."""

    round_id: str
    place: Place
    index: int
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class CutReached:
    """``event/card`` card.cut_reached."""

    round_id: str | None
    place: None = None


@dataclass(frozen=True, slots=True)
class CardOutOfRound:
    """``event/card`` card.out_of_round: a card came when none was due; face down, so unnamed."""

    round_id: str | None
    device: str
    count: int = 1
    place: None = None
