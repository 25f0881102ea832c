"""Models of a configuration's games.

They hold the choices that a table's regulation leaves to the casino.
"""

from typing import TYPE_CHECKING, Annotated, Final, Literal

from pydantic import BaseModel, Field

from tablectl.config.values import STRICT, Amount, OnePack
from tablectl.core.games.q_poker.state import MOST_PLACES

Dealing = Literal["shoe", "shuffler", "by_hand"]
NextHighest = Literal["ask_again", "next_highest"]
Opened = Literal["ask_again", "dealer_opens"]

NO_SHOW: Final = "where a bettor doesn't show their cards: they are asked again, or the dealer opens them"

LIMITS: Final = "the casino's other limits, as `[<game>.limits]` below"
PAYMENT: Final = (
    "the dealer confirms that bets are paid and collected, at once or place by place, before the next round"
)
RULES: Final = "the rule table: a shipped one, by its name below `rules/`, or a path from / on"


class Stakes(BaseModel):
    """The limits of one bet, as decimal texts such as `"50"` or `"0.50"`."""

    model_config = STRICT
    least: Amount = 50_00
    most: Amount = 5000_00
    step: Amount = 50_00


class BetStakes(BaseModel):
    """The limits of one kind of bet; what isn't given is as in `stakes`."""

    model_config = STRICT
    least: Amount = Field(default=0, description="the least stake")
    most: Amount = Field(default=0, description="the most")
    step: Amount = Field(default=0, description="what every stake is a multiple of")


class HouseLimits(BaseModel):
    """The casino's limits beside those of one bet; `"0"` is no limit.

    The refusal of a bet names the limit.
    """

    model_config = STRICT
    bettor: Amount = Field(default=0, description="the most that one bettor stakes in a round")
    place: Amount = Field(default=0, description="the most that is staked on one place")
    table: Amount = Field(default=0, description="the most that is staked in a round")
    payout: Amount = Field(default=0, description="the most that a round pays if every bet wins as high as it can")
    bets: dict[str, BetStakes] = Field(
        default={}, description='limits by kind of bet, as `bets.pair_or_better = {most = "500"}`'
    )


class GameSection(BaseModel):
    """The section of any game: the casino's choices, of which some are every game's."""

    model_config = STRICT
    if TYPE_CHECKING:  # each section has them where its readers look for them
        stakes: Stakes
        limits: HouseLimits
        rules: str


class QPokerSection(GameSection):
    """Q Poker, regulation 89/2004."""

    places: int = Field(
        default=7,
        ge=1,
        le=MOST_PLACES,
        description="the bettors' places, at least 7 (art. 2); a simulated table may have fewer",
    )
    dealing: Dealing = Field(
        default="shoe", description="unless the dealer asks otherwise (art. 7); by hand no reader is needed"
    )
    stakes: Stakes = Field(default=Stakes(), description="the limits of one bet")
    limits: HouseLimits = Field(default=HouseLimits(), description=LIMITS)
    confirm_payment: bool = Field(default=True, description=PAYMENT)
    no_decision: Literal["ask_again", "plays"] = Field(
        default="ask_again",
        description='where a bettor doesn\'t decide (art. 9): they are asked again, or the bet stands as "plays"',
    )
    packs: OnePack = Field(default=1, description="of 52 cards: one (art. 1)")
    shoe: str = Field(default="", description="the shoe's name under `devices`; empty: the only one")
    shuffler: str = Field(default="", description="the shuffler's name under `devices`; empty: the only one")
    rules: str = Field(default="rules/q_poker.89-2004.toml", description=RULES)


