"""Proof of a round as a document.

It holds the round's events byte for byte, and what ties them to a signed checkpoint.
"""

import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from tablectl.lazy_dataclass import dataclass
from tablectl.proof.envelope import read_json
from tablectl.proof.note import KEY_BYTES, NoteError, from_base64
from tablectl.proof.tree import HASH_BYTES

FORM: Final = "tablectl-proof/1"
LONGEST: Final = 64 << 20
"""Bytes in a document. A round has some tens of events of a few kilobytes."""

_LONGEST_PATH: Final = 64


class DocumentError(ValueError):
    """Not a proof: what is wrong with it."""


@dataclass(frozen=True, slots=True)
class ProvedEvent:
    """An event and the proof that it is in the log.

    Args:
        inclusion: the hashes beside its way to the checkpoint's root.
    """

    sequence: int
    payload: bytes
    inclusion: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Continuation:
    """The proof that the log of the checkpoint continues the one of `size` events."""

    size: int
    hashes: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Proof:
    """One round, proved.

    Args:
        public: the log's public key, as its maker says; who checks compares it with one that came another way.
        checkpoint: the signed note.
        events: every event from the round's first to its end without a gap, then its corrections.
        continuation: from the kept checkpoint for which the proof was made.
        key_changes: the announcements of the log's keys, up to the one that signed the checkpoint or beyond.
    """

    round_id: str
    origin: str
    public: bytes
    checkpoint: str
    events: tuple[ProvedEvent, ...]
    continuation: Continuation | None = None
    key_changes: tuple[str, ...] = ()


def write_proof(proof: Proof) -> str:
    """The document."""
    form: dict[str, Any] = {
        "form": FORM,
        "round": proof.round_id,
        "origin": proof.origin,
        "public_key": _base64(proof.public),
        "checkpoint": proof.checkpoint,
        "events": [_event_form(event) for event in proof.events],
    }
    if proof.continuation:
        hashes = [_base64(each) for each in proof.continuation.hashes]
        form["continues"] = {"size": proof.continuation.size, "hashes": hashes}
    if proof.key_changes:
        form["key_changes"] = list(proof.key_changes)
    return json.dumps(form, ensure_ascii=False, indent=1) + "\n"


def read_proof(text: bytes) -> Proof:
    """The proof in a document; nothing of it is checked yet.

    Raises:
        DocumentError: it isn't one.
    """
    if len(text) > LONGEST:
        raise DocumentError("too long for the proof of a round")
    try:
        form = read_json(text)
    except ValueError:
        raise DocumentError("not JSON") from None
    top = _object(form, "the document")
    if top.get("form") != FORM:
        raise DocumentError(f"not a document of the form {FORM}")
    return Proof(
        _text(top, "round"),
        _text(top, "origin"),
        _bytes(top.get("public_key"), "public_key", KEY_BYTES),
        _text(top, "checkpoint"),
        tuple(_event(each, f"events[{nth}]") for nth, each in enumerate(_list(top.get("events"), "events"))),
        _continuation(top["continues"]) if "continues" in top else None,
        _key_changes(top.get("key_changes", [])),
    )


def _event_form(event: ProvedEvent) -> dict[str, Any]:
    try:
        payload = {"payload": event.payload.decode()}
    except UnicodeDecodeError:
        payload = {"payload_base64": _base64(event.payload)}
    return {"sequence": event.sequence, **payload, "inclusion": [_base64(each) for each in event.inclusion]}


def _event(form: Any, where: str) -> ProvedEvent:
    given = _object(form, where)
    return ProvedEvent(_number(given, "sequence", where), _payload(given, where), _path(given, "inclusion", where))


def _payload(form: Mapping[str, Any], where: str) -> bytes:
    try:
        if "payload_base64" in form:
            return from_base64(_text(form, "payload_base64", where))
        return _text(form, "payload", where).encode()
    except (NoteError, UnicodeEncodeError):
        raise DocumentError(f"{where}: the payload can't be read") from None


def _continuation(form: Any) -> Continuation:
    given = _object(form, "continues")
    return Continuation(_number(given, "size", "continues"), _path(given, "hashes", "continues"))


def _key_changes(value: Any) -> tuple[str, ...]:
    given = _list(value, "key_changes")
    if not all(isinstance(each, str) for each in given):
        raise DocumentError("key_changes isn't a list of texts")
    return tuple(given)


def _path(form: Mapping[str, Any], key: str, where: str) -> tuple[bytes, ...]:
    hashes = _list(form.get(key), f"{where}.{key}")
    if len(hashes) > _LONGEST_PATH:
        raise DocumentError(f"{where}.{key} is longer than any tree is high")
    return tuple(_bytes(each, f"{where}.{key}[{nth}]", HASH_BYTES) for nth, each in enumerate(hashes))


def _bytes(value: Any, where: str, size: int) -> bytes:
    try:
        raw = from_base64(value) if isinstance(value, str) else b""
    except NoteError:
        raw = b""
    if len(raw) != size:
        raise DocumentError(f"{where} isn't {size} bytes in Base64")
    return raw


def _number(form: Mapping[str, Any], key: str, where: str) -> int:
    value = form.get(key)
    if type(value) is not int or not 0 <= value < 1 << 63:
        raise DocumentError(f"{where}.{key} isn't a number from 0")
    return value


def _text(form: Mapping[str, Any], key: str, where: str = "the document") -> str:
    value = form.get(key)
    if not isinstance(value, str):
        raise DocumentError(f"{where} has no text {key}")
    return value


def _object(value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise DocumentError(f"{where} isn't a JSON object")
    return cast("Mapping[str, Any]", value)


def _list(value: Any, where: str) -> Sequence[Any]:
    if not isinstance(value, list):
        raise DocumentError(f"{where} isn't a list")
    return cast("Sequence[Any]", value)


def _base64(raw: bytes) -> str:
    return base64.b64encode(raw).decode("ascii")
