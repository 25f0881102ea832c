"""The HTTP server, in the daemon's own event loop.

It stops quickly, and bounds every wait for a client.
"""

import asyncio
import errno
import socket
import ssl
from asyncio import sslproto
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from functools import partial
from typing import Final

import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import H11Protocol

from tablectl.console.http.tls import HANDSHAKE_S, Door, Introduced, Tls, context_of, read_revoked
from tablectl.console.http.waiting import Loiterers, make_room, sweep
from tablectl.lazy_dataclass import dataclass
from tablectl.network import Found, look_up
from tablectl.tls_files import stamps

IP_FREEBIND: Final = 15
"""Of <linux/in.h>: to listen at an address that this machine doesn't have yet."""

GRACE_S: Final = 0.15
"""How long an answer may take once the server stops; who got none asks again with the same request_id."""

LOITERING_S: Final = 15.0


HEAD_MAX: Final = 16 * 1024
MESSAGE_MAX: Final = 4 * 1024

SYSTEM_BUFFER: Final = 64 * 1024
"""Bytes of an answer that the system takes for one connection; megabytes otherwise, each of them encrypted first."""


TLS_READ: Final = 32 * 1024
"""Bytes of asyncio's own buffer for each connection under TLS, which has a quarter of a mebibyte otherwise."""
BACKLOG: Final = 2048

END_REVOKED: Final = "end_revoked"
"""In an application's state, where it has sessions: what ends those of certificates that are revoked."""


@dataclass(frozen=True, slots=True)
class Listener:
    """Sockets that listen, with what their TLS handshakes need.

    A client that connects waits until they are served.

    Args:
        doors: one for each address of the host, all at the same port.
        tls: the files of its certificate; None listens without.
        context: what they held.
        used: their stamps then.
    """

    doors: Sequence[socket.socket]
    tls: Tls | None = None
    context: ssl.SSLContext | None = None
    used: tuple[object, ...] = ()

    @property
    def port(self) -> int:
        """The port that they have."""
        port: int = self.doors[0].getsockname()[1]
        return port

    def close(self) -> None:
        """Give the port back."""
        for door in self.doors:
            door.close()


async def listen_at(host: str, port: int, tls: Tls | None = None) -> Listener:
    """Listen, and read the certificate's files.

    Args:
        host: an address of this machine, or a name that it resolves: it listens at all addresses of the name.
        port: 0 for any free one.
        tls: the files of its certificate; None listens without.

    Raises:
        OSError: the address or the port can't be had, or a file of the certificate can't be used.
    """
    used = await asyncio.to_thread(stamps, tls.files) if tls else ()
    context = await asyncio.to_thread(context_of, tls) if tls else None
    return Listener(await _bound(host, port), tls, context, used)


async def serve(
    app: Starlette,
    listener: Listener,
    *,
    listening: Callable[[int], None] | None = None,
    renewed: Callable[[str], None] | None = None,
    loitering_s: float = LOITERING_S,
    handshake_s: float = HANDSHAKE_S,
) -> None:
    """Serve the application until cancelled.

    Then every connection is closed, and the call returns within about 0.3 s.

    Args:
        listener: closed at the end.
        listening: called with its port once connections are taken.
        renewed: called when the files have changed and been read again, with why they can't be used, or with nothing.
        loitering_s: how long a client may take to send a request, and stand still while it reads an answer.
        handshake_s: how long it may take for its TLS handshake.
    """
    # asyncio offers no other way, and nothing else in this process uses its TLS.
    sslproto.SSLProtocol.max_size = TLS_READ
    loiterers = Loiterers(loitering_s)
    with closing(listener):
        introduced = Introduced(app, end_revoked=getattr(app.state, END_REVOKED, lambda _is_revoked: None))
        server = _server(introduced)
        await server.startup(sockets=[])
        await server.on_tick(0)
        room = partial(make_room, server, loiterers)
        door = Door(lambda: _protocol(server), room, listener.context, handshake_s)
        if listening is not None:
            listening(listener.port)
        try:
            async with asyncio.TaskGroup() as group:
                for each in listener.doors:
                    group.create_task(door.keep(each))
                group.create_task(sweep(server, loiterers))
                if listener.tls:
                    group.create_task(_renew(door, introduced, listener, renewed or (lambda _why: None)))
        finally:
            await _stop(server, listener.doors)


