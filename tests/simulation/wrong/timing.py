"""Daemons whose times run out at the wrong moment, or never."""

from dataclasses import dataclass
from typing import Any

import tablectl.daemon.daemon
from tablectl.core.facts import Stamp
from tablectl.core.protocols import Clock
from tablectl.daemon.timers import Timers
from tests.simulation.wrong import Patch

_DAEMON: Any = tablectl.daemon.daemon


@dataclass(frozen=True, slots=True)
class WallClock:
    """A clock that counts on by its wall clock."""

    clock: Clock

    def now(self) -> Stamp:
        """The present instant."""
        return self.clock.now()

    def monotonic_s(self) -> float:
        """What is none."""
        return self.clock.now().utc_us / 1e6


def counts_by_the_wall_clock() -> list[Patch]:
    return [
        (_DAEMON, "Timers", lambda clock, report: Timers(WallClock(clock), report)),
        (Timers, "soonest_s", lambda timers: 0.1 if timers._due_s else None),  # so that it sees each jump
    ]


def never_runs_out() -> list[Patch]:
    return [(Timers, "soonest_s", lambda _: None)]
