"""The games that a table can play: their procedures under this table's rules and settings."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from tablectl.core.facts import Dealing
from tablectl.core.games.q_poker.procedure import QPokerGame
from tablectl.core.games.q_poker.state import QPoker
from tablectl.core.games.q_poker.state import Settings as QPokerSettings
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
    """

    make: Callable[[Config], Game[Any]]
    table: Any


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


GAMES: Final[Mapping[str, Played]] = MappingProxyType(
    {
        "q_poker": Played(_q_poker, Table[QPoker]),
        "wheel_of_fortune": Played(_wheel_of_fortune, Table[WheelOfFortune]),
    }
)
