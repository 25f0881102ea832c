"""The MQTT contract as an AsyncAPI 3 document.

Its schemas are made from the models that the messages are written from.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from tablectl.core.events import KINDS
from tablectl.mqtt.schema.channels import BINDING, Kind, channel_form, channels, operation_form, parameter_forms
from tablectl.mqtt.schema.envelope import envelopes, event_schemas, state_schema
from tablectl.mqtt.schema.models import Form, about, schemas_of
from tablectl.mqtt.schema.parts import SHARED, ref
from tablectl.mqtt.schema.requests import REPLAY_END, VERBS, answer_names, request_name, request_schemas
from tablectl.mqtt.schema.states import Board, DeviceStatus, Fairness, Health, RoundPhase, RoundState, Status, TableInfo

Examples = Mapping[str, Mapping[str, Any]]
"""Whole payloads of messages by the messages' names, as ``round.opened.v1`` and ``status.v1``."""

STATES: Final[Mapping[str, type]] = {
    "status": Status,
    "meta.info": TableInfo,
    "health": Health,
    "device.status": DeviceStatus,
    "round.state": RoundState,
    "round.phase": RoundPhase,
    "board": Board,
    "fairness": Fairness,
}
"""The models of the state topics' data, by type."""

RESTRICTED: Final = "card.read.v1"
"""The type of a card that is read while it lies face down."""

_CLOUDEVENT: Final = "application/cloudevents+json; charset=utf-8"
_ASYNCAPI: Final = "application/vnd.aai.asyncapi+json; version=3.0.0"
_ABOUT: Final = """What one gaming table publishes for surveillance, and what a subscriber may ask of it.

Every event and state is a CloudEvent in JSON, structured. Events carry a sequence of their log: from 1, one row for
all topics below event/, never reset; who has every number has every event. Events are never retained, states are,
and come again on every connection of the table. Inside v1 fields are only added: ignore those that you don't know.
With MQTT 3.1.1 everything is the same but user properties and response topics."""

_SIGNED_NOTE: Final = (
    r"^tablectl/[a-z0-9-]+/[a-z0-9-]+/[0-9a-z]+\n[0-9]+\n[A-Za-z0-9+/]+=*\n([^\n]+\n)*\n(— [^\n]+\n)+$"
)


def description(version: str, examples: Examples) -> dict[str, Any]:
    """The whole document.

    Args:
        version: of the software whose messages it describes.
    """
    topics = channels()
    return {
        "asyncapi": "3.0.0",
        "info": {"title": "Feed of a gaming table", "version": version, "description": _ABOUT},
        "defaultContentType": "application/json",
        "servers": {"broker": _server()},
        "channels": {channel.name: channel_form(channel) for channel in topics},
        "operations": {_operation(channel.kind, channel.name): operation_form(channel) for channel in topics},
        "components": {
            "schemas": _schemas(),
            "messages": dict(_messages(examples)),
            "parameters": parameter_forms(),
        },
    }


def _operation(kind: Kind, name: str) -> str:
    return f"{'take' if kind is Kind.REQUEST else 'publish'}{name[0].upper()}{name[1:]}"


def _server() -> Form:
    will = {"topic": "tablectl/v1/{site}/{table}/status", "qos": 1, "retain": True, "message": "status.v1, lost"}
    return {
        "host": "{host}",
        "protocol": "mqtt",
        "protocolVersion": "5",
        "description": "The floor's broker.",
        "variables": {"host": {"description": "Name and port."}},
        "bindings": {"mqtt": {"lastWill": will, "bindingVersion": BINDING}},
    }


def _schemas() -> dict[str, Form]:
    states = {f"{kind}.v1": state_schema(kind, model) for kind, model in STATES.items()}
    parts = schemas_of(STATES.values())
    own = {RESTRICTED: _restricted(), "checkpoint": _checkpoint(), "asyncapi": _itself()}
    shared = {name: dict(form) for name, form in SHARED.items()}
    return {**shared, **envelopes(), **parts, **event_schemas(), **states, **request_schemas(), **own}


def _restricted() -> Form:
    data = {
        "type": "object",
        "properties": {
            "round_id": ref("RoundId"),
            "place": {"anyOf": [ref("Place"), {"type": "null"}]},
            "index": {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}]},
            "cards": {"type": "array", "items": ref("Card"), "minItems": 1, "maxItems": 1},
            "device": {"type": "string", "minLength": 1},
        },
        "required": ["place", "index", "cards", "device"],
    }
    kind = {
        "type": {"const": f"mo.tablectl.{RESTRICTED}"},
        "dataschema": {"const": f"urn:tablectl:v1:{RESTRICTED}"},
        "data": data,
    }
    return {"allOf": [ref("RestrictedEnvelope"), {"type": "object", "properties": kind}]}


def _checkpoint() -> Form:
    return {"type": "string", "pattern": _SIGNED_NOTE, "description": "A C2SP tlog-checkpoint, signed with Ed25519."}


def _itself() -> Form:
    fields = {"asyncapi": {"const": "3.0.0"}, "channels": {"type": "object"}}
    return {"type": "object", "properties": fields, "required": ["asyncapi", "channels"]}


def _messages(examples: Examples) -> Iterable[tuple[str, Form]]:
    for model, (_, kind) in KINDS.items():
        yield kind, _with_example(_cloudevent(kind, about(model), headers=_user_properties()), examples.get(kind))
    for kind, model in STATES.items():
        name = f"{kind}.v1"
        yield name, _with_example(_cloudevent(name, about(model)), examples.get(name))
    line = "A card as it was read, which may lie face down."
    yield RESTRICTED, _with_example(_cloudevent(RESTRICTED, line, headers=_user_properties()), examples.get(RESTRICTED))
    yield "asyncapi", _message("asyncapi", "This document.", _ASYNCAPI)
    yield "checkpoint", _message("checkpoint", "The signed head of the log.", "text/plain; charset=utf-8")
    for verb, form in VERBS.items():
        yield request_name(verb), _with_example(_request(verb, form.about), form.example)
    answers = request_schemas()
    for name in (*answer_names(), REPLAY_END):
        yield name, _message(name, answers[name]["description"], "application/json")


def _message(name: str, line: str, content_type: str) -> Form:
    return {"name": name, "summary": line, "contentType": content_type, "payload": ref(name)}


def _cloudevent(name: str, line: str, **more: Any) -> Form:
    bindings = {"mqtt": {"contentType": _CLOUDEVENT, "bindingVersion": BINDING}}
    return {**_message(name, line, _CLOUDEVENT), **more, "bindings": bindings}


def _request(verb: str, line: str) -> Form:
    topic = {"type": "string", "description": "Below answer/{user}/ or replay/{user}/ of this table; MQTT 5 only."}
    binding = {"responseTopic": topic, "bindingVersion": BINDING}
    return {**_message(request_name(verb), line, "application/json"), "bindings": {"mqtt": binding}}


def _user_properties() -> Form:
    fields = {"sequence": ref("Sequence"), "type": {"type": "string"}, "subject": ref("RoundId")}
    about = "User properties, MQTT 5 only: for subscribers that don't want to look into the payload."
    return {"type": "object", "description": about, "properties": fields, "required": ["sequence", "type"]}


def _with_example(message: Form, payload: Mapping[str, Any] | None) -> Form:
    return {**message, "examples": [{"payload": payload}]} if payload else message
