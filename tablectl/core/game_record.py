"""A game as one record: rules, procedure, what it plays with."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, Generic, TypeVar

from tablectl.core.bets.settle import Bulk
from tablectl.core.json_form import Json
from tablectl.lazy_dataclass import dataclass

R = TypeVar("R")


@dataclass(frozen=True, slots=True, kw_only=True)
class GameRecord(Generic[R]):
    """A game, declared once in its package.

    Args:
        rule_table: the rule table in force: a shipped one below `rules/`, or a path from / on.
        table: the configuration of its demonstration's table: a shipped one, or a path from / on.
        setup: the lines of a new table's section that somebody will want to change.
        read_rules: makes the rules of the table's document; raises `FormError`.
        settle: settles the forms `round` and `rules` of a line; raises `FormError`.
        procedure: the class of the procedure, made of rules and settings.
        settings: the class of the settings; its fields have the names of the configuration's keys.
        state: the class of the game's state, for snapshots.
        transitions: from phase to phase, by their causes.
        result: the result of a settled round, as the history board names it, of the data of its end; raises
            `LookupError`, `TypeError` or `ValueError` where they have another form.
        articles: of the game's regulation, that an event follows where it names none itself, by the event's kind.
        odds: what computes the exact odds of its bets, as `<module>:<name>`: a function of rules and packs in play
            that raises `ValueError` where the game isn't played with so many.
        demo: the module that plans and plays its demonstration; no daemon loads one.
        player: the player of `tablectl.players`, as `<module>:<name>`.
        bets: the kinds of bet, as requests name them.
        devices: the kinds of device that the game has a use for; its configuration names them by kind.
        usual: those that a table of the game mostly has.
        dice: how many are thrown at once; 0 where none are.
        bulk: makes what settles usual lines faster; None where the game has nothing such.
        dealt_open: whether its cards are dealt face up, so that none is secret once it lies.
        upgrade: makes a state of what an older snapshot holds; None where every snapshot has today's form.
    """

    name: str
    rule_table: str
    table: str
    setup: tuple[str, ...]
    read_rules: Callable[[Json], R]
    settle: Callable[[Json, Json, R], str]
    procedure: type[Any]
    settings: type[Any]
    state: type[Any]
    transitions: Mapping[Any, Mapping[Any, Any]]
    result: Callable[[Mapping[str, Any]], str]
    articles: Mapping[str, str]
    odds: str
    demo: str
    player: str
    bets: tuple[str, ...]
    devices: tuple[str, ...]
    usual: tuple[str, ...]
    dice: int = 0
    dealt_open: bool = False
    bulk: Callable[[R], Bulk] | None = None
    upgrade: Callable[[Any], Any] | None = None


Transitions = Mapping[StrEnum, Mapping[StrEnum, StrEnum]]
"""Phase, then cause, then the phase that follows."""
