"""Read-only connection to a journal's file; SQLite's errors come out as one line."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import apsw

from tablectl.journal.reading.rows import UnreadableError
from tablectl.words.terminal import visible

BUSY_TIMEOUT_MS: Final = 5000


def connected(path: Path) -> apsw.Connection:
    """A connection that sees the file as it is now, and can't write to it.

    Raises:
        UnreadableError: it lies where nothing can be written, and a part of it in another file.
    """
    try:
        return _began(path, "mode=ro")
    except (apsw.CantOpenError, apsw.ReadOnlyError):
        # On a medium that can't be written SQLite makes no shared memory; where nothing waits in a log it needs none.
        log = path.with_name(f"{path.name}-wal")
        if log.exists() and log.stat().st_size:
            raise UnreadableError(
                f"{path} can't be read where nothing can be written, for {log.name} still holds a part of it:"
                " copy the whole folder to another disk and read it there"
            ) from None
        return _began(path, "immutable=1")


def _began(path: Path, how: str) -> apsw.Connection:
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    connection = apsw.Connection(f"{path.resolve().as_uri()}?{how}", flags=flags)
    try:
        connection.set_busy_timeout(BUSY_TIMEOUT_MS)
        connection.execute("PRAGMA trusted_schema=OFF")
        connection.execute("BEGIN")
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()
    except apsw.Error:
        connection.close()
        raise
    return connection


@contextmanager
def telling(path: Path) -> Generator[None]:
    """Says in one line what is wrong with the file."""
    try:
        yield
    except UnicodeDecodeError:
        raise UnreadableError(f"{path}: a row holds what no journal writes: it is damaged") from None
    except (apsw.Error, OSError, ValueError, OverflowError) as error:
        said = visible(str(error).replace("\n", " ")) or type(error).__name__  # SQLite repeats what stands in the file.
        raise UnreadableError(f"{path} can't be read: {said}") from None
