"""The console under TLS: its certificate, people's certificates, its handshakes."""

import asyncio
import re
import socket
import ssl
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import field
from functools import partial
from pathlib import Path
from typing import Any, Final, cast

from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from tablectl.console.http.origins import HERE, origin_of
from tablectl.edited_files import UnusableFileError
from tablectl.lazy_dataclass import dataclass
from tablectl.tls_files import RENEWAL_S, load_authorities, load_pair

_LIST: Final = re.compile(rb"-----BEGIN X509 CRL-----.*?-----END X509 CRL-----", re.DOTALL)

CERTIFICATE: Final = "certificate"
"""The key in a request's scope: the certificate that its connection has shown, None without one that is still good."""

IsRevoked = Callable[[bytes], bool]
"""Whether a certificate, DER, is on a list of revoked ones."""


@dataclass(frozen=True, slots=True)
class ShownCertificate:
    """A client's certificate: the common name in it, and all of it."""

    name: str
    der: bytes


@dataclass(frozen=True, slots=True)
class Tls:
    """The files of a listener under TLS, all of them PEM.

    Args:
        cert: the console's own certificate.
        key: the key to it.
        client_ca: who signs people's certificates; None asks nobody for one.
        client_crl: which of them it has revoked; None looks at no list.
        renewal_s: how often it is looked whether they have changed.
    """

    cert: str
    key: str
    client_ca: str | None = None
    client_crl: str | None = None
    renewal_s: float = RENEWAL_S

    @property
    def files(self) -> tuple[str, ...]:
        """All that are named."""
        return tuple(file for file in (self.cert, self.key, self.client_ca, self.client_crl) if file)


def context_of(tls: Tls) -> ssl.SSLContext:
    """The TLS context of a listener. Blocks while it reads the files.

    A certificate that a client shows has to be good; one that shows none may still sign on by PIN.

    Raises:
        OSError: a file can't be read, or isn't what it has to be.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    load_pair(context, tls.cert, tls.key)
    if tls.client_ca:
        load_authorities(context, tls.client_ca)
        context.verify_mode = ssl.CERT_OPTIONAL
    if tls.client_crl:
        load_authorities(context, tls.client_crl)
        context.verify_flags |= ssl.VERIFY_CRL_CHECK_LEAF
    return context


def read_revoked(tls: Tls) -> IsRevoked:
    """Read the list of revoked certificates. Blocks.

    Raises:
        OSError: it can't be read, or isn't one.
    """
    if not tls.client_crl:
        return lambda _der: False
    from cryptography import x509  # noqa: PLC0415 - only a console with such a list pays for it

    blocks = _LIST.findall(Path(tls.client_crl).read_bytes())
    try:
        lists = [x509.load_pem_x509_crl(block) for block in blocks]
    except ValueError as error:
        raise UnusableFileError(tls.client_crl, str(error)) from None

    def is_revoked(der: bytes) -> bool:
        shown = x509.load_der_x509_certificate(der)
        return any(
            each.issuer == shown.issuer and each.get_revoked_certificate_by_serial_number(shown.serial_number)
            for each in lists
        )

    return is_revoked


@dataclass(slots=True)
class Introduced:
    """Middleware that adds the client's certificate to each request.

    The server itself doesn't pass it on.

    Args:
        connections: those that are open.
        is_revoked: by the list as it was read last; a connection outlasts it.
        end_revoked: ends the sessions of certificates that are revoked.
    """

    app: ASGIApp
    connections: Callable[[], Iterable[object]] = tuple
    is_revoked: IsRevoked = lambda _der: False
    end_revoked: Callable[[IsRevoked], None] = lambda _is_revoked: None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on with what its connection has shown."""
        if scope["type"] == "http" and scope["scheme"] == "https":
            scope = {**scope, CERTIFICATE: self._shown(scope["client"])}
        await self.app(scope, receive, send)

    def _shown(self, client: object) -> ShownCertificate | None:
        for connection in tuple(self.connections()):
            if isinstance(connection, H11Protocol) and connection.client == client:
                name = common_name(connection.transport.get_extra_info("peercert"))
                der = connection.transport.get_extra_info("ssl_object").getpeercert(binary_form=True)
                return ShownCertificate(name, der) if der and not self.is_revoked(der) else None
        return None


