"""The `round` of the topic `round/state`, game by game: its public part."""

from tablectl.core.dealing.pack import PackState
from tablectl.core.facts.game_requests import Dealing
from tablectl.core.games.chinese_dice.hands import Combination as DiceCombination
from tablectl.core.games.chinese_dice.state import Phase as DicePhase
from tablectl.core.games.football_poker.state import Phase as FootballPhase
from tablectl.core.games.q_poker.hands import Combination as QPokerHand
from tablectl.core.games.q_poker.settlement import Decision
from tablectl.core.games.q_poker.state import Phase as QPokerPhase
from tablectl.core.games.thirteen_cards.hands import Combination as TierFormation
from tablectl.core.games.thirteen_cards.hands import Natural
from tablectl.core.games.thirteen_cards.state import Phase as ThirteenPhase
from tablectl.core.games.wheel_of_fortune.state import Phase as WheelPhase
from tablectl.core.money import Outcome
from tablectl.core.outcomes import Series
from tablectl.lazy_dataclass import dataclass
from tablectl.mqtt.schema.parts import (
    AmountOrNone,
    AmountText,
    CardName,
    Die,
    InstantText,
    MoneyText,
    PlaceName,
    RoundIdOrNone,
)


@dataclass(frozen=True, slots=True)
class LaidBet:
    """A stake on the layout."""

    place: PlaceName
    bettor: str
    bet: str
    stake: MoneyText


@dataclass(frozen=True, slots=True)
class DecidableBet:
    """A stake on the layout of Q Poker, and what its bettor decided."""

    place: PlaceName
    bettor: str
    bet: str
    stake: MoneyText
    decision: Decision | None


@dataclass(frozen=True, slots=True)
class Seat:
    """Who sits where."""

    place: PlaceName
    bettor: str


@dataclass(frozen=True, slots=True)
class NamedHand:
    """A hand of Q Poker, and what it makes once it is open; a card that lies face down is null."""

    place: PlaceName
    opened: bool
    dead: bool
    cards: tuple[CardName | None, ...]
    hand: QPokerHand | None


@dataclass(frozen=True, slots=True)
class QPoker:
    """A round of Q Poker as everybody sees it."""

    round_id: RoundIdOrNone
    phase: QPokerPhase
    dealing: Dealing
    pack: PackState
    count_due: bool
    misplaced: PlaceName | None
    surplus: int
    bets: tuple[DecidableBet, ...]
    hands: tuple[NamedHand, ...]


@dataclass(frozen=True, slots=True)
class ShownDraw:
    """What the draw system drew for the round."""

    draw_id: str
    series: Series
    combination: int
    upper: tuple[int, ...]
    lower: tuple[int, ...]
    shown: bool


@dataclass(frozen=True, slots=True)
class TotalledHand:
    """A hand of Football Poker; its total once it is open."""

    place: PlaceName
    opened: bool
    dead: bool
    cards: tuple[CardName | None, ...]
    total: int | None


@dataclass(frozen=True, slots=True)
class FootballPoker:
    """A round of Football Poker as everybody sees it."""

    round_id: RoundIdOrNone
    phase: FootballPhase
    dealing: Dealing
    pack: PackState
    count_due: bool
    misplaced: PlaceName | None
    surplus: int
    draw: ShownDraw | None
    hold: str | None
    bets: tuple[LaidBet, ...]
    hands: tuple[TotalledHand, ...]


@dataclass(frozen=True, slots=True)
class Wheel:
    """The wheel's rim, symbol by symbol, and how it turns."""

    layout: tuple[int, ...]
    turning: bool
    counts: bool
    direction: str | None
    turns: int
    invalid_rotations: int
    doubt: str | None


@dataclass(frozen=True, slots=True)
class WheelRotation:
    """The last rotation, and why it is no result where it isn't one."""

    valid: bool
    direction: str | None
    turns: float
    section: int | None
    symbol: int | None
    on_peg: bool
    reasons: tuple[str, ...]
    declared: bool


@dataclass(frozen=True, slots=True)
class WheelOfFortune:
    """A round of the Wheel of Fortune as everybody sees it."""

    round_id: RoundIdOrNone
    phase: WheelPhase
    wheel: Wheel
    rotation: WheelRotation | None
    bets: tuple[LaidBet, ...]


@dataclass(frozen=True, slots=True)
class Banker:
    """Who holds the bank in Chinese dice, and what they threw; an invalid throw is null."""

    place: PlaceName
    bettor: str
    capital: MoneyText
    least_capital: MoneyText
    rounds: int
    limit_reached: bool
    limit_waived: bool
    throws: tuple[tuple[Die, ...] | None, ...]
    combination: DiceCombination | None


@dataclass(frozen=True, slots=True)
class Bank:
    """All capital of the bank, what it has won so far, and what it may still win or lose."""

    capital: MoneyText
    result: AmountText
    room: AmountText


@dataclass(frozen=True, slots=True)
class DuePerson:
    """Whose turn it is, and to do what: bank, throw or pay."""

    place: PlaceName
    bettor: str
    to: str


@dataclass(frozen=True, slots=True)
class ThrowingPlace:
    """A place, who throws for it and what they threw; an invalid throw is null."""

    place: PlaceName
    thrower: str
    throws: tuple[tuple[Die, ...] | None, ...]
    combination: DiceCombination | None


@dataclass(frozen=True, slots=True)
class Payment:
    """What the bank covers of a bet; once it is settled also its outcome, and then its net and commission."""

    place: PlaceName
    bettor: str
    covered: MoneyText
    outcome: Outcome | None
    net: AmountOrNone
    commission: AmountOrNone


@dataclass(frozen=True, slots=True)
class ChineseDice:
    """A round of Chinese dice as everybody sees it."""

    round_id: RoundIdOrNone
    phase: DicePhase
    seats: tuple[Seat, ...]
    banker: Banker | None
    bank: Bank | None
    due: DuePerson | None
    bets: tuple[LaidBet, ...]
    places: tuple[ThrowingPlace, ...]
    payments: tuple[Payment, ...]
    paid: tuple[PlaceName, ...]
    doubt: str | None
    by_hand: bool


@dataclass(frozen=True, slots=True)
class TierHand:
    """Thirteen cards; their tiers and what they make once they are set and shown."""

    place: PlaceName
    opened: bool
    cards: tuple[CardName | None, ...]
    rows: tuple[tuple[CardName, ...], ...] | None
    formations: tuple[TierFormation, ...] | None
    natural: Natural | None
    foul: bool | None


@dataclass(frozen=True, slots=True)
class Cut:
    """The cut of the pack: the cards of its smaller part, and who cut; empty for the dealer."""

    count: int
    bettor: str


@dataclass(frozen=True, slots=True)
class ThirteenCards:
    """A round of 13 Cards as everybody sees it."""

    round_id: RoundIdOrNone
    phase: ThirteenPhase
    pack: PackState
    boxed: bool
    seats: tuple[Seat, ...]
    bets: tuple[LaidBet, ...]
    shaker: Seat | None
    holders: tuple[Seat | None, ...]
    dice: tuple[Die, ...]
    first: PlaceName | None
    redealt: bool
    count_due: bool
    misplaced: PlaceName | None
    hands: tuple[TierHand, ...]
    picked_up: tuple[PlaceName, ...]
    set: tuple[PlaceName, ...]
    late: tuple[PlaceName, ...]
    time_ends: InstantText | None
    signal_due: bool
    call_time: bool
    called: bool
    cut: Cut | None
