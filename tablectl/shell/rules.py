"""Rule tables: finds the shipped files and reads them into the core's values."""

import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal

import tablectl
from tablectl.core.forms import FormError
from tablectl.core.games.q_poker import forms as q_poker_forms
from tablectl.core.games.q_poker.rules import QPokerRules, read_rules
from tablectl.core.settle import Settler

GameName = Literal["q_poker"]

RULE_TABLES: Final[Mapping[GameName, str]] = MappingProxyType({"q_poker": "q_poker.89-2004.toml"})
"""The rule table in force for each game."""


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


def load_rules(game: GameName) -> QPokerRules:
    """The rules in force for a game.

    Raises:
        RulesError: the rule table is missing or wrong.
    """
    return read_rule_table(shipped(f"rules/{RULE_TABLES[game]}"))


def read_rule_table(file: Path) -> QPokerRules:
    """The rules in one file.

    Raises:
        RulesError: it can't be read, isn't TOML, or has an unknown, missing or wrong value.
    """
    try:
        return read_rules(tomllib.loads(file.read_text(encoding="utf-8")))
    except FormError as error:
        raise RulesError(file, error.path, error.message) from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise RulesError(file, "", str(error)) from None


def settlers() -> Mapping[str, Settler]:
    """How each game settles the forms of a line; a game's rule table is read at its first round."""
    return {"q_poker": _q_poker_settler(cache(load_rules))}


def _q_poker_settler(rules: Callable[[GameName], QPokerRules]) -> Settler:
    return lambda form, overrides: q_poker_forms.settle_form(form, overrides, rules("q_poker"))
