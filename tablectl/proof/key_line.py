"""Key history of a log: each new key is announced in a note signed by old and new.

A person who trusts one key of the history, by its fingerprint, trusts those that follow it: nobody else could have
announced them.
"""

import base64
from collections.abc import Sequence
from typing import Final

from tablectl.lazy_dataclass import dataclass
from tablectl.proof.note import NoteError, Signer, check_note, from_base64, is_public_key, read_note, sign_note

_KIND: Final = "key change"
"""The second line of an announcement; a checkpoint has a number there, so neither passes for the other."""

_LINES: Final = 4


@dataclass(frozen=True, slots=True)
class KeyChange:
    """One key in place of another.

    Args:
        origin: the log's name in checkpoints.
        previous: the old public key, 32 bytes.
        new: the new one.
        note: the announcement, a note that both signed.
    """

    origin: str
    previous: bytes
    new: bytes
    note: str


def sign_change(origin: str, old: Signer, new: Signer) -> KeyChange:
    """The change from one key to another, announced by both."""
    text = f"{origin}\n{_KIND}\n{_base64(old.public)}\n{_base64(new.public)}\n"
    second = sign_note(text, origin, new).removeprefix(f"{text}\n")
    return KeyChange(origin, old.public, new.public, sign_note(text, origin, old) + second)


def read_change(note: str) -> KeyChange:
    """The change that a note announces, both signatures checked.

    Raises:
        NoteError: it announces none, or one of the two keys didn't sign it.
    """
    read = read_note(note)
    lines = read.text.split("\n")[:-1]
    if len(lines) != _LINES or lines[1] != _KIND:
        raise NoteError("not the announcement of a key")
    previous, new = (_key(line) for line in lines[2:])
    check_note(read, lines[0], previous)
    check_note(read, lines[0], new)
    return KeyChange(lines[0], previous, new, note)


def key_line(origin: str, current: bytes, announcements: Sequence[str]) -> tuple[bytes, ...]:
    """The keys of a log, from the first to the one that signs now.

    Args:
        announcements: of all changes, in order.

    Raises:
        NoteError: one isn't signed, is of another log, or doesn't lead from the key before it to the next.
    """
    keys = [current]
    for note in reversed(announcements):
        change = read_change(note)
        if change.origin != origin:
            raise NoteError(f"the announcement of a key is of another log, {change.origin}")
        if change.new != keys[0]:
            raise NoteError("the announcements of keys don't follow one another up to the key that signs")
        keys.insert(0, change.previous)
    return tuple(keys)


def _key(line: str) -> bytes:
    raw = from_base64(line)
    if not is_public_key(raw):
        raise NoteError("a key in the announcement isn't one")
    return raw


def _base64(raw: bytes) -> str:
    return base64.b64encode(raw).decode("ascii")
