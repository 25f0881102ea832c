"""Error answers of the API, in one form.

It states the error, its place in the request, and a remedy.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse

from tablectl.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One field that is wrong: its path, as `cards[0]`, and why."""

    where: str
    message: str


class ApiError(Exception):
    """A request that can't be answered as asked.

    Args:
        status: of HTTP.
        code: names the error for programs; one of `CODES`.
        message: what is wrong and what to do, for people.
        where: the part of the request that is meant.
        problems: every wrong field, where fields are wrong.
        retry_s: after how many seconds it is worth asking again.
    """

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        where: str,
        *,
        problems: Sequence[Problem] = (),
        retry_s: int | None = None,
    ) -> None:
        super().__init__(status, code, message, where)
        self.status = status
        self.code = code
        self.message = message
        self.where = where
        self.problems = tuple(problems)
        self.retry_s = retry_s


CODES: Final[Mapping[int, Mapping[str, str]]] = MappingProxyType(
    {
        401: {
            "not_signed_on": "No token, or one that has ended: sign on.",
            "wrong_pin": "The name or the PIN is wrong.",
        },
        403: {
            "role_may_not": "The person's role may not do this: another one has to sign on.",
            "second_needed": "This takes a second person: give `second` with name and PIN.",
            "second_wrong_pin": "The second person's name or PIN is wrong.",
            "foreign_host": "The Host header names another machine: use a name that the controller knows.",
            "foreign_origin": "A page of another origin asked.",
        },
        404: {
            "no_such_path": "Nothing has this path.",
            "no_such_verb": "No request has this name.",
            "no_such_round": "The journal has no round of this name.",
        },
        405: {"wrong_method": "The path knows other methods: see the header Allow."},
        408: {"too_slow": "The body took too long to arrive."},
        413: {"too_long": "The body is longer than any request."},
        415: {"not_json_type": "The body has to be JSON in UTF-8, and to say so."},
        422: {
            "not_json": "The body isn't JSON: line and column are named.",
            "wrong_fields": "Fields are missing, unknown or wrong: each is listed under `problems`.",
        },
        426: {"websocket_only": "The path speaks WebSocket."},
        429: {
            "locked_out": "Too many wrong PINs in a row: wait for Retry-After.",
            "crowded": "Too many sign on at once: wait for Retry-After.",
        },
        500: {"internal": "The daemon made a mistake: its log has the details."},
        503: {
            "table_stopped": "The table takes no more requests: it is closing, or can't write its journal.",
            "overloaded": "Too many requests at once: wait for Retry-After.",
        },
    }
)
"""Every error code by status, and what it means."""


def answer(error: ApiError) -> JSONResponse:
    """The error as an HTTP answer."""
    problems = [{"where": item.where, "message": item.message} for item in error.problems]
    body: dict[str, Any] = {"code": error.code, "message": error.message, "where": error.where}
    return JSONResponse(
        {"error": {**body, **({"problems": problems} if problems else {})}}, error.status, _headers(error)
    )


async def on_api_error(_request: Request, error: Exception) -> JSONResponse:
    """The answer to an error that an endpoint raised."""
    assert isinstance(error, ApiError)
    return answer(error)


async def on_http_error(request: Request, error: Exception) -> JSONResponse:
    """The answer where no path or no method fits."""
    assert isinstance(error, HTTPException)
    where = f"{request.method} {request.url.path[:100]}"
    if error.status_code == 405:
        allowed = (error.headers or {}).get("Allow", "")
        response = answer(ApiError(405, "wrong_method", f"this path knows {allowed} only", where))
    else:
        response = answer(ApiError(404, "no_such_path", "nothing has this path: see /v1/openapi.json", where))
    response.headers.update(error.headers or {})
    return response


async def on_table_stopped(request: Request, _error: Exception) -> JSONResponse:
    """Answer that the journal can't be written.

    Nothing was done, and nothing will be.
    """
    message = "the table takes no more requests; nothing was done. Ask again once the daemon has restarted"
    return answer(ApiError(503, "table_stopped", message, request.url.path, retry_s=5))


async def on_mistake(request: Request, _error: Exception) -> JSONResponse:
    """The answer to a mistake of the program, which the server logs."""
    message = "the daemon made a mistake: its log has the details. Ask again with the same request_id"
    return answer(ApiError(500, "internal", message, request.url.path))


def _headers(error: ApiError) -> dict[str, str]:
    headers = {"WWW-Authenticate": "Bearer"} if error.status == 401 else {}
    return headers if error.retry_s is None else {**headers, "Retry-After": str(error.retry_s)}
