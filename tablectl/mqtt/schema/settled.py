"""The `settlement` inside `round.settled`, game by game: results of all stakes."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal

from tablectl.core.games.chinese_dice.hands import Combination as DiceCombination
from tablectl.core.games.chinese_dice.settlement import Role
from tablectl.core.games.q_poker.hands import Combination as QPokerHand
from tablectl.core.games.thirteen_cards.hands import Combination as TierFormation
from tablectl.core.games.thirteen_cards.hands import Natural
from tablectl.core.money import Outcome
from tablectl.lazy_dataclass import dataclass
from tablectl.mqtt.schema import dealt
from tablectl.mqtt.schema.parts import AmountText, MoneyText, PlaceName


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
class WheelOfFortuneSettlement:
    """How a round of the Wheel of Fortune was settled."""

    status: Literal["settled"]
    bets: tuple[NamedResult, ...]


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
        "q_poker": (dealt.QPokerRound, QPokerSettlement),
        "football_poker": (dealt.FootballPokerRound, FootballPokerSettlement),
        "wheel_of_fortune": (dealt.WheelOfFortuneRound, WheelOfFortuneSettlement),
        "chinese_dice": (dealt.ChineseDiceRound, ChineseDiceSettlement),
        "thirteen_cards": (dealt.ThirteenCardsRound, ThirteenCardsSettlement),
    }
)
"""The models of ``round`` and ``settlement`` by game."""
