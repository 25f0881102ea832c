"""Request filter before every route: host, origin, and number at a time; limits."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tablectl.console.errors import ApiError, answer
from tablectl.console.http.origins import LOOPBACK, Places, origin_in
from tablectl.lazy_dataclass import dataclass

REQUESTS_MAX: Final = 32

KEPT: Final = 8
"""Of these, for who asks at this machine: another one that asks slowly doesn't shut out the dealer."""

EACH: Final = 8
"""Of these, for any one other origin."""

OWN_SITE: Final = frozenset({"same-origin", "none"})
"""Who a browser says has asked: a page of ours, or the person themselves."""

HEADERS: Final = (
    ("Cache-Control", "no-store"),
    ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Permissions-Policy", "camera=(), geolocation=(), microphone=()"),
    ("Referrer-Policy", "no-referrer"),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
)
"""What every answer has, unless it says otherwise: it stays out of caches, frames and other sites' pages."""


_HEADERS: Final = tuple((name.lower().encode(), value.encode()) for name, value in HEADERS)

_HSTS: Final = (b"strict-transport-security", b"max-age=31536000")
"""Under TLS only, and never for this machine itself: a browser would ask all its ports by TLS from then on."""

LOOKED_AT: Final = frozenset(
    {
        b"host", b"origin", b"sec-fetch-site", b"transfer-encoding", b"content-length", b"authorization",
        b"content-type", b"content-encoding",
    }
)  # fmt: skip
"""Headers that are acted on here: each may come once, in ASCII, so that nobody before us reads another one."""

PORT_MAX: Final = 65535
_HOST: Final = re.compile(r"(?:(?P<name>[A-Za-z0-9._-]+)|\[(?P<address>[0-9A-Fa-f:.]+)\])(?::(?P<port>[0-9]{1,5}))?")


class Guard:
    """The application behind its guard.

    A page of another site can make a browser on this machine call the controller: by a name of its own that
    it points here (so the Host header has to be a known one), or across origins (so the Origin header, where
    a browser sends one, has to be this very address; and a browser that says which site asks may say no other
    one of the API). No foreign page can set the Authorization header, and a cookie changes nothing without that
    origin (`tokens`).

    Args:
        hosts: names and addresses under which the controller may be called, besides those of loopback and the
            address to which the connection came.
    """

    def __init__(self, app: ASGIApp, hosts: Sequence[str] = ()) -> None:
        self._app = app
        self._hosts = frozenset(name.lower() for name in (*LOOPBACK, *hosts))
        self._places = Places(REQUESTS_MAX, KEPT, EACH)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Lets the request through, or says why not."""
        said = _said(scope)
        if _is_twice(said):
            refused = PlainTextResponse("a header is given twice, or not in ASCII", 400, {"Connection": "close"})
            await refused(scope, receive, _marked(send, scope))
        elif _has_two_lengths(said):
            refused = PlainTextResponse("the body's length is said in two ways", 400, {"Connection": "close"})
            await refused(scope, receive, _marked(send, scope))
        elif (error := self._why_not(scope, said)) is not None:
            await answer(error)(scope, receive, _marked(send, scope))
        elif scope["type"] == "websocket":  # counted where it is served: it lasts
            await self._app(scope, receive, send)
        else:
            await self._let_in(scope, receive, send)

    async def _let_in(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, which takes a place unless it waits for its client.

        Those waits, to send or to read, are bounded with the connections (`waiting`): they keep nobody out, not even at
        this machine.
        """
        origin, marked, arrived = origin_in(scope), _marked(send, scope), False

        async def receiving() -> Message:
            nonlocal arrived
            if arrived:  # what comes now is the client's leaving, which an answer that is streamed looks out for
                return await receive()
            with self._places.left(origin):
                message = await receive()
            arrived = not message.get("more_body", False)
            return message

        async def sending(message: Message) -> None:
            with self._places.left(origin):
                await marked(message)

        with self._places.one(origin):
            await self._app(scope, receiving, sending)

    def _why_not(self, scope: Scope, said: Mapping[bytes, Sequence[str]]) -> ApiError | None:
        hosts = said.get(b"host", ())
        if len(hosts) != 1 or _name_in(hosts[0]) not in {*self._hosts, _own_address(scope)}:
            message = "call the controller by a name that it knows: localhost, or one of its configuration"
            return ApiError(403, "foreign_host", message, "header Host")
        scheme = "https" if scope["scheme"] in {"https", "wss"} else "http"
        if any(origin.lower() != f"{scheme}://{hosts[0]}".lower() for origin in said.get(b"origin", ())):
            return _foreign("header Origin")
        if scope["path"].startswith("/v1/") and said.get(b"sec-fetch-site", ("none",))[0] not in OWN_SITE:
            return _foreign("header Sec-Fetch-Site")
        if self._places.is_full(origin_in(scope)):
            return ApiError(503, "overloaded", "too many requests at once: ask again", "server", retry_s=1)
        return None


