"""A private NATS server that speaks MQTT 3.1.1: a broker of another make."""

import shutil
import subprocess
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tablectl.features.demo.processes import free_port
from tests.support.patience import PATIENCE_S


@dataclass(slots=True)
class Nats:
    """A server that a test may stop and start.

    Args:
        more: lines of its configuration.
    """

    program: str
    folder: Path
    port: int
    inner: int
    more: str = ""
    _server: "subprocess.Popen[bytes] | None" = None

    @property
    def url(self) -> str:
        """Where it listens for MQTT."""
        return f"mqtt://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Starts it and returns once it is ready."""
        lines = [
            "server_name: floor",
            f'listen: "127.0.0.1:{self.inner}"',
            f'jetstream {{ store_dir: "{self.folder / "store"}" }}',
            f'mqtt {{ listen: "127.0.0.1:{self.port}" }}',
            self.more,
        ]
        (self.folder / "nats.conf").write_text("\n".join(lines) + "\n")
        with (self.folder / "log").open("wb") as log:
            self._server = subprocess.Popen([self.program, "-c", str(self.folder / "nats.conf")], stderr=log)
        deadline = time.monotonic() + PATIENCE_S
        while b"Server is ready" not in (said := (self.folder / "log").read_bytes()):
            assert self._server.poll() is None, said.decode()
            assert time.monotonic() < deadline, said.decode()
            time.sleep(0.01)

    def stop(self) -> None:
        """Ends it, if it runs."""
        server, self._server = self._server, None
        if server is not None:
            server.kill()
            server.wait()


def program() -> str:
    """The server's program."""
    found = shutil.which("nats-server", path="/usr/bin:/usr/sbin:/bin:/sbin:/usr/local/bin")
    if found is None:
        pytest.fail("NATS is not installed: `make test` gets it, or apt-get install nats-server", pytrace=False)
    return found


@contextmanager
def private_nats(folder: Path, more: str = "") -> Generator[Nats]:
    """A server that runs."""
    server = Nats(program(), folder, free_port(), free_port(), more)
    try:
        server.start()
        yield server
    finally:
        server.stop()
