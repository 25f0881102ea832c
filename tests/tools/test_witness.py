"""A witness cosigns what continues all that it cosigned before, and nothing else, whatever it is asked."""

import random
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from tablectl.features.witness.witness import SIZE, Cosigned, Witness, keys_by_log
from tablectl.proof.checkpoint import Checkpoint, sign_checkpoint
from tablectl.proof.cosignature import cosigned_at
from tablectl.proof.note import NoteError, base64_lines, read_note, sign_note, verifier_key
from tablectl.proof.tree import Frontier, consistency_proof, leaf_hash
from tests.proof.keys import Key

ORIGIN, NAME, NOW_S = "tablectl/macau/q1/0a0b0c0d", "witness.example/w", 1_790_000_000
LOG, OURS = (Key(Ed25519PrivateKey.from_private_bytes(bytes([nth]) * 32)) for nth in (1, 2))
"""Always the same, so that each process names the tests alike."""


@pytest.fixture(name="witness")
def _witness(tmp_path: Path) -> Iterator[Witness]:
    cosigned = Cosigned(tmp_path / "w" / "witness.db")
    yield Witness(NAME, OURS, keys_by_log([verifier_key(ORIGIN, LOG.public)]), cosigned, lambda: NOW_S)
    cosigned.close()


def events(count: int, other: int = 0) -> list[bytes]:
    """Leaves of a log; the last `other` of them are another history's."""
    return [leaf_hash(f"{nth}{'!' * (nth >= count - other)}".encode()) for nth in range(count)]


def root(leaves: Sequence[bytes]) -> bytes:
    return Frontier().grown(leaves).root


def note_of(leaves: Sequence[bytes], key: Key = LOG, origin: str = ORIGIN) -> str:
    return sign_checkpoint(Checkpoint(origin, len(leaves), root(leaves)), key)


def proof(old: int, leaves: Sequence[bytes]) -> tuple[bytes, ...]:
    return consistency_proof(old, len(leaves), lambda low, high: root(leaves[low:high]))


def asked(witness: Witness, old: int, leaves: Sequence[bytes], *, note: str = "") -> tuple[int, str]:
    hashes = base64_lines(proof(old, leaves)) if old <= len(leaves) else ""
    answer = witness.add_checkpoint(f"old {old}\n{hashes}\n{note or note_of(leaves)}".encode())
    return answer.status, answer.text


def test_a_log_that_grows_is_cosigned_each_time(witness: Witness) -> None:
    old = 0
    for size in (1, 2, 7, 8, 8, 100):
        status, line = asked(witness, old, events(size))
        assert (status, old) == (200, old)
        assert cosigned_at(read_note(note_of(events(size)) + line), NAME, OURS.public) == NOW_S
        old = size


def test_who_asks_from_another_size_is_told_the_right_one(witness: Witness) -> None:
    assert asked(witness, 0, events(5))[0] == 200
    for old in (0, 3, 6):
        assert asked(witness, old, events(9)) == (409, "5\n")
    answer = witness.add_checkpoint(f"old 0\n\n{note_of(events(9))}".encode())
    assert answer.media == SIZE
    assert asked(witness, 5, events(9))[0] == 200


def test_no_other_history_is_cosigned(witness: Witness) -> None:
    assert asked(witness, 0, events(8))[0] == 200
    assert asked(witness, 8, events(8, other=1)) == (409, "8\n")
    assert asked(witness, 8, events(20, other=13))[0] == 422
    assert asked(witness, 8, events(7))[0] == 400
    assert asked(witness, 0, events(7)) == (409, "8\n")
    assert asked(witness, 8, events(20))[0] == 200


def test_what_was_cosigned_outlives_the_witness(witness: Witness, tmp_path: Path) -> None:
    assert asked(witness, 0, events(8))[0] == 200
    witness.cosigned.close()
    again = Cosigned(tmp_path / "w" / "witness.db")
    other = Witness(NAME, OURS, witness.logs, again, lambda: NOW_S)
    assert asked(other, 0, events(9, other=9)) == (409, "8\n")
    again.close()


def test_only_logs_that_it_knows_are_cosigned(witness: Witness) -> None:
    stranger = note_of(events(3), origin="tablectl/macau/q2/0a0b0c0d")
    assert asked(witness, 0, events(3), note=stranger)[0] == 404
    assert asked(witness, 0, events(3), note=note_of(events(3), Key()))[0] == 403
    text = Checkpoint(ORIGIN, 3, root(events(3))).text
    assert asked(witness, 0, events(3), note=sign_note(text, "another", LOG))[0] == 403


@pytest.mark.parametrize(
    "body",
    [
        b"", b"\n\n", b"old\n\nx", b"old -1\n\nx", b"old 1 2\n\nx", b"old 0\nAAAA\n\n" + note_of(events(3)).encode(),
        b"old 0\n\nno note", "old \u0661\n\n".encode() + note_of(events(3)).encode(), b"\xff\xfe",
        b"old 0\n" + b"A" * 43 + b"=\n" * 64 + b"\n" + note_of(events(3)).encode(),
        b"old 0\n\n" + sign_note("three\nlines\nhere\n", ORIGIN, LOG).encode(),
    ],
)  # fmt: skip
def test_what_is_no_request_is_refused(witness: Witness, body: bytes) -> None:
    assert witness.add_checkpoint(body).status == 400


@given(st.binary(max_size=300))
def test_no_bytes_end_a_witness(body: bytes) -> None:
    with suppress(NoteError):
        keys_by_log([body.decode("latin-1")])
    witness = Witness(NAME, OURS, {}, None, lambda: NOW_S)  # type: ignore[arg-type]  # never reached
    assert witness.add_checkpoint(body).status in {400, 404}
    assert witness.add_checkpoint(b"old 0\n\n" + body).status in {400, 404}


def test_one_honest_witness_shows_every_fork(witness: Witness) -> None:
    """Of each two histories that part somewhere, at most one has its cosignature from there on."""
    draw = random.Random(26)
    held: list[bytes] = []
    for _ in range(300):
        parts = draw.randrange(len(held) + 1)
        longer = held[:parts] + [leaf_hash(draw.randbytes(8)) for _ in range(draw.randrange(1, 12))]
        old = draw.choice((0, parts, len(held), len(held)))
        status, _ = asked(witness, old, longer) if old <= len(longer) else (0, "")
        continues_all = longer[: len(held)] == held and len(longer) >= len(held)
        assert (status == 200) == (continues_all and old == len(held)), (status, old, parts, len(held), len(longer))
        if status == 200:
            held = longer
    assert len(held) > 30
