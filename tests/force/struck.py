"""A whole daemon that is watched by strace from some moment on, and struck at one of its next calls."""

import os
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Any, Final, cast

import apsw

from tests.force import tracer
from tests.force.seeded import SEEDED
from tests.force.sweep import Blow, Strike
from tests.support.daemon import Daemon, DaemonGoneError, fork_server
from tests.support.patience import PATIENCE_S

STATE: Final = "state"
READ_ONLY: Final = apsw.SQLITE_OPEN_READONLY
EXPECTED: Final = {Blow.KILL: -9, Blow.SLOW: None}
"""How a blow ends a daemon: by the signal, or not at all; any other by the exit code of a journal that failed."""


@dataclass(frozen=True, slots=True)
class Watch:
    """strace, and where it writes."""

    strace: Path
    folder: Path

    @contextmanager
    def at(self, daemon: Daemon, strike: Strike) -> Generator[Path]:
        """Watches all threads of a running daemon; gives the trace. In the end it is gone, or goes on unwatched."""
        assert daemon.process is not None
        trace = self.folder / f"{strike.blow.name}-{strike.call.name}-{strike.call.nth}"
        command = [str(self.strace), "-f", "-y", "-p", str(daemon.process.pid), "-o", str(trace)]
        watched = ["-e", f"trace={tracer.watched_set()}", *tracer.paths(daemon.folder / STATE)]
        with tracer.watching([*command, *watched, *strike.options()]):
            yield trace


def until_struck(daemon: Daemon, step: Callable[[], None], most: int) -> int | None:
    """Takes steps until the daemon is gone; its exit code, or None where it is still there after so many."""
    for _ in range(most):
        with suppress(DaemonGoneError):
            step()
            continue
        return ended(daemon)
    return None


def ended(daemon: Daemon) -> int:
    """The exit code of a daemon that ends, or the signal that ended it."""
    assert daemon.process is not None
    deadline_s = time.monotonic() + PATIENCE_S
    while daemon.process.exitcode is None:
        assert time.monotonic() < deadline_s, "the daemon neither answers nor ends"
        time.sleep(0.01)
    return daemon.ended()


def check_end(strike: Strike, code: int | None) -> None:
    """A blow ends a daemon as it should."""
    expected = EXPECTED.get(strike.blow, os.EX_IOERR)
    assert code == expected, f"{strike}: exit code {code}, expected {expected}"


@dataclass(frozen=True, slots=True)
class Seeding:
    """A fork server whose children are made with a mistake."""

    mistake: str

    def Process(self, *, target: Callable[..., None], args: tuple[Any, ...], daemon: bool) -> Any:  # noqa: N802  # as multiprocessing names it
        """A process that isn't started yet."""
        del daemon
        return fork_server().Process(target=_mistaken, args=(self.mistake, target, args), daemon=True)

    def context(self) -> ForkServerContext:
        """What a `Daemon` takes: it uses no more of a context than this."""
        return cast("ForkServerContext", self)


def _mistaken(mistake: str, target: Callable[..., None], args: tuple[Any, ...]) -> None:
    SEEDED[mistake]()
    target(*args)
