"""Answers of a witness.

It cosigns a checkpoint only where that continues the last one that it cosigned of the log.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import apsw

from tablectl.journal.files import open_kept
from tablectl.lazy_dataclass import dataclass
from tablectl.proof.checkpoint import Checkpoint, read_checkpoint
from tablectl.proof.cosignature import cosign
from tablectl.proof.note import Note, NoteError, Signer, check_note, from_base64, read_note, read_verifier_key
from tablectl.proof.tree import EMPTY_ROOT, HASH_BYTES, continues

LONGEST: Final = 96 * 1024
"""Bytes of a request: a note, and a proof of at most 63 hashes."""

_MOST_HASHES: Final = 63
TEXT, SIZE = "text/plain; charset=utf-8", "text/x.tlog.size"


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP status, a text, and its kind."""

    status: int
    text: str
    media: str = TEXT


class RefusedError(Exception):
    """A request that isn't cosigned: the answer."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.text)
        self.answer = answer


@dataclass(frozen=True, slots=True)
class Asked:
    """A request for a cosignature.

    Args:
        old: the size that the asker thinks was cosigned last.
        proof: from there to the checkpoint.
    """

    old: int
    proof: tuple[bytes, ...]
    note: Note
    checkpoint: Checkpoint


class Cosigned:
    """The size and root that were cosigned last of each log.

    They are in a file of SQLite. Its methods block.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        open_kept(path).close()
        self._db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
        self._db.set_busy_timeout(5000)
        for pragma in ("journal_mode=WAL", "synchronous=FULL"):
            self._db.execute(f"PRAGMA {pragma}")
        self._db.execute("CREATE TABLE IF NOT EXISTS log (origin TEXT PRIMARY KEY, size INTEGER, root BLOB) STRICT")

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    @contextmanager
    def held(self, origin: str) -> Generator[tuple[int, bytes]]:
        """Size and root cosigned last; nobody else may change them within the block."""
        self._db.execute("BEGIN IMMEDIATE")
        try:
            row = self._db.execute("SELECT size, root FROM log WHERE origin = ?", (origin,)).fetchone()
            yield (0, EMPTY_ROOT) if row is None else (int(row[0]), bytes(row[1]))
            self._db.execute("COMMIT")
        except BaseException:
            self._db.execute("ROLLBACK")
            raise

    def keep(self, checkpoint: Checkpoint) -> None:
        """Note a checkpoint as the last one, within `held`."""
        row = (checkpoint.origin, checkpoint.size, checkpoint.root)
        self._db.execute("INSERT OR REPLACE INTO log VALUES (?, ?, ?)", row)


@dataclass(frozen=True, slots=True)
class Witness:
    """A witness.

    Args:
        logs: the public keys of each log, by its origin.
        now_s: seconds since 1970, UTC.
    """

    name: str
    signer: Signer
    logs: Mapping[str, Sequence[bytes]]
    cosigned: Cosigned
    now_s: Callable[[], int]

    def add_checkpoint(self, body: bytes) -> Answer:
        """Answer `POST /add-checkpoint` (C2SP `tlog-witness`). Blocks."""
        try:
            asked = read_request(body)
            self._see_who_signed(asked)
            with self.cosigned.held(asked.checkpoint.origin) as (size, root):
                see_that_it_continues(asked, size, root)
                self.cosigned.keep(asked.checkpoint)
        except RefusedError as error:
            return error.answer
        return Answer(200, cosign(asked.note.text, self.name, self.signer, self.now_s()))

    def _see_who_signed(self, asked: Asked) -> None:
        origin = asked.checkpoint.origin
        if origin not in self.logs:
            raise RefusedError(Answer(404, f"the log {origin[:120]} isn't known here\n"))
        for key in self.logs[origin]:
            try:
                check_note(asked.note, origin, key)
            except NoteError:
                continue
            return
        raise RefusedError(Answer(403, "the checkpoint isn't signed by a key of this log that is known here\n"))


def see_that_it_continues(asked: Asked, size: int, root: bytes) -> None:
    """Check a request against what was cosigned last.

    Raises:
        RefusedError: it doesn't continue that.
    """
    checkpoint = asked.checkpoint
    if asked.old > checkpoint.size:
        raise RefusedError(Answer(400, "the checkpoint is smaller than the old size\n"))
    if asked.old != size or (checkpoint.size == size and checkpoint.root != root):
        raise RefusedError(Answer(409, f"{size}\n", SIZE))
    if not continues(root, size, checkpoint.root, checkpoint.size, asked.proof):
        raise RefusedError(Answer(422, "the proof doesn't lead from what was cosigned last to this checkpoint\n"))


def read_request(body: bytes) -> Asked:
    """The parts of a request.

    Raises:
        RefusedError: it isn't one.
    """
    try:
        head, gap, text = body.decode().partition("\n\n")
        first, *hashes = head.split("\n")
        word, _, number = first.partition(" ")
        if word != "old" or not gap or not (number.isascii() and number.isdigit()) or len(number) > 19:
            raise NoteError("not a request: `old SIZE`, the proof's hashes, an empty line, the checkpoint")
        proof = tuple(map(from_base64, hashes))
        if len(proof) > _MOST_HASHES or any(len(each) != HASH_BYTES for each in proof):
            raise NoteError("the proof isn't one")
        note = read_note(text)
        return Asked(int(number), proof, note, read_checkpoint(note.text))
    except ValueError as error:  # NoteError is one
        raise RefusedError(Answer(400, f"{error}\n")) from None


def keys_by_log(keys: Sequence[str]) -> dict[str, list[bytes]]:
    """The public keys in verifier keys, by their log's origin.

    Raises:
        NoteError: one isn't a verifier key.
    """
    found: dict[str, list[bytes]] = {}
    for origin, public in map(read_verifier_key, keys):
        found.setdefault(origin, []).append(public)
    return found
