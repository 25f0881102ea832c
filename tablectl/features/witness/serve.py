"""A witness at work: its key, its file, and its server."""

import asyncio
import os
import signal
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import field
from pathlib import Path
from typing import Final

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from tablectl import network
from tablectl.config.values import split_address
from tablectl.console.http.middleware import Guard
from tablectl.console.http.server import listen_at
from tablectl.console.http.server import serve as serve_at
from tablectl.console.http.tls import Tls
from tablectl.daemon.host.clock import SystemClock
from tablectl.daemon.host.systemd import notify
from tablectl.daemon.room_settings import StartError
from tablectl.daemon.signing.keys import make_private, read_signing_key
from tablectl.features.witness.settings import WitnessConfig
from tablectl.features.witness.witness import LONGEST, TEXT, Answer, Cosigned, Witness, keys_by_log
from tablectl.lazy_dataclass import dataclass
from tablectl.proof.note import Signer

BODY_S: Final = 10.0


@dataclass(frozen=True, slots=True)
class Desk:
    """The server's side: one request at a time, each in a thread."""

    witness: Witness
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def add_checkpoint(self, request: Request) -> Response:
        """Cosign a checkpoint, or say why not."""
        try:
            async with asyncio.timeout(BODY_S):
                body = await _body(request)
        except (TimeoutError, ClientDisconnect):
            return _response(Answer(408, "the request took too long\n"))
        if body is None:
            return _response(Answer(413, f"a request has at most {LONGEST} bytes\n"))
        async with self._turn:
            return _response(await asyncio.to_thread(self.witness.add_checkpoint, body))


def key_of(config: WitnessConfig) -> Signer:
    """The witness's key pair, made where there is none.

    Raises:
        OSError: it can't be read or written.
        ValueError: its file is damaged.
    """
    path = Path(config.state) / "witness.key"
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    return read_signing_key(path) if path.exists() else make_private(path)


def serve(config: WitnessConfig, tell: Callable[[str], None]) -> None:
    """Cosign until SIGINT or SIGTERM.

    Raises:
        StartError: the port can't be had.
        OSError: key, file or certificate can't be used.
        ValueError: the key's file is damaged.
    """
    network.run_bare(_serve(config, tell), StartError)


async def _serve(config: WitnessConfig, tell: Callable[[str], None]) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    address = split_address(config.listen)
    assert address is not None  # the form has seen to it
    host, port = address
    tls = Tls(config.cert_file, config.key_file) if config.cert_file and config.key_file else None
    try:
        listener = await listen_at(host, port, tls)
    except OSError as error:
        message = f"the witness can't listen on {host}:{port}: {error.strerror or error}"
        raise StartError(message, os.EX_UNAVAILABLE) from None
    witness = await asyncio.to_thread(witness_of, config)

    def listening(port: int) -> None:
        tell(f"the witness {config.name} is at {'https' if tls else 'http'}://{host}:{port}/")
        notify("READY=1")

    async with asyncio.TaskGroup() as group:
        task = group.create_task(serve_at(app_of(witness, (host, *config.hosts)), listener, listening=listening))
        await stop.wait()
        task.cancel()
    await asyncio.to_thread(witness.cosigned.close)


def witness_of(config: WitnessConfig) -> Witness:
    """The witness of a configuration. Blocks.

    Raises:
        OSError: key or file can't be used.
        ValueError: the key's file is damaged.
    """
    clock = SystemClock()
    cosigned = Cosigned(Path(config.state) / "witness.db")
    logs = keys_by_log(config.logs)
    return Witness(config.name, key_of(config), logs, cosigned, lambda: clock.now().utc_us // 1_000_000)


def app_of(witness: Witness, hosts: Sequence[str]) -> Starlette:
    """The witness's application, behind its guard.

    Args:
        hosts: names by which it may be called.
    """
    route = Route("/add-checkpoint", Desk(witness).add_checkpoint, methods=["POST"])
    return Starlette(routes=[route], middleware=[Middleware(Guard, hosts=hosts)])


async def _body(request: Request) -> bytes | None:
    body = b""
    async with aclosing(request.stream()) as chunks:
        async for chunk in chunks:
            body += chunk
            if len(body) > LONGEST:
                return None
    return body


def _response(answer: Answer) -> Response:
    return Response(answer.text, answer.status, media_type=None, headers={"Content-Type": answer.media or TEXT})
