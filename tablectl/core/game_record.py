"""A game as one record: its rules, its procedure, and what it plays with."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from tablectl.core.bets.settle import Bulk
from tablectl.core.json_form import Json

R = TypeVar("R")


@dataclass(frozen=True, slots=True, kw_only=True)
class GameRecord(Generic[R]):
    """A game, declared once in its package.

    Args:
        rule_table: the file of the rule table in force, among the shipped ones.
        read_rules: makes the rules of the table's document; raises `FormError`.
        settle: settles the forms `round` and `rules` of a line; raises `FormError`.
        procedure: the class of the procedure, made of rules and settings.
        settings: the class of the settings; its fields have the names of the configuration's keys.
        state: the class of the game's state, for snapshots.
        bets: the kinds of bet, as requests name them.
        devices: the kinds of device that the game has a use for; its configuration names them by kind.
        usual: those that a table of the game mostly has.
        dice: how many are thrown at once; 0 where none are.
        bulk: makes what settles usual lines faster; None where the game has nothing such.
        upgrade: makes a state of what an older snapshot holds; None where every snapshot has today's form.
    """

    name: str
    rule_table: str
    read_rules: Callable[[Json], R]
    settle: Callable[[Json, Json, R], str]
    procedure: type[Any]
    settings: type[Any]
    state: type[Any]
    bets: tuple[str, ...]
    devices: tuple[str, ...]
    usual: tuple[str, ...]
    dice: int = 0
    bulk: Callable[[R], Bulk] | None = None
    upgrade: Callable[[Any], Any] | None = None
