"""Supervision of one device: its driver is run again after each failure.

In between the fault is reported. This is the one place that outlives any mistake in a driver.
"""

import asyncio
import random
from collections import deque
from collections.abc import Callable
from typing import NoReturn

from tablectl.core.facts import FaultCleared, FaultRaised
from tablectl.core.faults import Code
from tablectl.core.protocols import Driver
from tablectl.daemon.devices.presence import Presence
from tablectl.daemon.host.log import logger
from tablectl.daemon.steady import Steady, with_count
from tablectl.lazy_dataclass import dataclass

Classify = Callable[[Exception], Code | None]
"""The fault that a driver's error is; None where it is a mistake in the program."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How soon a lost device is tried again, in seconds.

    Args:
        first_s: after the first failure; doubled after each that follows.
        longest_s: never more than this; a wrong device is tried at this pace from the start.
        steady_s: a device that was up for so long begins anew with `first_s`.
    """

    first_s: float = 0.1
    longest_s: float = 5.0
    steady_s: float = 10.0


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How much damage a line may do to frames before it is a fault.

    Args:
        frames: so many rejected frames are a fault,
        within_s: if they came in this time.
        clean_s: without one for so long, the cause is gone.
        look_s: how often it is looked at.
    """

    frames: int = 3
    within_s: float = 10.0
    clean_s: float = 30.0
    look_s: float = 1.0


class Supervised:
    """One device's driver, run for ever.

    Args:
        presence: tells the table of the device; the driver's own teller.
        classify: tells a link's errors from mistakes.
        is_loud: whether the journal holds as present that its frames come damaged.
        chance: gives 0 to 1; spreads the attempts of many devices.
    """

    def __init__(
        self,
        driver: Driver,
        presence: Presence,
        classify: Classify,
        *,
        is_loud: bool = False,
        pace: Pace = Pace(),
        tolerance: Tolerance = Tolerance(),
        chance: Callable[[], float] = random.random,
    ) -> None:
        self.driver = driver
        self._presence = presence
        self._classify = classify
        self._pace = pace
        self._chance = chance
        self._noise = _Noise(tolerance, is_loud=is_loud)
        self._loud: Steady[str] = Steady(self._tell_noise)
        self._look_s = tolerance.look_s
        self._up_since_s: float | None = None
        self._pause_s = pace.first_s

    @property
    def is_up(self) -> bool:
        """Return True if the link is up now, whatever was reported to the table."""
        return self._up_since_s is not None

    async def run(self) -> None:
        """Keeps the device connected until cancelled."""
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._keep(), name=f"device {self.driver.name}")
                group.create_task(self._watch_noise(), name=f"noise of {self.driver.name}")
        finally:
            self._presence.stop()
            self._loud.stop()

    async def _keep(self) -> NoReturn:
        while True:
            code, reason = await self._attempt()
            pause_s = self._next_pause_s(code)
            self._up_since_s = None
            self._presence.away(code, reason)
            await asyncio.sleep(pause_s)

    async def _attempt(self) -> tuple[Code, str]:
        """One connection; what ended it."""
        try:
            await self.driver.run(self._up)
        except Exception as error:
            code = self._classify(error)
            if code is not None:
                return code, str(error)
            logger("devices").exception("driver failed", device=self.driver.name)
            return Code.LINK_LOST, f"a mistake in the driver: {error!r}"
        return Code.LINK_LOST, "the driver ended"

    def _up(self) -> None:
        self._up_since_s = self._up_since_s or asyncio.get_running_loop().time()
        self._presence.up()

    def _next_pause_s(self, code: Code) -> float:
        """The pause before the next attempt, up to a quarter more or less.

        Call it while the link is still known to be up.
        """
        since_s = self._up_since_s
        if since_s is not None and asyncio.get_running_loop().time() - since_s >= self._pace.steady_s:
            self._pause_s = self._pace.first_s
        pause_s = self._pace.longest_s if code is Code.WRONG_DEVICE else self._pause_s
        self._pause_s = min(pause_s * 2, self._pace.longest_s)
        return pause_s * (0.75 + 0.5 * self._chance())

    async def _watch_noise(self) -> NoReturn:
        while True:
            now_s = asyncio.get_running_loop().time()
            turned = self._noise.turned_loud(self.driver.counters().rejected, now_s)
            if turned is not None:
                self._loud.now("frames come damaged" if turned else None)
            await asyncio.sleep(self._look_s)

    def _tell_noise(self, loud: str | None, swings: int) -> None:
        name = self.driver.name
        detail = with_count(loud, swings) if loud and swings else ""
        self._presence(
            FaultRaised(Code.CORRUPT_FRAMES, name, detail) if loud else FaultCleared(Code.CORRUPT_FRAMES, name)
        )


class _Noise:
    """Watches the count of rejected frames."""

    def __init__(self, tolerance: Tolerance, *, is_loud: bool) -> None:
        self._tolerance = tolerance
        self._is_loud = is_loud
        self._seen = 0
        self._last_s: float | None = None
        self._times_s: deque[float] = deque(maxlen=tolerance.frames)

    def turned_loud(self, rejected: int, now_s: float) -> bool | None:
        """True if the noise just became too much, False if it has gone.

        None while nothing changes.
        """
        came = rejected - self._seen
        self._seen = rejected
        self._times_s.extend([now_s] * min(came, self._tolerance.frames))
        self._last_s = now_s if came or self._last_s is None else self._last_s
        full = len(self._times_s) == self._tolerance.frames
        much = full and now_s - self._times_s[0] <= self._tolerance.within_s
        if not self._is_loud and much and came:
            self._is_loud = True
            return True
        if self._is_loud and now_s - self._last_s >= self._tolerance.clean_s:
            self._is_loud = False
            return False
        return None
