"""One thread that does what blocks, in the order in which it is asked."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeVar

T = TypeVar("T")

_Call = tuple[Callable[[], Any], asyncio.AbstractEventLoop, "asyncio.Future[Any]"]


class Worker:
    """A thread with a queue.

    An executor of one thread does the same, but passes each call through two futures with a lock each: that is a tenth
    of the time from a device's byte to a subscriber.
    """

    def __init__(self, name: str) -> None:
        self._calls: SimpleQueue[_Call | None] = SimpleQueue()
        # A daemon: where a process ends by an error before `end`, nothing waits for this thread.
        self._thread = Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    async def do(self, call: Callable[[], T]) -> T:
        """What the call returns or raises. Once asked for it is done, also where nobody waits for it any more."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[T] = loop.create_future()
        self._calls.put((call, loop, done))
        return await done

    def end(self) -> None:
        """Ends the thread after what it was asked before. Blocks."""
        self._calls.put(None)
        self._thread.join()

    def _work(self) -> None:
        while (asked := self._calls.get()) is not None:
            call, loop, done = asked
            try:
                tell, outcome = _set_result, call()
            except BaseException as error:  # noqa: BLE001  # it belongs to whoever asked
                tell, outcome = _set_exception, error
            with suppress(RuntimeError):  # the loop is closed: nobody waits
                loop.call_soon_threadsafe(tell, done, outcome)
            del asked, call, done, outcome


def _set_result(done: asyncio.Future[Any], result: Any) -> None:
    if not done.done():
        done.set_result(result)


def _set_exception(done: asyncio.Future[Any], error: BaseException) -> None:
    if not done.done():
        done.set_exception(error)
