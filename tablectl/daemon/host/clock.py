"""Time: the only room that asks the machine for it."""

import ctypes
import time
from collections.abc import Callable
from dataclasses import field
from functools import cache
from pathlib import Path
from typing import ClassVar

from tablectl.core.facts import ClockState, Stamp
from tablectl.daemon.host.ntp import UNKNOWN, Quality, Timekeepers
from tablectl.lazy_dataclass import dataclass

_STA_UNSYNC = 0x0040
_TIME_ERROR = 5


class _Timex(ctypes.Structure):
    """`struct timex` of adjtimex(2), 64-bit Linux; only its head is read."""

    _fields_: ClassVar = [
        ("modes", ctypes.c_uint),
        ("offset", ctypes.c_long),
        ("freq", ctypes.c_long),
        ("maxerror", ctypes.c_long),
        ("esterror", ctypes.c_long),
        ("status", ctypes.c_int),
        ("rest", ctypes.c_long * 24),
    ]


def thread_s() -> float:
    """Return the seconds of the processor that this thread has had."""
    return time.thread_time()


def read_boot_id() -> str:
    """The kernel's id of this boot, or the boot's time where a sandbox hides the id."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    except OSError:
        return f"boot-{round(time.time() - time.monotonic())}"


@cache
def _adjtimex() -> Callable[..., int]:
    return ctypes.CDLL(None).adjtimex


@dataclass(slots=True)
class SystemClock:
    """The machine's clocks; the wall clock's quality is queried once a second at most.

    The kernel is queried first. A sandbox that keeps programs from setting the clock forbids that too; then the time
    services that keep the clock are queried.
    """

    boot_id: str = field(default_factory=read_boot_id)
    keepers: Timekeepers = field(default_factory=Timekeepers)
    _quality: Quality = UNKNOWN
    _asked_s: float = -1.0

    def now(self) -> Stamp:
        """The present instant."""
        monotonic_ns = time.monotonic_ns()
        if monotonic_ns / 1e9 - self._asked_s > 1:
            self._asked_s = monotonic_ns / 1e9
            self._quality = kernel_quality() or self.keepers.look(time.time(), self._asked_s)
        state, error_us = self._quality
        return Stamp(time.time_ns() // 1000, monotonic_ns, self.boot_id, state, error_us)

    def monotonic_s(self) -> float:
        """The monotonic clock in seconds."""
        return time.monotonic()


def kernel_quality() -> Quality | None:
    """The kernel's knowledge of the wall clock's quality.

    None where it may not be queried, as in a sandbox.
    """
    timex = _Timex()
    try:
        result = _adjtimex()(ctypes.byref(timex))
    except (OSError, AttributeError):
        return None
    if result < 0:
        return None
    if result == _TIME_ERROR or timex.status & _STA_UNSYNC:
        return UNKNOWN
    return ClockState.SYNCED, int(timex.maxerror)
