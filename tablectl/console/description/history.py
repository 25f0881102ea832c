"""OpenAPI description of the recorded history's routes."""

from collections.abc import Mapping
from typing import Any, Final

from tablectl.console.description.parts import EVERY_PATH, errors, for_those_signed_on, query
from tablectl.console.history_routes import FORMS, LONGEST_TEXT, MOST_EVENTS, MOST_ROUNDS, ROUND_ENDS

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


def _round() -> dict[str, Any]:
    asked = _asked("round", "A round explained from its first record to its last; recorded.", "Explanation")
    named = {"name": "round_id", "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
    return {**asked, "parameters": [named], "responses": {**asked["responses"], **errors(404)}}


_PERIOD: Final = (
    query("from", _TEXT, "When the period begins, in UTC, as `2026-11-20T08:00`; the beginning of the log, else."),
    query("to", _TEXT, "When it ends; the present, else."),
)

PATHS: Final[Mapping[str, Any]] = {
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
    "/v1/rounds/{round_id}": {"get": _round()},
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
    "/v1/export": {"get": _export(*_PERIOD)},
}
"""By path."""

_LINE: Final = _object(round_id=_STRING, game=_STRING, end=_STRING, first=_COUNT, last=_COUNT, result=_STRING)

ANSWERS: Final[Mapping[str, Any]] = {
    "Rounds": _object(rounds=_list(_LINE), more=_BOOLEAN),
    "Page": _object(events=_list({"type": "object"}), reached=_COUNT, more=_BOOLEAN),
    "Explanation": {
        **_object(round_id=_STRING, end=_STRING, steps=_list({"type": "object"}), missing=_list(_STRING)),
        "description": "Frames, facts, articles, messages, money and the clock's error, as `tablectl explain --json`.",
    },
    "Statistics": {"type": "object", "description": "Rounds, phases, results and faults, with ranges."},
}
"""By the name that the description gives them."""
