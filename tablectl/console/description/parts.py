"""Parts that the OpenAPI description is put together from."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from tablectl.console.errors import CODES
from tablectl.console.requests.body import BODY_MAX

ROOT: Final = "#/components"
EVERY_PATH: Final = (403, 405, 500, 503)
"""The errors that any path can answer with."""

NO_TOKEN: Final[Sequence[Mapping[str, Any]]] = []


def for_everybody(name: str, summary: str, schema: str) -> dict[str, Any]:
    """A path that needs no sign-on."""
    answers = {"200": json_answer("As asked.", schema), **errors(*EVERY_PATH)}
    return {"operationId": name, "summary": summary, "security": NO_TOKEN, "responses": answers}


def for_those_signed_on(name: str, summary: str, schema: str) -> dict[str, Any]:
    """A path that needs one."""
    answers = {"200": json_answer("As asked.", schema), **errors(401, *EVERY_PATH)}
    return {"operationId": name, "summary": summary, "responses": answers}


def query(name: str, schema: Mapping[str, Any], description: str) -> Mapping[str, Any]:
    """A parameter in the address, which may be left out."""
    return {"name": name, "in": "query", "description": description, "schema": schema}


def body(schema: str, example: Mapping[str, Any]) -> Mapping[str, Any]:
    """The body of a request."""
    return {"required": True, **json_answer(f"At most {BODY_MAX} bytes.", schema, example=dict(example))}


def json_answer(description: str, schema: str, **more: Any) -> dict[str, Any]:
    """Something in JSON, of a schema among the components."""
    content = {"schema": {"$ref": f"{ROOT}/schemas/{schema}"}, **more}
    return {"description": description, "content": {"application/json": content}}


def errors(*statuses: int) -> Mapping[str, Any]:
    """The errors of these statuses."""
    return {str(status): {"$ref": f"{ROOT}/responses/Error{status}"} for status in sorted(set(statuses))}


def error(status: int) -> Mapping[str, Any]:
    """All that an error of this status can mean."""
    return json_answer("\n".join(f"`{code}`: {meaning}" for code, meaning in CODES[status].items()), "Error")
