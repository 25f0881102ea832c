"""CloudEvents envelope of events and states, and the schema of each whole message."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final

from tablectl.core.events import KINDS, Event
from tablectl.core.events.round import BettingOver, Corrected, Settled
from tablectl.core.facts import ClockState
from tablectl.mqtt.schema.models import Form, schemas_of, values_of
from tablectl.mqtt.schema.parts import Schema, ref
from tablectl.mqtt.schema.settled import FORMS

TYPE_PREFIX: Final = "mo.tablectl."
DATA_SCHEMA: Final = "urn:tablectl:v1:"

_TEXT: Final[Schema] = {"type": "string", "minLength": 1}
_DIGITS: Final[Schema] = {"type": "string", "pattern": "^(0|[1-9][0-9]*)$"}

_COMMON: Final[Mapping[str, Schema]] = {
    "specversion": {"const": "1.0"},
    "source": {
        "type": "string",
        "pattern": "^/tablectl/[a-z0-9-]+/[a-z0-9-]+/[0-9a-z]+$",
        "description": "/tablectl/<site>/<table>/<log id>",
    },
    "type": _TEXT,
    "subject": ref("RoundId"),
    "time": ref("Instant"),
    "recordedtime": ref("Instant"),
    "datacontenttype": {"const": "application/json"},
    "dataschema": _TEXT,
    "correlationid": ref("RoundId"),
    "bootid": {**_TEXT, "description": "The machine's boot: monotonicns is comparable inside one."},
    "session": {**_TEXT, "description": "The daemon's start."},
    "monotonicns": {**_DIGITS, "description": "The machine's monotonic clock, nanoseconds."},
    "clockerrus": {**_DIGITS, "description": "Bound of the wall clock's error, microseconds; absent while unknown."},
    "clockstate": {"type": "string", "enum": values_of(ClockState)},
    "simulated": {"type": "boolean", "description": "Whether anything at the table is simulated."},
    "data": {"type": "object"},
}
_DATA_NAME_A_ROUND: Final[Schema] = {
    "properties": {"data": {"properties": {"round_id": {"type": "string"}}, "required": ["round_id"]}}
}
_NOTHING: Final[Schema] = {"type": "null"}
_MAY_LACK: Final = frozenset({"subject", "correlationid", "causationid", "clockerrus"})


def envelopes() -> dict[str, Form]:
    """The envelopes of events and of states."""
    event: dict[str, Schema] = {"id": ref("EventId"), "sequence": ref("Sequence"), "causationid": ref("EventId")}
    state: dict[str, Schema] = {
        "id": {"type": "string", "pattern": "^[0-9a-z]+-[1-9][0-9]*$", "description": "<session>-<counter>"}
    }
    aside: dict[str, Schema] = {
        "id": {"type": "string", "pattern": "^[0-9a-z]+-restricted-[0-9]{16}$"},
        "sequence": ref("Sequence"),
    }
    beside_it = _envelope("CloudEvents 1.0, structured, with a sequence of its own; no part of the log.", aside)
    in_log = _envelope("CloudEvents 1.0, structured, with the event's place in its log.", event)
    of_now = _envelope("CloudEvents 1.0, structured; a state has no sequence.", state)
    without_round = {"not": {"required": ["correlationid"]}}
    return {
        "EventEnvelope": {**in_log, **_if_of_a_round("correlationid"), "else": without_round},
        "RestrictedEnvelope": {**beside_it, **_if_of_a_round("correlationid"), "else": without_round},
        "StateEnvelope": {
            **of_now,
            **_if_of_a_round("subject", "correlationid"),
            "not": {"required": ["sequence"]},
        },
    }


def event_schemas() -> dict[str, Form]:
    """The schemas of all events.

    The whole messages have their types without prefix as names; their data is described by the models.
    """
    settled = schemas_of([model for models in FORMS.values() for model in models])
    found = schemas_of(KINDS)
    found |= {model.__name__: _with_round(found[model.__name__]) for model in KINDS}
    found[Settled.__name__] |= {"allOf": [_of_game(game, "settlement") for game in FORMS]}
    found[Corrected.__name__] |= {"allOf": [_by_hand(), *(_of_game(game, "result", _NOTHING) for game in FORMS)]}
    found[BettingOver.__name__]["properties"]["by"] = {
        "type": "string",
        "enum": ["dealer", "first_card", "spin", "throw"],
    }
    whole = {kind: _whole_event(model, kind) for model, (_, kind) in KINDS.items()}
    return {**settled, **found, **whole}


def state_schema(kind: str, model: type) -> Form:
    """The schema of a whole state message."""
    return _whole("StateEnvelope", f"{kind}.v1", model.__name__)


def _envelope(about: str, own: Mapping[str, Schema]) -> Form:
    known = {**_COMMON, **own}
    required = [name for name in known if name not in _MAY_LACK]
    return {"type": "object", "description": about, "properties": known, "required": required}


def _if_of_a_round(*named: str) -> Form:
    """Where the data name a round, the envelope does."""
    return {"if": _DATA_NAME_A_ROUND, "then": {"required": list(named)}}


def _with_round(form: Form) -> Form:
    """The data of an event as it is published.

    The round's id comes first, and is absent where there is no round.
    """
    given, required = form["properties"], form["required"]
    always = given.get("round_id") == ref("RoundId")
    named = {"round_id": ref("RoundId"), **{name: inner for name, inner in given.items() if name != "round_id"}}
    kept = [name for name in required if name != "round_id" or always]
    return {**form, "properties": named, "required": kept}


def _of_game(game: str, settlement: str, *others: Schema) -> Form:
    """The content of a round of this game, and of its settlement, which has this name.

    Args:
        others: what may stand in the place of both.
    """
    shapes: dict[str, Any] = dict(zip(("round", settlement), [ref(each.__name__) for each in FORMS[game]], strict=True))
    if others:
        shapes = {name: {"anyOf": [shape, *others]} for name, shape in shapes.items()}
    return {
        "if": {"properties": {"game": {"const": game}}, "required": ["game"]},
        "then": {"properties": shapes},
    }


def _by_hand() -> Form:
    """A correction of amounts alone says nothing of the round."""
    nothing = {"properties": {"round": _NOTHING, "result": _NOTHING}}
    return {"if": {"properties": {"game": _NOTHING}}, "then": nothing}


def _whole_event(model: type[Event], kind: str) -> Form:
    """The whole message of an event.

    An event that is about a round, not only falls into it, has the round as its subject.
    """
    form = _whole("EventEnvelope", kind, model.__name__)
    about_rounds = any(each.name == "round_id" for each in fields(model))
    return {"allOf": [*form["allOf"], _if_of_a_round("subject")]} if about_rounds else form


def _whole(envelope: str, kind: str, data: str) -> Form:
    own: dict[str, Any] = {
        "type": {"const": TYPE_PREFIX + kind},
        "dataschema": {"const": DATA_SCHEMA + kind},
        "data": ref(data),
    }
    return {"allOf": [ref(envelope), {"type": "object", "properties": own}]}
