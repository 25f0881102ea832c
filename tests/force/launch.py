"""A daemon started as its user starts it, by its command: with limits, or with a clock that a test may set."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Any, cast


@dataclass(slots=True)
class Command:
    """A process of `tablectl run`, as far as a `Daemon` looks at one.

    Args:
        words: of the whole command line; `environment`: beside this process's own.
    """

    words: Sequence[str]
    log: Path
    environment: Mapping[str, str]
    _process: "subprocess.Popen[bytes] | None" = None

    @property
    def pid(self) -> int | None:
        """Its number; None before it is started."""
        return self._process.pid if self._process else None

    @property
    def exitcode(self) -> int | None:
        """Its exit code, or the signal that ended it; None while it runs."""
        return self._process.poll() if self._process else None

    def start(self) -> None:
        """Starts it; its words go to the end of the log."""
        with self.log.open("ab") as log:
            environment = {**os.environ, **self.environment}
            self._process = subprocess.Popen(self.words, stdout=log, stderr=log, env=environment)

    def kill(self) -> None:
        """SIGKILL."""
        self._send(signal.SIGKILL)

    def terminate(self) -> None:
        """SIGTERM."""
        self._send(signal.SIGTERM)

    def join(self, timeout: float | None = None) -> None:
        """Waits for its end, at most so long."""
        if self._process is not None:
            try:
                self._process.wait(timeout)
            except subprocess.TimeoutExpired:
                return

    def close(self) -> None:
        """Nothing is left to do."""

    def _send(self, number: signal.Signals) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(number)


@dataclass(slots=True)
class Launcher:
    """Makes such processes in place of forks.

    Args:
        before: what stands before the command, as `prlimit --nofile=64`.
    """

    before: Sequence[str] = ()
    environment: dict[str, str] = field(default_factory=dict[str, str])

    def Process(self, *, target: Callable[..., None], args: tuple[Any, ...], daemon: bool) -> Command:  # noqa: N802  # as multiprocessing names it
        """A process that isn't started yet."""
        del target, daemon
        config, overrides, log, environment, *_ = args
        changes = [word for key, value in overrides.items() for word in ("--set", f"{key}={value}")]
        words = [*self.before, sys.executable, "-m", "tablectl", "run", "--config", str(config), *changes]
        return Command(words, log, {**self.environment, **environment})

    def context(self) -> ForkServerContext:
        """What a `Daemon` takes: it uses no more of a context than this."""
        return cast("ForkServerContext", self)
