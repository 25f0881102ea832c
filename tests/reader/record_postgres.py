"""A private PostgreSQL server: on a socket in its own folder, gone with the tests."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.support.patience import PATIENCE_S

SETTINGS = ("listen_addresses=", "fsync=off", "synchronous_commit=on", "max_connections=20", "shared_buffers=16MB")


@dataclass(slots=True)
class Postgres:
    """A server that a test may stop, start, freeze and kill at will."""

    programs: Path
    folder: Path
    _server: "subprocess.Popen[bytes] | None" = None
    _count: int = field(default=0)

    def make(self) -> None:
        """Makes the cluster."""
        command = [str(self.programs / "initdb"), "-D", str(self.folder / "data"), "-U", "postgres", "-A", "trust"]
        subprocess.run(_as_postgres([*command, "--no-sync", "-E", "UTF8", "--locale=C.UTF-8"]), check=True, stdout=-3)

    def start(self) -> None:
        """Starts it and returns once it answers."""
        assert self._server is None
        command = [str(self.programs / "postgres"), "-D", str(self.folder / "data"), "-k", str(self.folder)]
        options = [word for setting in SETTINGS for word in ("-c", setting)]
        with (self.folder / "log").open("ab") as log:
            self._server = subprocess.Popen(_as_postgres([*command, *options]), stdout=log, stderr=log)
        deadline = time.monotonic() + PATIENCE_S
        while not self._answers():
            assert time.monotonic() < deadline, (self.folder / "log").read_text()
            time.sleep(0.02)

    def stop(self) -> None:
        """Ends it at once; all connections break. What was committed is there again after a start."""
        server, self._server = self._server, None
        if server is not None:
            server.send_signal(signal.SIGQUIT)
            server.wait(PATIENCE_S)

    def database(self) -> str:
        """The address of a new, empty database."""
        self._count += 1
        name = f"floor{self._count}"
        self.ask("postgres", f"CREATE DATABASE {name}")
        return self.address(name)

    def address(self, name: str) -> str:
        """The address of a database."""
        return f"postgresql://postgres@/{name}?host={self.folder}"

    def ask(self, database: str, query: str, *values: object) -> list[tuple[Any, ...]]:
        """The rows of a query."""
        address = database if "://" in database else self.address(database)
        with psycopg.connect(address, autocommit=True) as connection:
            cursor = connection.execute(query.encode(), values or None)
            return list(cursor.fetchall()) if cursor.description else []

    def _answers(self) -> bool:
        try:
            self.ask("postgres", "SELECT 1")
        except psycopg.OperationalError:
            return False
        return True


@contextmanager
def private_postgres() -> Generator[Postgres]:
    """A server that runs."""
    folder = Path(tempfile.mkdtemp(prefix="tablectl-pg-", dir="/tmp"))  # a socket's path has 107 bytes at most
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres", "postgres")
    server = Postgres(_programs(), folder)
    try:
        server.make()
        server.start()
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder)


def _programs() -> Path:
    """Where Debian keeps the newest server's programs."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if not found:
        pytest.fail("PostgreSQL is not installed: `make test` gets it, or apt-get install postgresql", pytrace=False)
    return found[-1].parent


def _as_postgres(command: Sequence[str]) -> list[str]:
    """PostgreSQL doesn't run as root."""
    if os.geteuid() != 0:
        return list(command)
    return ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", *command]
