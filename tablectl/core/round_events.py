"""What becomes public of a round, its bets and its cards: ``event/round``, ``event/bet`` and ``event/card``."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Literal

from tablectl.core.cards import Card
from tablectl.core.places import Place
from tablectl.core.sayings import Saying


class Consequence(StrEnum):
    """What an irregularity does to the round."""

    CONTINUES = "continues"
    HAND_VOID = "hand_void"
    ROUND_VOID = "round_void"
    RESPIN = "respin"
    MENDED = "mended"


@dataclass(frozen=True, slots=True)
class RoundBegan:
    """``event/round`` round.opened: betting began."""

    round_id: str
    game: str
    rules_version: str
    places: tuple[Place, ...]


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
    """``event/round`` round.irregular: what was wrong, by which article, and what follows."""

    round_id: str
    article: str
    code: str
    text: Saying
    consequence: Consequence
    place: Place | None = None
    by: str | None = None


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
class Voided:
    """``event/round`` round.void: the round ended without a result."""

    round_id: str
    reason: str
    article: str
    by: str
    returned: tuple[ReturnedStake, ...]


@dataclass(frozen=True, slots=True)
class Regiven:
    """What a bettor gets more, or gives back where it is negative, after a settlement was found wrong."""

    bettor: str
    amount: str


@dataclass(frozen=True, slots=True)
class CorrectedNet:
    """What a round does to a person's money after a correction, all his bets and shares of the bank together."""

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
class Corrected:
    """``event/round`` round.corrected: two persons put right what a round that is over did to its bettors' money.

    Args:
        corrects: the id of the event that ended the round; of its last correction, where there is one.
        by: both persons.
        settlement: what the round comes to now.
        changes: how that differs from what it came to before; with ``house`` they sum to zero.
    """

    round_id: str
    corrects: str
    reason: str
    by: str
    settlement: CorrectedSettlement
    changes: tuple[Regiven, ...]
    house: str


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
