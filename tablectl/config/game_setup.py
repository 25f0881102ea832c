"""Games that a table can play: procedures under this table's rules and settings."""

from collections.abc import Callable
from dataclasses import fields
from enum import StrEnum
from functools import cache, partial
from typing import Annotated, Any

from pydantic import BeforeValidator, TypeAdapter

from tablectl.config import limits_of
from tablectl.config.checks import device_of
from tablectl.config.models import Config
from tablectl.core.game_record import GameRecord
from tablectl.core.game_step import Game
from tablectl.core.table import Table
from tablectl.lazy_dataclass import dataclass
from tablectl.rule_tables import found, game_record, load_rules


@dataclass(frozen=True, slots=True)
class Played:
    """A game as the daemon plays it.

    Args:
        make: the procedure from a configuration that names this game.
        table: the type of the whole table's state, for snapshots.
        state: the name of the game's part of it.
        procedure: the type of the procedure, for what a journal says of its terms.
    """

    make: Callable[[Config], Game[Any]]
    table: Any
    state: str
    procedure: Any

    def by_terms(self, terms: str) -> Game[Any]:
        """The procedure by these terms (`journal.replay`).

        Raises:
            ValueError: they aren't this game's.
        """
        return _reader(self.procedure).validate_json(terms)


@cache
def _reader(procedure: Any) -> TypeAdapter[Game[Any]]:
    return TypeAdapter(procedure)


def game_of(config: Config) -> Played:
    """How the configured game is played."""
    return played(config.table.game)


def _made(record: GameRecord[Any], config: Config) -> Game[Any]:
    """The procedure of the configuration that names this game."""
    section = config.game
    rules = load_rules(config.table.game, found(section.rules))
    given: dict[str, Any] = {}
    for each in fields(record.settings):
        value: Any = getattr(section, each.name, ())
        if value != ():
            given[each.name] = type(each.default)(value) if isinstance(each.default, StrEnum) else value
    given |= {kind: device_of(config, kind) for kind in record.devices}
    settings = record.settings(**{**given, "limits": limits_of(config, rules.most_pays())})
    game: Game[Any] = record.procedure(rules, settings)
    return game


@cache
def played(game: str) -> Played:
    """How a game is played."""
    record = game_record(game)
    state: Any = record.state
    if record.upgrade is not None:
        state = Annotated[state, BeforeValidator(record.upgrade)]
    return Played(partial(_made, record), Table[state], record.state.__name__, record.procedure)
