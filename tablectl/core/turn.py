"""One step of a round in the making: what a game is given, and the few moves that its rules are made of."""

from dataclasses import dataclass
from typing import Generic, TypeVar, get_args

from tablectl.core.effects import Announce, ClearFault, Effects, RaiseFault, Refuse
from tablectl.core.events import Event, saying
from tablectl.core.facts import Body, Fact, Request
from tablectl.core.faults import Code
from tablectl.core.table import Table, entry, stopping_fault

S = TypeVar("S")
T = TypeVar("T")
R = TypeVar("R")

Outcome = tuple[S, Effects]
"""The game's state after a step, and what follows."""


@dataclass(frozen=True, slots=True)
class Turn(Generic[S, T, R]):
    """The table before the step, the fact, and the settings and rules that hold."""

    table: Table[S]
    fact: Fact
    settings: T
    rules: R

    @property
    def state(self) -> S:
        """The game's state before the step."""
        return self.table.game

    @property
    def who(self) -> str:
        """The person behind the fact, or both of them, or its source."""
        return ", ".join(filter(None, (self.fact.by or self.fact.source, self.fact.second)))


def announce(*events: Event) -> Effects:
    """The events as effects."""
    return tuple(Announce(event) for event in events)


def then(effects: Effects, outcome: Outcome[S]) -> Outcome[S]:
    """The outcome, after these effects."""
    state, more = outcome
    return state, effects + more


def refusal(game: str, article: str, code: str, **values: object) -> Refuse:
    """A no to the request just made, in the game's words or else in those of any game.

    Args:
        article: the article that forbids it, or ``"table"``.
    """
    return Refuse(article, code, saying(f"refuse.{game}.{code}", **values))


def elsewhere(state: S, game: str, body: Body) -> Outcome[S]:
    """A fact of another game: a request is refused, what a device reports moves nothing."""
    asked = isinstance(body, get_args(Request))
    return state, (refusal(game, "table", "not_played_here"),) if asked else ()


def fault_forbids(table: Table[S], game: str) -> Refuse | None:
    """The refusal of a round or a bet while a fault stands that lets none begin."""
    if (fault := stopping_fault(table)) is None:
        return None
    return refusal(game, "table", "fault_stands", fault=entry(fault.code).key, number=fault.code)


def momentary(code: Code, device: str, detail: str = "") -> Effects:
    """A fault whose cause is over as soon as it is seen: it stands until whoever may clear it acknowledges it."""
    return RaiseFault(code, device, detail), ClearFault(code, device)
