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
    """

    about: str
    fields: Mapping[str, Schema]
    required: tuple[str, ...]
    example: Mapping[str, Any]


_NULL: Final[Schema] = {"type": "null"}

VERBS: Final[Mapping[str, Verb]] = MappingProxyType({})
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
    error = {"code": {"type": "string", "minLength": 1}, "message": {"type": "string", "minLength": 1}}
    end = {
        "complete": {"const": True},
        "last": {"type": "string", "pattern": "^[0-9]{16}$"},
        "transaction": ref("Transaction"),
        "pruned": {**ref("Sequence")},
    }
    return {
        "answer.data": _object("What was asked for.", {"transaction": ref("Transaction"), "data": {"type": "object"}}),
        "answer.error": _object(
            "Why it isn't given; transaction is null where the request named none.",
            {
                "transaction": {"anyOf": [ref("Transaction"), _NULL]},
                "error": _object("A word for programs and a line for people.", error),
            },
        ),
        "replay.end": {
            **_object("All events that were asked for are with the broker.", end),
            "required": ["complete", "last", "transaction"],
        },
    }


def _object(about: str, fields: Mapping[str, Schema]) -> Form:
    return {"type": "object", "description": about, "properties": dict(fields), "required": list(fields)}
