"""Signed notes and checkpoints: the reference implementation's example, and what is refused."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablectl.journal.reading.trusted_keys import KeyTextError, trusted_key
from tablectl.proof.checkpoint import (
    Checkpoint,
    JournalHead,
    open_checkpoint,
    read_checkpoint,
    sign_checkpoint,
    unsigned_checkpoint,
)
from tablectl.proof.note import (
    NoteError,
    Signer,
    check_note,
    is_signed,
    key_id,
    read_note,
    read_verifier_key,
    sign_note,
    verifier_key,
)
from tests.proof.keys import signer

# The example of the reference implementation of signed notes.
NAME = "PeterNeumann"
VERIFIER = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
SIGNER = "AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz"
TEXT = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
LINE = "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
NOTE = f"{TEXT}\n{LINE}"
PUBLIC = base64.b64decode("ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW")[1:]

ORIGIN = "tablectl/macau/q1/0a0b0c0d"
HEAD = Checkpoint(ORIGIN, 1234, b"r" * 32, JournalHead(99, b"l" * 32))


def example_key() -> Signer:
    return signer(base64.b64decode(SIGNER)[1:])


def test_our_note_is_that_of_reference_implementation_to_byte() -> None:
    assert sign_note(TEXT, NAME, example_key()) == NOTE
    assert verifier_key(NAME, PUBLIC) == VERIFIER
    assert read_verifier_key(VERIFIER) == (NAME, PUBLIC)
    assert key_id(NAME, PUBLIC).hex() == "c74f20a3"


def test_the_example_note_is_signed_by_its_key() -> None:
    check_note(read_note(NOTE), NAME, PUBLIC)


@given(st.integers(0, len(TEXT) - 1), st.sampled_from("aZ,. "))
def test_a_changed_text_is_not_signed(at: int, letter: str) -> None:
    text = TEXT[:at] + letter + TEXT[at + 1 :]
    if text != TEXT:
        with pytest.raises(NoteError):
            check_note(read_note(f"{text}\n{LINE}"), NAME, PUBLIC)


@pytest.mark.parametrize(
    ("name", "public"), [("Somebody", PUBLIC), (NAME, bytes(32)), (NAME, b"x" * 32), (NAME, PUBLIC[:31])]
)
def test_another_name_or_key_has_not_signed_it(name: str, public: bytes) -> None:
    with pytest.raises(NoteError, match="isn't signed by this key"):
        check_note(read_note(NOTE), name, public)


def test_foreign_signatures_are_ignored_and_both_of_ours_must_hold() -> None:
    foreign = "— witness.example/w1 jWbPPwAAAABkGFDLEZMH\n"
    check_note(read_note(f"{NOTE}{foreign}"), NAME, PUBLIC)
    broken = f"— {NAME} {base64.b64encode(key_id(NAME, PUBLIC) + bytes(64)).decode()}\n"
    with pytest.raises(NoteError, match="signature is wrong"):
        check_note(read_note(f"{NOTE}{broken}"), NAME, PUBLIC)


@pytest.mark.parametrize(
    "text",
    [
        "",
        TEXT,
        f"{TEXT}\n",
        NOTE[:-1],
        NOTE.replace("— ", "- "),
        f"{TEXT}{LINE}",
        f"{NOTE}\n",
        f"{TEXT}\n— {NAME}\n",
        f"{TEXT}\n— {NAME} !!\n",
        f"{TEXT}\n— {NAME} x08=\n",
        f"{TEXT}\n— Peter+Neumann AAAAAAAA\n",
        NOTE.replace("you", "y\0u"),
        NOTE.replace("\n", "\r\n"),
        "x" * (1 << 17),
    ],
)
def test_what_is_no_note_is_refused(text: str) -> None:
    with pytest.raises(NoteError):
        read_note(text)


@pytest.mark.parametrize(
    "text", [VERIFIER[:-1], VERIFIER.replace("c7", "c8"), VERIFIER.replace("+AR", "+CR"), "a+b+c", ""]
)
def test_what_is_no_verifier_key_is_refused(text: str) -> None:
    with pytest.raises(NoteError):
        read_verifier_key(text)


@pytest.mark.parametrize(("text", "name"), [("no line end", NAME), (TEXT, "two words"), (TEXT, "a+b"), (TEXT, "")])
def test_what_could_not_be_read_back_is_not_signed(text: str, name: str) -> None:
    with pytest.raises(NoteError):
        sign_note(text, name, example_key())


def test_a_checkpoint_comes_back_as_it_was_signed() -> None:
    key = signer()
    note = sign_checkpoint(HEAD, key)
    assert open_checkpoint(note, key.public) == HEAD
    assert note.startswith(f"{ORIGIN}\n1234\n{base64.b64encode(b'r' * 32).decode()}\njournal 99 ")
    with pytest.raises(NoteError, match="isn't signed by this key"):
        open_checkpoint(note, signer().public)


def test_the_specifications_example_is_a_checkpoint() -> None:
    note = (
        "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n"
        "— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeO"
        "oRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n"
    )
    checkpoint = unsigned_checkpoint(note)
    assert (checkpoint.origin, checkpoint.size, checkpoint.journal) == ("example.com/behind-the-sofa", 20852163, None)


def test_extension_lines_of_others_are_let_be() -> None:
    assert read_checkpoint(f"{HEAD.text}another line\n") == HEAD


ROOT = base64.b64encode(bytes(32)).decode()


@pytest.mark.parametrize(
    "text",
    [
        f"{ORIGIN}\n12\n",
        f"{ORIGIN}\n012\n{ROOT}\n",
        f"{ORIGIN}\n-1\n{ROOT}\n",
        f"{ORIGIN}\n+1\n{ROOT}\n",
        f"{ORIGIN}\n1_0\n{ROOT}\n",
        f"{ORIGIN}\n²\n{ROOT}\n",
        f"{ORIGIN}\n99999999999999999999\n{ROOT}\n",
        f"{ORIGIN}\n9999999999999999999\n{ROOT}\n",
        f"{ORIGIN}\n12\n{ROOT[:-4]}\n",
        f"{ORIGIN}\n12\n{ROOT[:-2]}B=\n",
        f"\n12\n{ROOT}\n",
        f"{ORIGIN}\n12\n{ROOT}\n\nmore\n",
        f"{ORIGIN}\n12\n{ROOT}\njournal 1\n",
        f"{ORIGIN}\n12\n{ROOT}\njournal x {ROOT}\n",
        f"{ORIGIN}\n12\n{ROOT}\njournal 1 {ROOT}\njournal 2 {ROOT}\n",
    ],
)
def test_what_is_no_checkpoint_is_refused(text: str) -> None:
    with pytest.raises(NoteError):
        read_checkpoint(text)


SMALL_ORDER = (
    "0100000000000000000000000000000000000000000000000000000000000000",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "0000000000000000000000000000000000000000000000000000000000000080",
    "0000000000000000000000000000000000000000000000000000000000000000",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
)
"""The points of small order in each of their encodings, from the list of libsodium's `ge25519_has_small_order`."""


@pytest.mark.parametrize("key", SMALL_ORDER)
def test_key_of_small_order_signs_nothing_and_is_trusted_nowhere(key: str) -> None:
    public = bytes.fromhex(key)
    # R is the neutral point and S is 0: under such a key this fits many messages.
    universal = bytes.fromhex("01" + "00" * 63)
    assert not any(is_signed(public, universal, str(nth).encode()) for nth in range(64))
    with pytest.raises(NoteError):
        read_verifier_key(verifier_key("log", public))
    with pytest.raises(KeyTextError):
        trusted_key(base64.b64encode(public).decode())
