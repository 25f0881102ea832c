"""The console's network: requests of persons, straight to the daemon's application, and what happens on the way."""

import asyncio
import json
import random
from dataclasses import dataclass, field
from typing import Any, Final

from pydantic_core import from_json

from tests.simulation.history import Form
from tests.simulation.process import Process
from tests.simulation.virtual import VirtualLoop, about

PATIENCE_S: Final = 8.0


@dataclass(frozen=True, slots=True)
class Response:
    """An answer of the console."""

    status: int
    form: Form
    text: str


@dataclass(slots=True)
class Network:
    """Between the screens and the console.

    Attributes:
        lost: how often a request or an answer is lost, 0 to 1.
        process: who listens now.
    """

    world: VirtualLoop
    chance: random.Random
    lost: float = 0.0
    process: Process | None = None
    losses: list[str] = field(default_factory=list[str])

    async def call(self, method: str, path: str, token: str, body: Form | None = None) -> Response:
        """The console's answer.

        Raises:
            ConnectionError: there is none: nobody knows what became of the request.
        """
        await asyncio.sleep(about(self.chance, 0.002))
        process = self.process
        if process is None or process.is_dead or process.app is None:
            raise ConnectionRefusedError("nobody listens")
        if self.chance.random() < self.lost:
            self.losses.append("request")
            raise ConnectionResetError("lost on the way")
        done: asyncio.Future[Response] = self.world.create_future()
        process.pending.append(done)
        sent = json.dumps(body).encode() if body is not None else b""
        process.create_task(self._serve(process, _scope(method, path, token, sent), sent, done))
        patience = self.world.call_later(PATIENCE_S, _give_up, done)
        try:
            response = await done
        finally:
            patience.cancel()
        if self.chance.random() < self.lost:
            self.losses.append("answer")
            raise ConnectionResetError("the answer was lost")
        return response

    async def _serve(self, process: Process, scope: dict[str, Any], sent: bytes, done: Any) -> None:
        """Inside the daemon: one request from its first byte to its last."""
        parts: list[bytes] = []
        status = 0
        given = False

        async def receive() -> dict[str, Any]:
            nonlocal given
            if given:
                return {"type": "http.disconnect"}
            given = True
            return {"type": "http.request", "body": sent, "more_body": False}

        async def send(message: Any) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            elif message["type"] == "http.response.body":
                parts.append(message.get("body", b""))

        app = process.app
        if app is None:
            return
        await app(scope, receive, send)
        process.machine.touched("answer")
        if done in process.pending:  # It is on its way: the daemon's death won't stop it.
            process.pending.remove(done)
        self.world.call_later(about(self.chance, 0.001), _arrive, done, status, b"".join(parts))


def _arrive(done: "asyncio.Future[Response]", status: int, content: bytes) -> None:
    """The answer reaches the screen; also where the daemon died after it sent it."""
    if not done.done():
        text = content.decode()
        done.set_result(Response(status, from_json(content) if content else {}, text))


def _give_up(done: "asyncio.Future[Response]") -> None:
    if not done.done():
        done.set_exception(ConnectionAbortedError("no answer in time"))


def _scope(method: str, path: str, token: str, body: bytes) -> dict[str, Any]:
    headers = [(b"host", b"127.0.0.1:8000"), (b"content-type", b"application/json")]
    headers += [(b"content-length", str(len(body)).encode())]
    headers += [(b"authorization", f"Bearer {token}".encode())] if token else []
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": headers,
        "client": ("127.0.0.1", 40000),
        "server": ("127.0.0.1", 8000),
        "state": {},
    }