def common_name(certificate: Mapping[str, Any] | None) -> str:
    """The common name of the certificate's subject.

    Empty where there is none, or more than one.
    """
    subject = cast("Iterable[Iterable[tuple[str, str]]]", (certificate or {}).get("subject", ()))
    names = [value for part in subject for kind, value in part if kind == "commonName"]
    return names[0] if len(names) == 1 else ""


HANDSHAKE_S: Final = 10.0
"""How long a client may take for its TLS handshake; asyncio itself would wait for a minute."""

GOODBYE_S: Final = 2.0
"""How long it may take to confirm a connection's end under TLS; asyncio itself would wait for half a minute."""

SHAKING_MAX: Final = 32
SHAKING_EACH: Final = 8
"""Handshakes under way, of all together and of one origin. All of them may go on in one turn of the loop."""

RETRY_S: Final = 1.0
"""What no connection can be taken for, such as too many open files, may be over after that time."""


@dataclass(slots=True)
class Door:
    """Takes connections at a socket that listens.

    Where as many handshakes are under way as may be, the longest of whoever has most of them under way gives way to
    the new one: of other machines first. So nobody who finishes their own in time is shut out by those who don't.

    Args:
        make: a connection's protocol.
        came_in: called with a protocol whose connection is usable.
        context: what a handshake needs; None where there is none.
        handshake_s: how long it may take.
    """

    make: Callable[[], asyncio.Protocol]
    came_in: Callable[[Any], None]
    context: ssl.SSLContext | None = None
    handshake_s: float = HANDSHAKE_S
    _shaking: "dict[asyncio.Task[None], str]" = field(default_factory=dict["asyncio.Task[None]", str])

    async def keep(self, listener: socket.socket) -> None:
        """Takes connections until cancelled; then those under way are dropped."""
        async with asyncio.TaskGroup() as group:
            while True:
                await _knocked(listener)
                try:
                    connection, address = listener.accept()
                except (BlockingIOError, ConnectionError):  # it was over before it was taken
                    continue
                except OSError:
                    await asyncio.sleep(RETRY_S)
                    continue
                origin = origin_of(str(address[0]))
                if (leaving := self._first_to_leave(origin)) is not None:
                    del self._shaking[leaving]
                    leaving.cancel()
                task = group.create_task(self._let_in(connection))
                self._shaking[task] = origin
                task.add_done_callback(partial(self._ended, connection))

    def _first_to_leave(self, newest: str) -> "asyncio.Task[None] | None":
        """The handshake that gives way to a new one; None where there is room."""
        origins = Counter(self._shaking.values())
        if origins[newest] >= SHAKING_EACH:
            return next(task for task, origin in self._shaking.items() if origin == newest)
        if len(self._shaking) < SHAKING_MAX:
            return None
        return min(self._shaking, key=lambda task: (self._shaking[task] == HERE, -origins[self._shaking[task]]))

    def _ended(self, connection: socket.socket, task: "asyncio.Task[None]") -> None:
        self._shaking.pop(task, None)
        if task.cancelled():  # perhaps before it began
            connection.close()

    async def _let_in(self, connection: socket.socket) -> None:
        """Makes a connection usable; one that doesn't come so far is closed."""
        times = {"ssl_handshake_timeout": self.handshake_s, "ssl_shutdown_timeout": GOODBYE_S} if self.context else {}
        with suppress(OSError):
            _, protocol = await asyncio.get_running_loop().connect_accepted_socket(
                self.make, connection, ssl=self.context, **times
            )
            self.came_in(protocol)


async def _knocked(listener: socket.socket) -> None:
    """Wait for a connection.

    It isn't accepted here: a connection that a cancelled wait has accepted would be lost.
    """
    loop, knock = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(listener, knock.set)
    try:
        await knock.wait()
    finally:
        loop.remove_reader(listener)
