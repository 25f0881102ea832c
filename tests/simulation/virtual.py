"""Virtual time: event loops of many processes on one clock that nobody waits for, without sockets and threads.

Whatever runs, runs in the order of its time and then of its making, so that a run follows from its seed alone. A loop
that is killed does nothing from that moment on: no callback, no `finally`, as after SIGKILL.
"""

import asyncio
import heapq
import random
from asyncio.events import _set_running_loop
from collections import deque
from collections.abc import Callable, Coroutine
from contextvars import Context, copy_context
from itertools import count
from math import log
from typing import Any, ClassVar, Final

Callback = Callable[..., object]

THREAD_S: Final = 0.001
"""How long a call in a thread takes at the mean."""


MOST_AT_ONCE: Final = 200_000
"""Turns in one instant after which it is certain that they never end."""


class DeadlockError(Exception):
    """Nothing is scheduled any more, and somebody waits still; or time doesn't go on."""


class Turn:
    """One callback to come; what asyncio calls a handle."""

    __slots__ = ("_at_s", "_loop", "args", "callback", "context", "is_cancelled")

    def __init__(
        self, loop: "VirtualLoop", callback: Callback, args: tuple[Any, ...], context: Context | None, at_s: float
    ) -> None:
        self._loop = loop
        self.callback = callback
        self.args = args
        self.context = context if context is not None else copy_context()
        self._at_s = at_s
        self.is_cancelled = False

    def cancel(self) -> None:
        """It will not be made."""
        self.is_cancelled = True
        self.callback, self.args = _nothing, ()

    def cancelled(self) -> bool:
        """Whether it was cancelled."""
        return self.is_cancelled

    def when(self) -> float:
        """When it is due, in seconds of the clock."""
        return self._at_s

    def make(self) -> None:
        """Makes the call, where its loop lives."""
        loop = self._loop
        if self.is_cancelled or loop.is_dead:
            return
        if loop.is_stopped:
            loop.held.append(self)
            return
        loop.turns += 1
        _set_running_loop(loop)
        try:
            self.context.run(self.callback, *self.args)
        except (SystemExit, KeyboardInterrupt):
            raise
        except BaseException as error:  # noqa: BLE001  # as asyncio does: it belongs to nobody who waits
            loop.call_exception_handler({"message": f"in {self.callback!r}", "exception": error})
        if loop.fuse is not None:
            loop.burn()


class Continue(Turn):
    """SIGCONT: all that fell due since SIGSTOP is made now, in the order in which it came."""

    __slots__ = ()

    def make(self) -> None:
        """Lets the process go on, if it wasn't stopped for longer meanwhile."""
        loop = self._loop
        if loop.stopped_until_s > loop.universe.now_s:
            loop.universe.at(loop.stopped_until_s, self)
            return
        loop.is_stopped = False
        for turn in loop.held:
            loop.universe.soon(turn)
        loop.held.clear()


def _nothing() -> None:
    pass


def about(chance: random.Random, mean_s: float) -> float:
    """How long something takes that takes so long at the mean, and is as likely to end at any instant."""
    return -log(1.0 - chance.random()) * mean_s


class Universe:
    """The clock, and everything that is still to happen.

    Attributes:
        now_s: the time, in seconds since the beginning.
    """

    def __init__(self) -> None:
        self.now_s = 0.0
        self._made = 0
        self._ready: deque[Turn] = deque()
        self._later: list[tuple[float, int, Turn]] = []

    @property
    def soon(self) -> Callable[[Turn], None]:
        """Makes a turn after all that is due now."""
        return self._ready.append

    def at(self, at_s: float, turn: Turn) -> None:
        """Makes it then."""
        self._made += 1
        heapq.heappush(self._later, (at_s, self._made, turn))

    def run(self, until: asyncio.Future[Any]) -> None:
        """Lets time pass until this is done.

        Raises:
            DeadlockError: it never will be.
        """
        try:
            self._run(until)
        finally:
            _set_running_loop(None)

    def _run(self, until: asyncio.Future[Any]) -> None:
        ready, later, is_over = self._ready, self._later, until.done
        while not is_over():
            left = MOST_AT_ONCE
            while ready and not is_over():
                left -= 1
                ready.popleft().make()
                if not left:
                    raise DeadlockError("the clock stands still: something goes on and on without waiting")
            if is_over():
                return
            if not later:
                raise DeadlockError("nothing is scheduled any more")
            self._go_on(later, ready)

    def _go_on(self, later: list[tuple[float, int, Turn]], ready: deque[Turn]) -> None:
        """Goes on to the next instant for which anything is planned."""
        at_s, _, turn = heapq.heappop(later)
        self.now_s = max(self.now_s, at_s)
        if not turn.is_cancelled:
            ready.append(turn)
        while later and later[0][0] <= at_s:
            turn = heapq.heappop(later)[2]
            if not turn.is_cancelled:
                ready.append(turn)


