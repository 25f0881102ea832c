"""A recorder in the test's own loop."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from tablectl.features.recorder.recorder import Recorder
from tablectl.features.recorder.run import recorded, recorder_of
from tablectl.features.recorder.settings import RecordConfig
from tablectl.features.recorder.status import LogReport, Report
from tests.support.patience import PATIENCE_S
from tests.support.witness import Board


@dataclass
class Rig:
    """A recorder's configuration, and what it says."""

    broker: str
    store: str
    pins: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    trust: str = "pinned"
    protocol: str = "5"
    listen: tuple[str, ...] = ("macau/+",)
    policy: str | None = None
    password_file: str | None = None
    others: tuple[str, ...] = ()
    pit_brokers: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    lines: list[str] = field(default_factory=list[str])
    board: Board = field(default_factory=Board)
    _work: asyncio.Task[None] | None = None

    @property
    def config(self) -> RecordConfig:
        form = {
            "broker": {
                "url": self.broker,
                "others": self.others,
                "protocol": self.protocol,
                "timeout_s": 2.0,
                "password_file": self.password_file,
            },
            "pit_brokers": self.pit_brokers,
            "store": {"url": self.store},
            "tables": {"listen": self.listen, "trust": self.trust, "policy": self.policy},
            "keys": self.pins,
        }
        return RecordConfig.model_validate(form)

    def tell(self, line: str) -> None:
        self.lines.append(line)
        self.board.changed()

    @asynccontextmanager
    async def recorder(self) -> AsyncGenerator[Recorder]:
        """At work, connected; stopped as SIGTERM stops it."""
        recorder, stop = await asyncio.to_thread(recorder_of, self.config, self.tell), asyncio.Event()
        self.lines.clear()
        work = self._work = asyncio.get_running_loop().create_task(recorder.run(stop))
        work.add_done_callback(lambda _: self.board.changed())
        try:
            await self.until(lambda: "connected" in self.lines)
            yield recorder
        finally:
            stop.set()
            await work

    async def until(self, true: Callable[[], object]) -> None:
        """Waits until it has said something; raises what ended the recorder before that."""
        await self.board.until(lambda: true() or self._ended())

    def _ended(self) -> bool:
        if self._work is not None and self._work.done():
            self._work.result()
        return False

    async def says(self, part: str) -> None:
        """Waits until it says a line with this."""
        await self.until(lambda: any(part in line for line in self.lines))

    async def report(self) -> Report:
        """What the status command would say."""
        return await asyncio.to_thread(recorded, self.config)

    async def sees(self, true: Callable[[Report], object], longest_s: float = PATIENCE_S) -> Report:
        """Waits until the status command says something; the whole report."""
        async with asyncio.timeout(longest_s):
            while True:
                report = await self.report()
                self._ended()
                with suppress(IndexError):
                    if true(report):
                        return report
                await asyncio.sleep(0.05)

    async def becomes_complete(self, last: int) -> LogReport:
        """Waits until everything of the first table's last log up to a number is there and verified."""

        def complete(report: Report) -> bool:
            log = report.tables[0].logs[-1]
            return (log.last, log.verified, log.behind) == (last, last, 0)

        return (await self.sees(complete)).tables[0].logs[-1]
