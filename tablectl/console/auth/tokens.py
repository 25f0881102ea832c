"""Transport of a session's token: Authorization header or cookie.

A program sets the header. Only the controller's own pages may use the cookie.
"""

import re
from typing import Final

from starlette.requests import HTTPConnection
from starlette.responses import Response

from tablectl.console.errors import ApiError

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
