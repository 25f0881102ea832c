"""The `round` inside `round.settled`, game by game.

It has the stakes, and the cards, numbers, spin or dice of the round.
"""

from typing import Annotated

from pydantic import WithJsonSchema

from tablectl.core.games.q_poker.settlement import Decision
from tablectl.core.outcomes import Series
from tablectl.lazy_dataclass import dataclass
from tablectl.mqtt.schema.parts import LACKS, CardName, Die, MoneyText, PlaceName, words_of

Rows = tuple[tuple[CardName, ...], ...]
Throws = tuple[tuple[Die, ...] | None, ...]
DecisionOrNone = Annotated[str, WithJsonSchema({**words_of(*Decision), LACKS: True})]


@dataclass(frozen=True, slots=True)
class NamedStake:
    """A bettor's stake on a bet. One against the dealer in Q Poker may have a decision; without one they play."""

    bettor: str
    bet: str
    stake: MoneyText
    decision: DecisionOrNone


@dataclass(frozen=True, slots=True)
class Stake:
    """A bettor's stake where the place has but one bet."""

    bettor: str
    stake: MoneyText


@dataclass(frozen=True, slots=True)
class DealtPlace:
    """A place with its cards and stakes."""

    place: PlaceName
    cards: tuple[CardName, ...]
    bets: tuple[NamedStake, ...]


@dataclass(frozen=True, slots=True)
class QPokerRound:
    """What was dealt in Q Poker."""

    dealer: tuple[CardName, ...]
    places: tuple[DealtPlace, ...]


@dataclass(frozen=True, slots=True)
class DrawnNumber:
    """The combination that was drawn."""

    series: Series
    combination: int


@dataclass(frozen=True, slots=True)
class FootballPokerRound:
    """What was drawn and dealt in Football Poker."""

    draw: DrawnNumber
    places: tuple[DealtPlace, ...]


@dataclass(frozen=True, slots=True)
class WheelSpin:
    """The rotation that counted."""

    turns: float
    symbol: int | None
    on_peg: bool
    interfered: bool


@dataclass(frozen=True, slots=True)
class WheelOfFortuneRound:
    """The rotation and the stakes of a round of the Wheel of Fortune."""

    spin: WheelSpin
    bets: tuple[NamedStake, ...]


@dataclass(frozen=True, slots=True)
class DiceBanker:
    """Who held the bank, and what they threw; an invalid throw is null."""

    place: PlaceName
    bettor: str
    capital: MoneyText
    throws: Throws


@dataclass(frozen=True, slots=True)
class DicePlace:
    """A place with its stakes and throws; an invalid throw is null."""

    place: PlaceName
    bets: tuple[Stake, ...]
    throws: Throws


@dataclass(frozen=True, slots=True)
class ChineseDiceRound:
    """The bank, the stakes and the throws of a round of Chinese dice."""

    banker: DiceBanker
    casino_share: MoneyText
    partners: tuple[Stake, ...]
    places: tuple[DicePlace, ...]


@dataclass(frozen=True, slots=True)
class TierBanker:
    """The banker's three tiers."""

    rows: Rows


@dataclass(frozen=True, slots=True)
class TierPlace:
    """A place's three tiers, null where it wasn't in time, and its stakes."""

    place: PlaceName
    rows: Rows | None
    in_time: bool
    bets: tuple[Stake, ...]


@dataclass(frozen=True, slots=True)
class ThirteenCardsRound:
    """The tiers and stakes of a round of 13 Cards."""

    banker: TierBanker
    places: tuple[TierPlace, ...]
