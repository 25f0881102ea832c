"""Child processes of the demo: a private broker and the daemon.

None outlives the demo, however it ends.
"""

import asyncio
import ctypes
import os
import random
import shutil
import signal
import socket
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from tablectl.features.demo.console import DemoError
from tablectl.lazy_dataclass import dataclass

SET_PARENT_DEATH_SIGNAL: Final = 1
"""PR_SET_PDEATHSIG of prctl(2)."""

ROOTS_PATH: Final = "/usr/local/sbin:/usr/sbin:/sbin"
"""Where Debian puts mosquitto; a user's PATH doesn't look there."""

LAST_LINES: Final = 8

OWN_PORTS: Final = range(20_000, 32_768)
PORTS_TRIED: Final = 100


@dataclass(slots=True)
class Child:
    """A process that we started. What it says goes into `log`."""

    name: str
    log: Path
    process: asyncio.subprocess.Process

    async def watch(self) -> None:
        """Waits for its end.

        Raises:
            DemoError: always, with the last lines that it logged: it is never meant to end before us.
        """
        code = await self.process.wait()
        said = "".join(f"\n    {line}" for line in await asyncio.to_thread(self.last_lines))
        raise DemoError(f"{self.name} ended by itself, exit status {code}; the end of {self.log}:{said}")

    async def stop(self, within_s: float) -> None:
        """Ends it properly, or after this long at once."""
        if self.process.returncode is not None:
            return
        self.process.terminate()
        try:
            async with asyncio.timeout(within_s):
                await self.process.wait()
        except TimeoutError:
            self.process.kill()
            await self.process.wait()

    def last_lines(self) -> list[str]:
        """The end of its log."""
        return self.log.read_text("utf-8", "replace").splitlines()[-LAST_LINES:]


async def start(name: str, command: Sequence[str], log: Path, env: Mapping[str, str] | None = None) -> Child:
    """Start a child in a session of its own, so that Ctrl-C reaches only us.

    The kernel kills it when we die.

    Args:
        env: what stands in its environment besides ours.
    """
    descriptor = await asyncio.to_thread(os.open, log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=descriptor,
            stderr=descriptor,
            env={**os.environ, **(env or {})},
            start_new_session=True,
            preexec_fn=_dies_with_us(os.getpid()),  # runs between fork and exec; it takes no lock
        )
    finally:
        os.close(descriptor)
    return Child(name, log, process)


async def start_mosquitto(folder: Path, port: int) -> Child:
    """A broker on this port of the loopback interface, that keeps nothing.

    Raises:
        DemoError: the program isn't installed.
    """
    program = await asyncio.to_thread(shutil.which, "mosquitto", path=f"{os.environ.get('PATH', '')}:{ROOTS_PATH}")
    if program is None:
        raise DemoError(
            "mosquitto isn't installed, and the demo needs a broker: `apt-get install mosquitto`, "
            "or name a broker of yours with --broker mqtt://HOST"
        )
    settings = folder / "mosquitto.conf"
    text = f"listener {port} 127.0.0.1\nallow_anonymous true\npersistence false\nuser root\nlog_type error\n"
    await asyncio.to_thread(settings.write_text, text, "utf-8")
    return await start("mosquitto", (program, "-c", str(settings)), folder / "mosquitto.log")


def free_port() -> int:
    """A port of the loopback interface that nobody has at the moment.

    From below those that Linux hands out by itself (ip_local_port_range), or somebody's outgoing connection could
    get it before the child that it is meant for.

    Raises:
        DemoError: every one that was tried is taken.
    """
    for port in random.SystemRandom().sample(OWN_PORTS, PORTS_TRIED):
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise DemoError(f"no port of {OWN_PORTS[0]} to {OWN_PORTS[-1]} is free on the loopback interface")


def _dies_with_us(parent: int) -> Callable[[], None]:
    """Return the function that a child runs before it becomes its program.

    It asks the kernel to kill the child when its parent dies.
    """
    prctl = ctypes.CDLL(None, use_errno=True).prctl

    def ask() -> None:
        prctl(SET_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:  # it died before we could ask
            os._exit(1)

    return ask
