"""A clock that is set: each step is on record, but not each of two time services that fight."""

import json
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from tablectl.core.facts import ClockState, Stamp
from tablectl.core.faults import Code
from tablectl.core.table import fault
from tablectl.daemon.lifecycle import ClockWatch
from tests.daemon.test_table import BEGUN, Seen, ask, running

STEP_S = 2


@dataclass(slots=True)
class SetClock:
    """A clock that somebody sets."""

    at_s: float = 1000.0
    ahead_s: float = 0.0

    def now(self) -> Stamp:
        utc_us = 1_700_000_000_000_000 + round((self.at_s + self.ahead_s) * 1e6)
        return Stamp(utc_us, round(self.at_s * 1e9), "boot", ClockState.SYNCED, 1)

    def monotonic_s(self) -> float:
        return self.at_s


async def lived(watch: ClockWatch, clock: SetClock, seconds: int, *, fights: bool = False) -> None:
    """So many seconds pass, in each of which the clock is set where two fight."""
    for _ in range(seconds):
        clock.at_s += 1.0
        if fights:
            clock.ahead_s += STEP_S
        await watch.look()


def steps(seen: Seen) -> list[float]:
    """How far the clock was set, by each event, in seconds."""
    forms = [json.loads(event.payload) for event in seen.events]
    told = [form["data"] for form in forms if form["type"] == "mo.tablectl.audit.clock_stepped.v1"]
    return [
        (datetime.fromisoformat(each["after"]) - datetime.fromisoformat(each["before"])).total_seconds()
        for each in told
    ]


async def test_rare_clock_steps_are_each_recorded(tmp_path: Path) -> None:
    clock = SetClock()
    async with running(tmp_path) as (table, seen):
        await ask(table, *BEGUN[:2])
        watch = ClockWatch(table, clock)
        watch.begin()
        for _ in range(5):
            clock.ahead_s -= STEP_S
            await lived(watch, clock, 301)
        assert steps(seen) == [-STEP_S] * 5
        assert fault(table.state, Code.CLOCK_UNSTEADY, "") is None


async def test_fighting_time_services_are_a_fault_with_few_records(tmp_path: Path) -> None:
    clock = SetClock()
    async with running(tmp_path) as (table, seen):
        await ask(table, *BEGUN[:2])
        watch = ClockWatch(table, clock)
        watch.begin()
        before = table.state.records
        await lived(watch, clock, 3600, fights=True)
        standing = fault(table.state, Code.CLOCK_UNSTEADY, "")
        assert standing is not None
        assert standing.present
        assert table.state.records - before <= 4 + 2 * 3600 // 300
        await lived(watch, clock, 300)
        over = fault(table.state, Code.CLOCK_UNSTEADY, "")
        assert over is not None
        assert not over.present
        assert steps(seen)[:3] == [STEP_S] * 3
        assert sum(steps(seen)) == 3600 * STEP_S


async def test_clock_set_there_and_back_is_no_step(tmp_path: Path) -> None:
    clock = SetClock()
    async with running(tmp_path) as (table, seen):
        await ask(table, *BEGUN[:2])
        watch = ClockWatch(table, clock)
        watch.begin()
        for nth in range(600):
            clock.ahead_s = STEP_S * (nth % 2)
            await lived(watch, clock, 1)
        assert len(steps(seen)) <= 5
        assert fault(table.state, Code.CLOCK_UNSTEADY, "") is not None
