"""Second copy of a journal on another medium: it follows within seconds.

The copy is a journal's file as the first one is, so that every tool reads it. Whole records are copied, each with its
link checked, so that damage is never copied.
"""

from collections.abc import Callable, Generator
from contextlib import ExitStack, closing, contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Final

import apsw

from tablectl.journal.database import (
    BUSY_TIMEOUT_MS,
    JournalDamagedError,
    JournalError,
    Transaction,
    connect,
    lock,
    number,
    readable,
)
from tablectl.journal.files import open_kept, sync_folder, write_whole
from tablectl.journal.reading.reader import FILE, PUBLIC_KEY
from tablectl.journal.records import Rows, copy_snapshots, link_of, put_rows, read_records, rows_between
from tablectl.journal.tree import KeptHashes, restored_tree, store_tiles
from tablectl.lazy_dataclass import dataclass
from tablectl.proof.tree import GrowingTree, leaf_hash

AT_ONCE: Final = 200
"""Records that are copied in one transaction."""

PAGES_AT_ONCE: Final = 10_000
"""Pages of a file that are copied between two signs of life."""

LAST_RECORD: Final = "SELECT coalesce(max(number), 0) FROM record"
LAST_EVENT: Final = "SELECT coalesce(max(sequence), 0) FROM event"
_META: Final = "SELECT key, value FROM meta"
_PRUNED: Final = "SELECT value FROM meta WHERE key = 'pruned'"


class CopyError(Exception):
    """The second copy can't be written: why, in one line."""


@dataclass(frozen=True, slots=True)
class Position:
    """How far the copy is.

    Args:
        record: the last one that it has.
        sequence: the last event.
        is_complete: whether it had everything at that moment.
    """

    record: int
    sequence: int
    is_complete: bool


@dataclass(slots=True)
class SecondCopy:
    """The open copy of a journal. Its methods block; call them from one thread.

    Args:
        source: reads the journal.
        copy: reads and writes the copy.
        record: the last one that the copy has.
        tree: over the copy's events.
        opened: what is closed at the end.
    """

    source: apsw.Connection
    copy: apsw.Connection
    record: int
    tree: GrowingTree
    opened: ExitStack

    def follow(self) -> Position:
        """Copy the next records, and once all are there what else the journal keeps.

        Raises:
            CopyError: they can't be written.
            JournalDamagedError: they aren't what was written, or can't be read.
        """
        with at_rest(self.source):
            hashes = KeptHashes(self.source, self.tree)
            records = list(islice(read_records(self.source, self.record, hashes), AT_ONCE))
            last = records[-1].number if records else self.record
            is_complete = last == number(self.source, LAST_RECORD)
            leaves = [leaf_hash(event.payload) for record in records for event in record.events]
            tree, tiles = self.tree.grown(leaves)
            with unwritable(), Transaction(self.copy):
                put_rows(self.copy, rows_between(self.source, self.record + 1, last))
                store_tiles(self.copy, tiles)
                if is_complete:
                    copy_snapshots(self.source, self.copy)
                    self.copy.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", self.source.execute(_META))
        self.record, self.tree = last, tree
        return Position(last, tree.size, is_complete)

    def repair(self, rows: Rows) -> bool:
        """Write rows in the place of damaged ones; return whether that could be done."""
        try:
            with Transaction(self.copy):
                put_rows(self.copy, rows)
        except apsw.Error:
            return False
        return True

    def tidy(self) -> None:
        """Move the copy's log into its file.

        Raises:
            CopyError: it can't be written.
        """
        with unwritable():
            self.copy.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)

    def close(self) -> None:
        """Close both files, whatever state their media are in."""
        with suppress(apsw.Error, OSError):
            self.opened.close()


def open_copy(journal: Path, folder: Path) -> SecondCopy:
    """Open the copy of a journal that is at work; it is made where it isn't there.

    Args:
        journal: its folder.
        folder: the copy's.

    Raises:
        CopyError: the folder can't be used, or holds the journal of another log.
    """
    path = folder / FILE
    with ExitStack() as stack, unwritable():
        stack.enter_context(closing(lock(folder)))
        source = stack.enter_context(closing(reading(journal / FILE)))
        if not path.exists() or _is_pruned_otherwise(source, path):
            copy_whole(source, path)
        copy = stack.enter_context(closing(connect(path)))
        record = number(copy, LAST_RECORD)
        if record > number(source, LAST_RECORD) or link_of(copy, record) != link_of(source, record):
            raise CopyError(f"{path} has records that the journal in {journal} doesn't have: move it away")
        if (public := journal / PUBLIC_KEY).exists():
            write_whole(folder / PUBLIC_KEY, public.read_bytes(), 0o644)
        tree = restored_tree(copy, number(copy, LAST_EVENT))
        return SecondCopy(source, copy, record, tree, stack.pop_all())


def copy_whole(source: apsw.Connection, path: Path, at_work: Callable[[], None] | None = None) -> None:
    """Put a copy of the whole file in this place, all or nothing.

    Args:
        source: the file that is read.
        path: where the copy comes.
        at_work: called again and again, where nobody writes the source meanwhile.

    Raises:
        apsw.Error: it can't be read or written.
        OSError: it can't be put there.
    """
    half = path.with_name(f"{path.name}.new")
    half.unlink(missing_ok=True)
    open_kept(half).close()
    with closing(apsw.Connection(str(half))) as target:
        with target.backup("main", source, "main") as backup:
            while not backup.done:
                backup.step(-1 if at_work is None else PAGES_AT_ONCE)  # from the beginning again after each change
                if at_work is not None:
                    at_work()
        target.execute("PRAGMA journal_mode=DELETE")
    for name in (f"{path.name}-wal", f"{path.name}-shm"):
        path.with_name(name).unlink(missing_ok=True)
    half.replace(path)
    sync_folder(path.parent)


def reading(path: Path) -> apsw.Connection:
    """Open a journal's file for reading only, beside whoever writes it.

    Little of it stays in memory: what is read shall be what is on the medium.

    Raises:
        apsw.Error: it can't be opened.
    """
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    connection.set_busy_timeout(BUSY_TIMEOUT_MS)
    connection.execute("PRAGMA cache_size=32")
    return connection


@contextmanager
def at_rest(connection: apsw.Connection) -> Generator[None]:
    """Read one state of the file, whatever is written meanwhile.

    Raises:
        JournalDamagedError: it can't be read.
    """
    with readable():
        connection.execute("BEGIN")
        try:
            yield
        finally:
            connection.execute("ROLLBACK")


def _is_pruned_otherwise(source: apsw.Connection, path: Path) -> bool:
    with closing(reading(path)) as copy:
        return source.execute(_PRUNED).fetchone() != copy.execute(_PRUNED).fetchone()


@contextmanager
def unwritable() -> Generator[None]:
    """Say in one line why the copy can't be written."""
    try:
        yield
    except JournalDamagedError as error:
        raise CopyError(f"the copy is damaged ({error}): move it away, and a new one is made") from None
    except (JournalError, apsw.Error) as error:
        raise CopyError(str(error)) from None
    except OSError as error:
        raise CopyError(f"{error.filename}: {error.strerror}" if error.strerror else str(error)) from None
