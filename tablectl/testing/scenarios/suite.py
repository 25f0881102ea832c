"""Scenarios on a level, one after another, and what came of each."""

import asyncio
import signal
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Sequence
from dataclasses import field
from enum import StrEnum
from typing import Final

from tablectl.features.common.errors import first_of
from tablectl.lazy_dataclass import dataclass
from tablectl.testing.scenarios.runner import kind_of, play
from tablectl.testing.scenarios.scenario import Form, NotPlayableError, Scenario
from tablectl.testing.table_under_test import Level
from tablectl.testing.timeline import Timeline


class Verdict(StrEnum):
    """How a scenario went."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Outcome:
    """Outcome of a scenario on a level.

    Args:
        why: it failed or was skipped; empty where it passed.
        took_s: from the start of its table to the end of it.
        published: how often each kind of event came; a fault or an irregularity with its code.
    """

    scenario: Scenario
    level: str
    verdict: Verdict
    why: str
    took_s: float
    timeline: Timeline
    published: Counter[str] = field(default_factory=Counter[str])


def play_all(scenarios: Iterable[Scenario], level: Level, report: Callable[[Outcome], None]) -> list[Outcome]:
    """Plays scenarios one after another.

    SIGINT and SIGTERM end it: what it has set up is taken down.

    Args:
        report: is given each outcome when it is known.

    Raises:
        KeyboardInterrupt: it was told to end.
    """
    outcomes: list[Outcome] = []
    for scenario in scenarios:
        try:
            outcome = asyncio.run(_until_signalled(played(scenario, level)))
        except asyncio.CancelledError:
            raise KeyboardInterrupt from None
        report(outcome)
        outcomes.append(outcome)
    return outcomes


async def _until_signalled(playing: Coroutine[None, None, Outcome]) -> Outcome:
    """Wait for the outcome, until a signal comes.

    The loop hears one that comes just before it sleeps, which a handler of `signal` doesn't.
    """
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, task.cancel)
    return await playing


async def played(scenario: Scenario, level: Level) -> Outcome:
    """Play a scenario on a fresh table; every error is in the outcome."""
    timeline, began_s = Timeline(), time.monotonic()
    events: Sequence[Form] = ()
    verdict, why = Verdict.PASSED, ""
    try:
        async with level.rig(scenario, timeline) as rig:
            events = rig.published  # a list that grows until the table ends
            await play(scenario, rig, timeline)
    except* NotPlayableError as group:
        verdict, why = Verdict.SKIPPED, str(first_of(group))
    except* (AssertionError, OSError, TimeoutError) as group:
        verdict, why = Verdict.FAILED, str(first_of(group))
    took_s = time.monotonic() - began_s
    return Outcome(scenario, level.name, verdict, why, took_s, timeline, Counter(map(essence, events)))


def essence(event: Form) -> str:
    """An event's kind, with its code where it has one."""
    code = event["data"].get("code")
    return f"{kind_of(event)} {code}" if code else kind_of(event)


ONLY_THERE: Final = ("audit.log_began", "audit.session_began", "audit.signed_on")
"""What only a level with a journal, or with people at a console, has to publish."""


def differences(outcomes: Sequence[Outcome]) -> list[str]:
    """Return the kinds of event that didn't come equally often on all levels.

    Compared are the levels on which a scenario passed.
    """
    right = [outcome for outcome in outcomes if outcome.verdict is Verdict.PASSED]
    kinds = sorted({kind for outcome in right for kind in outcome.published} - {*ONLY_THERE})
    return [
        f"{kind}: " + ", ".join(f"{outcome.level} {outcome.published[kind]}" for outcome in right)
        for kind in kinds
        if len({outcome.published[kind] for outcome in right}) > 1
    ]
