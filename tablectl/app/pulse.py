"""Whether the loop turns, and how late it is."""

import asyncio

from tablectl.core.ports import Clock
from tablectl.shell.notify import notify, watchdog_interval_s

LOOK_EVERY_S = 1.0
"""How often the loop's lateness is measured where no supervisor asks for more."""


class Pulse:
    """The loop's own heartbeat.

    Attributes:
        lag_s: how late the loop was when it last looked.
    """

    def __init__(self, clock: Clock) -> None:
        self.lag_s = 0.0
        self._clock = clock

    async def run(self) -> None:
        """Measures the loop's lateness, and tells the supervisor that the loop turns."""
        interval_s = watchdog_interval_s() or LOOK_EVERY_S
        while True:
            due_s = self._clock.monotonic_s() + interval_s
            await asyncio.sleep(interval_s)
            self.lag_s = max(0.0, self._clock.monotonic_s() - due_s)
            notify("WATCHDOG=1")
