"""What every bench of the daemon stands on: a private broker, the devices' far ends, and the daemon itself."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.ends import Pty, Shoe
from bench.figures import UnmeasuredError
from tablectl.features.demo.processes import free_port
from tablectl.rule_tables import shipped
from tests.support.broker import Broker, private_broker

READY_WITHIN_S = 20.0
STOP_WITHIN_S = 5.0
LAST_LINES = 8
DISK = "/var/tmp"
"""Where files lie on a disk; `/tmp` may be memory, where a commit costs nothing."""


@dataclass(slots=True)
class Child:
    """A process of the bench; what it says is in `log`."""

    process: subprocess.Popen[bytes]
    log: Path

    def stop(self) -> None:
        """Ends it properly, or else at once."""
        self.process.terminate()
        try:
            self.process.wait(STOP_WITHIN_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def last_words(self) -> str:
        """The end of its log."""
        return "\n".join(self.log.read_text("utf-8", "replace").splitlines()[-LAST_LINES:])


@dataclass(frozen=True, slots=True)
class Stage:
    """A table's surroundings. The daemon that comes and goes on it finds its devices plugged."""

    folder: Path
    broker: Broker
    shoe: Shoe

    @contextmanager
    def daemon(
        self, name: str, program: Sequence[str] = ("tablectl",), python: Sequence[str | Path] = (sys.executable,)
    ) -> Generator["RunningDaemon"]:
        """`tablectl run` of a fresh table with the shipped configuration, once it says that it is ready.

        Args:
            program: the module that stands in for `tablectl`, with arguments of its own.
            python: the interpreter, and its options.
        """
        port, notices = free_port(), self.folder / f"{name}.notify"
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as door:
            door.bind(str(notices))
            door.settimeout(READY_WITHIN_S)
            begun_s = time.monotonic()
            child = self._start(name, port, notices, program, python)
            try:
                _await_ready(door, child)
                yield RunningDaemon(child.process.pid, port, time.monotonic() - begun_s)
            finally:
                child.stop()
                notices.unlink()

    def _start(
        self, name: str, port: int, notices: Path, program: Sequence[str], python: Sequence[str | Path]
    ) -> Child:
        settings = {
            "table.name": name,
            "mqtt.url": self.broker.url,
            "paths.state": self.folder / name,
            "paths.runtime": self.folder / "run",
            "console.listen": f"127.0.0.1:{port}",
        }
        given = [part for key, value in settings.items() for part in ("--set", f"{key}={value}")]
        command = [*program, "run", "--config", str(shipped("tables/q-poker.demo.toml")), *given]
        return start(command, self.folder / f"{name}.log", {"NOTIFY_SOCKET": str(notices)}, python)


@dataclass(frozen=True, slots=True)
class RunningDaemon:
    """A daemon that is ready.

    Args:
        port: of its console.
        start_s: from the start of its process until it said that it is ready.
    """

    pid: int
    port: int
    start_s: float


@contextmanager
def stage() -> Generator[Stage]:
    """A folder on disk, a broker, a shoe and a shuffler; all gone afterwards."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tablectl-bench-", dir=DISK)))
        (folder / "run").mkdir()
        broker = stack.enter_context(private_broker(mosquitto(), folder))
        broker.start()
        shoe = Shoe(stack.enter_context(plugged(folder / "run" / "shoe")))
        stack.enter_context(child(["bench.shuffler", str(folder / "run" / "shuffler")], folder / "shuffler.log"))
        await_file(folder / "run" / "shuffler")
        yield Stage(folder, broker, shoe)


@contextmanager
def plugged(link: Path | None = None) -> Generator[Pty]:
    """A port that is there."""
    port = Pty(link)
    port.plug()
    try:
        yield port
    finally:
        port.unplug()


@contextmanager
def child(module: Sequence[str], log: Path) -> Generator[Child]:
    """A process that runs a module of ours with its arguments."""
    started = start(module, log)
    try:
        yield started
    finally:
        started.stop()


def start(
    module: Sequence[str],
    log: Path,
    environment: dict[str, str] | None = None,
    python: Sequence[str | Path] = (sys.executable,),
) -> Child:
    """Starts a process that runs a module with its arguments."""
    with log.open("ab") as output:
        process = subprocess.Popen(
            [*python, "-m", *module],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env={**os.environ, **(environment or {})},
        )
    return Child(process, log)


def _await_ready(door: socket.socket, daemon: Child) -> None:
    try:
        while not door.recv(4096).startswith(b"READY=1"):
            pass
    except TimeoutError:
        raise UnmeasuredError(f"the daemon isn't ready:\n{daemon.last_words()}") from None


def await_file(path: Path) -> Path:
    """The path, once it is there."""
    deadline_s = time.monotonic() + READY_WITHIN_S
    while not path.exists():
        if time.monotonic() > deadline_s:
            raise UnmeasuredError(f"{path.name} isn't there")
        time.sleep(0.01)
    return path


def mosquitto() -> Path:
    """The broker's program."""
    found = shutil.which("mosquitto", path=f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin")
    if found is None:
        raise UnmeasuredError("mosquitto isn't installed: apt-get install mosquitto")
    return Path(found)
