"""Debouncing of states that come and go.

A loss is reported at once, everything else once it has stayed, and ever more rarely.
"""

import asyncio
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from tablectl.lazy_dataclass import dataclass

V = TypeVar("V", bound=Hashable)

MOST_REASONS = 3
"""So many reasons one after the other are news; one more is swinging as well."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long something has to stay as it is before that is told.

    Args:
        swings: so many are told as they come.
        first_s: it has to stay so long after the swing that follows them; doubled with each further one.
        longest_s: never longer than this.
        calm_s: without a change for so long, and for twice the time that it had to stay, all swings are forgotten.
    """

    swings: int = 3
    first_s: float = 1.0
    longest_s: float = 300.0
    calm_s: float = 30.0


PATIENT = Patience()


class Steady(Generic[V]):
    """A trouble (None while there is none), reported at a falling rate while it flaps.

    Args:
        tell: takes the present trouble, and how often it has come and gone where that is too often to report each time,
            else 0.
    """

    def __init__(self, tell: Callable[[V | None, int], None], patience: Patience = PATIENT) -> None:
        self._loop = asyncio.get_running_loop()
        self._tell = tell
        self._patience = patience
        self._is_known = False
        self._value: V | None = None
        self._told: V | None = None
        self._reasons: set[V] = set()
        self._swings = 0
        self._since_s = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def now(self, value: V | None) -> None:
        """Takes what is wrong now; tells it at once, later, or not at all."""
        if self._is_known and value == self._value:
            return
        self._count(value)
        self._value = value
        self.stop()
        stays_s = self._stays_s()
        if not self._is_known or self._told is None or not stays_s or self._is_worth_a_word(value):
            self.settle()
        elif value != self._told:
            self._timer = self._loop.call_later(stays_s, self.settle)

    def settle(self) -> None:
        """Tells what is so now: it has stayed, or there is proof of it."""
        self.stop()
        self._is_known = True
        self._told = self._value
        self._tell(self._value, self._swings if self._stays_s() else 0)

    def stop(self) -> None:
        """Tells nothing later."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _count(self, value: V | None) -> None:
        now_s = self._loop.time()
        if now_s - self._since_s >= max(self._patience.calm_s, 2 * self._stays_s()):
            self._swings = 0
            self._reasons.clear()
        self._since_s = now_s
        if value is None:
            self._swings += self._is_known
            self._reasons.clear()
        else:
            self._swings += value in self._reasons or len(self._reasons) >= MOST_REASONS
            self._reasons = {*self._reasons, value} if len(self._reasons) < MOST_REASONS else self._reasons

    def _stays_s(self) -> float:
        beyond = self._swings - self._patience.swings
        if beyond <= 0:
            return 0.0
        return min(self._patience.first_s * 2.0 ** min(beyond - 1, 32), self._patience.longest_s)

    def _is_worth_a_word(self, value: V | None) -> bool:
        """Return True if a loss is reported for its count: at each doubling of it."""
        return value is not None and self._swings.bit_count() == 1


def with_count(reason: str, swings: int) -> str:
    """A reason for a report, with the number of times it came and went.

    The number is left out while each time is reported.
    """
    return f"{reason} (came and went {swings} times)" if swings else reason
