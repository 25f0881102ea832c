"""A driver's surroundings: a teller that remembers, a clock that can be moved, a task that ends in time."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

from tablectl.core.facts import Body, FaultCleared, FaultRaised, Stamp
from tablectl.daemon.host.clock import SystemClock
from tests.support.patience import PATIENCE_S

B = TypeVar("B")


@dataclass(frozen=True, slots=True)
class Report:
    """One report of a driver."""

    body: Body
    at: Stamp | None
    delivery: str


@dataclass(slots=True)
class Told:
    """Keeps what it is told. Each report is durable in the loop's next turn, unless `durable` is False."""

    reports: list[Report] = field(default_factory=list[Report])
    durable: bool = True
    _held: list[Callable[[], None]] = field(default_factory=list[Callable[[], None]])
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    def __call__(
        self,
        body: Body,
        *,
        at: Stamp | None = None,
        stored: Callable[[], None] | None = None,
        delivery: str = "",
    ) -> None:
        self.reports.append(Report(body, at, delivery))
        if stored is not None and self.durable:
            asyncio.get_running_loop().call_soon(stored)
        elif stored is not None:
            self._held.append(stored)
        self._news.set()

    def make_durable(self) -> None:
        """What was held back is durable now."""
        held, self._held, self.durable = self._held, [], True
        for stored in held:
            stored()

    @property
    def bodies(self) -> list[Body]:
        return [report.body for report in self.reports]

    def of(self, kind: type[B]) -> list[B]:
        return [body for body in self.bodies if isinstance(body, kind)]

    def raised(self, code: int) -> list[FaultRaised]:
        return [fault for fault in self.of(FaultRaised) if fault.code == code]

    def cleared(self, code: int) -> list[FaultCleared]:
        return [fault for fault in self.of(FaultCleared) if fault.code == code]

    async def until(self, happened: Callable[[], object], *, timeout_s: float = PATIENCE_S) -> None:
        """Waits until a report makes it true."""
        async with asyncio.timeout(timeout_s):
            while not happened():
                self._news.clear()
                await self._news.wait()

    async def nth(self, kind: type[B], count: int = 1, *, timeout_s: float = PATIENCE_S) -> B:
        """The report number `count` of this kind, once it comes."""
        await self.until(lambda: len(self.of(kind)) >= count, timeout_s=timeout_s)
        return self.of(kind)[count - 1]


@dataclass(slots=True)
class MovableClock:
    """The machine's clock, put forward at will."""

    ahead_s: float = 0.0
    _real: SystemClock = field(default_factory=lambda: SystemClock("this-boot"))

    def now(self) -> Stamp:
        return self._real.now()

    def monotonic_s(self) -> float:
        return self._real.monotonic_s() + self.ahead_s


async def eventually(true: Callable[[], object], *, timeout_s: float = PATIENCE_S) -> None:
    """Waits for what nobody reports, as the far end of a wire."""
    async with asyncio.timeout(timeout_s):
        while not true():  # noqa: ASYNC110 -- nobody tells
            await asyncio.sleep(0.001)


@asynccontextmanager
async def running(work: Coroutine[Any, Any, None]) -> AsyncGenerator[asyncio.Task[None], None]:
    """Runs `work` beside the block, which ends it; what ended it before is the block's to look at."""
    task = asyncio.create_task(work)
    try:
        yield task
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await task


def nothing() -> None:
    """What is done when a device is up, where that is of no interest."""
