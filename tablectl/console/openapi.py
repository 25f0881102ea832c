"""The API's description in OpenAPI 3.1, made from the table of verbs and the forms of their bodies."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

from tablectl.console.bodies import BODY_MAX
from tablectl.console.errors import CODES
from tablectl.console.people import names_of
from tablectl.console.schemas import ANSWERS
from tablectl.console.verbs import VERBS, Verb

ABOUT: Final = """What the dealer's console asks of one gaming table.

Sign on with a PIN, read the state or follow it over the WebSocket, and send requests. A request names the
state that its screen showed (`round_id`, `seen`); made on a stale screen it is refused. Every request is
recorded, accepted or not. Sent again with the same `request_id` it gets the same answer and does
nothing more."""

_ROOT: Final = "#/components"
_EVERY_PATH: Final = (403, 405, 500, 503)
_NO_TOKEN: Final[Sequence[Mapping[str, Any]]] = []
_WITH_BODY: Final = (*_EVERY_PATH, 408, 413, 415, 422)
_EXAMPLE: Final[Mapping[str, Any]] = {"request_id": "screen1-17", "round_id": "a1b2c3d4-000012", "seen": 208}


@cache
def document() -> Mapping[str, Any]:
    """The whole description."""
    return {
        "openapi": "3.1.1",
        "info": {"title": "Console of a gaming table", "version": "1", "description": ABOUT},
        "security": [{"token": []}],
        "paths": {**_own_paths(), **_verb_paths()},
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer", "description": "See sign_on."}},
            "schemas": {**ANSWERS, **_form_schemas()},
            "responses": {f"Error{status}": _error(status) for status in CODES},
        },
    }


def example_of(verb: Verb) -> dict[str, Any]:
    """A whole body for this verb."""
    return {**_EXAMPLE, **verb.example}


def _verb_paths() -> Mapping[str, Any]:
    return {f"/v1/requests/{name}": _verb_path(name, verb) for name, verb in VERBS.items()}


def _verb_path(name: str, verb: Verb) -> Mapping[str, Any]:
    asked = {
        "operationId": name,
        "tags": ["requests"],
        "summary": verb.about,
        "description": f"For {names_of(verb.roles)}.",
        "requestBody": _body(verb.form.__name__, example_of(verb)),
        "responses": {
            "200": _json("Done, and recorded.", "Accepted"),
            "409": _json("Recorded, but the law or the house forbids it: nothing changed.", "Refused"),
            **_errors(401, *_WITH_BODY),
        },
    }
    return {"post": asked}


def _own_paths() -> Mapping[str, Any]:
    return {
        "/v1/health": {"get": _health()},
        "/v1/openapi.json": {"get": _open("openapi", "This document.", "Description")},
        "/v1/sign-on": {"post": _sign_on()},
        "/v1/sign-off": {"post": _signed_on("sign_off", "Ends the token's session.", "SignedOff")},
        "/v1/state": {"get": _signed_on("state", "The table now.", "State")},
        "/v1/live": {"get": _live()},
    }


def _open(name: str, summary: str, schema: str) -> dict[str, Any]:
    answers = {"200": _json("As asked.", schema), **_errors(*_EVERY_PATH)}
    return {"operationId": name, "summary": summary, "security": _NO_TOKEN, "responses": answers}


def _signed_on(name: str, summary: str, schema: str) -> dict[str, Any]:
    answers = {"200": _json("As asked.", schema), **_errors(401, *_EVERY_PATH)}
    return {"operationId": name, "summary": summary, "responses": answers}


def _health() -> Mapping[str, Any]:
    asked = _open("health", "Whether the daemon is well.", "Health")
    return {**asked, "responses": {**asked["responses"], "503": _json("Not well.", "HealthOrError")}}


def _sign_on() -> Mapping[str, Any]:
    return {
        "operationId": "sign_on",
        "summary": "A token for whoever has this PIN; recorded.",
        "security": _NO_TOKEN,
        "requestBody": _body("SignOn", {"person": "ana", "pin": "4711"}),
        "responses": {"200": _json("Signed on.", "SignedOn"), **_errors(401, 429, *_WITH_BODY)},
    }


def _live() -> Mapping[str, Any]:
    return {
        "operationId": "live",
        "summary": "A WebSocket with the state after every change.",
        "description": 'The first message is `{"token": "..."}`, unless the Authorization header has '
        "it. What comes is LiveMessage: the newest state after every change, and a heartbeat where nothing "
        "changes. Closed with 4401 for a token that isn't valid any more, with 4400 for an odd message.",
        "security": [{"token": []}, {}],
        "responses": {
            "101": {"description": "A WebSocket from here on."},
            **_errors(401, 403, 405, 426, 503),
        },
    }


def _body(schema: str, example: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"required": True, **_json(f"At most {BODY_MAX} bytes.", schema, example=dict(example))}


def _json(description: str, schema: str, **more: Any) -> dict[str, Any]:
    content = {"schema": {"$ref": f"{_ROOT}/schemas/{schema}"}, **more}
    return {"description": description, "content": {"application/json": content}}


def _errors(*statuses: int) -> Mapping[str, Any]:
    return {str(status): {"$ref": f"{_ROOT}/responses/Error{status}"} for status in sorted(statuses)}


def _error(status: int) -> Mapping[str, Any]:
    return _json("\n".join(f"`{code}`: {meaning}" for code, meaning in CODES[status].items()), "Error")


def _form_schemas() -> Mapping[str, Any]:
    schemas: dict[str, Any] = {}
    for verb in VERBS.values():
        schema = verb.form.model_json_schema(ref_template=_ROOT + "/schemas/{model}")
        schemas |= schema.pop("$defs", {})
        schemas[verb.form.__name__] = schema
    return schemas
