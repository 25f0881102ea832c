"""One thread that does what blocks, in the order in which it is asked."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import TypeVar

T = TypeVar("T")


class Worker:
    """A thread with a queue; a pool of one thread puts a second future between call and outcome."""

    def __init__(self, name: str) -> None:
        self._calls: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        # A daemon: where a process ends by an error before `end`, nothing waits for this thread.
        self._thread = Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    async def do(self, call: Callable[[], T], then: Callable[[], None] | None = None) -> T:
        """What the call returns or raises. Once asked for it is done, also where nobody waits for it any more.

        Args:
            then: is called in the loop as soon as the call has returned, a turn of the loop before whoever waits here
                goes on; not where nobody waits any more.
        """
        loop = asyncio.get_running_loop()
        done: asyncio.Future[T] = loop.create_future()

        def carry_out() -> None:
            answer = _outcome(call, done, then)
            with suppress(RuntimeError):  # The loop is closed: nobody waits.
                loop.call_soon_threadsafe(answer)

        self._calls.put(carry_out)
        return await done

    def end(self) -> None:
        """Ends the thread after what it was asked before. Blocks."""
        self._calls.put(None)
        self._thread.join()

    def _work(self) -> None:
        while (call := self._calls.get()) is not None:
            call()


def _outcome(call: Callable[[], T], done: "asyncio.Future[T]", then: Callable[[], None] | None) -> Callable[[], None]:
    """Makes the call; how its outcome is told, which only the loop's own thread may do."""
    try:
        result = call()
    except BaseException as error:  # noqa: BLE001  # It belongs to whoever asked, and is raised there.
        failed = error
        return lambda: None if done.done() else done.set_exception(failed)
    return lambda: None if done.done() else _tell(done, result, then)


def _tell(done: "asyncio.Future[T]", result: T, then: Callable[[], None] | None) -> None:
    try:
        if then is not None:
            then()
    except Exception as error:  # noqa: BLE001  # It is raised where the result is waited for.
        done.set_exception(error)
    else:
        done.set_result(result)
