"""Bodies of requests: JSON within bounds and without ambiguity, as a checked form."""

import asyncio
import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Final, NoReturn, TypeVar

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails
from starlette.requests import ClientDisconnect, Request

from tablectl.console.errors import ApiError, Problem
from tablectl.console.requests.fields import WRITTEN
from tablectl.core.json_form import path_of

T = TypeVar("T")

_JSON_TYPE: Final = re.compile(r'application/json(?: ?; ?charset=(?:utf-8|"utf-8"))?', re.IGNORECASE | re.ASCII)

BODY_MAX: Final = 64 * 1024
"""Room for an amendment of 64 bets with the longest names, written with escapes."""
PROBLEMS_MAX: Final = 20

_PLAIN: Final[Mapping[str, str]] = {
    "missing": "this field is required",
    "missing_argument": "this field is required",
    "missing_keyword_only_argument": "this field is required",
    "unexpected_keyword_argument": "unknown field",
    "extra_forbidden": "unknown field",
    "dataclass_type": "an object is expected",
    "model_type": "an object is expected",
    "string_type": "text is expected",
    "int_type": "a whole number is expected",
    "bool_type": "true or false is expected",
    "tuple_type": "a list is expected",
    "string_pattern_mismatch": "not of the form that this field has: see /v1/openapi.json",
    "string_too_long": "at most {max_length} characters",
    "string_too_short": "not to be left empty",
    "enum": "one of {expected}",
    "literal_error": "one of {expected}",
    "too_long": "at most {max_length} entries",
    "too_short": "a list of at least {min_length}",
    "greater_than_equal": "at least {ge}",
    "less_than_equal": "at most {le}",
    "less_than": "less than {lt}",
}
_VISIBLE: Final = "text on one line, not empty, without characters that can't be seen"


async def read_form(request: Request, form: type[T], *, within_s: float) -> T:
    """The request's body as this form.

    Args:
        within_s: how long the body may take to arrive.

    Raises:
        ApiError: 408, 413, 415 or 422; says which part is wrong.
    """
    _check_type(request)
    try:
        async with asyncio.timeout(within_s):
            body = await _read(request)
    except (TimeoutError, ClientDisconnect):
        raise ApiError(408, "too_slow", f"the body has to arrive within {within_s:g} s", "body") from None
    return parse_form(body, form)


def parse_form(body: bytes, form: type[T]) -> T:
    """The body as this form.

    Raises:
        ApiError: 422; says where it isn't JSON, or lists the wrong fields.
    """
    _check_json(body)
    try:
        kind: type = form
        checked: T = _adapter(kind).validate_json(body)
    except ValidationError as error:
        details = _without_shortness(error.errors(include_url=False, include_input=False))
        raise _wrong_fields([_problem(detail) for detail in details[:PROBLEMS_MAX]]) from None
    return checked


def _without_shortness(details: Sequence[ErrorDetails]) -> list[ErrorDetails]:
    """The problems, without a list's shortness that its wrong entries make."""
    inside = {detail["loc"][:nth] for detail in details for nth in range(1, len(detail["loc"]))}
    return [detail for detail in details if detail["type"] != "too_short" or detail["loc"] not in inside]


@cache
def _adapter(form: type) -> TypeAdapter[Any]:
    return TypeAdapter(form)


def _check_type(request: Request) -> None:
    if not _JSON_TYPE.fullmatch(request.headers.get("content-type", "")):
        message = "the body has to be JSON: send Content-Type: application/json"
        raise ApiError(415, "not_json_type", message, "header Content-Type")
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        raise ApiError(415, "not_json_type", "send the body uncompressed", "header Content-Encoding")


async def _read(request: Request) -> bytes:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > BODY_MAX:
            raise ApiError(413, "too_long", f"a body has at most {BODY_MAX} bytes", "body")
    return bytes(body)


def _check_json(body: bytes) -> None:
    """Refuses what isn't JSON, or is ambiguous: a field given twice.

    Numbers stay text, since one of thousands of digits takes long to convert.
    """
    try:
        _DECODER.decode(body.decode())
    except UnicodeDecodeError as error:
        raise _not_json("not UTF-8", f"body byte {error.start + 1}") from None
    except json.JSONDecodeError as error:
        what = error.msg if body.strip() else "the body is empty"
        raise _not_json(what, f"body line {error.lineno} column {error.colno}") from None
    except RecursionError:
        raise _not_json("nested too deeply", "body") from None


def _not_json(message: str, where: str) -> ApiError:
    return ApiError(422, "not_json", f"not JSON: {message}", where)


def _wrong_fields(problems: Sequence[Problem]) -> ApiError:
    what = "; ".join(f"{item.where}: {item.message}" for item in problems)
    return ApiError(422, "wrong_fields", what, "body", problems=problems)


def _no_field_twice(pairs: list[tuple[str, object]]) -> None:
    names: set[str] = set()
    for name, _ in pairs:
        if name in names:
            raise _wrong_fields([Problem(path_of(name), "this field is given more than once")])
        names.add(name)


def _no_constant(name: str) -> NoReturn:
    raise _not_json(f"{name} isn't a number", "body")


_AS_TEXT: Final[Callable[[str], Any]] = str
_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_no_field_twice, parse_int=_AS_TEXT, parse_float=_AS_TEXT, parse_constant=_no_constant
)


def _problem(detail: ErrorDetails) -> Problem:
    about = detail.get("ctx", {})
    if "error" in about:
        message = str(about["error"])
    elif about.get("pattern") in WRITTEN:
        message = _VISIBLE
    else:
        message = _PLAIN.get(detail["type"], detail["msg"]).format_map(about)
    return Problem(problem_path(detail["loc"]), message)


def problem_path(loc: tuple[int | str, ...]) -> str:
    """A place in the body, as `cards[0]`; the body itself where no field is meant."""
    path = ""
    for part in loc:
        step = f"[{part}]" if isinstance(part, int) else path_of(part)
        path += step if not path or step.startswith("[") else f".{step}"
    return path or "body"
