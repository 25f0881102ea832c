"""Daemon as a separate process, as `tablectl run` is one, with a log.

The log can be read when something is wrong.
"""

import asyncio
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path
from typing import Final

from tablectl.config.errors import ConfigError
from tablectl.daemon.room_settings import StartError
from tablectl.daemon.run import run
from tablectl.lazy_dataclass import dataclass
from tablectl.testing.scenarios.scenario import NotSoError
from tablectl.words.terminal import visible

STOPS_WITHIN_S: Final = 10.0
ENDED_WITHIN_S: Final = 0.3
LAST_LINES: Final = 12


@dataclass(frozen=True, slots=True)
class DaemonProcess:
    """A daemon that was started.

    Args:
        log: what it says of itself.
    """

    process: ForkServerProcess
    log: Path

    def said(self) -> Sequence[str]:
        """The end of its log, and that it ended where it did."""
        lines = _lines(self.log)
        self.process.join(ENDED_WITHIN_S)  # its end is heard of a moment later than its silence
        code = self.process.exitcode
        return lines if code is None else [*lines, f"the daemon ended with exit status {code}"]


@asynccontextmanager
async def daemon_of(config: Path, settings: Mapping[str, str], folder: Path) -> AsyncGenerator[DaemonProcess]:
    """Run the daemon of a configuration until the end of the block.

    Then it is asked to stop, as a service is.

    Args:
        settings: dotted keys over the configuration.
        folder: for its log.

    Raises:
        NotSoError: in the end: it didn't stop as asked, or said that something went wrong.
    """
    log = folder / "daemon.log"
    started = await asyncio.to_thread(_start, config, dict(settings), log)
    try:
        yield started
    except BaseException:
        await asyncio.to_thread(_stop, started.process)  # what went wrong first is what is told
        raise
    code = await asyncio.to_thread(_stop, started.process)
    if code:
        lines = "".join(f"\n  log: {line}" for line in await asyncio.to_thread(_lines, log))
        raise NotSoError(f"the daemon ended with exit status {code}{lines}")


def _start(config: Path, settings: dict[str, str], log: Path) -> DaemonProcess:
    process = _forks().Process(target=_run, args=(config, settings, log), daemon=True)
    process.start()
    return DaemonProcess(process, log)


def _lines(log: Path) -> Sequence[str]:
    return log.read_text("utf-8", "replace").splitlines()[-LAST_LINES:] if log.exists() else []


def _forks() -> ForkServerContext:
    """Return a context that forks daemons from a process that has imported them.

    So each is up in a moment.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    return context


def _stop(process: ForkServerProcess) -> int:
    process.terminate()
    process.join(STOPS_WITHIN_S)
    if process.exitcode is None:
        process.kill()
        process.join()
    code = process.exitcode or 0
    process.close()
    return code


def _run(config: Path, settings: dict[str, str], log: Path) -> None:
    end_with_the_rig()
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(output, 1)
    os.dup2(output, 2)
    try:
        code = run(config, settings)
    except (StartError, ConfigError) as error:
        sys.stderr.write(f"{visible(str(error))}\n")
        code = getattr(error, "exit_code", os.EX_CONFIG)
    sys.stderr.flush()
    os._exit(code)


def end_with_the_rig() -> None:
    """Has this process end with the one that started it.

    A rig that was killed can't stop its daemon, which would go on and open the ports of the next rig.
    """
    threading.Thread(target=_outlive_nobody, daemon=True).start()


def _outlive_nobody() -> None:
    rig = multiprocessing.parent_process()
    if rig is not None:
        rig.join()
        os.kill(os.getpid(), signal.SIGKILL)
