"""One probe of a device, from the opening of its port to its end.

A person or an event ends it.
"""

import asyncio
import os
import signal
from collections.abc import Callable
from dataclasses import field
from typing import Final

from drivers.wheel.facts import Watcher
from tablectl.core.facts import Body, FaultRaised, Stamp
from tablectl.core.facts.reports import DeviceNoted, SpinStopped
from tablectl.core.faults import Code
from tablectl.core.protocols import Commanded, Driver
from tablectl.core.wheel_pegs import even_pegs
from tablectl.features.probe.dial import Dial
from tablectl.features.probe.options import DeviceEndedError, Options, Ports
from tablectl.features.probe.screen import Screen, screen_of
from tablectl.lazy_dataclass import dataclass

TELL_EVERY_S: Final = 0.5
TESTED: Final = {"self_test": "passed", "test_pattern": ""}
"""What devices note of a test that was asked for, by how they say that it went well."""

BEGUN: Final = "begun"
"""How one says that it has heard, and that the outcome comes later."""

IN_REPLY: Final = frozenset({"", "refused", "not possible"})
"""What is said of a test at once, so that nothing has to begin."""


def probe(options: Options, ports: Ports) -> int:
    """Looks at the device until its time is over, somebody ends it, or the link does.

    Nothing that the device keeps for its table is acknowledged: the table still gets it.

    Returns:
        The exit status: 0, or 69 where another program has the port, or 1 where the device isn't there, isn't the
        approved one, went away, or didn't pass the test that it was asked for.
    """
    screen = screen_of(options)
    screen.begin(ports)
    return asyncio.run(_Look(options, ports, screen).run())


@dataclass(slots=True)
class _Look:
    """The look itself; made and run inside the loop."""

    options: Options
    ports: Ports
    screen: Screen
    up: bool = False
    passed: bool = True
    _begun: bool = False
    _dial: Dial = field(init=False)
    _stop: asyncio.Event = field(default_factory=asyncio.Event)
    _stops: list[Callable[[], None]] = field(default_factory=list[Callable[[], None]])

    def __post_init__(self) -> None:
        self._dial = Dial(self.ports.pegs or even_pegs(2, version="", guard_mdeg=0))

    async def run(self) -> int:
        """Runs the driver, tells what comes, and says how it ended."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._stop.set)
        try:
            driver = self.ports.driver(self._tell, Watcher(self._dial.fitted, self._dial.sample))
        except DeviceEndedError as error:
            return _status(error, up=False)
        if self.options.self_test and self.ports.self_test is not None and isinstance(driver, Commanded):
            self.passed = False
            driver.command(self.ports.self_test)
        ended = await self._driven(driver)
        self.screen.end(driver.counters(), ended)
        return _status(ended, up=self.up and self.passed)

    async def _driven(self, driver: Driver) -> DeviceEndedError | None:
        """Lets the driver run until the end; what ended it, if it ended by itself."""
        async with asyncio.TaskGroup() as group:
            running = group.create_task(self._ended(driver))
            telling = group.create_task(self._tell_state(driver))
            try:
                async with asyncio.timeout(self.options.seconds):
                    await self._stop.wait()
            except TimeoutError:
                pass
            telling.cancel()
            if not running.done():
                running.cancel()
        return None if running.cancelled() else running.result()

    async def _ended(self, driver: Driver) -> DeviceEndedError | None:
        try:
            await driver.run(self._came_up)
        except DeviceEndedError as error:
            return error
        finally:
            self._stop.set()
        return None

    def _came_up(self) -> None:
        self.up = True

    async def _tell_state(self, driver: Driver) -> None:
        while True:
            await asyncio.sleep(TELL_EVERY_S)
            pose = None if self.ports.pegs is None else self._dial.pose()
            self.screen.state(driver.counters(), pose, up=self.up)

    def _tell(
        self, body: Body, *, at: Stamp | None = None, stored: Callable[[], None] | None = None, delivery: str = ""
    ) -> None:
        """Tells a fact; `stored` is never called, because nothing is stored here."""
        del stored, delivery
        self.screen.fact(body, at or self.ports.clock.now())
        if self.options.self_test:
            self._follow_test(body)
        if isinstance(body, SpinStopped) and (curve := self._dial.curve()) is not None:
            self.screen.curve(curve)

    def _follow_test(self, body: Body) -> None:
        """End with the outcome of the test that was asked for.

        Outcomes of earlier tests, never stored, are reported again before it.
        """
        match body:
            case DeviceNoted(value=value) if value == BEGUN:
                self._begun = True
            case DeviceNoted(report=report, value=value) if report in TESTED and (self._begun or value in IN_REPLY):
                self.passed = value == TESTED[report]
                self._stop.set()
            case FaultRaised(code=Code.REFUSED_BY_DEVICE):
                self._stop.set()
            case _:
                pass


def _status(ended: DeviceEndedError | None, *, up: bool) -> int:
    if ended is None:
        return os.EX_OK if up else 1
    return os.EX_UNAVAILABLE if ended.code is Code.PORT_BUSY else 1
