"""Games and their rule tables: finds the shipped files and reads them."""

import hashlib
import tomllib
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypeVar, overload

from pydantic_core import from_json

import tablectl
from tablectl.core import games
from tablectl.core.bets.settle import Bulk, Settler, Settlers, UnusualError
from tablectl.core.game_record import GameRecord
from tablectl.core.json_form import FormError, Json, choice_in
from tablectl.edited_files import read_text, read_toml

if TYPE_CHECKING:
    from tablectl.core.games.chinese_dice.rules import ChineseDiceRules
    from tablectl.core.games.football_poker.rules import FootballPokerRules
    from tablectl.core.games.q_poker.rules import QPokerRules
    from tablectl.core.games.thirteen_cards.rules import ThirteenCardsRules
    from tablectl.core.games.wheel_of_fortune.rules import WheelOfFortuneRules

R = TypeVar("R")

GAMES: Final[tuple[str, ...]] = tuple(games.GAMES)

if TYPE_CHECKING:
    GameName: TypeAlias = str
else:
    GameName = Literal[GAMES]
    """A game that a table can be set up to play."""


def part(path: str) -> Any:
    """A part of the program that a record names.

    Args:
        path: as `<module>:<name>`.
    """
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)


@cache
def game_record(game: str) -> GameRecord[Any]:
    """The record of a game, which is imported with its first use.

    Raises:
        LookupError: there is no such game.
    """
    record: GameRecord[Any] = part(games.GAMES[game].record)
    return record


class RulesError(Exception):
    """A rule table that is missing or wrong: the file, where in it, and why."""

    def __init__(self, file: Path, where: str, why: str) -> None:
        super().__init__(f"{file}: {where}: {why}" if where else f"{file}: {why}")


def shipped(path: str) -> Path:
    """Find a file of the shipped configuration.

    It is package data in an installed wheel, and in `config/` in a checkout.

    Args:
        path: relative, such as `rules/q_poker.89-2004.toml`; an absolute one is the file itself.

    Raises:
        RulesError: it isn't there.
    """
    package = Path(tablectl.__file__).parent
    for root in (package / "shipped", package.parent / "config"):
        if (root / path).exists():
            return root / path
    raise RulesError(package / "shipped" / path, "", "isn't there; is the installation complete?")


def found(path: str) -> Path:
    """A file named in a configuration: an absolute path, or one of the shipped files.

    Raises:
        RulesError: there is no such shipped file.
    """
    if Path(path).is_absolute():
        return Path(path)
    try:
        return shipped(path)
    except RulesError:
        raise RulesError(Path(path), "", "no such file is shipped; a file of your own is named from / on") from None


@overload
def load_rules(game: Literal["q_poker"], file: Path | None = None) -> "QPokerRules": ...
@overload
def load_rules(game: Literal["football_poker"], file: Path | None = None) -> "FootballPokerRules": ...
@overload
def load_rules(game: Literal["wheel_of_fortune"], file: Path | None = None) -> "WheelOfFortuneRules": ...
@overload
def load_rules(game: Literal["chinese_dice"], file: Path | None = None) -> "ChineseDiceRules": ...
@overload
def load_rules(game: Literal["thirteen_cards"], file: Path | None = None) -> "ThirteenCardsRules": ...
@overload
def load_rules(game: str, file: Path | None = None) -> Any: ...
def load_rules(game: str, file: Path | None = None) -> Any:
    """The rules of a game, with the hash of their file.

    Args:
        game: one of `GAMES`.
        file: the rule table; None for the shipped one that is in force.

    Raises:
        RulesError: the rule table is missing or wrong.
    """
    record = game_record(game)
    table = file or shipped(record.rule_table)
    rules = read_rule_table(table, partial(_read, game, record.read_rules))
    try:
        return replace(rules, hash=hashlib.sha256(table.read_bytes()).hexdigest())
    except OSError as error:
        raise RulesError(table, "", error.strerror or str(error)) from None


def _read(game: str, read: Callable[[Json], R], document: Json) -> R:
    """Read the rules of a document.

    Another game's table is refused for its game, not for the first key that differs.

    Raises:
        FormError: it is another game's, or has an unknown, missing or wrong value.
    """
    named = document.get("game") if isinstance(document, dict) else None
    if named in GAMES and named != game:
        raise FormError("game", f"a rule table of {game} is expected, not of {named}")
    return read(document)


def read_rule_table(file: Path, read: Callable[[Json], R]) -> R:
    """The rules in one file.

    Args:
        file: in TOML.
        read: makes the rules of the document; raises `FormError`.

    Raises:
        RulesError: it can't be read, isn't TOML, or has an unknown, missing or wrong value.
    """
    try:
        return read(read_toml(read_text(file)))
    except FormError as error:
        raise RulesError(file, error.path, error.message) from None
    except OSError as error:
        raise RulesError(file, "", error.strerror or str(error)) from None
    except tomllib.TOMLDecodeError as error:
        raise RulesError(file, "", str(error)) from None


def settlers(rule_table: Path | None = None) -> Settlers:
    """Return the settlers of all games for the forms of a line.

    A shipped rule table is read at the game's first round.

    Args:
        rule_table: replaces the shipped one of its game.

    Raises:
        RulesError: that rule table can't be used.
    """
    given: dict[str, Any] = dict([read_any_rules(rule_table)]) if rule_table else {}
    rules = {name: _given(given[name]) if name in given else _shipped(name) for name in GAMES}
    bulk = {name: _bulk(name, rules[name]) for name in GAMES}
    by_game = {name: _settler(name, rules[name]) for name in GAMES}
    return Settlers(by_game, bulk, partial(from_json, cache_strings="keys"))


def read_any_rules(file: Path) -> tuple[str, Any]:
    """The game and the rules of a rule table.

    Raises:
        RulesError: it can't be used.
    """
    game = read_rule_table(file, _game_in)
    return game, load_rules(game, file)


def _game_in(document: Json) -> str:
    if not isinstance(document, dict) or "game" not in document:
        raise FormError("game", "this field is required")
    return choice_in(document, "game", {name: name for name in GAMES})


def _shipped(game: str) -> Callable[[], Any]:
    return cache(partial(load_rules, game))


def _given(rules: Any) -> Callable[[], Any]:
    return lambda: rules


def _settler(game: str, rules: Callable[[], Any]) -> Settler:
    return lambda form, overrides: game_record(game).settle(form, overrides, rules())


def _bulk(game: str, rules: Callable[[], Any]) -> Bulk:
    """Return the game's bulk settler, which is made with the first round.

    Every line is unusual where the game has none.
    """

    @cache
    def made() -> Bulk | None:
        make = game_record(game).bulk
        return make and make(rules())

    def settle(form: Any) -> tuple[str, int]:
        """Settle a line in bulk.

        Raises:
            UnusualError: the game has no bulk settler.
        """
        if (bulk := made()) is None:
            raise UnusualError
        return bulk(form)

    return settle
