"""A round's proof: what it shows, and which part is named when it doesn't hold."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tablectl.proof.checkpoint import Checkpoint, sign_checkpoint
from tablectl.proof.document import Continuation, DocumentError, Proof, ProvedEvent, read_proof, write_proof
from tablectl.proof.judge import UnprovedError, judge
from tablectl.proof.note import Signer
from tablectl.proof.tree import any_subtree, consistency_proof, inclusion_proof, leaf_hash, root_of
from tests.proof.journals import ORIGIN
from tests.proof.keys import signer

KEY = signer()
KINDS = [
    ("audit.log_began.v1", ""),
    ("round.opened.v1", "r1"),
    ("bet.placed.v1", "r1"),
    ("fault.raised.v1", ""),
    ("round.settled.v1", "r1"),
    ("round.opened.v1", "r2"),
    ("round.corrected.v1", "r1"),
    ("bet.placed.v1", "r2"),
]
EARLY = 3


def payload(sequence: int, kind: str, round_id: str) -> bytes:
    form = {
        "id": f"{ORIGIN[-8:]}-{sequence:016d}",
        "source": f"/{ORIGIN}",
        "type": f"mo.tablectl.{kind}",
        "time": "2026-11-20T00:00:00.000000Z",
        "sequence": f"{sequence:016d}",
        "correlationid": round_id,
        "simulated": sequence == 3,
    }
    return json.dumps(form).encode()


PAYLOADS = [payload(number, *kind) for number, kind in enumerate(KINDS, 1)]


def log(payloads: list[bytes], origin: str = ORIGIN) -> Callable[[int], Checkpoint]:
    """Its checkpoints."""
    return lambda size: Checkpoint(origin, size, root_of(map(leaf_hash, payloads[:size])))


def proved(
    numbers: tuple[int, ...] = (2, 3, 4, 5, 7),
    payloads: list[bytes] = PAYLOADS,
    size: int = len(PAYLOADS),
    round_id: str = "r1",
    old: int | None = EARLY,
) -> Proof:
    hashes = [leaf_hash(each) for each in payloads]
    subtree = any_subtree(lambda low, high: root_of(hashes[low:high]))
    events = [ProvedEvent(each, payloads[each - 1], inclusion_proof(each - 1, size, subtree)) for each in numbers]
    note = sign_checkpoint(log(payloads)(size), KEY)
    continuation = Continuation(old, consistency_proof(old, size, subtree)) if old else None
    return Proof(round_id, ORIGIN, KEY.public, note, tuple(events), continuation)


def kept(size: int, payloads: list[bytes] = PAYLOADS, origin: str = ORIGIN, key: Signer = KEY) -> str:
    return sign_checkpoint(log(payloads, origin)(size), key)


def complaint(proof: Proof, note: str | None = None) -> str:
    with pytest.raises(UnprovedError) as error:
        judge(proof, KEY.public, note)
    return str(error.value)


def proved_of(*kinds: str, round_id: str = "r1") -> Proof:
    """The proof of a round with these events and no others."""
    payloads = [payload(number, kind, round_id) for number, kind in enumerate(kinds, 1)]
    return proved(tuple(range(1, len(kinds) + 1)), payloads, len(kinds), round_id, None)


def test_round_that_was_open_again_ends_where_it_ended_last() -> None:
    again = ("round.settled.v1", "round.amended.v1", "round.reopened.v1", "round.void.v1", "round.corrected.v1")
    shown = judge(proved_of("round.opened.v1", *again), KEY.public)
    assert (shown.ended, shown.last.sequence, shown.last.kind, shown.corrections) == (True, 5, "round.void.v1", 1)
    shown = judge(proved_of("round.opened.v1", *again[:3]), KEY.public)
    assert (shown.ended, shown.last.sequence) == (False, 4)


def test_round_ending_twice_without_reopening_is_not_proved() -> None:
    assert "it ended twice" in complaint(proved_of("round.opened.v1", "round.void.v1", "round.settled.v1"))


def test_a_round_is_proved_with_its_corrections() -> None:
    shown = judge(proved(), KEY.public, kept(EARLY))
    assert (shown.first.sequence, shown.last.sequence, shown.last.kind) == (2, 5, "round.settled.v1")
    assert (shown.ended, shown.corrections, shown.kept, shown.simulated) == (True, 1, EARLY, True)
    assert judge(proved(), KEY.public).kept is None


def test_a_document_gives_the_same_proof_again() -> None:
    for proof in (proved(), proved(old=None), replace(proved(), events=(ProvedEvent(1, b"\xff\0", ()),))):
        assert read_proof(write_proof(proof).encode()) == proof


def test_round_that_is_not_over_is_proved_up_to_checkpoint() -> None:
    shown = judge(proved((6, 7, 8), round_id="r2"), KEY.public)
    assert (shown.ended, shown.corrections, shown.last.sequence) == (False, 0, 8)
    assert complaint(proved((6, 7), round_id="r2")) == "round r2: its end was left out of the proof"


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ((2, 3, 5), "event 4 was left out"),
        ((2, 4, 5), "event 3 was left out"),
        ((3, 4, 5), "the event that opened it isn't there"),
        ((1, 2, 3, 4, 5), "doesn't begin with an event of this round"),
        ((2, 3, 4), "its end was left out"),
        ((2, 3, 4, 5, 8), "event 8 doesn't belong"),
        ((2, 3, 4, 5, 7, 7), "event 7 doesn't belong"),
        ((2, 3, 4, 5, 5), "ended twice"),
        ((), "doesn't begin"),
    ],
)
def test_what_is_left_out_or_put_in_is_named(numbers: tuple[int, ...], said: str) -> None:
    assert said in complaint(proved(numbers))


def test_an_altered_event_is_named() -> None:
    proof = proved()
    for nth, event in enumerate(proof.events):
        changed = replace(event, payload=event.payload.replace(b"T00:00", b"T00:01"))
        forged = replace(proof, events=(*proof.events[:nth], changed, *proof.events[nth + 1 :]))
        assert complaint(forged).startswith(f"event {event.sequence}: it isn't in the log")


def test_an_event_at_another_number_is_named() -> None:
    proof = proved()
    moved = replace(proof.events[0], sequence=3)
    assert complaint(replace(proof, events=(moved, *proof.events[1:]))).startswith("event 3: it isn't in the log")


@pytest.mark.parametrize("bad", [b"no event", b"[]", b'{"sequence": 2}', payload(3, "round.opened.v1", "r1")])
def test_event_in_the_log_that_says_something_else_is_named(bad: bytes) -> None:
    payloads = [*PAYLOADS[:1], bad, *PAYLOADS[2:]]
    assert complaint(proved(payloads=payloads)).startswith("event 2: its payload")


def test_a_checkpoint_of_another_key_or_text_is_named() -> None:
    proof = proved()
    assert complaint(replace(proof, public=signer().public)).startswith("key: ")
    other = replace(proof, checkpoint=kept(8, key=signer()))
    assert complaint(other) == "checkpoint: it isn't signed by this key"
    grown = replace(proof, checkpoint=proof.checkpoint.replace("\n8\n", "\n9\n"))
    assert complaint(grown).startswith("checkpoint: its signature is wrong")
    assert complaint(replace(proof, origin="tablectl/macau/q2/0a0b0c0d")).startswith("checkpoint: it is of the log")


def test_a_kept_checkpoint_catches_a_rewritten_log() -> None:
    rewritten = [PAYLOADS[0] + b" ", *PAYLOADS[1:]]
    assert "the log was rewritten" in complaint(proved(payloads=rewritten), kept(EARLY))
    assert "the log was rewritten" in complaint(proved(payloads=rewritten), kept(len(PAYLOADS)))
    assert judge(proved(payloads=rewritten), KEY.public).kept is None


def test_a_kept_checkpoint_that_does_not_fit_is_named() -> None:
    assert "wasn't made for it" in complaint(proved(), kept(4))
    assert "wasn't made for it" in complaint(proved(old=None), kept(EARLY))
    assert "have the proof made with this one" in complaint(proved(), kept(9, [*PAYLOADS, b"more"]))
    assert "is of another log" in complaint(proved(), kept(EARLY, origin="tablectl/macau/q1/ffffffff"))
    assert "isn't signed by this key" in complaint(proved(), kept(EARLY, key=signer()))
    assert complaint(proved(), "nothing").startswith("kept checkpoint: not a signed note")
    forged = replace(proved(), continuation=Continuation(EARLY, (bytes(32),)))
    assert "the log was rewritten" in complaint(forged, kept(EARLY))


def test_equal_or_empty_kept_checkpoint_needs_no_hashes() -> None:
    assert judge(proved(old=None), KEY.public, kept(len(PAYLOADS))).kept == len(PAYLOADS)
    assert judge(proved(old=None), KEY.public, kept(0)).kept == 0


def edited(change: Callable[[Any], Any]) -> bytes:
    form = json.loads(write_proof(proved()))
    change(form)
    return json.dumps(form).encode()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"", "not JSON"),
        (b"\xff", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[]", "isn't a JSON object"),
        (edited(lambda form: form.update(form="x")), "not a document of the form"),
        (edited(lambda form: form.pop("round")), "no text round"),
        (edited(lambda form: form.update(origin=3)), "no text origin"),
        (edited(lambda form: form.update(public_key="AAAA")), "public_key isn't 32 bytes"),
        (edited(lambda form: form.update(events={})), "events isn't a list"),
        (edited(lambda form: form["events"].append(1)), "events[5] isn't a JSON object"),
        (edited(lambda form: form["events"][0].update(sequence="2")), "events[0].sequence isn't a number"),
        (edited(lambda form: form["events"][0].update(sequence=True)), "events[0].sequence isn't a number"),
        (edited(lambda form: form["events"][0].update(sequence=1 << 64)), "events[0].sequence isn't a number"),
        (edited(lambda form: form["events"][0].pop("payload")), "events[0] has no text payload"),
        (edited(lambda form: form["events"][0].update(payload="\ud800")), "not JSON"),
        (edited(lambda form: form["events"][0].update(payload_base64="?")), "payload can't be read"),
        (edited(lambda form: form["events"][0]["inclusion"].append("AA==")), "inclusion[3] isn't 32 bytes"),
        (edited(lambda form: form["events"][0].update(inclusion=["A"] * 65)), "longer than any tree"),
        (edited(lambda form: form["continues"].pop("hashes")), "continues.hashes isn't a list"),
    ],
)
def test_what_is_no_proof_is_refused_in_one_line(text: bytes, said: str) -> None:
    with pytest.raises(DocumentError) as error:
        read_proof(text)
    assert said in str(error.value)
    assert "\n" not in str(error.value)
