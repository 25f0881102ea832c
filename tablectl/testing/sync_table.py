"""Table under test for synchronous code.

Its loop runs in a separate thread until it is stopped.
"""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from typing import TypeVar

from tablectl.config.models import Config
from tablectl.features.common.errors import first_of
from tablectl.lazy_dataclass import dataclass
from tablectl.testing.scenarios.parser import misfits
from tablectl.testing.scenarios.runner import Rig, take
from tablectl.testing.scenarios.scenario import NotSoError, Scenario, Step
from tablectl.testing.table_under_test import Level
from tablectl.testing.timeline import Timeline

T = TypeVar("T")


@dataclass(slots=True)
class _Open:
    """A rig at work, and what ends it."""

    rig: Rig
    loop: asyncio.AbstractEventLoop
    over: asyncio.Event


class Stage:
    """One table under test, from its making to `close`.

    Args:
        config: of the table, for checks of what is asked of it.
    """

    def __init__(self, scenario: Scenario, level: Level, config: Config) -> None:
        self.scenario = scenario
        self.config = config
        self.timeline = Timeline()
        self.seen = 0
        self._ended: Future[None] = Future()
        ready: Future[_Open] = Future()
        self._thread = threading.Thread(target=self._run, args=(level, ready), name="table under test", daemon=True)
        self._thread.start()
        self._open = ready.result()

    @property
    def rig(self) -> Rig:
        """The table as it is seen."""
        return self._open.rig

    def take(self, step: Step) -> None:
        """Takes one step of a scenario.

        Raises:
            NotSoError: it doesn't go as written.
            ValueError: this table knows no such step: what to do.
        """
        for problem, todo in misfits(step, self.config):
            raise ValueError(f"{problem}. {todo}" if todo else problem)
        self.seen = self._do(lambda: take(step, self.rig, self.seen, self.timeline, str(step)))

    def close(self) -> None:
        """Ends the table.

        Raises:
            NotSoError: in the end something was wrong after all.
        """
        self._open.loop.call_soon_threadsafe(self._open.over.set)
        self._thread.join()
        self._ended.result()

    def _do(self, doing: Callable[[], Awaitable[T]]) -> T:
        async def done() -> T:
            return await doing()

        if self._ended.done():
            self._ended.result()
        return asyncio.run_coroutine_threadsafe(done(), self._open.loop).result()

    def _run(self, level: Level, ready: "Future[_Open]") -> None:
        try:
            asyncio.run(self._hold(level, ready))
            self._ended.set_result(None)
        except BaseExceptionGroup as group:
            self._fail(first_of(group), ready)
        except Exception as error:  # noqa: BLE001  # it is raised again in the test's own thread
            self._fail(error, ready)

    def _fail(self, error: BaseException, ready: "Future[_Open]") -> None:
        told = NotSoError(str(error)) if isinstance(error, AssertionError | OSError) else error
        (self._ended if ready.done() else ready).set_exception(told)

    async def _hold(self, level: Level, ready: "Future[_Open]") -> None:
        async with level.rig(self.scenario, self.timeline) as rig:
            over = asyncio.Event()
            ready.set_result(_Open(rig, asyncio.get_running_loop(), over))
            await over.wait()
