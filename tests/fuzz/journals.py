"""A journal's files with bits turned, pieces missing, or pieces of other places: what reads them, and what goes on."""

import atexit
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import apsw

from tablectl.daemon.signing.keys import public_key, signing_key
from tablectl.journal.database import JournalError
from tablectl.journal.journal import Journal, open_journal
from tablectl.journal.reading.reader import open_reader
from tablectl.journal.reading.rows import UnreadableError
from tablectl.journal.reading.verify import BrokenError, Kept, checkpoints, verify
from tablectl.journal.records import Record, Snapshot
from tablectl.proof.checkpoint import open_checkpoint
from tests.fuzz.target import Bytes, Target, edited, hold, obeyed
from tests.proof.journals import ORIGIN, Play

FILES = ("journal.db", "journal.db-wal")
SHARED_MEMORY = Path("/dev/shm")  # a disk that forgets is what a thousand journals a second need


@dataclass(frozen=True, slots=True)
class Genuine:
    """A journal as it was written: a part in the file, a part still in the log beside it.

    Args:
        files: the bytes of both.
        merged: the file's, when the log was moved into it.
        records: every record, in order.
        snapshot: the last one.
        kept: a checkpoint that somebody kept.
    """

    folder: Path
    files: tuple[bytes, ...]
    merged: bytes
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
    begin_file(folder)
    with closing(open_journal(folder)) as journal:
        play = Play(journal)
        play.begin()
        play.round("r1")
        journal.checkpoint()
        play.round("r2", over=False)
        note = journal.signed_checkpoint(ORIGIN, signing_key(folder))
        files = tuple((folder / name).read_bytes() for name in FILES)
        records, snapshot = list(journal.replay(0)), next(journal.snapshots(), None)
    merged = (folder / FILES[0]).read_bytes()
    return Genuine(folder, files, merged, records, snapshot, Kept("the kept checkpoint", open_checkpoint(note, key)))


def begin_file(folder: Path) -> None:
    """Makes the file with the smallest pages: in those of 4 KiB, four edits of five fall where nothing is written."""
    with closing(apsw.Connection(str(folder / FILES[0]))) as connection:
        connection.execute("PRAGMA page_size=512")
        connection.execute("PRAGMA journal_mode=WAL")


def _damaged(data: bytes) -> Genuine:
    """The journal with these edits in its folder."""
    whole, given = genuine(), Bytes(data)
    which = given.number(2)
    _lay(whole.folder, [edited(file, given.left) if nth == which else file for nth, file in enumerate(whole.files)])
    return whole


def _lay(folder: Path, contents: Sequence[bytes]) -> None:
    """Puts these files in the place of those that an earlier input left."""
    for name in os.listdir(folder):  # noqa: PTH208  # A Path for each takes longer than all the rest of this.
        if name.startswith(FILES[0]):
            os.unlink(f"{folder}/{name}")  # noqa: PTH108
    for name, content in zip(FILES, contents, strict=False):
        with open(f"{folder}/{name}", "wb", buffering=0) as file:  # noqa: PTH123
            file.write(content)


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
        hold(str(told) and not obeyed(str(told)), "what is wrong isn't said in one line", str(told))


def _folds(journal: Journal, whole: Genuine) -> None:
    """What a start folds was written, from the first record or from a snapshot on, with nothing between left out."""
    snapshot, written = next(journal.snapshots(), None), whole.records
    hold(snapshot in {None, whole.snapshot}, "a start begins with what nobody wrote", snapshot)
    records = list(journal.replay(snapshot.record if snapshot else 0))
    first = snapshot.record if snapshot else 0
    hold(records == written[first : first + len(records)], "a start folds what nobody wrote", first, records)


def _places() -> Iterator[bytes]:
    for which, size in enumerate(len(content) for content in genuine().files):
        for at in range(0, size, 512):
            yield bytes((which, *divmod(at + 100, 256), 0, 3))
        yield bytes((which, 16, 0, 5))
        yield bytes((which, 32, 0, 4, 16, 0, 255))


def _rows(data: bytes) -> None:
    """Edits of a value in a row: what SQLite itself never finds."""
    whole, given = genuine(), Bytes(data)
    table, column = _COLUMNS[given.number(len(_COLUMNS))]
    row = given.number(40)
    with closing(apsw.Connection(":memory:")) as connection:
        connection.deserialize("main", _with_form(whole.merged, _ROLLBACK))
        count = f"(SELECT max(count(*), 1) FROM {table})"  # from the table below
        query = f"SELECT rowid, {column} FROM {table} LIMIT 1 OFFSET ? % {count}"
        found = connection.execute(query, (row,)).fetchone()
        if found is None:
            return
        update = f"UPDATE OR IGNORE {table} SET {column} = ? WHERE rowid = ?"
        connection.execute(update, (_changed(found[1], given), found[0]))
        _lay(whole.folder, [_with_form(connection.serialize("main"), _WAL)])
    _judge_rows(whole)


def _changed(old: Any, given: Bytes) -> object:
    """What a value of a row becomes."""
    anew = given.number(4) == 0
    if isinstance(old, int):
        return given.number(65536)
    new = given.left if anew else edited(old.encode() if isinstance(old, str) else old, given.left)
    return new.decode(errors="replace") if isinstance(old, str) else new


_ROLLBACK, _WAL = b"\1\1", b"\2\2"


def _with_form(file: bytes, form: bytes) -> bytes:
    """The file with another mark of how it is written (SQLite's file format, 1.3.3): one in memory can't have a log."""
    return file[:18] + form + file[20:]


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
    except JournalError as told:
        hold(not obeyed(str(told)), "what is wrong isn't said in one line", str(told))


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
