"""Verification of an incident case.

Its files are verified by its manifest, its events and rounds by the log's key.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, cast

from tablectl.core.amending.counted_round import OPENED
from tablectl.edited_files import open_regular
from tablectl.features.case.case import (
    CHECKPOINT,
    EVENTS,
    FORM,
    HASHES,
    KEYS,
    MANIFEST,
    MOST_BYTES,
    SIGNATURE,
    is_proved,
    sha256,
    statement,
)
from tablectl.journal.reading.rows import UnreadableError
from tablectl.journal.reading.trusted_keys import TrustedKey
from tablectl.lazy_dataclass import dataclass
from tablectl.proof.checkpoint import Checkpoint, open_checkpoint
from tablectl.proof.cosignature import Policy
from tablectl.proof.document import DocumentError, Proof, read_proof
from tablectl.proof.envelope import Envelope, read_envelope, read_json
from tablectl.proof.judge import UnprovedError, judge, keys_of
from tablectl.proof.key_line import key_line
from tablectl.proof.note import NoteError, check_note, fingerprint, from_base64, read_note
from tablectl.proof.tree import includes, leaf_hash

PROOFS: Final = "proofs/"
ROUND_KINDS: Final = ("round.", "bet.", "card.", "draw.", "wheel.", "dice.")
"""What happens in rounds; faults and notes name the open round too, and need no proof of their own."""


class BrokenCaseError(Exception):
    """The case isn't what was written: which part and why, in one line."""


@dataclass(frozen=True, slots=True)
class Checked:
    """Result of a check.

    Args:
        files: how many are as they were written.
        events: how many there are.
        proved: how many of them are in the log by its signed checkpoint.
        rounds: how many proofs of rounds hold.
        key: the fingerprint of the key that signed.
        unproved: files that only the signature under the manifest vouches for, not the log.
        whole: whether a trusted key verifies every part.
        cosigners: witnesses of the policy that cosigned the checkpoint over it all.
    """

    files: int
    events: int
    proved: int
    rounds: int
    key: str
    unproved: tuple[str, ...]
    whole: bool
    cosigners: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Case:
    """A case as it was read: the manifest's bytes, what it says, and every other file."""

    manifest: bytes
    about: Mapping[str, Any]
    files: Mapping[str, bytes]
    signature: str


def verify_case(folder: Path, trusted: TrustedKey | None, policy: Policy | None = None) -> Checked:
    """Check every file, every event and every proof of a case.

    Args:
        trusted: the log's key as it is known from elsewhere. With it nothing may be missing: the manifest is signed,
            a checkpoint covers every event, no event between the first and the last is left out, and each round has
            its own proof. None looks only whether the parts fit together.
        policy: with a key: the witnesses that have to have cosigned the checkpoint by which all is proved.

    Raises:
        BrokenCaseError: something isn't what was written, or a trusted key doesn't verify it.
        UnreadableError: it can't be read.
    """
    case = _read_case(folder)
    events = case.files[EVENTS].splitlines()
    envelopes = [_envelope(line, nth) for nth, line in enumerate(events, 1)]
    keys = _keys(case.files, _origin(case, envelopes), trusted)
    checkpoint = _checkpoint(case, keys, needed=trusted is not None)
    proved = _included(case.files, events, envelopes, checkpoint) if checkpoint else 0
    cosigners = _cosigners(case, policy) if policy is not None else ()
    kept = case.files[CHECKPOINT].decode() if policy is not None else None
    rounds = {name: _judged(name, case.files[name], keys, kept) for name in case.files if name.startswith(PROOFS)}
    if trusted is not None:
        _check_signature(case, keys)
        _check_complete(case, envelopes, proved, rounds)
    unproved = tuple(sorted(name for name in case.files if not is_proved(name)))
    sizes = len(case.files), len(events), proved, len(rounds)
    return Checked(*sizes, fingerprint(keys[-1]), unproved, trusted is not None, cosigners)