class SerialTask(asyncio.Task[Any]):
    """A task whose place in a set doesn't depend on its address."""

    made: ClassVar = count(1)

    def __init__(self, coro: Any, **given: Any) -> None:
        self._serial = next(self.made)  # asyncio puts it into a set at once
        super().__init__(coro, **given)

    def __hash__(self) -> int:
        return self._serial

    def __eq__(self, other: object) -> bool:
        return self is other


_Loop: Any = asyncio.AbstractEventLoop
"""What asyncio asks of a loop; much of it nobody needs who has neither sockets nor processes."""


class VirtualLoop(_Loop):  # type: ignore[misc]
    """The loop of one process.

    Args:
        chance: of how long threads take.
        failed: takes what goes wrong in a callback.

    Attributes:
        turns: callbacks that were made.
        is_silent: whether it was struck down, and says nothing of what it left undone.
        fuse: turns after which `blown` is called; None for never.
        held: what fell due since the process was stopped.
    """

    def __init__(self, universe: Universe, chance: random.Random, failed: Callable[[str], None]) -> None:
        self.universe = universe
        self.is_dead = False
        self.stopped_until_s = 0.0
        self.is_stopped = False
        self.held: list[Turn] = []
        self.turns = 0
        self.fuse: int | None = None
        self.blown: Callable[[], None] = _nothing
        self.is_silent = False
        self.signals: dict[int, Callable[[], object]] = {}
        self._chance = chance
        self._soon = universe.soon
        self._failed = failed
        self._serial = 0

    def kill(self) -> None:
        """Ends the process."""
        self.is_dead = True

    def stop_for(self, lasts_s: float) -> None:
        """SIGSTOP, and SIGCONT after so long; where one is due later already, then."""
        self.stopped_until_s = max(self.stopped_until_s, self.universe.now_s + lasts_s)
        if not self.is_stopped:
            self.is_stopped = True
            self.universe.at(self.stopped_until_s, Continue(self, _nothing, (), None, self.stopped_until_s))

    def burn(self) -> None:
        """One turn less is left to live."""
        if self.fuse is not None:
            self.fuse -= 1
            if self.fuse <= 0:
                self.fuse = None
                self.blown()

    # --- what asyncio asks of a loop

    def time(self) -> float:
        return self.universe.now_s

    def get_debug(self) -> bool:
        return False

    def is_running(self) -> bool:
        return not self.is_dead

    def is_closed(self) -> bool:
        return False

    def call_soon(self, callback: Callback, *args: Any, context: Context | None = None) -> Any:
        turn = Turn(self, callback, args, context, self.universe.now_s)
        self._soon(turn)
        return turn

    call_soon_threadsafe = call_soon

    def call_later(self, delay: float, callback: Callback, *args: Any, context: Context | None = None) -> Any:
        when = self.universe.now_s + delay
        turn = Turn(self, callback, args, context, when)
        self.universe.at(when, turn)
        return turn

    def call_at(self, when: float, callback: Callback, *args: Any, context: Context | None = None) -> Any:
        turn = Turn(self, callback, args, context, when)
        self.universe.at(when, turn)
        return turn

    def create_future(self) -> asyncio.Future[Any]:
        return asyncio.Future(loop=self)

    def create_task(self, coro: Any, *, name: str | None = None, context: Context | None = None) -> Any:
        self._serial += 1
        return _task(coro, self, name or f"{self._serial}", context)

    def run_in_executor(self, executor: Any, func: Callback, *args: Any) -> Any:
        """Calls it inside the loop's own thread, a little later."""
        done = self.create_future()
        self.call_later(about(self._chance, THREAD_S), _called, done, func, args)
        return done

    def add_signal_handler(self, sig: int, callback: Callback, *args: Any) -> None:
        self.signals[sig] = lambda: callback(*args)

    def remove_signal_handler(self, sig: int) -> bool:
        return self.signals.pop(sig, None) is not None

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        if not self.is_silent:
            self._failed(f"{context.get('message')}: {context.get('exception')!r}")

    def default_exception_handler(self, context: dict[str, Any]) -> None:
        self.call_exception_handler(context)


def _task(coro: Coroutine[Any, Any, Any], loop: VirtualLoop, name: str, context: Context | None) -> SerialTask:
    # asyncio schedules a task's first step by the loop that it is given; nothing else is running here.
    return SerialTask(coro, loop=loop, name=name, context=context)


def _called(done: asyncio.Future[Any], func: Callback, args: tuple[Any, ...]) -> None:
    if done.done():
        return
    try:
        done.set_result(func(*args))
    except Exception as error:  # noqa: BLE001  # it is raised where the result is waited for
        done.set_exception(error)