def _said(scope: Scope) -> Mapping[bytes, Sequence[str]]:
    """The values of the headers that are checked here.

    Each header may come more than once.
    """
    said: dict[bytes, list[str]] = {}
    headers: Iterable[tuple[bytes, bytes]] = scope["headers"]
    for name, value in headers:
        if name in LOOKED_AT:
            said.setdefault(name, []).append(value.decode("latin-1"))
    return said


def _is_twice(said: Mapping[bytes, Sequence[str]]) -> bool:
    """Return True if a header that is acted on isn't unambiguous.

    It is given more than once, or has letters that readers take differently.
    """
    return any(len(values) > 1 or not values[0].isascii() for values in said.values())


def _has_two_lengths(said: Mapping[bytes, Sequence[str]]) -> bool:
    """Return True if a request states its length in two ways.

    A proxy before this server might have believed the other one.
    """
    return b"transfer-encoding" in said and b"content-length" in said


def _own_address(scope: Scope) -> str:
    """The address of this machine to which the connection came.

    It isn't a name, so nobody can point it elsewhere.
    """
    host, _ = scope.get("server") or ("", 0)
    return str(host).lower().removeprefix("::ffff:")


@lru_cache(maxsize=64)
def _name_in(host: str) -> str | None:
    """The name in a Host header, without its port.

    None for any other form, such as one with a user in front.
    """
    found = _HOST.fullmatch(host)
    if found is None or int(found["port"] or 0) > PORT_MAX:
        return None
    return (found["name"] or found["address"]).lower()


def _foreign(where: str) -> ApiError:
    return ApiError(403, "foreign_origin", "pages of another origin may not ask: use the controller's own", where)


def _marked(send: Send, scope: Scope) -> Send:
    """Sends with the headers that every answer has."""
    own = (*_HEADERS, _HSTS) if scope["scheme"] in {"https", "wss"} and not _is_loopback(scope) else _HEADERS

    async def marked(message: Message) -> None:
        if message["type"] == "http.response.start":
            given: list[tuple[bytes, bytes]] = message["headers"]
            names = {name.lower() for name, _ in given}
            message["headers"] = [*given, *(header for header in own if header[0] not in names)]
        await send(message)

    return marked


def _is_loopback(scope: Scope) -> bool:
    """Return True if the request was addressed to a loopback name of the machine."""
    hosts = _said(scope).get(b"host", [""])
    return _name_in(hosts[0]) in LOOPBACK


@dataclass(frozen=True, slots=True)
class Limits:
    """How patient the API is. All in seconds, but `wrong_pins`.

    Args:
        idle_s: a session without a request ends after this.
        wrong_pins: wrong PINs in a row before a person is locked out.
        lockout_s: for how long they are.
        body_s: how long a body may take to arrive.
        heartbeat_s: how long an open screen hears nothing at most.
        send_s: how long an open screen may take to read what it was sent.
    """

    idle_s: float = 8 * 3600.0
    wrong_pins: int = 5
    lockout_s: float = 60.0
    body_s: float = 10.0
    heartbeat_s: float = 5.0
    send_s: float = 10.0
