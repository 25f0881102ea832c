"""Verification of a round's proof, part by part."""

from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Final

from tablectl.core.amending.counted_round import ENDS, OPENED, ends_that_stand
from tablectl.lazy_dataclass import dataclass
from tablectl.proof.checkpoint import Checkpoint, open_checkpoint
from tablectl.proof.document import Proof, ProvedEvent
from tablectl.proof.envelope import Envelope, read_envelope
from tablectl.proof.key_line import key_line
from tablectl.proof.note import NoteError
from tablectl.proof.tree import continues, includes, leaf_hash

NOT_TRUSTED: Final = "the proof was made with another key than the one that is trusted"


class UnprovedError(Exception):
    """A part of the proof doesn't hold: which, and why."""

    def __init__(self, part: str, why: str) -> None:
        super().__init__(f"{part}: {why}")
        self.part = part
        self.why = why


@dataclass(frozen=True, slots=True)
class Proved:
    """Findings of a verified proof.

    Args:
        kept: the number of events of the kept checkpoint that the log continues; None where none was given.
        ended: whether the round was settled or void.
        corrections: the number of events about the round that came after its end.
    """

    checkpoint: Checkpoint
    first: Envelope
    last: Envelope
    ended: bool
    corrections: int
    kept: int | None
    simulated: bool


def judge(proof: Proof, public: bytes, kept: str | None = None) -> Proved:
    """Verify a proof against a trusted key and, optionally, a saved checkpoint.

    Args:
        public: the trusted key. A checkpoint that a later key of the log signed is as good: this one vouches for it.
        kept: a signed note of the same log, from an earlier day; an earlier key of the log may have signed it.

    Raises:
        UnprovedError: a part doesn't hold.
    """
    keys = keys_of(proof)
    if public not in keys:
        raise UnprovedError("key", NOT_TRUSTED)
    checkpoint = _opened("checkpoint", proof.checkpoint, keys[-1:])
    if checkpoint.origin != proof.origin:
        raise UnprovedError("checkpoint", f"it is of the log {checkpoint.origin}, the proof of {proof.origin}")
    envelopes = [_included(event, checkpoint) for event in proof.events]
    rest = _round(proof.round_id, envelopes, checkpoint.size)
    return Proved(
        checkpoint,
        envelopes[0],
        envelopes[-1 - rest],
        envelopes[-1 - rest].kind in ENDS,
        rest,
        _continued(proof, checkpoint, keys, kept) if kept is not None else None,
        any(envelope.simulated for envelope in envelopes),
    )


def keys_of(proof: Proof) -> tuple[bytes, ...]:
    """Return the log's keys as announced in the proof, oldest first.

    The last one signed its checkpoint.

    Raises:
        UnprovedError: an announcement doesn't hold.
    """
    try:
        return key_line(proof.origin, proof.public, proof.key_changes)
    except NoteError as error:
        raise UnprovedError("key", str(error)) from None


def _opened(part: str, note: str, keys: Sequence[bytes]) -> Checkpoint:
    """Parse a checkpoint that one of these keys signed, trying the newest first."""
    for public in reversed(keys[1:]):
        with suppress(NoteError):
            return open_checkpoint(note, public)
    try:
        return open_checkpoint(note, keys[0])
    except NoteError as error:
        raise UnprovedError(part, str(error)) from None


def _included(event: ProvedEvent, checkpoint: Checkpoint) -> Envelope:
    """The event's own word, once it is shown to be in the log and to be what it says."""
    part = f"event {event.sequence}"
    leaf = leaf_hash(event.payload)
    if not includes(checkpoint.root, checkpoint.size, event.sequence - 1, leaf, event.inclusion):
        raise UnprovedError(part, "it isn't in the log of the checkpoint, or not with these bytes or at this number")
    try:
        envelope = read_envelope(event.payload)
    except ValueError as error:
        raise UnprovedError(part, f"its payload isn't an event's: {error}") from None
    log_id = checkpoint.origin.rpartition("/")[2]
    wanted = (event.sequence, checkpoint.origin, f"{log_id}-{event.sequence:016d}")
    if (envelope.sequence, envelope.origin, envelope.id) != wanted:
        raise UnprovedError(part, "its payload names another number or another log")
    return envelope


def _round(round_id: str, envelopes: Sequence[Envelope], size: int) -> int:
    """Sees that the round is there from its first event to its end, nothing left out.

    Args:
        size: the checkpoint's; a round that hasn't ended has to be there up to it.

    Returns:
        How many events come after the end: its corrections.
    """
    part = f"round {round_id}"
    if not envelopes or envelopes[0].round_id != round_id:
        raise UnprovedError(part, "the proof doesn't begin with an event of this round")
    if not any((each.round_id, each.kind) == (round_id, OPENED) for each in envelopes):
        raise UnprovedError(part, "the event that opened it isn't there")
    ends = ends_that_stand([each.kind if each.round_id == round_id else "" for each in envelopes])
    if len(ends) > 1:
        raise UnprovedError(part, "it ended twice")
    if not ends and envelopes[-1].sequence != size:
        raise UnprovedError(part, "its end was left out of the proof")
    end = ends[0] if ends else len(envelopes) - 1
    for expected, envelope in enumerate(envelopes[: end + 1], envelopes[0].sequence):
        if envelope.sequence != expected:
            raise UnprovedError(part, f"event {expected} was left out of the proof")
    _after(part, round_id, envelopes[end:])
    return len(envelopes) - 1 - end


def _after(part: str, round_id: str, envelopes: Sequence[Envelope]) -> None:
    """Sees that what follows the round's end is about the round and in order."""
    for before, envelope in pairwise(envelopes):
        if envelope.round_id != round_id or envelope.sequence <= before.sequence:
            raise UnprovedError(part, f"event {envelope.sequence} doesn't belong where it stands")


def _continued(proof: Proof, checkpoint: Checkpoint, keys: Sequence[bytes], note: str) -> int:
    """The size of the kept checkpoint, once the log is shown to continue it."""
    part = "kept checkpoint"
    kept = _opened(part, note, keys)
    if kept.origin != checkpoint.origin:
        raise UnprovedError(part, f"it is of another log, {kept.origin}")
    if kept.size > checkpoint.size:
        raise UnprovedError(
            part, f"it has {kept.size} events and the proof's {checkpoint.size}: have the proof made with this one"
        )
    given = proof.continuation
    trivial = kept.size in {0, checkpoint.size}
    if not trivial and (given is None or given.size != kept.size):
        raise UnprovedError(part, "the proof wasn't made for it: have it made with this checkpoint")
    hashes = given.hashes if given and not trivial else ()
    if not continues(kept.root, kept.size, checkpoint.root, checkpoint.size, hashes):
        raise UnprovedError(part, f"the log was rewritten: it doesn't continue its first {kept.size} events")
    return kept.size
