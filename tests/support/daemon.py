"""A whole daemon as a child process, for tests that start it, talk to it and kill it."""

import http.client
import json
import multiprocessing
import os
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path
from typing import Any

import tablectl.daemon.daemon
from tablectl.cli import main
from tablectl.features.demo.processes import free_port
from tablectl.testing.daemon import end_with_the_rig
from tests.support.patience import PATIENCE_S


@dataclass(slots=True)
class RefusedError(Exception):
    """The table said no."""

    article: str
    code: str


class DaemonGoneError(Exception):
    """The daemon closed the connection before it answered, or said that it stops."""


def fork_server() -> ForkServerContext:
    """Forks daemons from a process that has imported them already, so that each is up in a moment."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.support.daemon", "tests.support.preloaded"])
    return context


@cache
def _asyncapi() -> bytes:
    """The document that every daemon of this build publishes: making it takes longer than anything else at a start."""
    command = [sys.executable, "-P", "-m", "tablectl.daemon.asyncapi", tablectl.__version__]
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True).stdout


def _main(
    config: Path,
    overrides: dict[str, str],
    log: Path,
    environment: dict[str, str],
    asyncapi: bytes,
    before: Callable[[], None] | None,
) -> None:
    end_with_the_rig()
    if before is not None:
        before()

    async def made_before(version: str) -> bytes:
        return asyncapi

    setattr(tablectl.daemon.daemon, "asyncapi_document", made_before)  # noqa: B010  # imported there, not exported
    # A child of a test keeps its words in a file, where a failed test can be read.
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.environ.update(environment)
    changes = [word for key, value in overrides.items() for word in ("--set", f"{key}={value}")]
    try:
        main(["run", "--config", str(config), *changes])
    except SystemExit as end:
        sys.stderr.flush()
        os._exit(end.code if isinstance(end.code, int) else 1)


@dataclass(slots=True)
class Daemon:
    """One table's daemon, started as often as it is killed.

    Args:
        before: what is done in its process before it begins.
    """

    context: ForkServerContext
    config: Path
    folder: Path
    overrides: Mapping[str, str]
    port: int = field(default_factory=free_port)
    process: ForkServerProcess | None = None
    token: str = ""
    trusts: ssl.SSLContext | None = None
    environment: dict[str, str] = field(default_factory=dict)
    before: Callable[[], None] | None = None

    def start(self) -> None:
        """Starts it and waits until its console answers."""
        overrides = {**self.overrides, "console.listen": f"127.0.0.1:{self.port}"}
        log = self.folder / "daemon.log"
        given = (self.config, overrides, log, self.environment, _asyncapi(), self.before)
        self.process = self.context.Process(target=_main, args=given, daemon=True)
        self.process.start()
        deadline = time.monotonic() + PATIENCE_S
        while not self._answers():
            if self.process.exitcode is not None or time.monotonic() > deadline:
                raise AssertionError(f"the daemon did not come up:\n{log.read_text()[-4000:]}")
            time.sleep(0.005)

    def kill(self) -> None:
        """SIGKILL, and nothing of it is left; one that doesn't run is left alone."""
        if self.process is None:
            return
        self.process.kill()
        self.process.join()
        self.process.close()
        self.process, self.token = None, ""

    def stop(self) -> int:
        """SIGTERM; the exit code."""
        assert self.process is not None
        self.process.terminate()
        return self.ended()

    def ended(self) -> int:
        """The exit code of a daemon that ends."""
        assert self.process is not None
        self.process.join(PATIENCE_S)
        code = self.process.exitcode
        assert code is not None, f"the daemon did not stop within {PATIENCE_S:.0f} s"
        self.process.close()
        self.process = None
        return code

    def sign_on(self, person: str, pin: str) -> None:
        """Signs a person on; requests are made in their name from now on."""
        self.token = self._call("POST", "/v1/sign-on", {"person": person, "pin": pin})["token"]

    def ask(self, verb: str, request_id: str, **fields: Any) -> int:
        """Makes a request.

        Returns:
            The number of its record.

        Raises:
            RefusedError: the table said no.
            DaemonGoneError: the daemon died on the way.
        """
        answer = self._call("POST", f"/v1/requests/{verb}", {"request_id": request_id, **fields})
        if not answer["accepted"]:
            raise RefusedError(answer["refused"]["article"], answer["refused"]["code"])
        return int(answer["record"])

    def state(self) -> dict[str, Any]:
        """The table as the console shows it."""
        return self._call("GET", "/v1/state")

    def health(self) -> dict[str, Any]:
        """What it says of its health to whoever asks."""
        return self._call("GET", "/v1/health")

    def _answers(self) -> bool:
        try:
            self.health()
        except DaemonGoneError:
            return False
        return True

    def _call(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        connection = (
            http.client.HTTPSConnection("127.0.0.1", self.port, timeout=PATIENCE_S, context=self.trusts)
            if self.trusts
            else http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        )
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self.token}"}
        try:
            connection.request(method, path, json.dumps(body) if body is not None else None, headers)
            response = connection.getresponse()
            answer: dict[str, Any] = json.loads(response.read())
        except (OSError, http.client.HTTPException, json.JSONDecodeError) as error:
            raise DaemonGoneError(str(error)) from error
        finally:
            connection.close()
        if response.status == 503 and path.startswith("/v1/requests/"):
            raise DaemonGoneError(str(answer))
        # 503 is how the health page of a table with a fault answers.
        if response.status not in {200, 409} and (path, response.status) != ("/v1/health", 503):
            raise AssertionError(f"{method} {path}: {response.status} {answer}")
        return answer
