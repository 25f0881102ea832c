"""Database file of the journal: schema, opening, locks, errors with advice."""

import fcntl
import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from errno import ENOSPC
from pathlib import Path
from typing import IO

import apsw

from tablectl.journal.files import open_kept, room_in
from tablectl.journal.reading.reader import FILE
from tablectl.lazy_dataclass import dataclass
from tablectl.words.terminal import visible

FORM = 2

CACHE_KIB = 256
"""Pages kept in memory. A table only grows at its end; SQLite would keep 2,000 KiB of what nobody looks at again."""

LOG_LIMIT_BYTES = 64 << 20
"""What the write-ahead log is cut to when it begins anew: much more than a long round's, less than a small disk."""

BUSY_TIMEOUT_MS = 2000
"""A reader that opens the file in mid-commit has the writer's lock for a moment; the daemon must not die of that."""

_SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE record (
    number INTEGER PRIMARY KEY, recorded_us INTEGER NOT NULL, body BLOB NOT NULL, salt BLOB NOT NULL, link BLOB NOT NULL
) STRICT;
CREATE TABLE event (
    sequence INTEGER PRIMARY KEY, record INTEGER NOT NULL, topic TEXT NOT NULL, payload BLOB NOT NULL
) STRICT;
CREATE TABLE tile (number INTEGER PRIMARY KEY, root BLOB NOT NULL, leaves BLOB NOT NULL) STRICT;
CREATE TABLE snapshot (
    record INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, version TEXT NOT NULL, state BLOB NOT NULL,
    seal BLOB NOT NULL
) STRICT;
"""


class JournalError(Exception):
    """The journal can't be opened: what is wrong and what to do, in one line."""


class JournalBusyError(JournalError):
    """Another daemon has this table's journal."""


class JournalDamagedError(JournalError):
    """The journal's file isn't what was written."""


class ChainBrokenError(JournalDamagedError):
    """A record is not what was written."""


@dataclass(frozen=True, slots=True)
class Transaction:
    """Transaction by BEGIN and COMMIT.

    Where the disk was full SQLite has already rolled back, which apsw's own context manager can't handle.

    Args:
        before: called before it begins.
        after: called once it has ended, either way.
    """

    connection: apsw.Connection
    before: Callable[[], None] = lambda: None
    after: Callable[[], None] = lambda: None

    def __enter__(self) -> None:
        self.before()
        self.connection.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self.connection.execute("COMMIT")
        finally:
            try:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
            finally:
                self.after()


class OwnFiles:
    """The journal's files as our own writes left them.

    By them a write of anybody else is noticed.

    SQLite's log is written by our transactions alone and its file by our checkpoints; readers write into neither.
    """

    def __init__(self, folder: Path) -> None:
        file, self._log, self._lock = (str(folder / name) for name in (FILE, f"{FILE}-wal", "lock"))
        self._as_left: dict[str, tuple[int, ...] | None] = dict.fromkeys((file, self._log, self._lock))
        self.checkpointed()

    def checkpointed(self) -> None:
        """Take the files in as a checkpoint of ours left them."""
        for path in self._as_left:
            self._take_in(path)

    def committed(self) -> None:
        """Take SQLite's log in as a transaction of ours left it."""
        self._take_in(self._log)

    def foreign(self) -> str | None:
        """Return the first file that isn't as we left it.

        One that wasn't there before is taken in.
        """
        for path, before in self._as_left.items():
            if before is None:
                self._take_in(path)
            elif self._now(path) != before:
                return path
        return None

    def _take_in(self, path: str) -> None:
        """Never one that was put in another's place."""
        before, now = self._as_left[path], self._now(path)
        if before is None or (now is not None and now[:2] == before[:2]):
            self._as_left[path] = now

    def _now(self, path: str) -> tuple[int, ...] | None:
        """Device and inode of a file; its size and last write where it has content.

        None where it isn't there.
        """
        try:
            found = os.stat(path)  # noqa: PTH116  # a path's own `stat` costs several times as much, at every commit
        except OSError:
            return None
        inode = found.st_dev, found.st_ino
        return inode if path is self._lock else (*inode, found.st_size, found.st_mtime_ns)


@contextmanager
def readable() -> Generator[None]:
    """Raise an error for a damaged journal where the file can't be read in recovery.

    Raises:
        JournalDamagedError: the file can't be read.
    """
    try:
        yield
    # A spoilt page may give any kind of value.
    except (apsw.Error, TypeError, ValueError, OverflowError, AttributeError) as error:
        raise JournalDamagedError(f"the journal can't be read: {_said(error)}") from error


@contextmanager
def openable(path: Path) -> Generator[None]:
    """Says in one line why the file can't be opened, and what to do."""
    try:
        yield
    except (apsw.Error, OSError) as error:
        kind = JournalDamagedError if isinstance(error, apsw.CorruptError | apsw.NotADBError) else JournalError
        raise kind(f"the journal {path} can't be opened: {_said(error)}. {_advice(error, path.parent)}") from error


def lock(folder: Path) -> IO[bytes]:
    """Take the lock that only one daemon or writing tool may hold.

    The folder is made where it isn't there.

    Raises:
        JournalError: the folder can't be used.
        JournalBusyError: somebody else has it.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = open_kept(folder / "lock")
    except OSError as error:
        raise JournalError(
            f"the state folder {folder} can't be used: {error.strerror}. {_advice(error, folder)}"
        ) from error
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        message = f"another tablectl already runs this table (it holds {folder / 'lock'}); stop it first"
        raise JournalBusyError(message) from None
    return file


def connect(path: Path) -> apsw.Connection:
    """Open the database file; it is made where it isn't there.

    Raises:
        JournalError: the file has another form than this build knows.
    """
    fresh = not path.exists()
    open_kept(path).close()
    connection = apsw.Connection(str(path))
    connection.set_busy_timeout(BUSY_TIMEOUT_MS)
    cache, limit = f"cache_size=-{CACHE_KIB}", f"journal_size_limit={LOG_LIMIT_BYTES}"
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "wal_autocheckpoint=0", "foreign_keys=ON", cache, limit):
        connection.execute(f"PRAGMA {pragma}")
    if fresh or not number(connection, "PRAGMA user_version"):
        with connection:
            connection.execute(_SCHEMA + f"PRAGMA user_version={FORM}")
    form = number(connection, "PRAGMA user_version")
    if form != FORM:
        connection.close()
        raise JournalError(f"{path} has form {form}, this build knows {FORM}: use the build that wrote it")
    return connection


def number(connection: apsw.Connection, query: str) -> int:
    """The one number that the query gives."""
    row = connection.execute(query).fetchone()
    return int(row[0]) if row else 0


def _said(error: Exception) -> str:
    """Return an error's text on one line.

    SQLite repeats what stands in a damaged file.
    """
    return visible(str(error).replace("\n", " "))


def _advice(error: Exception, folder: Path) -> str:
    is_full = isinstance(error, apsw.FullError) or getattr(error, "errno", None) == ENOSPC
    if (is_full or isinstance(error, apsw.CantOpenError | apsw.IOError)) and room_in(folder).files == 0:
        return "No file more fits on the disk (no inode is left): delete files that nobody needs and start again."
    if is_full:
        return "The disk is full: make room and start again."
    if isinstance(error, apsw.CorruptError | apsw.NotADBError):
        return "The file is damaged: keep it for examination and move it aside to begin a new log."
    if isinstance(error, apsw.IOError):
        return "The disk or its file system failed: see the kernel's log (`dmesg`), and replace the disk."
    return "Give the daemon's user a folder of its own that it can write (`[paths] state`)."