async def _renew(door: Door, introduced: Introduced, listener: Listener, renewed: Callable[[str], None]) -> None:
    """Load changed certificate files for new handshakes.

    The sessions of certificates that are revoked now end. Files that can't be used change nothing.
    """
    tls, seen, used = listener.tls, listener.used, listener.used
    assert tls is not None
    while True:
        await asyncio.sleep(tls.renewal_s)
        before, seen = seen, await asyncio.to_thread(stamps, tls.files)
        if seen == used or seen != before:
            continue
        used = seen
        try:
            context, is_revoked = await asyncio.to_thread(lambda: (context_of(tls), read_revoked(tls)))
        except OSError as error:
            renewed(f"{error.filename}: {error.strerror}")
        else:
            door.context, introduced.is_revoked = context, is_revoked
            introduced.end_revoked(is_revoked)
            renewed("")


async def _bound(host: str, port: int) -> Sequence[socket.socket]:
    """Listen at each address of a host, at the same port.

    With uvicorn's own sockets, a port that is taken would end the whole process.

    Raises:
        OSError: the port is taken, or this machine lacks the family of every address.
    """
    unique = {each[4]: each for each in await look_up(host, port)}  # a file of hosts may have an address twice
    doors: list[socket.socket] = []
    lacking: OSError | None = None
    with ExitStack() as opened:
        for found in unique.values():
            at = doors[0].getsockname()[1] if doors else port
            try:
                doors.append(opened.enter_context(_door(found, at, is_alone=len(unique) == 1)))
            except OSError as error:
                if error.errno not in {errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL}:
                    raise
                lacking = error  # such as IPv6 where it is turned off: the other addresses do
        if lacking and not doors:
            raise lacking
        opened.pop_all()
    return doors


def _door(found: Found, port: int, *, is_alone: bool) -> socket.socket:
    family, kind, protocol, _, address = found
    door = socket.socket(family, kind, protocol)
    try:
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        door.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SYSTEM_BUFFER)  # its connections inherit it
        # At boot the address may come later than we do (DHCP, a switch's port, Wi-Fi): ip(7), also for IPv6.
        door.setsockopt(socket.SOL_IP, IP_FREEBIND, 1)
        if family == socket.AF_INET6 and not is_alone:
            door.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)  # :: beside 0.0.0.0
        door.bind((address[0], port, *address[2:]))
        door.listen(BACKLOG)
        door.settimeout(0)
    except OSError:
        door.close()
        raise
    return door


def _server(introduced: Introduced) -> uvicorn.Server:
    """A server that is driven from here.

    `Server.serve` would take the process's signals for its own.
    """
    config = uvicorn.Config(
        introduced,
        http=H11Protocol,
        ws="websockets-sansio",
        lifespan="off",
        interface="asgi3",
        log_config=None,
        log_level="error",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        date_header=False,
        h11_max_incomplete_event_size=HEAD_MAX,
        ws_max_size=MESSAGE_MAX,
        ws_per_message_deflate=False,
    )
    config.load()
    server = uvicorn.Server(config)
    server.lifespan = config.lifespan_class(config)
    introduced.connections = lambda: server.server_state.connections
    return server


async def _stop(server: uvicorn.Server, listeners: Sequence[socket.socket]) -> None:
    cut = asyncio.get_running_loop().call_later(GRACE_S, _cut_off, server)
    try:
        await server.shutdown(sockets=[*listeners])
    finally:
        cut.cancel()


def _cut_off(server: uvicorn.Server) -> None:
    for connection in list(server.server_state.connections):
        connection.transport.abort()
    for task in list(server.server_state.tasks):
        task.cancel()


def _protocol(server: uvicorn.Server) -> H11Protocol:
    return H11Protocol(server.config, server.server_state, server.lifespan.state)
