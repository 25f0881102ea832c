"""Documents that somebody hands over: proofs, signed notes, keys, announcements."""

from collections.abc import Iterator, Sequence

from tablectl.proof.checkpoint import Checkpoint, open_checkpoint, sign_checkpoint, unsigned_checkpoint
from tablectl.proof.document import DocumentError, Proof, ProvedEvent, read_proof, write_proof
from tablectl.proof.envelope import read_envelope
from tablectl.proof.judge import UnprovedError, judge
from tablectl.proof.key_line import read_change, sign_change
from tablectl.proof.note import KEY_BYTES, NoteError, read_note, read_verifier_key, verifier_key
from tablectl.proof.tree import any_subtree, inclusion_proof, leaf_hash, root_of
from tests.fuzz.target import Bytes, Target, edited, hold, reformed
from tests.proof.keys import signer

ORIGIN = "tablectl/macau/q1/0a0b0c0d"
OLD, NEW = (signer(bytes((number,)) * 32) for number in (1, 2))
"""Keys that are the same in every run, so that an input that was kept means the same."""


def _payload(sequence: int, kind: str) -> bytes:
    form = '{"id":"0a0b0c0d-%016d","source":"/%s","type":"mo.tablectl.%s","sequence":"%016d","correlationid":"r1"}'
    return (form % (sequence, ORIGIN, kind, sequence)).encode()


PAYLOADS = [
    _payload(number, kind)
    for number, kind in enumerate(("round.opened.v1", "bet.placed.v1", "round.settled.v1", "round.opened.v1"), 1)
]


def _proof() -> Proof:
    hashes = [leaf_hash(payload) for payload in PAYLOADS]
    size = len(hashes)
    tree = any_subtree(lambda low, high: root_of(hashes[low:high]))
    events = [ProvedEvent(nth + 1, PAYLOADS[nth], inclusion_proof(nth, size, tree)) for nth in range(3)]
    note = sign_checkpoint(Checkpoint(ORIGIN, size, root_of(hashes)), OLD)
    return Proof("r1", ORIGIN, OLD.public, note, tuple(events))


PROOF = _proof()
DOCUMENT = write_proof(PROOF).encode()
NOTE = PROOF.checkpoint
CHANGE = sign_change(ORIGIN, OLD, NEW).note


def _proof_document(data: bytes) -> None:
    given = Bytes(data)
    document = edited(DOCUMENT, given.left) if given.number(2) else given.left
    try:
        proof = read_proof(document)
    except DocumentError:
        return
    hold(read_proof(write_proof(proof).encode()) == proof, "a proof changes when it is written", proof)
    try:
        judge(proof, OLD.public)
    except UnprovedError:
        return
    shown = [(event.sequence, event.payload) for event in proof.events]
    genuine = [(event.sequence, event.payload) for event in PROOF.events]
    hold((proof.round_id, shown) == ("r1", genuine), "something else than what was signed is proved", proof)


def _note(data: bytes) -> None:
    given = Bytes(data)
    kind = given.number(4)
    genuine = (NOTE, CHANGE)[kind % 2]
    raw = edited(genuine.encode(), given.left) if kind < 2 else given.left
    text = raw.decode(errors="replace")
    try:
        read = read_note(text)
        hold(read.text.endswith("\n") and text.startswith(read.text), "a note's text isn't what was read", text)
        unsigned_checkpoint(text)
        opened = open_checkpoint(text, OLD.public)
    except NoteError:
        _announcement(text)
        return
    # Lines of other signers may be added; what the key signed may not change.
    hold(opened == unsigned_checkpoint(NOTE), "a checkpoint that the key didn't sign is taken", text)


def _announcement(text: str) -> None:
    try:
        change = read_change(text)
    except NoteError:
        return
    genuine = read_change(CHANGE)
    same = (change.origin, change.previous, change.new) == (genuine.origin, genuine.previous, genuine.new)
    hold(same or change.previous != OLD.public, "an announcement that the key didn't sign is taken", text)


def _key(data: bytes) -> None:
    """A key's line, or one whose id was made to fit: by chance it never does."""
    given = Bytes(data)
    text = _fitting(given) if given.number(2) else given.left.decode(errors="replace")
    try:
        name, public = read_verifier_key(text)
    except NoteError:
        return
    hold(verifier_key(name, public) == text.strip(), "a key that is read otherwise than written", text)


def _fitting(given: Bytes) -> str:
    name = given.take(given.number(32)).decode(errors="replace")
    public = given.take(KEY_BYTES)
    whole = verifier_key(name, public).encode()
    return edited(whole, given.left).decode(errors="replace")


def _envelope(data: bytes) -> None:
    given = Bytes(data)
    which = given.number(len(PAYLOADS) + 1)
    try:
        envelope = read_envelope(reformed(PAYLOADS[which], given.left) if which < len(PAYLOADS) else given.left)
    except ValueError:
        return
    hold(0 <= envelope.sequence < 10**16, "a number out of its range", envelope)


def _edits(kinds: Sequence[bytes]) -> Iterator[bytes]:
    for kind in kinds:
        yield kind
        for where in (b"\0\x20", b"\1\0", b"\2\xf0"):
            yield kind + where + b"\0\3"
            yield kind + where + b"\2\5"
            yield kind + where + b"\4\0\x30\x40"


def _keys() -> Iterator[bytes]:
    yield b"\0" + verifier_key("a/b", OLD.public).encode()
    yield b"\1\3a/b" + OLD.public
    yield b"\1\3a b" + OLD.public + b"\0\0\3\1\x20"


def _envelopes() -> Iterator[bytes]:
    for nth, payload in enumerate(PAYLOADS):
        yield bytes((nth, 3, 0, 3))
        yield bytes((len(PAYLOADS),)) + payload


TARGETS = {
    "proof": Target(_proof_document, lambda: [*_edits([b"\1"]), b"\0{}", b"\0[]"]),
    "note": Target(_note, lambda: [*_edits([b"\0", b"\1"]), b"\2" + NOTE.encode(), b"\3" + CHANGE.encode()], 600),
    "key": Target(_key, _keys, 120),
    "envelope": Target(_envelope, _envelopes),
}
