"""JSON schemas of answers, written by hand.

They are few, and the state of the view belongs to another package.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, Final

from tablectl.console.auth.people import Role
from tablectl.console.errors import CODES
from tablectl.console.requests.body import BODY_MAX
from tablectl.core.facts.table_requests import Material
from tablectl.core.faults import Authority, Severity

Schema = Mapping[str, Any]

_STRING: Final[Schema] = {"type": "string"}
_BOOLEAN: Final[Schema] = {"type": "boolean"}
_COUNT: Final[Schema] = {"type": "integer", "minimum": 0}
_STRING_OR_NULL: Final[Schema] = {"type": ["string", "null"]}
_SAYING: Final[Schema] = {"$ref": "#/components/schemas/Text"}
_RECORD: Final[Schema] = {**_COUNT, "description": "Its number in the journal."}


def _object(**fields: Schema) -> Schema:
    return {"type": "object", "properties": fields, "required": list(fields)}


def _list(of: Schema) -> Schema:
    return {"type": "array", "items": of}


def _one_of(names: type[StrEnum]) -> Schema:
    return {"type": "string", "enum": [item.value for item in names]}


_TEXT: Final = _object(en=_STRING, pt=_STRING, **{"zh-Hant": _STRING})

_ACCEPTED: Final = _object(accepted={"const": True}, record=_RECORD)

_REFUSED: Final[Schema] = {
    "type": "object",
    "properties": {
        "accepted": {"const": False},
        "record": {**_RECORD, "description": "Where it was recorded: not of a dry run."},
        "refused": {
            "type": "object",
            "properties": {
                "article": {**_STRING, "description": "As `6(2)`; `table` for the house's own limits."},
                "code": {**_STRING, "description": "Names the refusal for programs."},
                "text": _SAYING,
                "field": {**_STRING, "description": "The field that is meant, as `changes[0].to.card`."},
            },
            "required": ["article", "code", "text"],
        },
        "asks_again": {"type": "array", "description": "Of an amendment that is incomplete: the missing facts."},
    },
    "required": ["accepted", "refused"],
}

_PROBLEM: Final = _object(where=_STRING, message=_STRING)
_CODE: Final = {"type": "string", "enum": [code for codes in CODES.values() for code in codes]}

_ERROR: Final[Schema] = _object(
    error={
        "type": "object",
        "properties": {
            "code": _CODE,
            "message": {**_STRING, "description": "What is wrong, and what to do."},
            "where": {**_STRING, "description": "The part of the request that is meant."},
            "problems": {**_list(_PROBLEM), "description": "Every wrong field, where fields are wrong."},
        },
        "required": ["code", "message", "where"],
        "additionalProperties": False,
    }
)

_NAME: Final[Schema] = {**_STRING, "minLength": 1, "maxLength": 64}
_KEEP: Final[Schema] = {**_BOOLEAN, "default": False, "description": "Whether a browser keeps the token, as a cookie."}
_SIGN_ON: Final[Schema] = {
    "type": "object",
    "properties": {"person": _NAME, "pin": _NAME, "cookie": _KEEP},
    "required": ["person", "pin"],
    "additionalProperties": False,
}

_SESSION: Final = _object(
    person=_STRING,
    role=_one_of(Role),
    expires_s={**_COUNT, "description": "The session ends after so many seconds without a request."},
)

_SIGNED_ON: Final[Schema] = {
    **_SESSION,
    "properties": {**_SESSION["properties"], "token": {**_STRING, "description": "Absent where it is a cookie."}},
}

_PEOPLE: Final = _object(people=_list(_object(person=_STRING, role=_one_of(Role))))

_TEXTS: Final[Schema] = {"type": "object", "additionalProperties": _STRING}
_WORDS: Final = _object(en=_TEXTS, pt=_TEXTS, **{"zh-Hant": _TEXTS})

_FIELD: Final[Schema] = {
    "type": "object",
    "properties": {
        "name": _STRING,
        "type": {**_STRING, "description": "What a person enters: `place`, `seat`, `money`, `cards` and others."},
        "optional": _BOOLEAN,
        "choices": _list(_STRING),
    },
    "required": ["name", "type", "optional"],
}

_OFFERED: Final = _object(
    verb=_STRING,
    label=_SAYING,
    fields=_list(_FIELD),
    roles=_list(_one_of(Role)),
    second={**_BOOLEAN, "description": "Whether another person may have to agree."},
)

_LAYOUT: Final[Schema] = {
    **_object(verbs=_list(_OFFERED)),
    "description": "Places, bets, devices, languages and so on, as the game has them; nothing secret.",
}

_ACTION: Final[Schema] = {
    "type": "object",
    "properties": {
        "verb": _STRING,
        "fields": {"type": "object", "description": "Those that are settled."},
        "open": {**_list(_STRING), "description": "The fields that a person has to enter still."},
        "proposed": {"type": "object", "description": "Likely values of these, where there are any: to be confirmed."},
        "allowed": _BOOLEAN,
        "refused": {"type": "object", "description": "As in Refused, where it isn't allowed."},
    },
    "required": ["verb", "fields", "open", "allowed"],
}
_ACTIONS: Final = _object(seen=_COUNT, round_id=_STRING_OR_NULL, actions=_list(_ACTION))

_DISPLAY: Final = _object(
    type={"const": "display"},
    display={"type": "object", "description": "Round, last result, board and limits; no bettor is named."},
)

_RELEASE: Final[Schema] = {
    **_object(person={**_STRING, "minLength": 1, "maxLength": 64, "description": "Whose wrong PINs are forgotten."}),
    "additionalProperties": False,
}
_RELEASED: Final = _object(released=_STRING)
_SIGNED_OFF: Final = _object(signed_off={"const": True})

_HEALTH: Final = _object(
    status={**_STRING, "description": "`ok`, or in one word what is wrong."},
    health={"type": "object", "description": "In figures: clock, journal, queue, outbox and devices, as on MQTT."},
)

_DEVICE: Final = _object(name=_STRING, attached=_BOOLEAN, reason=_STRING, simulated=_BOOLEAN)

_FAULT: Final = _object(
    code=_COUNT,
    device=_STRING,
    severity=_one_of(Severity),
    text=_SAYING,
    present={**_BOOLEAN, "description": "Whether its cause is still there."},
    since={**_STRING, "description": "When it was first noticed, UTC."},
    acknowledged_by=_STRING_OR_NULL,
    clears={**_one_of(Authority), "description": "Who may acknowledge it; `auto`: nobody need to."},
)

_MATERIAL: Final = _object(
    kind=_one_of(Material),
    name=_STRING,
    since={**_STRING, "description": "When it was named, UTC."},
    by=_STRING,
    fit={**_BOOLEAN, "description": "Whether it may be played with."},
)

_STATE: Final = _object(
    table=_STRING,
    site=_STRING,
    game=_STRING,
    seen={**_COUNT, "description": "How many facts this state has taken in: goes into every request."},
    log=_STRING,
    session=_STRING,
    simulated={**_BOOLEAN, "description": "Whether anything at the table is a simulator."},
    round_id=_STRING_OR_NULL,
    phase=_STRING,
    waiting={**_SAYING, "description": "What the table waits for."},
    round={"type": "object", "description": "What everybody may see of the round, as the game has it."},
    devices=_list(_DEVICE),
    faults=_list(_FAULT),
    materials=_list(_MATERIAL),
    result={"type": ["object", "null"], "description": "What the last round that ended came to."},
)

_BUILD: Final[Schema] = {**_STRING, "description": "Names the pages' files: a page of another build is old."}
_LIVE_STATE: Final[Schema] = {
    "type": "object",
    "properties": {
        "type": {"const": "state"},
        "state": {"$ref": "#/components/schemas/State"},
        "actions": {**_list(_ACTION), "description": "As in Actions, for dealer and supervisor."},
        "build": _BUILD,
    },
    "required": ["type", "state", "build"],
}
_HEARTBEAT: Final = _object(type={"const": "heartbeat"})

_LIVE_EVENTS: Final = _object(
    type={"const": "events"}, events={**_list({"type": "object"}), "description": "As on MQTT, in order, without gaps."}
)
_LIVE_FEED: Final = _object(
    type={"const": "feed"},
    stored={**_COUNT, "description": "The last event's number."},
    published={**_COUNT, "description": "The last one that the broker has."},
    connected={**_BOOLEAN, "description": "Whether the broker is there."},
    checkpoint={**_COUNT, "description": "The last one under a published checkpoint."},
)

_LIVE: Final[Schema] = {"oneOf": [_LIVE_STATE, _LIVE_EVENTS, _LIVE_FEED, _HEARTBEAT]}
_SHOWN_LIVE: Final = _object(**_DISPLAY["properties"], build=_BUILD)
_LIVE_DISPLAY: Final[Schema] = {"oneOf": [_SHOWN_LIVE, _HEARTBEAT]}

_ASKED_AGAIN: Final = _list({"type": "object", "description": "record, verb, fields, article, code and text."})
_AMOUNTS: Final = {"type": ["array", "null"], "items": {"type": "object"}}
_OUTCOME: Final = _object(
    phase=_STRING,
    asks_again={**_ASKED_AGAIN, "description": "The facts that are to be asked for again."},
    nets={"type": "object", "description": "`before` and `after`, per bettor and house; null while it isn't known."},
    to_pay={**_AMOUNTS, "description": "What bettors get more; null while it isn't known."},
    to_take_back={**_AMOUNTS, "description": "What they give back; null while it isn't known."},
    needs_second={**_BOOLEAN, "description": "Whether the asker can't do it alone."},
)
_RECORDED: Final[Schema] = {
    "type": "object",
    "properties": {
        "record": _COUNT,
        "time": _STRING,
        "source": _STRING,
        "by": _STRING_OR_NULL,
        "verb": _STRING,
        "fields": {"type": "object", "description": "As recorded; no card that lies face down."},
        "amendable": _BOOLEAN,
        "amended_by": {"type": ["integer", "null"], "description": "The last amendment of it that stands."},
        "now": {"type": ["object", "null"], "description": "The fields that count, of an amended one."},
    },
    "required": ["record", "verb", "fields", "amendable", "amended_by"],
}
_RECORDS: Final = _object(round_id=_STRING, seen=_COUNT, records=_list(_RECORDED))

ANSWERS: Final[Mapping[str, Schema]] = {
    "Text": _TEXT,
    "Accepted": _ACCEPTED,
    "Refused": _REFUSED,
    "Outcome": _OUTCOME,
    "AcceptedOrOutcome": {"anyOf": [{"$ref": f"#/components/schemas/{name}"} for name in ("Accepted", "Outcome")]},
    "Records": _RECORDS,
    "Error": _ERROR,
    "SignOn": _SIGN_ON,
    "SignedOn": _SIGNED_ON,
    "SignedOff": _SIGNED_OFF,
    "Release": _RELEASE,
    "Released": _RELEASED,
    "Session": _SESSION,
    "People": _PEOPLE,
    "Words": _WORDS,
    "Layout": _LAYOUT,
    "Actions": _ACTIONS,
    "DisplayMessage": _DISPLAY,
    "LiveDisplayMessage": _LIVE_DISPLAY,
    "Health": _HEALTH,
    "HealthOrError": {"anyOf": [{"$ref": f"#/components/schemas/{name}"} for name in ("Health", "Error")]},
    "Description": {"type": "object", "description": "OpenAPI 3.1."},
    "State": _STATE,
    "LiveMessage": _LIVE,
}
"""By the name that the description gives them."""


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
