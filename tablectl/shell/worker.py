"""One thread that does what blocks, in the order in which it is asked."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Worker:
    """A thread with a queue."""

    def __init__(self, name: str) -> None:
        self._calls: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        # A daemon: where a process ends by an error before `end`, nothing waits for this thread.
        self._thread = Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    async def do(self, call: Callable[[], T], patience_s: float = 0.0) -> T:
        """What the call returns or raises. Once asked for it is done, also where nobody waits for it any more.

        Args:
            patience_s: so long the loop itself stands still for it. To hand the outcome from thread to loop takes
                longer than a quick disk takes to write, so it pays for what all that follows waits for.
        """
        asked = _Asked(call)
        self._calls.put(asked.carry_out)
        if not asked.finished.acquire(timeout=patience_s):
            await self._all_before()
        return asked.outcome()

    def end(self) -> None:
        """Ends the thread after what it was asked before. Blocks."""
        self._calls.put(None)
        self._thread.join()

    async def _all_before(self) -> None:
        """Waits until everything asked before is done."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[None] = loop.create_future()

        def tell() -> None:
            with suppress(RuntimeError):  # the loop is closed: nobody waits
                loop.call_soon_threadsafe(_finish, done)

        self._calls.put(tell)
        await done

    def _work(self) -> None:
        while (call := self._calls.get()) is not None:
            call()


@dataclass(slots=True)
class _Asked(Generic[T]):
    """A call and what came of it. ``finished`` can be acquired once it is carried out."""

    call: Callable[[], T]
    finished: Lock = field(default_factory=lambda: _locked())
    _results: list[T] = field(default_factory=list[Any])
    _error: BaseException | None = None

    def carry_out(self) -> None:
        try:
            self._results.append(self.call())
        except BaseException as error:  # noqa: BLE001  # it belongs to whoever asked
            self._error = error
        self.finished.release()

    def outcome(self) -> T:
        if self._error is not None:
            raise self._error
        return self._results[0]


def _locked() -> Lock:
    lock = Lock()
    lock.acquire()
    return lock


def _finish(done: asyncio.Future[None]) -> None:
    if not done.done():
        done.set_result(None)
