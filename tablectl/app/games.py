"""The games that a table can play: their procedures under this table's rules and settings."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any, Final

from pydantic import TypeAdapter

from tablectl.core.facts import Dealing
from tablectl.core.games.chinese_dice.procedure import ChineseDiceGame
from tablectl.core.games.chinese_dice.state import ChineseDice
from tablectl.core.games.chinese_dice.state import Settings as DiceSettings
from tablectl.core.games.football_poker.procedure import FootballPokerGame
from tablectl.core.games.football_poker.state import FootballPoker
from tablectl.core.games.football_poker.state import Settings as FootballSettings
from tablectl.core.games.q_poker.procedure import QPokerGame
from tablectl.core.games.q_poker.state import QPoker
from tablectl.core.games.q_poker.state import Settings as QPokerSettings
from tablectl.core.games.thirteen_cards.procedure import ThirteenCardsGame
from tablectl.core.games.thirteen_cards.state import Settings as ThirteenSettings
from tablectl.core.games.thirteen_cards.state import ThirteenCards
from tablectl.core.games.wheel_of_fortune.procedure import WheelOfFortuneGame
from tablectl.core.games.wheel_of_fortune.rules import read_rules as read_wheel_rules
from tablectl.core.games.wheel_of_fortune.state import LAYOUT, WheelOfFortune
from tablectl.core.games.wheel_of_fortune.state import Settings as WheelSettings
from tablectl.core.procedure import Game
from tablectl.core.table import Table
from tablectl.shell.config import Config, device_of, limits_of
from tablectl.shell.rules import found, load_rules, read_rule_table


@dataclass(frozen=True, slots=True)
class Played:
    """A game as the daemon plays it.

    Args:
        make: the procedure from a configuration that names this game.
        table: the type of the whole table's state, for snapshots.
        procedure: the type of the procedure, for what a journal says of its terms.
    """

    make: Callable[[Config], Game[Any]]
    table: Any
    procedure: Any

    def by_terms(self, terms: str) -> Game[Any]:
        """The procedure by these terms (``shell.past``).

        Raises:
            ValueError: they aren't this game's.
        """
        return _reader(self.procedure).validate_json(terms)


@cache
def _reader(procedure: Any) -> TypeAdapter[Game[Any]]:
    return TypeAdapter(procedure)


def game_of(config: Config) -> Played:
    """How the configured game is played."""
    return GAMES[config.table.game]


def _q_poker(config: Config) -> Game[Any]:
    section = config.q_poker
    settings = QPokerSettings(
        places=section.places,
        dealing=Dealing(section.dealing),
        shoe=device_of(config, "shoe"),
        shuffler=device_of(config, "shuffler"),
        limits=limits_of(config),
    )
    return QPokerGame(load_rules("q_poker"), settings)


def _wheel_of_fortune(config: Config) -> Game[Any]:
    section = config.wheel_of_fortune
    settings = WheelSettings(
        wheel=device_of(config, "wheel"),
        layout=section.layout or LAYOUT,
        confirm=section.confirm,
        limits=limits_of(config),
        places=section.places,
    )
    return WheelOfFortuneGame(read_rule_table(found(section.rules), read_wheel_rules), settings)


def _football_poker(config: Config) -> Game[Any]:
    section = config.football_poker
    settings = FootballSettings(
        places=section.places,
        packs=section.packs,
        dealing=Dealing(section.dealing),
        shoe=device_of(config, "shoe"),
        shuffler=device_of(config, "shuffler"),
        draw=device_of(config, "draw"),
        display=device_of(config, "display"),
        limits=limits_of(config),
    )
    return FootballPokerGame(load_rules("football_poker"), settings)


def _chinese_dice(config: Config) -> Game[Any]:
    section = config.chinese_dice
    settings = DiceSettings(
        dice=device_of(config, "dice"), limits=limits_of(config), least_capital=section.least_capital
    )
    return ChineseDiceGame(load_rules("chinese_dice"), settings)


def _thirteen_cards(config: Config) -> Game[Any]:
    settings = ThirteenSettings(
        shoe=device_of(config, "shoe"),
        shuffler=device_of(config, "shuffler"),
        dice=device_of(config, "dice"),
        buzzer=device_of(config, "buzzer"),
        limits=limits_of(config),
        unit=config.thirteen_cards.unit,
    )
    return ThirteenCardsGame(load_rules("thirteen_cards"), settings)


GAMES: Final[Mapping[str, Played]] = MappingProxyType(
    {
        "q_poker": Played(_q_poker, Table[QPoker], QPokerGame),
        "football_poker": Played(_football_poker, Table[FootballPoker], FootballPokerGame),
        "wheel_of_fortune": Played(_wheel_of_fortune, Table[WheelOfFortune], WheelOfFortuneGame),
        "chinese_dice": Played(_chinese_dice, Table[ChineseDice], ChineseDiceGame),
        "thirteen_cards": Played(_thirteen_cards, Table[ThirteenCards], ThirteenCardsGame),
    }
)
