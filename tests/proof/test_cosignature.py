"""Cosignatures are those of C2SP, made and checked with keys of their own; a policy says which are enough."""

import base64
import hashlib

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from tablectl.proof.cosignature import cosign, cosigned_at, read_policy, read_witness_key, witness_key
from tablectl.proof.note import NoteError, read_note, sign_note
from tests.proof.keys import signer

NAME, TIME = "witness.example/w1", 1_679_315_147
TEXT = "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n"
SIGNED = (
    b"cosignature/v1\ntime 1679315147\nexample.com/behind-the-sofa\n20852163\n"
    b"CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n"
)
"""What is signed, as the example of the specification has it."""

KEY, OTHER, *KEYS = (signer(bytes([nth]) * 32) for nth in range(1, 6))
"""Always the same, so that each process names the tests alike."""

NOTE = sign_note(TEXT, "example.com/behind-the-sofa", OTHER)


def test_a_cosignature_is_made_as_the_specification_says() -> None:
    line = cosign(TEXT, NAME, KEY, TIME)
    dash, name, coded = line.rstrip("\n").split(" ")
    raw = base64.b64decode(coded)
    assert (dash, name) == ("\u2014", NAME)
    assert raw[:4] == hashlib.sha256(NAME.encode() + b"\n\x04" + KEY.public).digest()[:4]
    assert raw[4:12] == TIME.to_bytes(8, "big")
    Ed25519PublicKey.from_public_bytes(KEY.public).verify(raw[12:], SIGNED)


def test_a_cosigned_note_says_when() -> None:
    note = read_note(NOTE + cosign(TEXT, NAME, KEY, TIME) + cosign(TEXT, NAME, KEY, TIME + 5))
    assert cosigned_at(note, NAME, KEY.public) == TIME + 5
    assert cosigned_at(note, NAME, OTHER.public) is None
    assert cosigned_at(note, "another", KEY.public) is None


@pytest.mark.parametrize("where", [4, 11, 12, 70])
def test_a_changed_cosignature_is_named(where: int) -> None:
    head, _, coded = cosign(TEXT, NAME, KEY, TIME).rstrip("\n").rpartition(" ")
    raw = bytearray(base64.b64decode(coded))
    raw[where] ^= 1
    note = read_note(f"{NOTE}{head} {base64.b64encode(raw).decode()}\n")
    with pytest.raises(NoteError, match=r"cosignature of witness\.example/w1 is wrong"):
        cosigned_at(note, NAME, KEY.public)
    with pytest.raises(NoteError, match="too short"):
        cosigned_at(read_note(f"{NOTE}{head} {base64.b64encode(raw[:9]).decode()}\n"), NAME, KEY.public)


def test_a_time_after_every_calendar_is_refused() -> None:
    with pytest.raises(NoteError, match="no time that there is"):
        cosigned_at(read_note(NOTE + cosign(TEXT, NAME, KEY, 2**64 - 1)), NAME, KEY.public)


def test_a_witness_key_is_read_as_it_is_written() -> None:
    text = witness_key(NAME, KEY.public)
    assert read_witness_key(text) == (NAME, KEY.public)
    for wrong in ("", "x+00000000+AAAA", text.replace("w1", "w2"), f"{text}A", text.replace("+", "-")):
        with pytest.raises(NoteError):
            read_witness_key(wrong)


WITNESSES = "".join(f"witness w{nth} {witness_key(f'example/{nth}', key.public)}\n" for nth, key in enumerate(KEYS))


@pytest.mark.parametrize(
    ("rest", "signed", "holds"),
    [
        ("quorum none", (), True),
        ("quorum w1", (1,), True),
        ("quorum w1", (0, 2), False),
        ("group g 2 w0 w1 w2 # two\nquorum g", (0, 2), True),
        ("group g 2 w0 w1 w2\nquorum g", (2,), False),
        ("group g all w0 w1 w2\nquorum g", (0, 1), False),
        ("group a any w0 w1\ngroup g all a w2\nquorum g", (1, 2), True),
        ("group a any w0 w1\ngroup g all a w2\nquorum g", (0, 1), False),
    ],
)
def test_a_policy_holds_where_its_quorum_agrees(rest: str, signed: tuple[int, ...], holds: bool) -> None:
    policy = read_policy(f"# ours\n{WITNESSES}{rest}\n")
    note = read_note(NOTE + "".join(cosign(TEXT, f"example/{nth}", KEYS[nth], TIME) for nth in signed))
    cosigners = policy.cosigners(note)
    assert sorted(cosigners) == [f"w{nth}" for nth in signed]
    assert policy.holds(cosigners) is holds


@pytest.mark.parametrize(
    "rest",
    [
        "", "quorum w9", "quorum none\nquorum none", "group g 4 w0 w1 w2\nquorum g", "group g 0 w0\nquorum g",
        "group g any\nquorum g", "group g 1 w0 w0\nquorum g", "group g any g\nquorum g", "witness w0 x\nquorum none",
        "witness w0 " + witness_key("a", KEY.public), "group none any w0\nquorum none", "sign here\nquorum none",
        f"witness w9 {witness_key('example/0', KEYS[0].public)}\ngroup g 2 w0 w9\nquorum g",
        f"witness w9 {witness_key('another', KEYS[0].public)}\ngroup g 2 w0 w9\nquorum g",
    ],
)  # fmt: skip
def test_what_is_no_policy_is_refused(rest: str) -> None:
    with pytest.raises(NoteError):
        read_policy(f"{WITNESSES}{rest}\n")
