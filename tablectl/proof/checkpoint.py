"""Checkpoints (C2SP `tlog-checkpoint`): the signed size and root of a log.

An extension line says how far the journal behind the log was: `journal <record> <link>`.
"""

import base64
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from tablectl.lazy_dataclass import dataclass
from tablectl.proof.note import NoteError, Signer, check_note, from_base64, key_id, read_note, sign_note
from tablectl.proof.tree import HASH_BYTES

_JOURNAL: Final = "journal"
_MOST: Final = (1 << 63) - 1


@dataclass(frozen=True, slots=True)
class JournalHead:
    """The last record of a journal and its link."""

    record: int
    link: bytes


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Size and root of a log at one moment.

    Args:
        origin: `tablectl/<site>/<table>/<log id>`.
        size: number of events, which is the last one's sequence.
        root: root hash of the tree over them.
        journal: position and link of the journal; None in a checkpoint without that line.
    """

    origin: str
    size: int
    root: bytes
    journal: JournalHead | None = None

    @property
    def text(self) -> str:
        """The text that is signed."""
        lines = [self.origin, str(self.size), _base64(self.root)]
        if self.journal:
            lines.append(f"{_JOURNAL} {self.journal.record} {_base64(self.journal.link)}")
        return "".join(f"{line}\n" for line in lines)


def read_checkpoint(text: str) -> Checkpoint:
    """The checkpoint in a note's text. Extension lines of others are let be.

    Raises:
        NoteError: it isn't one.
    """
    lines = text.split("\n")[:-1]
    if len(lines) < 3 or not all(lines):
        raise NoteError("not a checkpoint: origin, size and root are wanted")
    heads = [_head(line) for line in lines[3:] if line.startswith(f"{_JOURNAL} ")]
    if len(heads) > 1:
        raise NoteError("the checkpoint names two heads of the journal")
    return Checkpoint(lines[0], _number(lines[1]), _hash(lines[2]), heads[0] if heads else None)


def sign_checkpoint(checkpoint: Checkpoint, signer: Signer) -> str:
    """The checkpoint as a signed note; the key's name is the origin."""
    return sign_note(checkpoint.text, checkpoint.origin, signer)


def unsigned_checkpoint(note: str) -> Checkpoint:
    """Parse a checkpoint without checking its signatures.

    Raises:
        NoteError: it isn't a checkpoint.
    """
    return read_checkpoint(read_note(note).text)


def open_checkpoint(note: str, public: bytes) -> Checkpoint:
    """Parse a checkpoint and verify that this key signed it.

    Raises:
        NoteError: it isn't a checkpoint, or not signed by this key.
    """
    read = read_note(note)
    checkpoint = read_checkpoint(read.text)
    check_note(read, checkpoint.origin, public)
    return checkpoint


def is_genuine(note: str, keys: Sequence[bytes]) -> bool | None:
    """Return whether one of a log's keys signed its checkpoint.

    It is None where a key that isn't among them may have, such as a later one.

    Args:
        keys: those that are known, the likeliest last.

    Raises:
        NoteError: it isn't a checkpoint.
    """
    read = read_note(note)
    origin = read_checkpoint(read.text).origin
    for key in reversed(keys):
        with suppress(NoteError):
            check_note(read, origin, key)
            return True
    claimed = {line.key_id for line in read.signatures if line.name == origin}
    return None if claimed - {key_id(origin, key) for key in keys} else False


def _head(line: str) -> JournalHead:
    parts = line.split(" ")
    if len(parts) != 3:
        raise NoteError("the checkpoint's line about the journal isn't one")
    return JournalHead(_number(parts[1]), _hash(parts[2]))


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or len(text) > 19 or text != str(int(text)) or int(text) > _MOST:
        raise NoteError("a number in the checkpoint isn't one")
    return int(text)


def _hash(text: str) -> bytes:
    raw = from_base64(text)
    if len(raw) != HASH_BYTES:
        raise NoteError("a hash in the checkpoint isn't one")
    return raw


def _base64(raw: bytes) -> str:
    return base64.b64encode(raw).decode("ascii")