def _read_case(folder: Path) -> _Case:
    """The case; each file is what the manifest says, and nothing else lies there."""
    manifest = _read(folder / MANIFEST)
    about, named = _manifest(manifest)
    paths = [path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir()]
    there = {path.relative_to(folder).as_posix() for path in paths}
    if linked := sorted(path.relative_to(folder).as_posix() for path in paths if path.is_symlink()):
        raise BrokenCaseError(f"{linked[0]}: is a link")
    if odd := sorted((there - {MANIFEST, SIGNATURE}) ^ set(named)):
        raise BrokenCaseError(f"{odd[0]}: {'is not in the manifest' if odd[0] in there else 'is missing'}")
    files, left = dict[str, bytes](), MOST_BYTES
    for name, digest in named.items():
        files[name] = _read(folder / name, left)
        left -= len(files[name])
        if sha256(files[name]) != digest:
            raise BrokenCaseError(f"{name}: was changed")
    for name in (EVENTS, KEYS):
        if name not in files:
            raise BrokenCaseError(f"{name}: is missing")
    signature = _read(folder / SIGNATURE) if SIGNATURE in there else b""
    return _Case(manifest, about, files, signature.decode("utf-8", "replace"))


def _manifest(text: bytes) -> tuple[Mapping[str, Any], Mapping[str, str]]:
    """Return the manifest, and the digest of each file by its name."""
    try:
        form = cast("Mapping[str, Any]", read_json(text))
        if form["case"] != FORM:
            raise BrokenCaseError(f"{MANIFEST}: this program reads form {FORM} of cases, not {form['case']}")
        named = cast("Mapping[str, Mapping[str, Any]]", form["files"])
        return form, {name: str(about["sha256"]) for name, about in named.items()}
    except (ValueError, TypeError, KeyError, AttributeError):
        raise BrokenCaseError(f"{MANIFEST}: is no manifest of a case") from None


def _read(path: Path, most: int = MOST_BYTES) -> bytes:
    """Read a file of a case, of which all files together have at most `MOST_BYTES`."""
    try:
        with open_regular(path) as file:
            if os.fstat(file.fileno()).st_size > most:
                raise BrokenCaseError(f"{path.name}: no case has more than {MOST_BYTES >> 20} MiB")
            return file.read(most)
    except OSError as error:
        raise UnreadableError(f"{path} can't be read: {error.strerror}") from None
    except ValueError:  # a name that no file can have
        raise UnreadableError(f"{path} can't be read: not a file's name") from None


def _envelope(line: bytes, nth: int) -> Envelope:
    try:
        return read_envelope(line)
    except ValueError:
        raise BrokenCaseError(f"{EVENTS}: line {nth} is no event") from None


def _origin(case: _Case, envelopes: Sequence[Envelope]) -> str:
    """Return the log's name in checkpoints.

    Every event has to be of this log, under the number that it says.
    """
    origin = str(case.about.get("origin"))
    log_id = origin.rpartition("/")[2]
    for each in envelopes:
        if (each.origin, each.id) != (origin, f"{log_id}-{each.sequence:016d}"):
            raise BrokenCaseError(f"{EVENTS}: event {each.sequence} names another number or another log")
    return origin


def _keys(files: Mapping[str, bytes], origin: str, trusted: TrustedKey | None) -> tuple[bytes, ...]:
    """The log's keys, the one that signs now last; the trusted one has to lead to it."""
    try:
        form = read_json(files[KEYS])
        keys = key_line(origin, from_base64(form["public"]), tuple(map(str, form["changes"])))
    except (ValueError, KeyError, TypeError, NoteError):
        raise BrokenCaseError(f"{KEYS}: doesn't lead to the log's key") from None
    if trusted is None:
        return keys
    first = next((nth for nth, key in enumerate(keys) if trusted.is_of(key)), None)
    if first is None:
        raise BrokenCaseError(f"{KEYS}: the key that you trust isn't among them")
    return keys


def _checkpoint(case: _Case, keys: Sequence[bytes], *, needed: bool) -> Checkpoint | None:
    if CHECKPOINT not in case.files:
        if needed:
            raise BrokenCaseError(f"{CHECKPOINT}: is missing: without it nothing proves the events")
        return None
    wrong = ""
    for public in reversed(keys):
        try:
            checkpoint = open_checkpoint(case.files[CHECKPOINT].decode(), public)
        except (NoteError, ValueError) as error:
            wrong = wrong or str(error)
            continue
        if checkpoint.origin != case.about.get("origin"):
            raise BrokenCaseError(f"{CHECKPOINT}: is of another log, {checkpoint.origin}")
        return checkpoint
    raise BrokenCaseError(f"{CHECKPOINT}: {wrong}")