class FootballPokerSection(GameSection):
    """Football Poker, regulation 41/2003."""

    places: int = Field(
        default=10,
        ge=1,
        le=10,
        description="the seated places, beside the common one: 10 (art. 5); a simulated table may have fewer",
    )
    packs: int = Field(default=1, ge=1, le=8, description="of 52 cards (art. 2)")
    dealing: Dealing = Field(
        default="shoe", description="unless the dealer asks otherwise (art. 2); by hand no reader is needed"
    )
    stakes: Stakes = Field(default=Stakes(), description="the limits of one bet")
    limits: HouseLimits = Field(default=HouseLimits(), description=LIMITS)
    confirm_payment: bool = Field(default=True, description=PAYMENT)
    no_show: Opened = Field(default="ask_again", description=NO_SHOW)
    shoe: str = Field(default="", description="the shoe's name under `devices`; empty: the only one")
    shuffler: str = Field(default="", description="the shuffler's name under `devices`; empty: the only one")
    draw: str = Field(default="", description="the draw system's name under `devices`; empty: the only one")
    display: str = Field(
        default="", description="the display's name under `devices`; empty: the only one, else the page of the console"
    )
    rules: str = Field(default="rules/football_poker.41-2003.toml", description=RULES)


class WheelOfFortuneSection(GameSection):
    """Wheel of Fortune, regulation 42/2003."""

    places: int = Field(default=12, ge=1, le=99, description="the bettors' positions at the table")
    stakes: Stakes = Field(default=Stakes(), description="the limits of one bet")
    limits: HouseLimits = Field(default=HouseLimits(), description=LIMITS)
    confirm_payment: bool = Field(default=True, description=PAYMENT)
    wheel: str = Field(default="", description="the sensor's name under `devices`; empty: the only one, else none")
    layout: Annotated[tuple[int, ...], Field(strict=False)] = Field(
        default=(),
        description="the symbol, 1 to 7, of each of the 52 sections around the rim;"
        " empty: evenly spread, which no real wheel is played on",
    )
    confirm: bool = Field(default=True, description="whether the dealer confirms what the sensor read")
    rules: str = Field(
        default="rules/wheel_of_fortune.42-2003.toml",
        description="the rule table: a shipped one, as `rules/wheel_of_fortune.big-wheel.toml`, or a path",
    )


class ChineseDiceSection(GameSection):
    """Chinese dice, regulation 108/89/M."""

    stakes: Stakes = Field(default=Stakes(), description="the limits of one bet")
    limits: HouseLimits = Field(default=HouseLimits(), description=LIMITS)
    confirm_payment: bool = Field(default=True, description=PAYMENT)
    no_throw: NextHighest = Field(
        default="ask_again",
        description="where somebody doesn't throw (art. 3): they are asked again, or the next highest bettor throws",
    )
    least_capital: Amount = Field(default=1000_00, description="the smallest capital of a banker")
    dice: str = Field(default="", description="the reader's name under `devices`; empty: the only one, else none")
    rules: str = Field(default="rules/chinese_dice.108-89-m.toml", description=RULES)


class ThirteenCardsSection(GameSection):
    """13 Cards, regulation 51/89/M."""

    unit: Amount = Field(default=100_00, description="a bet is 1, 2 or 3 of it (art. 11)")
    stakes: Stakes = Field(
        default=Stakes.model_construct(least=100_00, most=300_00, step=100_00),  # hundredths, where texts are units
        description="the limits of one bet, beside the unit",
    )
    limits: HouseLimits = Field(default=HouseLimits(), description=LIMITS)
    confirm_payment: bool = Field(default=True, description=PAYMENT)
    no_shake: NextHighest = Field(
        default="ask_again",
        description="where somebody doesn't shake (art. 2): they are asked again, or the next highest bettor shakes",
    )
    no_show: Opened = Field(default="ask_again", description=NO_SHOW)
    shoe: str = Field(default="", description="a card box that reads; empty: the only one, else none")
    shuffler: str = Field(default="", description="the shuffler's name under `devices`; empty: the only one, else none")
    dice: str = Field(default="", description="the reader's name under `devices`; empty: the only one, else none")
    buzzer: str = Field(default="", description="what gives the signal; empty: the only one, else the dealer calls")
    rules: str = Field(default="rules/thirteen_cards.51-89-m.toml", description=RULES)
