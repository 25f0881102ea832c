"""OpenAPI 3.1 description of the API.

It is made from the table of requests and the forms of their bodies.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from tablectl.console.auth.people import FLOOR, names_of
from tablectl.console.errors import CODES
from tablectl.console.history_routes import FORMS, LONGEST_TEXT, MOST_EVENTS, MOST_ROUNDS, ROUND_ENDS
from tablectl.console.requests.table import VERBS
from tablectl.console.requests.verb import Verb
from tablectl.console.schemas import (
    ANSWERS,
    EVERY_PATH,
    NO_TOKEN,
    ROOT,
    body,
    error,
    errors,
    for_everybody,
    for_those_signed_on,
    json_answer,
    query,
)

ACTIONS: Final = "What may be asked now, and what is forbidden by which article; for dealer and supervisor."

ABOUT: Final = """What the dealer's console asks of one gaming table.

Sign on with a PIN, read the state or follow it over the WebSocket, and send requests. A request names the
state that its screen showed (`round_id`, `seen`); made on a stale screen it is refused. Every request is
recorded, accepted or not. Sent again with the same `request_id` it gets the same answer and does
nothing more."""

TOKEN: Final = {"type": "http", "scheme": "bearer", "description": "See sign_on."}
COOKIE: Final = {
    "type": "apiKey",
    "in": "cookie",
    "name": "tablectl-8080",
    "description": "For the controller's own pages: sign_on sets it where `cookie` is true; its name ends with the "
    "port. What isn't GET needs the page's own Origin beside it.",
}

_DRY_RUN: Final = query("dry_run", {"type": "boolean", "default": False}, "Only say what would follow.")
_WITH_BODY: Final = (*EVERY_PATH, 408, 413, 415, 422)
_EXAMPLE: Final[Mapping[str, Any]] = {"request_id": "screen1-17", "round_id": "a1b2c3d4-000012", "seen": 208}


@cache
def document() -> Mapping[str, Any]:
    """The whole description."""
    return {
        "openapi": "3.1.1",
        "info": {"title": "Console of a gaming table", "version": "1", "description": ABOUT},
        "security": [{"token": []}, {"cookie": []}],
        "paths": {**_own_paths(), **HISTORY_PATHS, **_verb_paths()},
        "components": {
            "securitySchemes": {"token": TOKEN, "cookie": COOKIE},
            "schemas": {**ANSWERS, **HISTORY_ANSWERS, **_form_schemas()},
            "responses": {f"Error{status}": error(status) for status in CODES},
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
        "parameters": [_DRY_RUN],
        "requestBody": body(verb.form.__name__, example_of(verb)),
        "responses": {
            "200": json_answer("Done, and recorded; or what would follow.", "AcceptedOrOutcome"),
            "409": json_answer("Recorded, but the law or the house forbids it: nothing changed.", "Refused"),
            **errors(401, *((429,) if verb.second else ()), *_WITH_BODY),
        },
    }
    return {"post": asked}


def _own_paths() -> Mapping[str, Any]:
    return {
        "/v1/health": {"get": _health()},
        "/v1/openapi.json": {"get": for_everybody("openapi", "This document.", "Description")},
        "/v1/sign-on": {"post": _sign_on()},
        "/v1/sign-off": {"post": for_those_signed_on("sign_off", "Ends the token's session.", "SignedOff")},
        "/v1/release": {"post": _release()},
        "/v1/session": {"get": for_those_signed_on("session", "Who is signed on, and for how long still.", "Session")},
        "/v1/people": {
            "get": for_everybody("people", "Who may sign on; nobody where the house doesn't say.", "People")
        },
        "/v1/words": {"get": _words()},
        "/v1/layout": {
            "get": for_everybody("layout", "What stands on the table as long as the daemon runs.", "Layout")
        },
        "/v1/rounds/{round_id}/records": {"get": _records()},
        "/v1/state": {"get": for_those_signed_on("state", "The table now.", "State")},
        "/v1/actions": {"get": for_those_signed_on("actions", ACTIONS, "Actions")},
        "/v1/live": {"get": _live()},
        "/v1/display": {"get": for_everybody("display", "What the players' display shows now.", "DisplayMessage")},
        "/v1/display/live": {"get": _live_display()},
    }


def _records() -> Mapping[str, Any]:
    asked = for_those_signed_on("records", "A round's facts, for whoever may put them right with `amend`.", "Records")
    named = {"name": "round_id", "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
    described = "For dealer and supervisor. A card that lies face down is not named."
    responses = {**asked["responses"], **errors(404)}
    return {**asked, "description": described, "parameters": [named], "responses": responses}


def _health() -> Mapping[str, Any]:
    asked = for_everybody("health", "Whether the daemon is well.", "Health")
    return {
        **asked,
        "responses": {
            **asked["responses"],
            "503": json_answer("The table has a problem; the body names it.", "HealthOrError"),
        },
    }


def _sign_on() -> Mapping[str, Any]:
    return {
        "operationId": "sign_on",
        "summary": "A token for whoever has this PIN; recorded.",
        "security": NO_TOKEN,
        "requestBody": body("SignOn", {"person": "ana", "pin": "4711"}),
        "responses": {"200": json_answer("Signed on.", "SignedOn"), **errors(401, 429, *_WITH_BODY)},
    }


def _release() -> Mapping[str, Any]:
    return {
        "operationId": "release",
        "summary": "Forgets the wrong PINs of another person, who may sign on again at once; noted in the log.",
        "description": f"For {names_of(FLOOR)}.",
        "requestBody": body("Release", {"person": "sam"}),
        "responses": {"200": json_answer("Released.", "Released"), **errors(401, *_WITH_BODY)},
    }


def _live() -> Mapping[str, Any]:
    return {
        "operationId": "live",
        "summary": "A WebSocket with the state after every change.",
        "description": 'The first message is `{"token": "..."}`, unless the Authorization header or the cookie has '
        "it. What comes is LiveMessage: the newest state after every change, and a heartbeat where "
        "nothing changes. With `?events=true`, for supervisor, technician and surveillance, also the events as they "
        "are stored, and how far they have come. Closed with 4401 for a token that isn't valid any more, with 4400 "
        "for an odd message.",
        "parameters": [
            query("events", {"type": "boolean"}, "Whether the events come as well."),
            query("after", {"type": "integer", "minimum": 0}, "The last event it has; the present, else."),
        ],
        "security": [{"token": []}, {}],
        "responses": {
            "101": {"description": "A WebSocket from here on."},
            **errors(401, 403, 405, 426, 503),
        },
    }


def _live_display() -> Mapping[str, Any]:
    return {
        "operationId": "live_display",
        "summary": "A WebSocket with what the players' display shows after every change.",
        "description": "What comes is LiveDisplayMessage. Nobody signs on; no bettor is named, and no card that lies "
        "face down.",
        "security": NO_TOKEN,
        "responses": {
            "101": {"description": "A WebSocket from here on."},
            **errors(403, 405, 426, 503),
        },
    }


def _words() -> Mapping[str, Any]:
    prefix = query("prefix", {"type": "string", "maxLength": 80}, "How the keys begin, as `page.`; all, else.")
    asked = for_everybody("words", "Texts for people in every language, their placeholders unfilled.", "Words")
    return {**asked, "parameters": [prefix], "responses": {**asked["responses"], **errors(422)}}


def _form_schemas() -> Mapping[str, Any]:
    schemas: dict[str, Any] = {}
    for verb in VERBS.values():
        schema = verb.form.model_json_schema(ref_template=ROOT + "/schemas/{model}")
        schemas |= schema.pop("$defs", {})
        schemas[verb.form.__name__] = schema
    return schemas


_FOR: Final = "For supervisor, technician and surveillance."
_STRING: Final = {"type": "string"}
_BOOLEAN: Final = {"type": "boolean"}
_COUNT: Final = {"type": "integer", "minimum": 0}
_TEXT: Final = {"type": "string", "maxLength": LONGEST_TEXT}
_EVENT: Final = {"type": "integer", "minimum": 0, "maximum": 10**16 - 1}


def _object(**fields: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"type": "object", "properties": fields, "required": list(fields)}


def _list(of: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"type": "array", "items": of}


def _page(most: int) -> Mapping[str, Any]:
    return query("limit", {"type": "integer", "minimum": 1, "maximum": most, "default": 50}, "How many at most.")


def _asked(name: str, summary: str, schema: str, *parameters: Mapping[str, Any]) -> dict[str, Any]:
    asked = for_those_signed_on(name, summary, schema)
    responses = {**asked["responses"], **(errors(422) if parameters else {})}
    return {**asked, "description": _FOR, "parameters": list(parameters), "responses": responses}


def _export(*period: Mapping[str, Any]) -> dict[str, Any]:
    form = query("format", {"type": "string", "enum": list(FORMS), "default": "jsonl"}, "The form of the file.")
    kinds = (kind.partition(";")[0] for kind in FORMS.values())
    file = {"description": "The file.", "content": {kind: {"schema": _STRING} for kind in kinds}}
    asked = _asked("export", "The events of a period as a file; that they were taken is recorded.", "Page", form)
    return {
        **asked,
        "parameters": [*period, form],
        "responses": {"200": file, **errors(401, 422, *EVERY_PATH)},
    }


def _round(name: str, summary: str, answer: str) -> dict[str, Any]:
    asked = _asked(name, summary, answer)
    named = {"name": "round_id", "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
    return {**asked, "parameters": [named], "responses": {**asked["responses"], **errors(404)}}


_PERIOD: Final = (
    query("from", _TEXT, "When the period begins, in UTC, as `2026-11-20T08:00`; the beginning of the log, else."),
    query("to", _TEXT, "When it ends; the present, else."),
)

HISTORY_PATHS: Final[Mapping[str, Any]] = {
    "/v1/rounds": {
        "get": _asked(
            "rounds",
            "Rounds, the newest first.",
            "Rounds",
            query("before", _EVENT, "Only rounds that begin before this event; the newest, else."),
            _page(MOST_ROUNDS),
            query("q", _TEXT, "Only rounds in whose messages this stands."),
            query("end", {"type": "string", "enum": list(ROUND_ENDS)}, "Only rounds that ended so."),
        )
    },
    "/v1/rounds/{round_id}": {
        "get": _round("round", "A round explained from its first record to its last; recorded.", "Explanation")
    },
    "/v1/rounds/{round_id}/replay": {
        "get": _round("replay", "What everybody saw of a round after each of its facts; recorded.", "Replay")
    },
    "/v1/events": {
        "get": _asked(
            "events",
            "Events as they are published, each with its words: the newest first, or from `after` on.",
            "Page",
            query("after", _EVENT, "Only events after this one, in order."),
            query("before", _EVENT, "Only events before this one, the newest first."),
            _page(MOST_EVENTS),
            query("type", _TEXT, "How their type begins, as `round.settled`."),
            query("round", _TEXT, "The round that they belong to."),
            query("text", _TEXT, "What stands in them."),
        )
    },
    "/v1/statistics": {
        "get": _asked("statistics", "What came in a period beside what was to be expected.", "Statistics", *_PERIOD)
    },
    "/v1/fairness": {"get": _asked("fairness", "The evidence of every stream, with its course.", "Fairness")},
    "/v1/export": {"get": _export(*_PERIOD)},
}
"""By path."""

_LINE: Final = _object(round_id=_STRING, game=_STRING, end=_STRING, first=_COUNT, last=_COUNT, result=_STRING)

HISTORY_ANSWERS: Final[Mapping[str, Any]] = {
    "Rounds": _object(rounds=_list(_LINE), more=_BOOLEAN),
    "Page": _object(events=_list({"type": "object"}), reached=_COUNT, more=_BOOLEAN),
    "Explanation": {
        **_object(round_id=_STRING, end=_STRING, steps=_list({"type": "object"}), missing=_list(_STRING)),
        "description": "Frames, facts, articles, messages, money and the clock's error, as `tablectl explain --json`.",
    },
    "Fairness": {
        **_object(sequence=_COUNT, streams=_list({"type": "object"})),
        "description": "As the state `fairness`; each stream also has `title`, `text` and the points of its `course`.",
    },
    "Replay": {
        **_object(round_id=_STRING, frames=_list({"type": "object"})),
        "description": "Frames of `record`, `time`, and what `/v1/state` has of a round: `phase`, `waiting`, `round`.",
    },
    "Statistics": {"type": "object", "description": "Rounds, phases, results and faults, with ranges."},
}
"""By the name that the description gives them."""
