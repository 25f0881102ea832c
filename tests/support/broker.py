"""A private mosquitto: on a free port of the loopback, its files in one folder, gone with its test."""

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tablectl.features.demo.processes import free_port
from tests.support.patience import PATIENCE_S


@dataclass(slots=True)
class Broker:
    """A broker that a test may start, stop, kill, freeze and reconfigure at will; the port stays.

    Args:
        program: path of mosquitto.
        folder: where its configuration, ACL and password files go.
        port: on 127.0.0.1.
        lines: more lines of its configuration, as `max_inflight_messages 5`.
        anonymous: whether a client without a name may come in.
    """

    program: Path
    folder: Path
    port: int
    lines: tuple[str, ...] = ()
    anonymous: bool = True
    _process: "subprocess.Popen[bytes] | None" = None
    _log: str = "broker.log"

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"mqtt://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        """The process that runs now."""
        assert self._process is not None, "the broker doesn't run"
        return self._process.pid

    def start(self) -> None:
        """Starts it and returns once it answers. Nothing of an earlier run is left."""
        assert self._process is None, "the broker runs already"
        self._write_config()
        with (self.folder / self._log).open("ab") as log:
            self._process = subprocess.Popen(
                [str(self.program), "-c", str(self.folder / "broker.conf")], stdout=log, stderr=log
            )
        self._await_port()

    def stop(self) -> None:
        """Ends it properly, if it runs: clients see the connection close."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """Ends it at once, if it runs."""
        self._end(signal.SIGKILL)

    def freeze(self) -> None:
        """Stops it from doing anything; its connections stay open."""
        os.kill(self.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        """Lets a frozen broker go on."""
        os.kill(self.pid, signal.SIGCONT)

    def reload(self) -> None:
        """Makes it read its ACL and passwords again; takes effect soon, not at once."""
        os.kill(self.pid, signal.SIGHUP)

    def allow(self, *rules: str) -> None:
        """Writes the ACL: lines as `topic write tablectl/#`. A running broker is told to read it."""
        (self.folder / "acl").write_text("\n".join(rules) + "\n", encoding="utf-8")
        if self._process is not None:
            self.reload()

    def admit(self, name: str, password: str) -> None:
        """Adds a user. Before the start, or with `reload`."""
        program = shutil.which("mosquitto_passwd") or "mosquitto_passwd"
        file = self.folder / "passwords"
        create = [] if file.exists() else ["-c"]
        subprocess.run([program, "-b", *create, str(file), name, password], check=True, capture_output=True)

    def log(self) -> str:
        """What it has logged."""
        return (self.folder / self._log).read_text("utf-8", "replace")

    def _write_config(self) -> None:
        lines = [
            f"listener {self.port} 127.0.0.1",
            f"allow_anonymous {'true' if self.anonymous else 'false'}",
            "persistence false",
            "max_queued_messages 1000000",  # a slow witness would miss what is beyond the usual thousand
            "user root",  # it would give up root, and then not read a test's folder again
            *self.lines,
        ]
        if (self.folder / "acl").exists():
            lines.append(f"acl_file {self.folder / 'acl'}")
        if (self.folder / "passwords").exists():
            lines.append(f"password_file {self.folder / 'passwords'}")
        (self.folder / "broker.conf").write_text("\n".join(lines) + "\n", encoding="utf-8")

    def _await_port(self) -> None:
        deadline_s = time.monotonic() + PATIENCE_S
        while not _answers(self.port):
            assert self._process is not None
            if self._process.poll() is not None or time.monotonic() > deadline_s:
                raise RuntimeError(f"mosquitto did not start:\n{self.log()}")
            time.sleep(0.005)

    def _end(self, number: signal.Signals) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.send_signal(number)
        process.send_signal(signal.SIGCONT)  # a frozen one takes notice of SIGTERM only then
        process.wait(PATIENCE_S)


@contextmanager
def private_broker(program: Path, folder: Path, *lines: str, anonymous: bool = True) -> Generator[Broker]:
    """A broker that isn't started yet, and is gone afterwards."""
    broker = Broker(program, folder, free_port(), lines, anonymous)
    try:
        yield broker
    finally:
        broker.kill()


def _answers(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
    except OSError:
        return False
