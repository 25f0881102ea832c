"""A device's allowance: its reports at a rate that can't fill the journal."""

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from types import MappingProxyType

from tablectl.core.facts import Body, FaultCleared, FaultRaised, Stamp
from tablectl.core.facts.reports import DeviceAttached, DeviceLost
from tablectl.core.faults import Code
from tablectl.core.protocols import Clock, Teller
from tablectl.lazy_dataclass import dataclass

_OF_ITSELF = DeviceAttached | DeviceLost | FaultRaised | FaultCleared
"""What says how the device is: the newest of each kind is kept whatever comes."""


@dataclass(frozen=True, slots=True)
class Share:
    """How much a device may report.

    Args:
        at_once: so many reports are told as they come, after a calm time.
        each_s: and so many in each second of a long time.
        waiting: so many wait while the device floods; what has no delivery's name is left out beyond that.
        calm: the flood is over once the device could send so many at once again.
        turn_s: until then one of those that wait is told each time that this has gone by.
    """

    at_once: int = 1024
    each_s: float = 20.0
    waiting: int = 256
    calm: int = 256
    turn_s: float = 1.0


@dataclass(frozen=True, slots=True)
class _Report:
    body: Body
    at: Stamp
    stored: Callable[[], None] | None
    delivery: str

    @property
    def kind(self) -> tuple[type, int]:
        """Reports of the same kind on the device's own state replace each other."""
        return type(self.body), self.body.code if isinstance(self.body, FaultRaised | FaultCleared) else 0


class Allowance:
    """Teller of one device, which passes its reports on at a bounded rate.

    A device that sends more floods, which is a fault. Its reports wait then: those that it keeps until they are
    acknowledged are all told, in time, and make it wait as well. Of the others those beyond the bound are left out and
    counted; the table is told of the gap when it begins, and of its size when the flood is over.

    Args:
        name: the device's.
        tell: takes what is passed on.
        standing: this device's faults that the journal holds as present: a flood of an earlier session goes on.
    """

    def __init__(
        self,
        name: str,
        tell: Teller,
        clock: Clock,
        standing: Mapping[int, str] = MappingProxyType({}),
        share: Share = Share(),
    ) -> None:
        self._name = name
        self._tell = tell
        self._clock = clock
        self._share = share
        self._flooding = asyncio.Event()
        self._left = float(share.at_once)
        if Code.DEVICE_FLOODS in standing:
            self._flooding.set()
            self._left = 0.0
        self._is_gap_present = Code.EVENT_GAP in standing
        self._counted_s = clock.monotonic_s()
        self._waiting: deque[_Report] = deque()
        self._left_out = 0

    def __call__(
        self,
        body: Body,
        *,
        at: Stamp | None = None,
        stored: Callable[[], None] | None = None,
        delivery: str = "",
    ) -> None:
        """Tells a report; keeps or counts it while the device floods."""
        self._refill()
        if not self._flooding.is_set() and self._left < 1.0:
            self._flooding.set()
            self._tell(FaultRaised(Code.DEVICE_FLOODS, self._name))
        self._left = max(0.0, self._left - 1.0)
        if self._flooding.is_set():
            self._keep(_Report(body, at or self._clock.now(), stored, delivery))
        else:
            self._tell(body, at=at, stored=stored, delivery=delivery)

    async def run(self) -> None:
        """Tell what waits: one each turn, and all at the end.

        That is when the flood is over or this is cancelled.
        """
        try:
            while True:
                await self._flooding.wait()
                await asyncio.sleep(self._share.turn_s)
                self.turn()
        finally:
            if self._flooding.is_set():
                self._end()
            self._left = float(self._share.at_once)  # What the drivers still say at their end isn't to wait.

    def turn(self) -> None:
        """Tells one of those that wait; all, where the flood is over."""
        self._refill()
        if self._left >= self._share.calm:
            self._end()
        elif self._waiting:
            self._left -= 1.0
            self._pass_on()

    def _refill(self) -> None:
        now_s = self._clock.monotonic_s()
        self._left = min(float(self._share.at_once), self._left + (now_s - self._counted_s) * self._share.each_s)
        self._counted_s = now_s

    def _keep(self, report: _Report) -> None:
        """Have a report wait where there is room for it; else leave it out."""
        if not self._left_out and len(self._waiting) < self._share.waiting:
            self._waiting.append(report)
        elif report.delivery and len(self._waiting) < self._share.at_once:
            self._waiting.append(report)  # The device waits for its acknowledgement, and has room for few of them.
        elif isinstance(report.body, _OF_ITSELF):
            older = (each for each in self._waiting if each.delivery or each.kind != report.kind)
            self._waiting = deque((*older, report))
        else:
            self._leave_out()

    def _leave_out(self) -> None:
        if not self._left_out:
            self._is_gap_present = True
            self._tell(FaultRaised(Code.EVENT_GAP, self._name, "it sends more than can be stored"))
        self._left_out += 1

    def _end(self) -> None:
        """The flood is over: tell what waits, and how much is missing."""
        self._left = max(0.0, self._left - len(self._waiting))
        while self._waiting:
            self._pass_on()
        if self._left_out:
            self._tell(FaultRaised(Code.EVENT_GAP, self._name, f"{self._left_out} reports left out: too many at once"))
        if self._is_gap_present:
            self._tell(FaultCleared(Code.EVENT_GAP, self._name))
        self._left_out, self._is_gap_present = 0, False
        self._flooding.clear()
        self._tell(FaultCleared(Code.DEVICE_FLOODS, self._name))

    def _pass_on(self) -> None:
        report = self._waiting.popleft()
        self._tell(report.body, at=report.at, stored=report.stored, delivery=report.delivery)
