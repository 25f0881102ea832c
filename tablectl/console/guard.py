"""What every connection passes first: the right host, the right origin, not too many at once."""

from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tablectl.console.errors import ApiError, answer

LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")
REQUESTS_MAX: Final = 32


class Guard:
    """The application behind its guard.

    A page of another site can make a browser on this machine call the controller: by a name of its own that
    it points here (so the Host header has to be a known one), or across origins (so the Origin header, where
    a browser sends one, has to be this very address). Tokens travel in the Authorization header only, which
    no foreign page can set.

    Args:
        hosts: names and addresses under which the controller may be called, besides those of loopback.
    """

    def __init__(self, app: ASGIApp, hosts: Sequence[str] = ()) -> None:
        self._app = app
        self._hosts = frozenset(name.lower() for name in (*LOOPBACK, *hosts))
        self._inside = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Lets the request through, or says why not."""
        if (error := self._why_not(scope)) is not None:
            await answer(error)(scope, receive, _marked(send))
        elif scope["type"] == "websocket":  # counted where it is served: it lasts
            await self._app(scope, receive, send)
        else:
            await self._let_in(scope, receive, send)

    async def _let_in(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._inside += 1
        try:
            await self._app(scope, receive, _marked(send))
        finally:
            self._inside -= 1

    def _why_not(self, scope: Scope) -> ApiError | None:
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or _name_in(hosts[0]) not in self._hosts:
            message = "call the controller by a name that it knows: localhost, or one of its configuration"
            return ApiError(403, "foreign_host", message, "header Host")
        scheme = "https" if scope["scheme"] in {"https", "wss"} else "http"
        if any(origin.lower() != f"{scheme}://{hosts[0]}".lower() for origin in headers.getlist("origin")):
            message = "pages of another origin may not ask: use the controller's own"
            return ApiError(403, "foreign_origin", message, "header Origin")
        if self._inside >= REQUESTS_MAX:
            return ApiError(503, "overloaded", "too many requests at once: ask again", "server", retry_s=1)
        return None


def _name_in(host: str) -> str | None:
    """The name in a Host header, without its port; None where there is no sense in it."""
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None


def _marked(send: Send) -> Send:
    """Sends with headers that keep the answer out of caches and from being taken for a page."""

    async def marked(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.setdefault("Cache-Control", "no-store")
            headers.setdefault("X-Content-Type-Options", "nosniff")
        await send(message)

    return marked
