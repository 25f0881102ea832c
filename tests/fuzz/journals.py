"""A journal's files with bits turned, pieces missing, or pieces of other places: what reads them, and what goes on."""

import atexit
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import apsw

from tablectl.proof.checkpoint import open_checkpoint
from tablectl.shell.journal import Journal, Record, Snapshot, open_journal
from tablectl.shell.journal_file import JournalError
from tablectl.shell.keys import public_key, signing_key
from tablectl.tools.journal_reader import UnreadableError, open_reader
from tablectl.tools.journal_verify import BrokenError, Kept, checkpoints, verify
from tests.fuzz.target import Bytes, Target, edited, hold, obeyed
from tests.proof.journals import ORIGIN, Play

FILES = ("journal.db", "journal.db-wal")
SHARED_MEMORY = Path("/dev/shm")  # a disk that forgets is what a thousand journals a second need


@dataclass(frozen=True, slots=True)
class Genuine:
    """A journal as it was written: a part in the file, a part still in the log beside it.

    Args:
        files: the bytes of both.
        records: every record, in order.
        snapshot: the last one.
        kept: a checkpoint that somebody kept.
    """

    folder: Path
    files: tuple[bytes, ...]
    records: list[Record]
    snapshot: Snapshot | None
    kept: Kept


def fast_folder() -> Path | None:
    """Where folders are made; None where the machine's usual place is meant, or was named by TMPDIR."""
    return SHARED_MEMORY if SHARED_MEMORY.is_dir() and "TMPDIR" not in os.environ else None


@cache
def genuine() -> Genuine:
    """The journal that is damaged, and a folder for its copies."""
    folder = Path(tempfile.mkdtemp(prefix="tablectl-fuzz-", dir=fast_folder()))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    key = public_key(folder).raw
    with closing(open_journal(folder)) as journal:
        play = Play(journal)
        play.begin()
        play.round("r1")
        journal.checkpoint()
        play.round("r2", over=False)
        note = journal.signed_checkpoint(ORIGIN, signing_key(folder))
        files = tuple((folder / name).read_bytes() for name in FILES)
        records, snapshot = journal.replay(0), journal.snapshot()
    return Genuine(folder, files, records, snapshot, Kept("the kept checkpoint", open_checkpoint(note, key)))


def _damaged(data: bytes) -> Genuine:
    """The journal with these edits in its folder."""
    whole, given = genuine(), Bytes(data)
    which = given.number(2)
    for left in whole.folder.glob("journal.db*"):
        left.unlink()
    for nth, (name, content) in enumerate(zip(FILES, whole.files, strict=True)):
        (whole.folder / name).write_bytes(edited(content, given.left) if nth == which else content)
    return whole


def _verified(data: bytes) -> None:
    whole = _damaged(data)
    try:
        with closing(open_reader(whole.folder)) as reader:
            own = checkpoints(reader, None, [])
            found = verify(reader, [*own, whole.kept])
    except (UnreadableError, BrokenError) as told:
        hold(not obeyed(str(told)), "what is wrong isn't said in one line", str(told))
        return
    said = (found.records, found.events, found.root)
    wanted = (len(whole.records), whole.kept.checkpoint.size, whole.kept.checkpoint.root)
    hold(said == wanted, "a journal that was changed is called whole", said, wanted)


def _recovered(data: bytes) -> None:
    whole = _damaged(data)
    try:
        with closing(open_journal(whole.folder)) as journal:
            _folds(journal, whole)
    except JournalError as told:
        hold(str(told), "nothing is said")


def _folds(journal: Journal, whole: Genuine) -> None:
    """What a start folds was written, from the first record or from a snapshot on, with nothing between left out."""
    snapshot, written = journal.snapshot(), whole.records
    hold(snapshot in {None, whole.snapshot}, "a start begins with what nobody wrote", snapshot)
    records = journal.replay(snapshot.record if snapshot else 0)
    first = snapshot.record if snapshot else 0
    hold(records == written[first : first + len(records)], "a start folds what nobody wrote", first, records)


def _places() -> Iterator[bytes]:
    for which, size in enumerate(len(content) for content in genuine().files):
        for at in range(0, min(size, 65536), 4096):
            yield bytes((which, *divmod(at + 100, 256), 0, 3))
        yield bytes((which, 16, 0, 5))
        yield bytes((which, 32, 0, 4, 64, 0, 255))


def _rows(data: bytes) -> None:
    """Edits of a value in a row: what SQLite itself never finds."""
    whole, given = _damaged(b""), Bytes(data)
    table, column = _COLUMNS[given.number(len(_COLUMNS))]
    row = given.number(40)
    with closing(apsw.Connection(str(whole.folder / FILES[0]))) as connection:
        query = f"SELECT rowid, {column} FROM {table} LIMIT 1 OFFSET ?"  # from the table below
        found = connection.execute(query, (row,)).fetchone()
        if found is None:
            return
        old = found[1].encode() if isinstance(found[1], str) else found[1]
        whole_new = given.number(4) == 0
        new: object = given.number(65536) if isinstance(old, int) else edited(bytes(old), given.left)
        new = given.left if whole_new and not isinstance(old, int) else new
        new = new.decode(errors="replace") if isinstance(found[1], str) and isinstance(new, bytes) else new
        update = f"UPDATE OR IGNORE {table} SET {column} = ? WHERE rowid = ?"
        connection.execute(update, (new, found[0]))
    _judge_rows(whole)


def _judge_rows(whole: Genuine) -> None:
    try:
        with closing(open_reader(whole.folder)) as reader:
            own = checkpoints(reader, None, [])
            verify(reader, [*own, whole.kept])
            reader.keys()
            list(reader.timed_events())
    except (UnreadableError, BrokenError, ValueError) as told:
        hold(not obeyed(str(told)), "what is wrong isn't said in one line", str(told))
    try:
        with closing(open_journal(whole.folder)) as journal:
            _folds(journal, whole)
    except JournalError:
        return


_COLUMNS = (
    *(("record", name) for name in ("recorded_us", "body", "salt", "link")),
    *(("event", name) for name in ("record", "topic", "payload")),
    *(("snapshot", name) for name in ("sequence", "version", "state", "seal")),
    ("meta", "value"),
)


def _values() -> Iterator[bytes]:
    for body in (b'{"fact":"key_changed"}', b'["key_changed"]', b'{"fact":"key_changed","body":{"announcement":"x"}}'):
        yield bytes((1, 3, 0)) + body
    for nth in range(len(_COLUMNS)):
        yield bytes((nth, 0, 1, 0, 0, 0, 1))
        yield bytes((nth, 1, 1, 0, 4, 2, 8))


TARGETS = {
    "journal": Target(_verified, _places, 64),
    "recovery": Target(_recovered, _places, 64),
    "rows": Target(_rows, _values, 64),
}