def _cosigners(case: _Case, policy: Policy) -> tuple[str, ...]:
    """The witnesses that cosigned the checkpoint: enough of them."""
    try:
        found = policy.cosigners(read_note(case.files[CHECKPOINT].decode()))
    except NoteError as error:
        raise BrokenCaseError(f"{CHECKPOINT}: {error}") from None
    if not policy.holds(found):
        raise BrokenCaseError(f"{CHECKPOINT}: cosigned by {', '.join(found) or 'none of them'}: not enough")
    return tuple(found)


def _included(
    files: Mapping[str, bytes], events: Sequence[bytes], envelopes: Sequence[Envelope], checkpoint: Checkpoint
) -> int:
    """How many events the checkpoint covers, each seen to be in the log."""
    try:
        form = read_json(files[HASHES])
        paths = {int(number): [from_base64(node) for node in path] for number, path in form["paths"].items()}
    except (ValueError, TypeError, KeyError, AttributeError):
        raise BrokenCaseError(f"{HASHES}: can't be understood") from None
    covered = [(each.sequence, line) for each, line in zip(envelopes, events, strict=True)]
    covered = [(number, line) for number, line in covered if number <= checkpoint.size]
    for number, line in covered:
        if not includes(checkpoint.root, checkpoint.size, number - 1, leaf_hash(line), paths.get(number, ())):
            raise BrokenCaseError(f"{EVENTS}: event {number} isn't what the log has")
    return len(covered)


def _judged(name: str, document: bytes, keys: Sequence[bytes], kept: str | None) -> Proof:
    """The proof of a round, which has to be of the round that the file is named after.

    Args:
        kept: a cosigned checkpoint under which the round has to lie.
    """
    try:
        proof = read_proof(document)
        public = next((key for key in keys if key in keys_of(proof)), b"")
        proved = judge(proof, public, kept)
    except (DocumentError, UnprovedError) as error:
        raise BrokenCaseError(f"{name}: {error}") from None
    if name != f"{PROOFS}{proof.round_id}.json":
        raise BrokenCaseError(f"{name}: is the proof of round {proof.round_id}")
    if proved.kept is not None and proved.kept < proved.last.sequence:
        last = proved.last.sequence
        raise BrokenCaseError(f"{name}: they cosigned {proved.kept} events, and the round ends at {last}")
    return proof


def _check_signature(case: _Case, keys: Sequence[bytes]) -> None:
    origin = str(case.about.get("origin"))
    if not case.signature:
        raise BrokenCaseError(f"{SIGNATURE}: is missing: the case isn't signed, make it as the daemon's user")
    try:
        note = read_note(case.signature)
        check_note(note, origin, keys[-1])
    except (NoteError, ValueError) as error:
        raise BrokenCaseError(f"{SIGNATURE}: {error}") from None
    if note.text != statement(origin, case.manifest):
        raise BrokenCaseError(f"{MANIFEST}: isn't the one that was signed")


def _check_complete(case: _Case, envelopes: Sequence[Envelope], proved: int, rounds: Mapping[str, Proof]) -> None:
    """Check that no event is left out or unproved.

    Each round has to have its proof with these very events.
    """
    numbers = [each.sequence for each in envelopes]
    if [*numbers[:1], *numbers[-1:]] != case.about.get("events"):
        raise BrokenCaseError(f"{EVENTS}: doesn't begin and end where the manifest says")
    for expected, number in enumerate(numbers, numbers[0] if numbers else 0):
        if number != expected:
            raise BrokenCaseError(f"{EVENTS}: event {expected} is missing")
    if proved < len(envelopes):
        raise BrokenCaseError(f"{CHECKPOINT}: doesn't cover event {numbers[proved]}")
    origin = case.about.get("origin")
    for each in envelopes:
        name = f"{PROOFS}{each.round_id}.json"
        if not each.round_id or not each.kind.startswith(ROUND_KINDS):
            continue
        if name not in rounds:
            raise BrokenCaseError(f"{name}: is missing: event {each.sequence} is of this round")
        if each.kind == OPENED and each.sequence not in {event.sequence for event in rounds[name].events}:
            raise BrokenCaseError(f"{name}: lacks event {each.sequence}")
    for name, proof in rounds.items():
        if proof.origin != origin:
            raise BrokenCaseError(f"{name}: is of another log, {proof.origin}")
