"""SQLite file of the recorder: made if there is none, for one writer.

It is left alone where it is another program's.
"""

import fcntl
import os
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, Final, TypeVar

import apsw

from tablectl.features.recorder.stores.columns import FORM, OTHER_FORM, TAKEN
from tablectl.features.recorder.stores.sqlite_sql import DEVICES, SCHEMA
from tablectl.features.recorder.stores.store import StoreAwayError, StoreUnusableError
from tablectl.journal.files import open_kept

BUSY_TIMEOUT_MS: Final = 5000

FOREIGN: Final = "it is another program's: name a file that isn't there yet, and the recorder makes it"

_NAMES: Final = "SELECT name FROM sqlite_schema WHERE type = 'table'"
_OURS: Final = frozenset({"log", "event", "checkpoint", "gap", "dispute", "recorder"})

T = TypeVar("T")


def opened(path: Path) -> tuple[apsw.Connection, IO[bytes]]:
    """Open the file and take the lock on it.

    A new file gets the recorder's tables. Its folder is made, none above that.

    Raises:
        StoreAwayError: another recorder writes into it.
        StoreUnusableError: it is another program's, or another build's.
        OSError, apsw.Error: it can't be opened.
    """
    if path.exists() and path.stat().st_size:
        look(path)
    path.parent.mkdir(mode=0o700, exist_ok=True)
    lock = _locked(path)
    try:
        open_kept(path).close()
        return _with_tables(path), lock
    except BaseException:
        release(path, lock)
        raise


def release(path: Path, lock: IO[bytes]) -> None:
    """Lets another recorder have the file, and leaves nothing beside it."""
    lock_path(path).unlink(missing_ok=True)
    lock.close()


def lock_path(path: Path) -> Path:
    """Return the path of the lock.

    The file itself can't bear it: SQLite locks that in its own way.
    """
    return path.with_name(f"{path.name}.lock")


def connected(path: Path, flags: int) -> apsw.Connection:
    """A connection as the recorder uses them."""
    connection = apsw.Connection(str(path), flags=flags)
    connection.set_busy_timeout(BUSY_TIMEOUT_MS)
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")
    return connection


def check_form(connection: apsw.Connection) -> None:
    """Sees that this build can use it.

    Raises:
        StoreUnusableError: it can't.
    """
    form = number(connection, "PRAGMA user_version")
    if form != FORM:
        raise StoreUnusableError(OTHER_FORM.format(form, FORM))


def number(connection: apsw.Connection, query: str, values: Any = ()) -> int:
    """The number that a query gives; 0 where it gives none."""
    row = connection.execute(query, values).fetchone()
    return int(row[0]) if row else 0


def with_store_errors(path: Path, call: Callable[[], T]) -> T:
    """Make a call, and translate its database errors to one line.

    Raises:
        StoreAwayError: a full disk or a lock, which may pass.
        StoreUnusableError: the file is damaged or can't be used, which doesn't pass.
    """
    try:
        return call()
    except (apsw.FullError, apsw.BusyError, apsw.IOError, apsw.LockedError) as error:
        raise StoreAwayError(f"{path} can't be written ({error})") from None
    except (apsw.Error, OSError) as error:
        raise StoreUnusableError(f"{path} can't be used: {error}") from None


def look(path: Path) -> None:
    """Looks into a file that is there before anything of it is changed.

    Raises:
        StoreUnusableError: it is another program's, or another build's.
        apsw.Error: it can't be read.
    """
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        connection.set_busy_timeout(BUSY_TIMEOUT_MS)
        form = number(connection, "PRAGMA user_version")
        names = {str(row[0]) for row in connection.execute(_NAMES)}
        if names and (not form or not names >= _OURS):
            raise StoreUnusableError(f"{path} can't be used: {FOREIGN}")
        if form not in {0, FORM}:
            raise StoreUnusableError(OTHER_FORM.format(form, FORM))
    finally:
        connection.close()


def _with_tables(path: Path) -> apsw.Connection:
    connection = connected(path, apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
    try:
        if not number(connection, "PRAGMA user_version"):
            with connection:
                connection.execute(f"{SCHEMA}PRAGMA user_version={FORM}")
        check_form(connection)
        connection.execute(DEVICES)
    except BaseException:
        connection.close()
        raise
    return connection


def _locked(path: Path) -> IO[bytes]:
    """Take the lock that only one recorder has, on the lock file that is there now.

    A recorder that ends takes the file away.

    Raises:
        StoreAwayError: another recorder has it.
    """
    while True:
        file = open_kept(lock_path(path))
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(file.fileno()), lock_path(path).stat()):
                return file
        except FileNotFoundError:
            pass  # taken away since we opened it: another one is made
        except OSError:
            file.close()
            raise StoreAwayError(TAKEN) from None
        file.close()
