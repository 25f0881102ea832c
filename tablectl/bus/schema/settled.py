"""The forms inside ``round.settled``, game by game: what was dealt, and how it was settled."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Final, Literal

from pydantic import WithJsonSchema

from tablectl.bus.schema.parts import LACKS, AmountText, CardName, Die, MoneyText, PlaceName, words_of
from tablectl.core.draw import Series
from tablectl.core.games.chinese_dice.hands import Combination as DiceCombination
from tablectl.core.games.chinese_dice.settlement import Role
from tablectl.core.games.q_poker.hands import Combination as QPokerHand
from tablectl.core.games.q_poker.settlement import Decision
from tablectl.core.games.thirteen_cards.hands import Combination as TierFormation
from tablectl.core.games.thirteen_cards.hands import Natural
from tablectl.core.money import Outcome

Rows = tuple[tuple[CardName, ...], ...]
Throws = tuple[tuple[Die, ...] | None, ...]


DecisionOrNone = Annotated[str, WithJsonSchema({**words_of(*Decision), LACKS: True})]


@dataclass(frozen=True, slots=True)
class NamedStake:
    """A bettor's stake on a bet. One against the dealer in Q Poker may have a decision; without one he plays."""

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
class NamedResult:
    """What became of a stake on a bet."""

    bettor: str
    bet: str
    stake: MoneyText
    outcome: Outcome
    net: AmountText
    commission: AmountText


@dataclass(frozen=True, slots=True)
class StakeResult:
    """What became of a stake where the place has but one bet."""

    bettor: str
    stake: MoneyText
    outcome: Outcome
    net: AmountText
    commission: AmountText


@dataclass(frozen=True, slots=True)
class CoveredResult:
    """What became of a stake against the bank of Chinese dice, and how much of it was covered."""

    bettor: str
    stake: MoneyText
    covered: AmountText
    outcome: Outcome
    net: AmountText
    commission: AmountText


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
class QPokerDealer:
    """The dealer's hand."""

    hand: QPokerHand
    qualifies: bool


@dataclass(frozen=True, slots=True)
class QPokerPlace:
    """A place's hand, null where it is a dead one, and what became of its stakes."""

    place: PlaceName
    hand: QPokerHand | None
    bets: tuple[NamedResult, ...]


@dataclass(frozen=True, slots=True)
class QPokerSettlement:
    """How a round of Q Poker was settled."""

    status: Literal["settled"]
    dealer: QPokerDealer
    places: tuple[QPokerPlace, ...]


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
class DrawnNumbers:
    """The numbers of both series, in the law's order."""

    upper: tuple[int, ...]
    lower: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class FootballPokerPlace:
    """A place's total and what became of its stakes."""

    place: PlaceName
    total: int
    bets: tuple[NamedResult, ...]


@dataclass(frozen=True, slots=True)
class FootballPokerSettlement:
    """How a round of Football Poker was settled."""

    status: Literal["settled"]
    draw: DrawnNumbers
    places: tuple[FootballPokerPlace, ...]


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
class WheelOfFortuneSettlement:
    """How a round of the Wheel of Fortune was settled."""

    status: Literal["settled"]
    bets: tuple[NamedResult, ...]


@dataclass(frozen=True, slots=True)
class DiceBanker:
    """Who held the bank, and what he threw; an invalid throw is null."""

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
class DiceBankerResult:
    """What the banker threw."""

    combination: DiceCombination
    place: PlaceName


@dataclass(frozen=True, slots=True)
class DicePlaceResult:
    """What a place threw, null where it didn't, and what became of its stakes."""

    place: PlaceName
    combination: DiceCombination | None
    bets: tuple[CoveredResult, ...]


@dataclass(frozen=True, slots=True)
class BankLayer:
    """What became of one layer of the bank's capital."""

    layer: Role
    bettor: str | None
    amount: AmountText
    net: AmountText
    commission: AmountText


@dataclass(frozen=True, slots=True)
class ChineseDiceSettlement:
    """How a round of Chinese dice was settled."""

    status: Literal["settled"]
    banker: DiceBankerResult
    places: tuple[DicePlaceResult, ...]
    bank: tuple[BankLayer, ...]


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


@dataclass(frozen=True, slots=True)
class TierBankerResult:
    """What the banker's tiers make."""

    foul: bool
    natural: Natural | None
    rows: tuple[TierFormation, ...] | None


@dataclass(frozen=True, slots=True)
class TierPoints:
    """Points of a place against the banker."""

    player: int
    banker: int


@dataclass(frozen=True, slots=True)
class TierPlaceResult:
    """What a place's tiers make, its points, and what became of its stakes."""

    place: PlaceName
    foul: bool
    natural: Natural | None
    rows: tuple[TierFormation, ...] | None
    points: TierPoints | None
    bets: tuple[StakeResult, ...]


@dataclass(frozen=True, slots=True)
class ThirteenCardsSettlement:
    """How a round of 13 Cards was settled."""

    status: Literal["settled"]
    banker: TierBankerResult
    places: tuple[TierPlaceResult, ...]


FORMS: Final[Mapping[str, tuple[type, type]]] = MappingProxyType(
    {
        "q_poker": (QPokerRound, QPokerSettlement),
        "football_poker": (FootballPokerRound, FootballPokerSettlement),
        "wheel_of_fortune": (WheelOfFortuneRound, WheelOfFortuneSettlement),
        "chinese_dice": (ChineseDiceRound, ChineseDiceSettlement),
        "thirteen_cards": (ThirteenCardsRound, ThirteenCardsSettlement),
    }
)
"""The models of ``round`` and ``settlement`` by game."""
