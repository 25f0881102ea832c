"""Sessions of persons who are signed on: tokens, their expiry, their transport.

A program sets the Authorization header. Only the controller's own pages may use the cookie.
"""

import hashlib
import re
import secrets
from collections.abc import Callable
from dataclasses import field, replace
from typing import Final

from starlette.requests import HTTPConnection
from starlette.responses import Response

from tablectl.console.auth.people import Person
from tablectl.console.errors import ApiError
from tablectl.lazy_dataclass import dataclass

SCREENS_MAX: Final = 8
"""Sessions of one person; the next one ends the one that was idle longest."""

TOKEN_BYTES: Final = 32


@dataclass(frozen=True, slots=True)
class Session:
    """A person at one screen.

    `ends_s` is on the monotonic clock, and moves on with every request.

    Args:
        certificate: what it was begun with, DER; empty where that was a PIN.
    """

    person: Person
    ends_s: float
    certificate: bytes = b""


@dataclass(slots=True)
class Sessions:
    """The sessions by the hash of their token.

    With a hash as the key, the time of a look-up gives away nothing of a token.
    """

    idle_s: float
    _open: dict[bytes, Session] = field(default_factory=dict[bytes, Session])

    def begin(self, person: Person, now_s: float, certificate: bytes = b"") -> str:
        """A new session's token."""
        self._open = {key: session for key, session in self._open.items() if session.ends_s > now_s}
        self._make_room(person)
        token = secrets.token_urlsafe(TOKEN_BYTES)
        self._open[_key(token)] = Session(person, now_s + self.idle_s, certificate)
        return token

    def use(self, token: str, now_s: float) -> Person | None:
        """The person signed on with this token, whose session lasts the longer for it."""
        session = self.look(token, now_s)
        if session is None:
            return None
        self._open[_key(token)] = replace(session, ends_s=now_s + self.idle_s)
        return session.person

    def lasts(self, token: str, now_s: float) -> bool:
        """Return True if the token's session is still valid.

        The look-up doesn't prolong it.
        """
        return self.look(token, now_s) is not None

    def look(self, token: str, now_s: float) -> Session | None:
        """Look up the token's session; None once it has expired.

        The look-up doesn't prolong it.
        """
        session = self._open.get(_key(token))
        return session if session is not None and session.ends_s > now_s else None

    def end(self, token: str) -> None:
        """Ends the token's session."""
        self._open.pop(_key(token), None)

    def end_revoked(self, is_revoked: Callable[[bytes], bool]) -> None:
        """End the sessions that were begun with a certificate that is revoked now."""
        self._open = {
            key: each for key, each in self._open.items() if not (each.certificate and is_revoked(each.certificate))
        }

    def _make_room(self, person: Person) -> None:
        open_keys = [key for key, session in self._open.items() if session.person.name == person.name]
        if len(open_keys) >= SCREENS_MAX:
            del self._open[min(open_keys, key=lambda key: self._open[key].ends_s)]


def _key(token: str) -> bytes:
    return hashlib.sha256(token.encode(errors="replace")).digest()


SAFE: Final = frozenset({"GET", "HEAD"})
"""Methods that change nothing, so that a browser may send the cookie along unasked."""

COOKIE_PATH: Final = "/v1"

_BEARER: Final = re.compile(r"[Bb][Ee][Aa][Rr][Ee][Rr] ([A-Za-z0-9._~+/=-]{1,100})")
"""RFC 6750, section 2.1: one blank, and a token without any."""


def bearer(header: str) -> str | None:
    """The token in an Authorization header.

    None where there is no header; empty where it has no token.
    """
    if not header:
        return None
    found = _BEARER.fullmatch(header)
    return found[1] if found else ""


def token_of(connection: HTTPConnection) -> str:
    """The token that came with a request; empty where there is none.

    Raises:
        ApiError: 403, the cookie alone came with a request that any page could have made this browser send.
    """
    written = bearer(connection.headers.get("authorization", ""))
    if written is not None:
        return written
    if token := cookie_of(connection):
        _check_own_page(connection)
    return token


def cookie_of(connection: HTTPConnection) -> str:
    """The token in the cookie; empty where there is none."""
    return connection.cookies.get(_name(connection), "")


def keep_cookie(answer: Response, connection: HTTPConnection, token: str) -> None:
    """Has the browser keep the token where no script can read it, until it is closed."""
    _set_cookie(answer, connection, token, None)


def drop_cookie(answer: Response, connection: HTTPConnection) -> None:
    """Has the browser forget the token."""
    _set_cookie(answer, connection, "", 0)


def not_signed_on() -> ApiError:
    """The error of a request without a valid token."""
    message = "sign on with POST /v1/sign-on and send its token as `Authorization: Bearer <token>`, or its cookie"
    return ApiError(401, "not_signed_on", message, "header Authorization")


def _check_own_page(connection: HTTPConnection) -> None:
    """The guard has turned away every foreign Origin; here one has to be there at all."""
    asks = connection.scope["type"] == "http" and connection.scope["method"] in SAFE
    if not asks and "origin" not in connection.headers:
        message = "a cookie counts for the controller's own pages only, whose browser names their origin"
        raise ApiError(403, "foreign_origin", message, "header Origin")


def _name(connection: HTTPConnection) -> str:
    """The cookie's name, one for each port.

    Browsers give a machine's cookies to all its ports, and each table has its own.
    """
    server = connection.scope.get("server") or ("", 0)
    return f"tablectl-{server[1]}"


def _set_cookie(answer: Response, connection: HTTPConnection, token: str, lasts_s: int | None) -> None:
    encrypted = connection.scope["scheme"] in {"https", "wss"}
    answer.set_cookie(
        _name(connection), token, lasts_s, path=COOKIE_PATH, secure=encrypted, httponly=True, samesite="strict"
    )
