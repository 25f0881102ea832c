"""Notifications to systemd (ready, status, watchdog), and its heartbeat."""

import asyncio
import os
import socket
from collections.abc import Iterable
from typing import Final

from tablectl.core.protocols import Clock

ASK_EVERY: Final = 1_000
"""Records, which take a fifth of a second, and on the slowest board some seconds."""

MORE_S: Final = 60
"""How much longer systemd is asked to wait, from each time on."""


LOOK_EVERY_S = 1.0
"""How often the loop's lateness is measured where no supervisor asks for more."""


def notify(message: str) -> None:
    """Send one message, such as `READY=1`, `STATUS=…` or `WATCHDOG=1`.

    Without a supervisor it does nothing.
    """
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address:
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as channel:
        channel.setblocking(False)  # noqa: FBT003  # the socket's own form
        try:
            channel.sendto(message.encode(), "\0" + address[1:] if address[0] == "@" else address)
        except OSError:
            return  # The supervisor went away; it will find out by itself.


def report_progress(record: int) -> None:
    """Ask systemd for more time while a long journal is folded, with the progress."""
    if record % ASK_EVERY == 0:
        ask_for_time(f"reading the journal, record {record}")


def ask_for_time(status: str) -> None:
    """Ask systemd for more time while this is done."""
    notify(f"EXTEND_TIMEOUT_USEC={MORE_S * 1_000_000}\nSTATUS={status}")


def watchdog_interval_s() -> float | None:
    """A third of the time within which systemd expects a message.

    None where it expects none.
    """
    text = os.environ.get("WATCHDOG_USEC", "")
    return int(text) / 3e6 if text.isdigit() and int(text) > 0 else None


def report_ready(status: str) -> None:
    """Report to the supervisor that the table is up."""
    notify(f"READY=1\nSTATUS={status}")


class Readiness:
    """Readiness of several tables in one process.

    It is ready as soon as each table is up or has ended, unless all have ended.
    """

    def __init__(self, tables: Iterable[str]) -> None:
        self._awaited = set(tables)
        self._states: dict[str, str] = {}
        self._up: set[str] = set()

    def up(self, table: str, status: str) -> None:
        """A table is up."""
        self._up.add(table)
        self._note(table, status)

    def ended(self, table: str) -> None:
        """A table has ended."""
        self._up.discard(table)
        self._note(table, "ended")

    def _note(self, table: str, state: str) -> None:
        self._states[table] = state
        is_last = self._awaited == {table}
        self._awaited.discard(table)
        ready = "READY=1\n" if is_last and self._up else ""
        notify(f"{ready}STATUS={', '.join(f'{name}: {said}' for name, said in self._states.items())}")


class Watchdog:
    """The heartbeat of the loop, for systemd and for `health`.

    Attributes:
        lag_s: how late the loop was when it was measured last.
    """

    def __init__(self, clock: Clock) -> None:
        self.lag_s = 0.0
        self._clock = clock

    async def run(self) -> None:
        """Measure how late the loop is, and report to the supervisor that it turns."""
        interval_s = watchdog_interval_s() or LOOK_EVERY_S
        while True:
            due_s = self._clock.monotonic_s() + interval_s
            await asyncio.sleep(interval_s)
            self.lag_s = max(0.0, self._clock.monotonic_s() - due_s)
            notify("WATCHDOG=1")
