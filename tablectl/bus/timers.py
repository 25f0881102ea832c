"""What a connection waits for, none of it too long: the oldest answer, the next attempt, the end of draining."""

import asyncio
from collections.abc import Callable, Iterator


class Deadline:
    """Bounds the wait for whatever was sent first and has no answer yet.

    Args:
        oldest_s: when that was sent; None where nothing waits.
        missed: is called once an answer has been missing for `timeout_s`.
    """

    def __init__(self, timeout_s: float, oldest_s: Callable[[], float | None], missed: Callable[[], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._timeout_s = timeout_s
        self._oldest_s = oldest_s
        self._missed = missed
        self._timer: asyncio.TimerHandle | None = None

    def watch(self) -> None:
        """Something was sent."""
        if self._timer is None:
            self._timer = self._loop.call_later(self._timeout_s, self._check)

    def cancel(self) -> None:
        """Nothing is waited for any more."""
        if self._timer is not None:
            self._timer.cancel()

    def _check(self) -> None:
        self._timer = None
        oldest_s = self._oldest_s()
        if oldest_s is None:
            return
        if self._loop.time() < oldest_s + self._timeout_s:
            self._timer = self._loop.call_at(oldest_s + self._timeout_s, self._check)
        else:
            self._missed()


class Retry:
    """Tries again what the broker refused, after ever longer waits.

    Args:
        waits: gives the next wait in seconds; it may be another iterator each time it is asked for.
    """

    def __init__(self, waits: Callable[[], Iterator[float]], again: Callable[[], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._waits = waits
        self._again = again
        self._timer: asyncio.TimerHandle | None = None
        self._over = False

    def later(self) -> None:
        """Something was refused; what was refused meanwhile is tried with it."""
        if self._timer is None and not self._over:
            self._timer = self._loop.call_later(next(self._waits()), self._now)

    def end(self) -> None:
        """Nothing is tried again."""
        self._over = True
        if self._timer is not None:
            self._timer.cancel()

    def _now(self) -> None:
        self._timer = None
        self._again()
