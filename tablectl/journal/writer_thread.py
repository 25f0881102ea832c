"""Writer thread: blocking calls, one after the other, in order of the requests."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from queue import SimpleQueue
from threading import Thread
from typing import TypeVar

T = TypeVar("T")


class Worker:
    """A thread with a queue of calls.

    A pool of one thread would put a second future between call and outcome.

    Outcomes reach the loop in the context in which the worker was made: log lines then name its table.
    """

    def __init__(self, name: str) -> None:
        self._context = copy_context()
        self._calls: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        # A daemon: where a process ends by an error before `end`, nothing waits for this thread.
        self._thread = Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    async def do(self, call: Callable[[], T]) -> T:
        """Return the call's result, or raise its error.

        Once requested the call is made, also where nobody waits any more.
        """
        done: asyncio.Future[T] = asyncio.get_running_loop().create_future()

        def failed(error: BaseException) -> None:
            if not done.done():
                done.set_exception(error)

        self.post(call, lambda result: None if done.done() else done.set_result(result), failed)
        return await done

    def post(self, call: Callable[[], T], done: Callable[[T], None], failed: Callable[[BaseException], None]) -> None:
        """Queue a call; `done` or `failed` is called in the loop as soon as it has ended."""
        loop = asyncio.get_running_loop()

        def carry_out() -> None:
            answer = outcome(call, done, failed)
            with suppress(RuntimeError):  # The loop is closed: nobody waits.
                loop.call_soon_threadsafe(answer, context=self._context)

        self._calls.put(carry_out)

    def end(self) -> None:
        """End the thread after what it was asked before. Blocks."""
        self._calls.put(None)
        self._thread.join()

    def leave(self) -> None:
        """End the thread after what it was asked before, without waiting for it."""
        self._calls.put(None)

    def _work(self) -> None:
        while (call := self._calls.get()) is not None:
            call()


def outcome(
    call: Callable[[], T], done: Callable[[T], None], failed: Callable[[BaseException], None]
) -> Callable[[], None]:
    """Make the call, and return the callback for the loop."""
    try:
        return partial(done, call())
    except BaseException as error:  # noqa: BLE001  # It belongs to the requester, and is raised there.
        return partial(failed, error)
