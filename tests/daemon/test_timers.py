"""Times that a game started end once, on time, also over restarts of daemon and machine."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from tablectl.core.effects import StartTimer, StopTimer
from tablectl.core.facts import Body, Stamp, TimerElapsed
from tablectl.daemon.timers import Timers, left_s

FIVE_MINUTES_S = 300


@dataclass(slots=True)
class HandClock:
    """A clock that stands until it is moved."""

    at_s: float = 1000.0
    utc_us: int = 1_790_000_000_000_000
    boot_id: str = "boot-1"

    def now(self) -> Stamp:
        return Stamp(self.utc_us, int(self.at_s * 1e9), self.boot_id)

    def monotonic_s(self) -> float:
        return self.at_s


@dataclass(slots=True)
class Told:
    """What the timers reported."""

    bodies: list[Body] = field(default_factory=list[Body])
    came: asyncio.Event = field(default_factory=asyncio.Event)

    def __call__(self, body: Body) -> None:
        self.bodies.append(body)
        self.came.set()


@asynccontextmanager
async def running(clock: HandClock) -> AsyncGenerator[tuple[Timers, Told]]:
    told = Told()
    timers = Timers(clock, told)
    task = asyncio.create_task(timers.run())
    try:
        yield timers, told
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_a_time_that_is_up_is_reported_once() -> None:
    clock = HandClock()
    async with running(clock) as (timers, told):
        started = clock.now()
        clock.at_s += FIVE_MINUTES_S
        timers.command(StartTimer(7, started, FIVE_MINUTES_S))
        await told.came.wait()
        timers.command(StopTimer(7))
    assert told.bodies == [TimerElapsed(7)]


async def test_time_runs_by_the_clock_and_not_by_who_looks() -> None:
    clock = HandClock()
    async with running(clock) as (timers, told):
        timers.command(StartTimer(7, clock.now(), FIVE_MINUTES_S))
        clock.at_s += FIVE_MINUTES_S - 1
        timers.command(StartTimer(8, clock.now(), 0))
        await told.came.wait()
    assert told.bodies == [TimerElapsed(8)]


async def test_a_stopped_time_is_never_reported() -> None:
    clock = HandClock()
    async with running(clock) as (timers, told):
        timers.command(StartTimer(7, clock.now(), FIVE_MINUTES_S))
        timers.command(StopTimer(7))
        clock.at_s += 2 * FIVE_MINUTES_S
        timers.command(StartTimer(8, clock.now(), 0))
        await told.came.wait()
    assert told.bodies == [TimerElapsed(8)]


@pytest.mark.parametrize(
    ("boot_id", "moved_s", "left"),
    [
        ("boot-1", 0, 300.0),
        ("boot-1", 299, 1.0),
        ("boot-1", 300, 0.0),
        ("boot-1", 5000, 0.0),
        ("boot-2", 0, 300.0),
        ("boot-2", 200, 100.0),
        ("boot-2", 5000, 0.0),
        ("boot-2", -5000, 300.0),
    ],
)
def test_remaining_time_stays_between_zero_and_its_length(boot_id: str, moved_s: int, left: float) -> None:
    clock = HandClock()
    timer = StartTimer(7, clock.now(), FIVE_MINUTES_S)
    clock.utc_us += moved_s * 1_000_000
    clock.at_s = 3.0 if boot_id != "boot-1" else clock.at_s + moved_s
    clock.boot_id = boot_id
    assert left_s(timer, clock) == left


async def test_setting_the_wall_clock_moves_no_time_inside_one_boot() -> None:
    clock = HandClock()
    timer = StartTimer(7, clock.now(), FIVE_MINUTES_S)
    clock.utc_us -= 3600 * 1_000_000
    clock.at_s += 100
    assert left_s(timer, clock) == 200.0
