"""What a subscriber may ask, and what is answered."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from tablectl.bus.schema.models import Form
from tablectl.bus.schema.parts import Schema, ref


@dataclass(frozen=True, slots=True)
class Verb:
    """A request.

    Args:
        about: what it asks for.
        fields: what its payload may have beside the transaction.
        required: those that it must have.
        example: a whole payload.
        reply: the channel of the answers.
    """

    about: str
    fields: Mapping[str, Schema]
    required: tuple[str, ...]
    example: Mapping[str, Any]
    reply: str = "answer"


_NULL: Final[Schema] = {"type": "null"}

_SEQUENCE_OR_NULL: Final[Schema] = {"anyOf": [{"type": "string", "pattern": "^[0-9]{1,16}$"}, _NULL]}
_ROUNDS: Final[Schema] = {"type": "integer", "minimum": 1, "maximum": 50, "description": "10 where it isn't given."}
_NOTE: Final[Schema] = {"type": "string", "minLength": 1, "maxLength": 500, "description": "One line."}
_CODE: Final[Schema] = {"type": "integer", "minimum": 1, "maximum": 999}
_DEVICE: Final[Schema] = {
    "type": "string",
    "pattern": "^[a-z0-9-]{0,32}$",
    "description": "Empty or absent for the table's own faults.",
}

VERBS: Final[Mapping[str, Verb]] = MappingProxyType(
    {
        "replay": Verb(
            "Stored events again, from one number to another; no from is the first, no to the last.",
            {"from": _SEQUENCE_OR_NULL, "to": _SEQUENCE_OR_NULL},
            (),
            {"from": "0000000000001234", "to": None, "transaction": "x1"},
            reply="replay",
        ),
        "recall": Verb(
            "The last rounds that ended: a list, and their events as a replay. It is recorded who asked.",
            {"rounds": _ROUNDS},
            (),
            {"rounds": 3, "transaction": "x2"},
        ),
        "status": Verb("The whole table now: status, round, health and faults.", {}, (), {"transaction": "x3"}),
        "bookmark": Verb(
            "Marks an event, or this moment, so that it is found again.",
            {"note": _NOTE, "sequence": _SEQUENCE_OR_NULL},
            ("note",),
            {"note": "the bettor at place 1 disputes", "sequence": "0000000000001234", "transaction": "x4"},
        ),
        "acknowledge": Verb(
            "Acknowledges a fault in the asker's name, where his role may.",
            {"code": _CODE, "device": _DEVICE},
            ("code",),
            {"code": 801, "device": "", "transaction": "x5"},
        ),
        "prove": Verb(
            "The proof that a round's events are in the log.",
            {"round_id": ref("RoundId")},
            ("round_id",),
            {"round_id": "1c0ffee1-000012", "transaction": "x6"},
        ),
    }
)
"""The requests by the last level of their topic."""


def request_name(verb: str) -> str:
    """The name of a request's message and schema."""
    return f"request.{verb}"


def request_schemas() -> dict[str, Form]:
    """The schemas of all requests and answers."""
    return {**{request_name(name): _request(verb) for name, verb in VERBS.items()}, **_answers()}


def _request(verb: Verb) -> Form:
    return {
        "type": "object",
        "description": verb.about,
        "properties": {"transaction": ref("Transaction"), **verb.fields},
        "required": ["transaction", *verb.required],
    }


def _answers() -> dict[str, Form]:
    code: Mapping[str, Schema] = {
        "code": {"type": "string", "minLength": 1},
        "message": {"type": "string", "minLength": 1},
    }
    error: Mapping[str, Schema] = {
        "transaction": {"anyOf": [ref("Transaction"), _NULL]},
        "error": _object("A word for programs and a line for people.", code),
    }
    end: Mapping[str, Schema] = {
        "complete": {"const": True},
        "last": {"type": "string", "pattern": "^[0-9]{16}$"},
        "transaction": ref("Transaction"),
        "pruned": ref("Sequence"),
    }
    return {
        "answer.data": _object("What was asked for.", {"transaction": ref("Transaction"), "data": {"type": "object"}}),
        "answer.error": _object("Why it isn't given; transaction is null where the request named none.", error),
        "replay.end": {
            **_object("All events that were asked for are with the broker.", end),
            "required": ["complete", "last", "transaction"],
        },
    }


def _object(about: str, fields: Mapping[str, Schema]) -> Form:
    return {"type": "object", "description": about, "properties": dict(fields), "required": list(fields)}
