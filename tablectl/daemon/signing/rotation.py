"""Rotation of the log's key, prepared while the table may run.

It is carried out at the table's next start.

The new secret half waits in `log.key.next` and the announcement, which both keys sign, in `log.change`. The start
records the change as a fact, and only then takes the files over; a crash in between is mended by the start after it.
"""

import base64
from pathlib import Path
from typing import Final

from tablectl.daemon.signing.keys import (
    PRIVATE,
    PublicKey,
    is_credential,
    make_private,
    private_file,
    public_key,
    read_signing_key,
    signing_key,
    write_public,
)
from tablectl.edited_files import read_text
from tablectl.journal.files import write_whole
from tablectl.lazy_dataclass import dataclass
from tablectl.proof.key_line import KeyChange, read_change, sign_change
from tablectl.proof.note import NoteError, Signer, fingerprint, is_signed_by, read_note

NEXT, CHANGE = "log.key.next", "log.change"
MEND: Final = "delete log.change and log.key.next, and change the key again"


class KeyReplacedError(ValueError):
    """The key beside the journal isn't the one that signs this log.

    The message names the key and the remedy.
    """


@dataclass(frozen=True, slots=True)
class LogKeys:
    """The signing key, and the change that has to be recorded before it signs."""

    key: PublicKey
    change: KeyChange | None = None


def prepare_change(folder: Path, origin: str) -> KeyChange:
    """Makes a new key and has the old one announce it.

    Args:
        folder: the state folder; the old key has to be at hand.
        origin: the log's name in checkpoints.

    Raises:
        OSError: a file can't be read or written.
        ValueError: the old key is damaged, or a change is under way already.
    """
    if (folder / CHANGE).exists():
        raise ValueError("a change of the key waits already: the table's next start carries it out")
    change = sign_change(origin, signing_key(folder), make_private(folder / NEXT))
    write_whole(folder / CHANGE, change.note.encode(), 0o600)
    return change


def log_keys(folder: Path, origin: str, recorded: str, last_note: str | None) -> LogKeys:
    """The key of the log in this folder; a new log is given one.

    Args:
        recorded: the log's key by its own facts, Base64; empty where they don't say.
        last_note: the last checkpoint in the journal.

    Raises:
        OSError: a file can't be read or written.
        ValueError: a file is damaged, or doesn't belong to this log.
    """
    change = pending_change(folder)
    if change is not None and base64.b64encode(change.new).decode("ascii") == recorded:
        carry_out(folder, change)
        change = None
    own = public_key(folder)
    _see_that_it_signs(own, recorded, last_note)
    if change is None:
        return LogKeys(
            PublicKey(signing_key(folder).public)
        )  # read now: once the session has begun it would be too late to say no
    if (change.origin, change.previous) != (origin, own.raw):
        raise ValueError(f"log.change announces a key for another log, or in place of another key: {MEND}")
    _see_that_it_is_there(folder, change)
    return LogKeys(PublicKey(change.new), change)


def pending_change(folder: Path) -> KeyChange | None:
    """The change that waits for the table's next start.

    Raises:
        OSError: it can't be read.
        ValueError: it isn't what was written.
    """
    path = folder / CHANGE
    try:
        return read_change(read_text(path)) if path.exists() else None
    except NoteError as error:
        raise ValueError(f"{path} isn't what was written ({error}): {MEND}") from None


def carry_out(folder: Path, change: KeyChange) -> None:
    """Takes the new key into use. Done twice it does no harm.

    Raises:
        OSError: a file can't be written.
    """
    if is_credential(folder):
        (folder / NEXT).unlink(missing_ok=True)
    elif (folder / NEXT).exists():
        (folder / NEXT).replace(folder / PRIVATE)
    write_public(folder, PublicKey(change.new))
    (folder / CHANGE).unlink(missing_ok=True)


def _see_that_it_is_there(folder: Path, change: KeyChange) -> None:
    if _new_key(folder).public == change.new:
        return
    if is_credential(folder):
        raise ValueError(f"the credential {PRIVATE} isn't the new key yet: make one of {folder / NEXT} and start again")
    raise ValueError(f"{folder / NEXT} isn't the key that log.change announces: {MEND}")


def _new_key(folder: Path) -> Signer:
    return read_signing_key(private_file(folder) if is_credential(folder) else folder / NEXT)


def _see_that_it_signs(own: PublicKey, recorded: str, last_note: str | None) -> None:
    """Sees that this is the log's key: by its facts, else by its last checkpoint."""
    if recorded in {"", own.text} and (recorded or not last_note or _signed(last_note, own)):
        return
    whose = f" signed with {fingerprint(base64.b64decode(recorded))}" if recorded else " signed with another key"
    raise KeyReplacedError(
        f"log.pub is {own.fingerprint}, this log is{whose}, and nobody announced a change: restore log.key and log.pub"
        " from a copy; where that key is lost, this log is over: move its folder away as it is and begin a new one"
    )


def _signed(note: str, key: PublicKey) -> bool:
    try:
        return is_signed_by(read_note(note), key.raw)
    except NoteError:
        return False  # What isn't even a note, `journal verify` names.
