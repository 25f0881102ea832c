"""Requests that a subscriber may make, and their answers."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from tablectl.lazy_dataclass import dataclass
from tablectl.mqtt.schema.models import Form
from tablectl.mqtt.schema.parts import SHARED, Schema, ref, words_of


@dataclass(frozen=True, slots=True)
class Verb:
    """A request.

    Args:
        about: what it asks for.
        fields: what its payload may have beside the transaction.
        required: those that it must have.
        example: a whole payload.
        answer: the name of the message with what was asked for; empty where only stored events come.
    """

    about: str
    fields: Mapping[str, Schema]
    required: tuple[str, ...]
    example: Mapping[str, Any]
    answer: str


_NULL: Final[Schema] = {"type": "null"}

_SEQUENCE_OR_NULL: Final[Schema] = {"anyOf": [{"type": "string", "pattern": "^[0-9]{1,16}$"}, _NULL]}
_AT: Final[Schema] = {
    "anyOf": [{"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|\+00:00)$"}, _NULL],
    "description": "A time in UTC, in place of sequence: the last event stored by then.",
}
_ROUNDS: Final[Schema] = {"type": "integer", "minimum": 1, "maximum": 50, "description": "10 where it isn't given."}
_NOTE: Final[Schema] = {"type": "string", "minLength": 1, "maxLength": 500, "description": "One line."}
_CODE: Final[Schema] = {"type": "integer", "minimum": 1, "maximum": 999}
_SEED: Final[Schema] = {"type": "string", "pattern": "^(([0-9a-f]{2}){16,64})?$"}
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
            answer="",
        ),
        "recall": Verb(
            "The last rounds that ended: a list, and their events as a replay. It is recorded who asked.",
            {"rounds": _ROUNDS},
            (),
            {"rounds": 3, "transaction": "x2"},
            answer="answer.recall",
        ),
        "status": Verb(
            "The whole table now: status, round, health and faults.",
            {},
            (),
            {"transaction": "x3"},
            answer="answer.status",
        ),
        "bookmark": Verb(
            "Marks an event, the last one stored by a time, or this moment, so that it is found again.",
            {"note": _NOTE, "sequence": _SEQUENCE_OR_NULL, "at": _AT},
            ("note",),
            {"note": "the bettor at place 1 disputes", "sequence": "0000000000001234", "transaction": "x4"},
            answer="answer.record",
        ),
        "acknowledge": Verb(
            "Acknowledges a fault in the asker's name, where their role may.",
            {"code": _CODE, "device": _DEVICE},
            ("code",),
            {"code": 801, "device": "", "transaction": "x5"},
            answer="answer.record",
        ),
        "prove": Verb(
            "The proof that a round's events are in the log.",
            {"round_id": ref("RoundId")},
            ("round_id",),
            {"round_id": "1c0ffee1-000012", "transaction": "x6"},
            answer="answer.proof",
        ),
        "verify": Verb(
            "Compares the installed program with its signed manifest; recorded. A seed makes it a challenge.",
            {"seed": _SEED},
            (),
            {"seed": "000102030405060708090a0b0c0d0e0f", "transaction": "x7"},
            answer="answer.verified",
        ),
    }
)
"""The requests by the last level of their topic."""

ERROR: Final = "answer.error"
REPLAY_END: Final = "replay.end"

_ENDED: Final[Schema] = {
    "round_id": ref("RoundId"),
    "end": words_of("settled", "void"),
    "from": ref("Sequence"),
    "to": ref("Sequence"),
}
_RECORD: Final[Schema] = {"type": "integer", "minimum": 1, "description": "Of the journal."}
_TABLE: Final[Mapping[str, Schema]] = {
    "status": ref("Status"),
    "round": ref("RoundState"),
    "health": ref("Health"),
    "faults": {"type": "array", "items": ref("StandingFault")},
}
_PROOF: Final[Mapping[str, Schema]] = {
    "form": {"const": "tablectl-proof/1"},
    "round": ref("RoundId"),
    "origin": {"type": "string"},
    "public_key": {"type": "string"},
    "checkpoint": ref("checkpoint"),
    "events": {"type": "array", "items": {"type": "object"}},
}

_VERIFIED: Final[Mapping[str, Schema]] = {
    "result": words_of("ok", "unsigned", "mismatch"),
    "version": {"type": "string"},
    "program": {"type": "string", "description": "SHA-256 of the manifest; empty for a checkout."},
    "files": {"type": "integer", "minimum": 0},
    "differing": {"type": "integer", "minimum": 0},
    "findings": {"type": "array", "items": {"type": "string"}, "description": "The first files that differ, and how."},
    "key": {"type": "string", "description": "SHA-256 of the release key; empty where nobody signed."},
    "response": {"type": "string", "description": "HMAC-SHA-256 under the seed; empty without one."},
}


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


def answer_names() -> tuple[str, ...]:
    """The names of the answers, without what ends a replay."""
    return (*dict.fromkeys(verb.answer for verb in VERBS.values() if verb.answer), ERROR)


def _answers() -> dict[str, Form]:
    ended = {"type": "array", "items": _object("A round that ended, and where its events stand.", _ENDED)}
    return {
        "answer.recall": _answer("The last rounds that ended, oldest first.", {"rounds": ended}),
        "answer.status": _answer("The table now.", _TABLE),
        "answer.record": _answer("It is done; this is its record.", {"record": _RECORD}),
        "answer.proof": _answer("The proof of a round, for tablectl verify.", _PROOF),
        "answer.verified": _answer("What the comparison showed; every file is read for it.", _VERIFIED),
        ERROR: _error(),
        REPLAY_END: _replay_end(),
    }


def _answer(about: str, data: Mapping[str, Schema]) -> Form:
    return _object(about, {"transaction": ref("Transaction"), "data": _object(about, data)})


def _error() -> Form:
    text: Schema = {"type": "string", "minLength": 1}
    error = _object("A word for programs and a line for people.", {"code": text, "message": text})
    field: Schema = {**text, "description": "The field of the request that is wrong, where it is one."}
    error = {**error, "properties": {**error["properties"], "field": field}}
    named = {"anyOf": [ref("Transaction"), _NULL]}
    about = "Why it isn't given; transaction is null where the request named none."
    return _object(about, {"transaction": named, "error": error})


def _replay_end() -> Form:
    fields: Mapping[str, Schema] = {
        "complete": {"const": True},
        "last": {"type": "string", "pattern": "^[0-9]{16}$"},
        "transaction": ref("Transaction"),
    }
    pruned = {**SHARED["Sequence"], "description": "Up to this number some events aren't stored any more."}
    form = _object("All events that were asked for are with the broker.", fields)
    return {**form, "properties": {**form["properties"], "pruned": pruned, "tree": _compact_range()}}


def _compact_range() -> Form:
    hashes = {"type": "array", "items": {"type": "string", "pattern": "^[A-Za-z0-9+/]{43}=$"}}
    size = {"type": "string", "pattern": "^[0-9]{16}$"}
    fields: Mapping[str, Schema] = {
        "size": {**size, "description": "That of pruned."},
        "peaks": {**hashes, "description": "The perfect subtrees over the first size events, from the left."},
        "old": {**size, "description": "The number before from."},
        "proof": {**hashes, "description": "That the first old events are the beginning of the first size ones."},
    }
    return _object("What stands in the log's tree for events that aren't stored any more.", fields)


def _object(about: str, fields: Mapping[str, Schema]) -> Form:
    return {"type": "object", "description": about, "properties": dict(fields), "required": list(fields)}
