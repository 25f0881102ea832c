"""The table's own clock work: reports when a time that a game started is up."""

import asyncio
from collections.abc import Callable
from dataclasses import field

from tablectl.core.effects import StartTimer, StopTimer
from tablectl.core.facts import Body, TimerElapsed
from tablectl.core.protocols import Clock
from tablectl.lazy_dataclass import dataclass


@dataclass(slots=True)
class Timers:
    """The running timers.

    Inside one boot of the machine they count by its monotonic clock, which no setting moves.

    Args:
        report: takes the fact that a time is up.
    """

    clock: Clock
    report: Callable[[Body], None]
    _due_s: dict[int, float] = field(default_factory=dict[int, float])
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    def command(self, command: StartTimer | StopTimer) -> None:
        """Starts or forgets a time; started again, it still ends when it would have."""
        match command:
            case StartTimer(operation):
                self._due_s[operation] = self.clock.monotonic_s() + left_s(command, self.clock)
            case StopTimer(operation):
                self._due_s.pop(operation, None)
        self._changed.set()

    async def run(self) -> None:
        """Reports each time when it is up, until cancelled."""
        while True:
            self._changed.clear()
            self._report_due()
            try:
                async with asyncio.timeout(self.soonest_s()):
                    await self._changed.wait()
            except TimeoutError:
                pass

    def soonest_s(self) -> float | None:
        """Seconds until the first of these times is up; None where none runs."""
        if not self._due_s:
            return None
        return max(0.0, min(self._due_s.values()) - self.clock.monotonic_s())

    def _report_due(self) -> None:
        now_s = self.clock.monotonic_s()
        for operation in sorted(number for number, due_s in self._due_s.items() if due_s <= now_s):
            del self._due_s[operation]
            self.report(TimerElapsed(operation))


def left_s(timer: StartTimer, clock: Clock) -> float:
    """Seconds until a timer's end, from 0 to its whole length.

    After a restart of the machine only the wall clock can tell, and it may have been set; the bounds keep a wrong
    one from cutting a time short below nothing or drawing it out beyond its length.
    """
    return min(max(timer.left_s(clock.now()), 0.0), float(timer.lasts_s))
