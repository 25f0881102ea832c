"""The wall clock set under a running table: back, ahead, by years, to 1970, over the end of summer time.

Order is by sequence, which no clock moves; times that run are the monotonic clock's. libfaketime stands in for whoever
sets the clock: it moves what programs read as the time of day, and leaves the monotonic clock alone.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Final

import pytest

from tablectl.core.facts import ClockState
from tablectl.daemon.host.clock import kernel_quality
from tablectl.daemon.host.ntp import STALE_S, UNKNOWN, timesync_quality
from tests.crash.dealing import FULL, begin, finish_round, judge, play, tables
from tests.force.launch import Launcher
from tests.support.feed import Feed
from tests.support.patience import PATIENCE_S

YEAR_S: Final = 365 * 86400
SUMMER_ENDS_S: Final = int(datetime.fromisoformat("2027-10-31T01:00:00+00:00").timestamp())
"""In Lisbon: there the clock on the wall goes from 02:00 back to 01:00."""

JUMPS: Final[dict[str, Callable[[float], float]]] = {
    "an hour back": lambda now_s: -3600,
    "two hours ahead": lambda now_s: 7200,
    "three years ahead": lambda now_s: 3 * YEAR_S,
    "back to 1970": lambda now_s: 60 - now_s,
    "over the end of summer time": lambda now_s: SUMMER_ENDS_S - now_s - 0.5,
}
"""What is added to the true time, by what the true time is."""

FEW: Final = ("an hour back", "two hours ahead", "back to 1970")


@dataclass(frozen=True, slots=True)
class WallClock:
    """The time of day of processes that are started with its environment."""

    file: Path
    library: Path

    def set(self, offset_s: float) -> None:
        """Sets it so far from the truth, at once."""
        half = self.file.with_suffix(".new")
        half.write_text(f"{offset_s:+.3f}\n", "ascii")
        half.replace(self.file)

    def environment(self) -> dict[str, str]:
        """What a process needs to be under it."""
        return {
            "LD_PRELOAD": str(self.library),
            "FAKETIME_TIMESTAMP_FILE": str(self.file),
            "FAKETIME_NO_CACHE": "1",
            "DONT_FAKE_MONOTONIC": "1",
            "TZ": "Europe/Lisbon",
        }


@pytest.fixture(name="clock")
def _clock(faketime: Path, tmp_path: Path) -> WallClock:
    clock = WallClock(tmp_path / "clock", faketime)
    clock.set(0)
    return clock


@pytest.mark.timeout(240)
def test_round_goes_on_in_order_whatever_the_wall_clock_does(
    subscriber: Feed, clock: WallClock, tmp_path: Path
) -> None:
    with tables(subscriber, tmp_path) as make:
        dealer = make("clocked")
        assert dealer.daemon.stop() == 0
        dealer.daemon.context = Launcher(environment=clock.environment()).context()
        begin(dealer)  # the only time that the dealer signs on: a clock that is set signs nobody off
        for offset_s in (jump(time.time()) for jump in JUMPS.values()):
            clock.set(offset_s)
            play(dealer, 3)
        finish_round(dealer)
        assert dealer.daemon.stop() == 0
        judge(dealer, subscriber)
    check_stamps([event for event in subscriber.events() if event["source"].startswith("/tablectl/demo/clocked/")])


def check_stamps(events: list[dict[str, str]]) -> None:
    """The wall clock went back and ahead; the numbers and the monotonic clock only ahead; nobody vouches for it."""
    assert [int(event["sequence"]) for event in events] == list(range(1, len(events) + 1))
    assert all(int(one["monotonicns"]) <= int(other["monotonicns"]) for one, other in pairwise(events))
    at_s = [datetime.fromisoformat(event["time"]).timestamp() for event in events]
    assert min(at_s) < YEAR_S
    assert max(at_s) > time.time() + 2.9 * YEAR_S
    assert sum(other < one for one, other in pairwise(at_s)) >= 2  # an hour, and to 1970
    kernel = kernel_quality()
    state = ClockState.UNSYNCED if kernel is None else kernel[0]
    assert {event["clockstate"] for event in events} == {state.value}
    assert all(("clockerrus" in event) == (state is ClockState.SYNCED) for event in events)


def lasted(clock: WallClock, jumps: Collection[str], *words: str) -> dict[str, float | None]:
    """How long a timer of one second ran while the wall clock was set; None where it never ended."""
    command = [sys.executable, "-m", "tests.force.timer", *words]
    environment = {**os.environ, **clock.environment()}
    found: dict[str, float | None] = {}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True, bufsize=1
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for name in jumps:
            clock.set(0)
            process.stdin.write("begin\n")
            assert process.stdout.readline() == "runs\n"
            clock.set(JUMPS[name](time.time()))
            process.stdin.write("set\n")
            said = process.stdout.readline()
            found[name] = None if said == "hangs\n" else float(said)
        process.stdin.close()
    return found


def test_running_time_ends_on_schedule_despite_the_wall_clock(clock: WallClock) -> None:
    for name, took_s in lasted(clock, JUMPS if FULL else FEW).items():
        assert took_s is not None, f"{name}: it never ended"
        assert 0.99 < took_s < PATIENCE_S, f"{name}: it took {took_s} s"


def test_a_time_that_runs_by_the_wall_clock_is_caught(clock: WallClock) -> None:
    took_s = lasted(clock, ("an hour back", "two hours ahead"), "wall")
    assert took_s["an hour back"] is None
    assert took_s["two hours ahead"] is not None
    assert took_s["two hours ahead"] < 0.99


def test_clock_behind_timesyncds_last_setting_is_not_trusted(tmp_path: Path) -> None:
    file = tmp_path / "synchronized"
    file.touch()
    set_s = file.stat().st_mtime
    assert timesync_quality(file, set_s + 60) == (ClockState.SYNCED, None)
    assert timesync_quality(file, set_s - 1) == (ClockState.SYNCED, None)
    assert timesync_quality(file, set_s - 3600) == UNKNOWN
    assert timesync_quality(file, 60.0) == UNKNOWN
    assert timesync_quality(file, set_s + STALE_S + 1) == (ClockState.HOLDOVER, None)
