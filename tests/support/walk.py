"""Every state that a small table can come to, found by telling it a finite alphabet of facts, breadth first.

A game says which facts may come next and which states are alike: those that differ only in what has no bearing on the
procedure, as numbers, times and names. What is found is asked afterwards; every question gives what breaks it, so that
a test compares with nothing.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Generic, TypeVar

from tablectl.core import fold
from tablectl.core.effects import Announce, Effects, Refuse
from tablectl.core.events.round import Irregular, Settled, Voided
from tablectl.core.facts import Body
from tablectl.core.facts.table_requests import RoundVoided
from tablectl.core.game_step import Game
from tablectl.core.table import Table
from tests.support.sitting import fact

S = TypeVar("S")
P = TypeVar("P", bound=StrEnum)
C = TypeVar("C", bound=StrEnum)

SETTLED, VOID = "settled", "void"
"""How a round ends."""

Way = tuple[P, P, str]
"""From phase to phase, and how the round ended there; empty where it goes on."""


@dataclass(frozen=True, slots=True)
class Node(Generic[S]):
    """What a table comes to: the game's state, and the devices that are away. A walk has one of each."""

    state: S
    away: tuple[str, ...] = ()
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash((self.state, self.away)))

    def __hash__(self) -> int:
        return self._hash


@dataclass(frozen=True, slots=True)
class Step(Generic[S]):
    """One fact told at one node: what it was, where it led, and what was said."""

    start: Node[S]
    body: Body
    target: Node[S]
    end: str
    refused: tuple[str, str] | None
    irregular: tuple[str, str] | None

    @property
    def at(self) -> S:
        """The game's state before the fact."""
        return self.start.state

    @property
    def to(self) -> S:
        """The game's state after it."""
        return self.target.state


@dataclass(frozen=True, slots=True)
class Walk(Generic[S]):
    """Every step from every node that can be reached, and one table at each node."""

    steps: tuple[Step[S], ...]
    tables: Mapping[Node[S], Table[S]]


def walk(
    game: Game[S],
    start: Table[S],
    alphabet: Callable[[Table[S]], Iterable[Body]],
    alike: Callable[[S], S],
    *,
    devices_return: bool = True,
) -> Walk[S]:
    """The whole walk from this table.

    Faults are dealt with at once. A game that has no end of states never comes back: `alike` has to fold them.

    Args:
        alphabet: what may happen next, of almost every kind.
        alike: the state without what has no bearing on the procedure.
        devices_return: whether lost devices are back at once; where not, the alphabet has to bring them back.
    """
    first = _node(start, alike)
    nodes = {first: first}
    seen, to_visit, steps = {first: start}, deque([first]), list[Step[S]]()
    while to_visit:
        here = to_visit.popleft()
        table = seen[here]
        for body in alphabet(table):
            told, effects = fold.step(game, table, fact(body, table.records))
            devices = start.devices if devices_return else told.devices
            as_told = not told.faults and told.devices == devices
            after = told if as_told else replace(told, faults=(), devices=devices)
            same = (after.game, after.devices) == (table.game, table.devices)
            found = here if same else _node(after, alike)
            there = nodes.setdefault(found, found)
            steps.append(_step(here, body, there, effects))
            if there is found and there not in seen:
                seen[there] = after
                to_visit.append(there)
    return Walk(tuple(steps), seen)


def reaching(goals: Iterable[Node[S]], steps: Iterable[Step[S]]) -> set[Node[S]]:
    """The nodes from which these steps lead to a goal."""
    before: dict[Node[S], set[Node[S]]] = defaultdict(set)
    for step in steps:
        before[step.target].add(step.start)
    found = set(goals)
    to_visit = deque(found)
    while to_visit:
        fresh = before[to_visit.popleft()] - found
        found |= fresh
        to_visit.extend(fresh)
    return found


# --- questions: each gives what breaks it


def stuck(walked: Walk[S], *, same_round: bool = False) -> set[Node[S]]:
    """The nodes from which no settlement can be reached without a supervisor.

    Args:
        same_round: whether it has to be the settlement of the round in being, not of one after it.
    """
    lawful = [step for step in walked.steps if not isinstance(step.body, RoundVoided)]
    goals = {step.start for step in lawful if step.end == SETTLED}
    ways = [step for step in lawful if not step.end] if same_round else lawful
    return set(walked.tables) - reaching(goals, ways)


def not_voided(walked: Walk[S], *, idle: Callable[[S], bool]) -> set[Node[S]]:
    """The nodes of an open round in which a supervisor can't end it at once."""
    ended = {step.start for step in walked.steps if isinstance(step.body, RoundVoided) and step.end == VOID}
    return {node for node in walked.tables if not idle(node.state)} - ended


def ended_oddly(walked: Walk[S], *, idle: Callable[[S], bool]) -> list[Step[S]]:
    """The steps that end a round elsewhere than where the table falls idle, or let it fall idle without an end."""
    return [step for step in walked.steps if bool(step.end) != (not idle(step.at) and idle(step.to))]


def moved_by_a_refusal(walked: Walk[S]) -> list[Step[S]]:
    """The refused requests that changed something, or said that something was irregular."""
    return [step for step in walked.steps if step.refused and (step.start != step.target or step.irregular)]


def ways_taken(walked: Walk[S], phase: Callable[[S], P]) -> set[Way[P]]:
    """Every change of phase that was seen."""
    ways = ((phase(step.at), phase(step.to), step.end) for step in walked.steps)
    return {way for way in ways if way[0] is not way[1]}


def ways_drawn(transitions: Mapping[P, Mapping[C, P]], *, settled: C, voided: C) -> set[Way[P]]:
    """Every change of phase in the table of transitions: what `ways_taken` has to equal."""
    ends = {settled: SETTLED, voided: VOID}
    ways = {(at, to, ends.get(cause, "")) for at, causes in transitions.items() for cause, to in causes.items()}
    return {way for way in ways if way[0] is not way[1]}


def _node(table: Table[S], alike: Callable[[S], S]) -> Node[S]:
    return Node(alike(table.game), tuple(item.name for item in table.devices if not item.attached))


def _step(start: Node[S], body: Body, target: Node[S], effects: Effects) -> Step[S]:
    end, no, wrong = "", None, None
    for effect in effects:
        match effect:
            case Announce(Settled()):
                end = SETTLED
            case Announce(Voided()):
                end = VOID
            case Announce(Irregular(_, article, code)):
                wrong = article, code
            case Refuse(article, code):
                no = article, code
            case _:
                pass
    return Step(start, body, target, end, no, wrong)
