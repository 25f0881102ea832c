"""Where what blocks is done: in one thread, in the order asked, or, where that is quick, on the spot."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeVar

T = TypeVar("T")

QUICK_S = 0.005
"""The longest that the loop should stand still for a call."""

CAREFUL = 50
"""So many calls are made in the thread after one that took longer."""

_Asked = tuple[Callable[[], Any], asyncio.AbstractEventLoop, "asyncio.Future[Any]"]


class Worker:
    """A thread with a queue. Only one call is made at a time, wherever that is."""

    def __init__(self, name: str) -> None:
        self._asked: SimpleQueue[_Asked | None] = SimpleQueue()
        self._in_thread = 0
        self._careful = 0
        # A daemon: where a process ends by an error before `end`, nothing waits for this thread.
        self._thread = Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    async def do(self, call: Callable[[], T]) -> T:
        """What the call returns or raises. Once asked for it is made, also where nobody waits for it any more."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[T] = loop.create_future()
        self._in_thread += 1
        self._asked.put((call, loop, done))
        return await done

    async def do_quickly(self, call: Callable[[], T]) -> T:
        """As `do`, but made in the loop where the thread is idle and no such call was slow lately.

        To wake the thread and to be woken by it takes as long as a quick disk takes to write. A slow one makes the
        loop stand still once, and then only now and again, to see whether it is quick by now.
        """
        if self._in_thread or self._careful:
            self._careful = max(0, self._careful - 1)
            return await self.do(call)
        loop = asyncio.get_running_loop()
        begun_s = loop.time()
        try:
            return call()
        finally:
            if loop.time() - begun_s > QUICK_S:
                self._careful = CAREFUL

    def end(self) -> None:
        """Ends the thread after what it was asked before. Blocks."""
        self._asked.put(None)
        self._thread.join()

    def _work(self) -> None:
        while (asked := self._asked.get()) is not None:
            call, loop, done = asked
            try:
                tell = partial(done.set_result, call())
            except BaseException as error:  # noqa: BLE001  # it belongs to whoever asked
                tell = partial(done.set_exception, error)
            with suppress(RuntimeError):  # the loop is closed: nobody waits
                loop.call_soon_threadsafe(self._made, done, tell)
            del asked, call, done, tell  # while it waits, it holds on to nothing

    def _made(self, done: asyncio.Future[Any], tell: Callable[[], None]) -> None:
        self._in_thread -= 1
        if not done.done():
            tell()
