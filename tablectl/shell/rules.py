"""Rule tables: finds the shipped files and reads them into the core's values."""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Generic, Literal, TypeVar, overload

import tablectl
from tablectl.core.forms import FormError, Json
from tablectl.core.games.chinese_dice import forms as chinese_dice_forms
from tablectl.core.games.chinese_dice import rules as chinese_dice_rules
from tablectl.core.games.chinese_dice.rules import ChineseDiceRules
from tablectl.core.games.football_poker import forms as football_poker_forms
from tablectl.core.games.football_poker import rules as football_poker_rules
from tablectl.core.games.football_poker.rules import FootballPokerRules
from tablectl.core.games.q_poker import forms as q_poker_forms
from tablectl.core.games.q_poker import rules as q_poker_rules
from tablectl.core.games.q_poker.rules import QPokerRules
from tablectl.core.games.thirteen_cards import forms as thirteen_cards_forms
from tablectl.core.games.thirteen_cards import rules as thirteen_cards_rules
from tablectl.core.games.thirteen_cards.rules import ThirteenCardsRules
from tablectl.core.games.wheel_of_fortune import forms as wheel_of_fortune_forms
from tablectl.core.games.wheel_of_fortune import rules as wheel_of_fortune_rules
from tablectl.core.games.wheel_of_fortune.rules import WheelOfFortuneRules
from tablectl.core.settle import Settler

R = TypeVar("R")

GameName = Literal["q_poker", "football_poker", "wheel_of_fortune", "chinese_dice", "thirteen_cards"]
"""A game that a table can be set up to play."""


@dataclass(frozen=True, slots=True)
class Regulated(Generic[R]):
    """A game under the rule table that is in force for it.

    Args:
        file: of the rule table, among the shipped ones.
        read: makes the rules of the table's document; raises `FormError`.
        settle: settles the forms `round` and `rules` of a line; raises `FormError`.
    """

    file: str
    read: Callable[[Json], R]
    settle: Callable[[Json, Json, R], str]


GAMES: Final[Mapping[str, Regulated[Any]]] = MappingProxyType(
    {
        "q_poker": Regulated("q_poker.89-2004.toml", q_poker_rules.read_rules, q_poker_forms.settle_form),
        "football_poker": Regulated(
            "football_poker.41-2003.toml", football_poker_rules.read_rules, football_poker_forms.settle_form
        ),
        "wheel_of_fortune": Regulated(
            "wheel_of_fortune.42-2003.toml", wheel_of_fortune_rules.read_rules, wheel_of_fortune_forms.settle_form
        ),
        "chinese_dice": Regulated(
            "chinese_dice.108-89-m.toml", chinese_dice_rules.read_rules, chinese_dice_forms.settle_form
        ),
        "thirteen_cards": Regulated(
            "thirteen_cards.51-89-m.toml", thirteen_cards_rules.read_rules, thirteen_cards_forms.settle_form
        ),
    }
)
"""Every game, with its rule table in force and how its rounds are settled under it."""


class RulesError(Exception):
    """A rule table that is missing or wrong: the file, where in it, and why."""

    def __init__(self, file: Path, where: str, why: str) -> None:
        super().__init__(f"{file}: {where}: {why}" if where else f"{file}: {why}")


def shipped(path: str) -> Path:
    """A file of the shipped configuration: package data in an installed wheel, `config/` in a checkout.

    Args:
        path: relative, such as ``rules/q_poker.89-2004.toml``.

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
def load_rules(game: Literal["q_poker"]) -> QPokerRules: ...
@overload
def load_rules(game: Literal["football_poker"]) -> FootballPokerRules: ...
@overload
def load_rules(game: Literal["wheel_of_fortune"]) -> WheelOfFortuneRules: ...
@overload
def load_rules(game: Literal["chinese_dice"]) -> ChineseDiceRules: ...
@overload
def load_rules(game: Literal["thirteen_cards"]) -> ThirteenCardsRules: ...
def load_rules(game: str) -> object:
    """The rules in force for a game.

    Raises:
        RulesError: the rule table is missing or wrong.
    """
    return _load(GAMES[game])


def _load(game: Regulated[R]) -> R:
    return read_rule_table(shipped(f"rules/{game.file}"), game.read)


def read_rule_table(file: Path, read: Callable[[Json], R]) -> R:
    """The rules in one file.

    Args:
        file: in TOML.
        read: makes the rules of the document; raises `FormError`.

    Raises:
        RulesError: it can't be read, isn't TOML, or has an unknown, missing or wrong value.
    """
    try:
        return read(tomllib.loads(file.read_text(encoding="utf-8")))
    except FormError as error:
        raise RulesError(file, error.path, error.message) from None
    except OSError as error:
        raise RulesError(file, "", error.strerror or str(error)) from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise RulesError(file, "", str(error)) from None


def settlers() -> Mapping[str, Settler]:
    """How each game settles the forms of a line; a game's rule table is read at its first round."""
    return {name: _settler(game) for name, game in GAMES.items()}


def _settler(game: Regulated[R]) -> Settler:
    rules = cache(partial(_load, game))
    return lambda form, overrides: game.settle(form, overrides, rules())
