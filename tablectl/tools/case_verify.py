"""`tablectl case verify`: whether a case's files are those that were written, and its events those of the log."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from tablectl.proof.checkpoint import Checkpoint, open_checkpoint
from tablectl.proof.document import DocumentError, read_proof
from tablectl.proof.judge import UnprovedError, judge, keys_of
from tablectl.proof.key_line import key_line
from tablectl.proof.note import NoteError, fingerprint, from_base64
from tablectl.proof.tree import includes, leaf_hash
from tablectl.tools.case import CHECKPOINT, EVENTS, FORM, HASHES, KEYS, MANIFEST, sha256
from tablectl.tools.journal_reader import UnreadableError
from tablectl.tools.prove_key import TrustedKey


class BrokenCaseError(Exception):
    """The case isn't what was written: which part and why, in one line."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What was seen of a case.

    Args:
        files: how many are as they were written.
        events: how many there are.
        proved: how many of them are in the log by its signed checkpoint.
        rounds: how many proofs of rounds hold.
        key: the fingerprint of the key that signed.
    """

    files: int
    events: int
    proved: int
    rounds: int
    key: str


def verify_case(folder: Path, trusted: TrustedKey | None) -> Checked:
    """Checks every file, every event and every proof of a case.

    Args:
        trusted: the log's key as it is known from elsewhere; None trusts the one in the folder.

    Raises:
        BrokenCaseError: something isn't what was written.
        UnreadableError: it can't be read.
    """
    files = _files(folder)
    keys = _keys(files, trusted)
    checkpoint = _checkpoint(files, keys)
    events = files[EVENTS].splitlines()
    proved = _included(files, events, checkpoint) if checkpoint else 0
    rounds = [name for name in files if name.startswith("proofs/")]
    for name in rounds:
        _judge(name, files[name], keys)
    return Checked(len(files), len(events), proved, len(rounds), fingerprint(keys[-1]))


def _files(folder: Path) -> Mapping[str, bytes]:
    """The files by name, each as the manifest says it has to be."""
    named = _manifest(folder)
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()} - {MANIFEST}
    if odd := sorted(there ^ set(named)):
        raise BrokenCaseError(f"{odd[0]}: {'is not in the manifest' if odd[0] in there else 'is missing'}")
    files = {name: _read(folder / name) for name in named}
    for name, data in files.items():
        if sha256(data) != named[name].get("sha256"):
            raise BrokenCaseError(f"{name}: was changed")
    if EVENTS not in files:
        raise BrokenCaseError(f"{EVENTS}: is missing")
    return files


def _manifest(folder: Path) -> Mapping[str, Mapping[str, Any]]:
    try:
        form = json.loads(_read(folder / MANIFEST))
        if form["case"] != FORM:
            raise BrokenCaseError(f"{MANIFEST}: this program reads form {FORM} of cases, not {form['case']}")
        named = cast("Mapping[str, Mapping[str, Any]]", form["files"])
        return {str(name): dict(about) for name, about in named.items()}
    except (ValueError, TypeError, KeyError, AttributeError):
        raise BrokenCaseError(f"{MANIFEST}: is no manifest of a case") from None


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UnreadableError(f"{path} can't be read: {error.strerror}") from None


def _keys(files: Mapping[str, bytes], trusted: TrustedKey | None) -> tuple[bytes, ...]:
    """The log's keys, the one that signs now last; the trusted one has to lead to it."""
    try:
        form = json.loads(files[KEYS])
        keys = key_line(_origin(files[EVENTS]), from_base64(form["public"]), tuple(map(str, form["changes"])))
    except (ValueError, KeyError, TypeError, NoteError):
        raise BrokenCaseError(f"{KEYS}: doesn't lead to the log's key") from None
    if trusted is not None and not any(map(trusted.is_of, keys)):
        raise BrokenCaseError(f"{KEYS}: the key that you trust isn't among them")
    return keys


def _origin(events: bytes) -> str:
    """The log's name in checkpoints, by the first event."""
    first = events.split(b"\n", 1)[0]
    return str(json.loads(first)["source"]).removeprefix("/") if first else ""


def _checkpoint(files: Mapping[str, bytes], keys: Sequence[bytes]) -> Checkpoint | None:
    if CHECKPOINT not in files:
        return None
    wrong = ""
    for public in reversed(keys):
        try:
            return open_checkpoint(files[CHECKPOINT].decode(), public)
        except (NoteError, ValueError) as error:
            wrong = wrong or str(error)
    raise BrokenCaseError(f"{CHECKPOINT}: {wrong}")


def _included(files: Mapping[str, bytes], events: list[bytes], checkpoint: Checkpoint) -> int:
    """How many events the checkpoint covers, each seen to be in the log."""
    try:
        form = json.loads(files[HASHES])
        paths = {int(number): [from_base64(node) for node in path] for number, path in form["paths"].items()}
        numbers = [int(json.loads(event)["sequence"]) for event in events]
    except (ValueError, TypeError, KeyError, AttributeError):
        raise BrokenCaseError(f"{HASHES}: can't be understood") from None
    covered = [(number, event) for number, event in zip(numbers, events, strict=True) if number <= checkpoint.size]
    for number, event in covered:
        if not includes(checkpoint.root, checkpoint.size, number - 1, leaf_hash(event), paths.get(number, ())):
            raise BrokenCaseError(f"{EVENTS}: event {number} isn't what the log has")
    return len(covered)


def _judge(name: str, document: bytes, keys: Sequence[bytes]) -> None:
    try:
        proof = read_proof(document)
        public = next((key for key in keys if key in keys_of(proof)), b"")
        judge(proof, public)
    except (DocumentError, UnprovedError) as error:
        raise BrokenCaseError(f"{name}: {error}") from None
