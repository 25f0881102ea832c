"""One run and what came of it, small enough to be sent from one process to another."""

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from pydantic_core import from_json

from tests.simulation.checker import check, kind_of
from tests.simulation.checker.case import Case
from tests.simulation.history import History
from tests.simulation.run import run
from tests.simulation.visited import visited
from tests.simulation.world import Plan


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a run.

    Args:
        lived_s: simulated seconds.
        cpu_s: what that and the check took of a processor.
        done: facts stored, requests made at the console and over MQTT, starts after the first.
        flaws: everything in which the table didn't keep what it promises.
        visited: how often the run came to each of the rare states.
    """

    plan: Plan
    digest: str
    lived_s: float
    cpu_s: float
    settled: int
    void: int
    done: Counter[str]
    faults: Counter[str]
    flaws: list[str]
    visited: Counter[str]


def live(plan: Plan, voice: Callable[[str], None] | None = None) -> Outcome:
    """Lives through a run and judges it."""
    began_s = time.process_time()
    history = run(plan, voice)
    flaws = check(history)
    kinds = _kinds(history)
    return Outcome(
        plan,
        history.digest(),
        history.clock(),
        time.process_time() - began_s,
        kinds["round.settled"],
        kinds["round.void"],
        _done(history),
        history.faults,
        flaws,
        visited(Case(history)),
    )


def _done(history: History) -> Counter[str]:
    asked = len(history.asked) + len(history.shown) + len(history.wanted)
    facts = len(history.images[-1].rows) if history.images else 0
    return Counter({"facts": facts, "requests": asked, "restarts": max(0, len(history.images) - 2)})


def _kinds(history: History) -> Counter[str]:
    events = history.images[-1].events if history.images else ()
    return Counter(kind_of(from_json(event.payload)) for event in events)
