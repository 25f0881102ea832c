"""A log's keys: what leads from one to the next, and what doesn't."""

import base64
from dataclasses import replace

import pytest

from tablectl.proof.checkpoint import Checkpoint, sign_checkpoint, unsigned_checkpoint
from tablectl.proof.document import DocumentError, read_proof, write_proof
from tablectl.proof.judge import UnprovedError, judge, keys_of
from tablectl.proof.key_line import key_line, read_change, sign_change
from tablectl.proof.note import NoteError, Signer, sign_note
from tests.proof.journals import ORIGIN
from tests.proof.keys import signer
from tests.proof.test_judge import EARLY, KEY, PAYLOADS, kept, log, proved

OLD, NEW, NEWEST, STRANGER = signer(), signer(), signer(), signer()
FIRST, SECOND = sign_change(ORIGIN, OLD, NEW), sign_change(ORIGIN, NEW, NEWEST)


def test_an_announcement_says_which_key_follows_which() -> None:
    read = read_change(FIRST.note)
    assert read == FIRST
    assert (read.origin, read.previous, read.new) == (ORIGIN, OLD.public, NEW.public)


def test_line_leads_from_first_key_to_one_that_signs() -> None:
    assert key_line(ORIGIN, NEWEST.public, [FIRST.note, SECOND.note]) == (OLD.public, NEW.public, NEWEST.public)
    assert key_line(ORIGIN, OLD.public, []) == (OLD.public,)


@pytest.mark.parametrize(
    ("current", "notes"),
    [
        (NEWEST, [FIRST.note]),
        (NEWEST, [SECOND.note, FIRST.note]),
        (NEW, [FIRST.note, SECOND.note]),
        (NEWEST, [FIRST.note, FIRST.note, SECOND.note]),
        (NEW, [sign_change(f"{ORIGIN}0", OLD, NEW).note]),
    ],
    ids=["broken off", "swapped", "goes beyond", "twice", "another log"],
)
def test_announcements_that_do_not_follow_one_another_are_no_line(current: Signer, notes: list[str]) -> None:
    with pytest.raises(NoteError):
        key_line(ORIGIN, current.public, notes)


def test_key_that_the_old_one_did_not_announce_is_refused() -> None:
    text = FIRST.note.partition("\n\n")[0] + "\n"
    alone = sign_note(text, ORIGIN, NEW)
    with pytest.raises(NoteError, match="isn't signed by this key"):
        read_change(alone)


def test_key_that_its_holder_did_not_sign_with_is_refused() -> None:
    text = FIRST.note.partition("\n\n")[0] + "\n"
    with pytest.raises(NoteError, match="isn't signed by this key"):
        read_change(sign_note(text, ORIGIN, OLD))


def test_an_announcement_in_which_a_key_was_exchanged_is_refused() -> None:
    mine, theirs = (base64.b64encode(key.public).decode() for key in (NEW, STRANGER))
    with pytest.raises(NoteError):
        read_change(FIRST.note.replace(mine, theirs))


def test_an_announcement_is_no_checkpoint_and_a_checkpoint_announces_nothing() -> None:
    with pytest.raises(NoteError):
        unsigned_checkpoint(FIRST.note)
    note = sign_checkpoint(Checkpoint(ORIGIN, 3, bytes(32)), OLD)
    with pytest.raises(NoteError, match="not the announcement"):
        read_change(note)


# --- in a proof

CHANGE = sign_change(ORIGIN, KEY, NEW)


def changed() -> tuple[str, ...]:
    return (CHANGE.note,)


def test_who_trusts_first_key_trusts_proof_that_next_one_signed() -> None:
    note = sign_checkpoint(log_head(), NEW)
    proof = replace(proved(), public=NEW.public, checkpoint=note, key_changes=changed())
    assert keys_of(proof) == (KEY.public, NEW.public)
    assert judge(proof, KEY.public, kept(EARLY)).kept == EARLY
    assert judge(proof, NEW.public, kept(EARLY)).kept == EARLY
    assert read_proof(write_proof(proof).encode()) == proof


def test_trust_in_a_new_key_excludes_the_old_one_alone() -> None:
    with pytest.raises(UnprovedError, match="another key"):
        judge(proved(), NEW.public)


def test_proof_signed_by_key_that_nobody_announced_does_not_hold() -> None:
    note = sign_checkpoint(log_head(), STRANGER)
    for changes in ((), changed()):
        proof = replace(proved(), public=STRANGER.public, checkpoint=note, key_changes=changes)
        with pytest.raises(UnprovedError, match="key"):
            judge(proof, KEY.public)


def test_checkpoint_of_the_old_key_fails_as_the_news() -> None:
    proof = replace(proved(), public=NEW.public, key_changes=changed())
    with pytest.raises(UnprovedError, match="checkpoint: it isn't signed by this key"):
        judge(proof, KEY.public)


def test_announcements_that_are_no_texts_are_no_document() -> None:
    text = write_proof(replace(proved(), key_changes=changed())).replace(
        '"key_changes": [\n  "', '"key_changes": [\n 1, "'
    )
    with pytest.raises(DocumentError, match="key_changes"):
        read_proof(text.encode())


def log_head() -> Checkpoint:
    return log(PAYLOADS)(len(PAYLOADS))
