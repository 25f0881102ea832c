"""Journal: every fact, and the exact bytes of every event that follows from it.

Both are on disk before anyone acts on them. One SQLite file in WAL mode with `synchronous=FULL`, one connection, one
writer. A batch of records is one transaction. The records are chained by SHA-256; each carries 32 secret random bytes,
so that a face-down card can't be guessed from a hash. The events are the leaves of a Merkle tree, which grows with
them.
"""

import os
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NoReturn

import apsw

from tablectl.core.actions.subscriber_requests import CompactRange
from tablectl.core.protocols import StoredEvent
from tablectl.journal.database import JournalError, OwnFiles, Transaction, connect, lock, number, openable, readable
from tablectl.journal.files import Room, open_kept, room_in
from tablectl.journal.reading.by_time import last_event_by
from tablectl.journal.reading.rows import Remembered
from tablectl.journal.records import (
    Record,
    Rows,
    Snapshot,
    link_of,
    put_rows,
    read_records,
    read_snapshots,
    record_of_event,
    store_records,
    store_snapshot,
    stretch,
)
from tablectl.journal.tree import KeptHashes, compare_with_checkpoint, restored_tree, store_tiles
from tablectl.proof.chain import FIRST_LINK
from tablectl.proof.checkpoint import Checkpoint, JournalHead, sign_checkpoint
from tablectl.proof.note import Signer
from tablectl.proof.tree import GrowingTree, leaf_hash

RESERVE_BYTES = 1 << 20

_BEGINNING = "SELECT body FROM record WHERE number <= 2 ORDER BY number"
_EVENTS = "SELECT sequence, topic, payload FROM event WHERE sequence > ? AND payload != x'' ORDER BY sequence LIMIT ?"


class JournalFailedError(Exception):
    """A write failed. Nothing of the batch counts, and this journal takes no more."""


class Journal:
    """An open journal. Its methods block; call them from one thread at a time."""

    def __init__(self, folder: Path, connection: apsw.Connection, held: IO[bytes]) -> None:
        self._folder = folder
        self._connection = connection
        self._lock = held
        self._link = FIRST_LINK
        self._tree = GrowingTree()
        self.last_record: int = 0
        self.last_sequence: int = 0
        self._failed = ""
        self._files = OwnFiles(folder)
        # On top of nothing but our own writes.
        self._writing = Transaction(connection, self.check_files, self._files.committed)

    # --- what is in it

    def beginning(self) -> list[bytes]:
        """Return the first two facts; fewer where there are none yet.

        They say whose log it is, and how its first session was set up.

        Raises:
            JournalDamagedError: they can't be read.
        """
        with readable():
            return [body for (body,) in self._connection.execute(_BEGINNING)]

    def snapshots(self, before: int = 2**62) -> Iterator[Snapshot]:
        """Yield the snapshots of the state before this record, newest first.

        One that isn't what was written is left out.

        Raises:
            JournalDamagedError: they can't be read.
        """
        with readable():
            yield from read_snapshots(self._connection, before)

    def replay(self, after: int) -> Iterator[Record]:
        """The records that follow `after`, their links checked one by one.

        Raises:
            ChainBrokenError: a record is missing or was changed.
            JournalDamagedError: they can't be read.
        """
        with readable():
            yield from read_records(self._connection, after, self._hashes())

    def events_after(self, sequence: int, limit: int) -> list[StoredEvent]:
        """Return at most `limit` events after `sequence` that aren't pruned, in order.

        Raises:
            JournalFailedError: they can't be read.
        """
        with self._or_fail():
            return [StoredEvent(*row) for row in self._connection.execute(_EVENTS, (sequence, limit))]

    def stretch(self, first: int, last: int) -> list[Record]:
        """The records from one number to another, as they are stored.

        Raises:
            JournalFailedError: they can't be read.
        """
        with self._or_fail():
            return stretch(self._connection, first, last)

    def record_of_event(self, sequence: int) -> int:
        """The record from which an event follows; 0 where there is no such event.

        Raises:
            JournalFailedError: it can't be read.
        """
        with self._or_fail():
            return record_of_event(self._connection, sequence)

    def last_event_by(self, at_us: int, now_us: int) -> int:
        """The last event that was stored by a time, UTC microseconds; 0 where none was.

        Args:
            now_us: the present; what bears a time later than that is left out.

        Raises:
            JournalFailedError: it can't be read.
        """
        with self._or_fail():
            return last_event_by(self._connection, at_us, now_us).sequence

    def meta(self, key: Remembered) -> str | None:
        """A remembered value."""
        row = self._connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return row[0] if row else None

    # --- what goes into it

    def append(self, records: Sequence[Record], snapshot: Snapshot | None = None) -> None:
        """Makes the records durable, all or none.

        A full disk is given back the reserve once, so that what already happened is still written down.

        Raises:
            JournalFailedError: they are not durable; the journal takes nothing from now on.
        """
        if self._failed:
            raise JournalFailedError(self._failed)
        try:
            self._commit(records, snapshot)
        except apsw.FullError as error:
            if not self._release_reserve():
                self._give_up(error)
            with self._or_fail():
                self._commit(records, snapshot)
        except (apsw.Error, OSError) as error:
            self._give_up(error)

    def keep(self, snapshot: Snapshot) -> None:
        """Stores a snapshot of what is durable.

        Raises:
            JournalFailedError: it can't be written.
        """
        with self._or_fail(), self._writing:
            store_snapshot(self._connection, snapshot)

    def remember(self, key: Remembered, value: str) -> None:
        """Remembers a value that may be lost without harm, such as how far the broker is.

        Raises:
            JournalFailedError: it can't be written.
        """
        with self._or_fail(), self._writing:
            self._connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def prune(self, through: int) -> None:
        """Prune the payloads of the events up to this one.

        Their hashes stay, and all proofs with them.

        Raises:
            ValueError: some of them are in no full tile yet, or not with the broker: their payloads are needed.
            JournalFailedError: it can't be written.
        """
        if through > min(self._tree.size - len(self._tree.tail), int(self.meta(Remembered.PUBLISHED) or 0)):
            raise ValueError(f"the events up to {through} can't all be pruned yet")
        with self._or_fail():
            self._connection.execute("PRAGMA secure_delete=ON")
            with self._writing:
                query = "UPDATE event SET payload = x'' WHERE sequence <= ? AND payload != x''"
                self._connection.execute(query, (through,))
                self._connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (Remembered.PRUNED, str(through)))

    def repair(self, rows: Rows) -> bool:
        """Write rows in the place of damaged ones.

        Returns:
            Whether that could be done: where the file's own pages are damaged, it can't.

        Raises:
            JournalFailedError: it can't be written.
        """
        try:
            with self._writing:
                put_rows(self._connection, rows)
        except apsw.CorruptError:
            return False
        except (apsw.Error, OSError) as error:
            self._give_up(error)
        return True

    def shrink(self) -> bool:
        """Gives the disk what pruning freed.

        Returns:
            Whether that could be done: it needs the file's size once more, and nobody may be reading the file.
        """
        try:
            self._connection.execute("VACUUM")
            self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        except (apsw.Error, OSError):
            return False
        finally:
            self._files.checkpointed()
        return True

    # --- what proves it

    def root(self, size: int) -> bytes:
        """Return the root of the tree over the first `size` events.

        Raises:
            ValueError: there aren't so many.
            JournalDamagedError: the hashes can't be read.
        """
        self._see_that_there_are(size, size)
        with readable():
            return self._hashes().whole().root(size)

    def compact_range(self, old: int, size: int) -> CompactRange:
        """Return the peaks of the first `size` events, and a proof about the first `old`.

        The proof is that the first `old` events are the beginning of the first `size`.

        Raises:
            ValueError: there aren't so many events.
            JournalDamagedError: the hashes can't be read.
        """
        self._see_that_there_are(old, size)
        with readable():
            whole = self._hashes().whole()
            return CompactRange(size, whole.peaks(size), old, whole.consistency(old, size) if old else ())

    def signed_checkpoint(self, origin: str, signer: Signer) -> str:
        """A signed note of what is durable now; it is kept in the journal as well.

        Args:
            origin: `tablectl/<site>/<table>/<log id>`.

        Raises:
            JournalFailedError: it can't be kept.
        """
        head = JournalHead(self.last_record, self._link)
        note = sign_checkpoint(Checkpoint(origin, self._tree.size, self._tree.root, head), signer)
        self.remember(Remembered.CHECKPOINT, note)
        return note

    def _see_that_there_are(self, sequence: int, size: int) -> None:
        if not 0 <= sequence <= size <= self._tree.size:
            raise ValueError(f"event {sequence} of {size} is not one of the {self._tree.size} of this log")

    def _hashes(self) -> KeptHashes:
        return KeptHashes(self._connection, self._tree)

    # --- its file

    def check_files(self) -> None:
        """Verify that the open files are those in the folder, written by us alone.

        Whatever is written into other files is lost with them.

        Raises:
            JournalFailedError: one was deleted, moved, replaced or overwritten; the journal takes nothing from now on.
        """
        if (foreign := self._files.foreign()) is not None:
            self._connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)  # into a foreign file
            self._give_up(OSError(f"{foreign} was deleted, moved, replaced or overwritten"))

    def checkpoint(self) -> None:
        """Moves the log into the file, for when nothing else is to be done.

        Raises:
            JournalFailedError: the file is somebody else's.
        """
        self.check_files()
        with self._or_fail():
            self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
        self._files.checkpointed()

    def room(self) -> Room:
        """Return the free space on the journal's disk."""
        return room_in(self._folder)

    def make_reserve(self) -> None:
        """Lays aside a little disk for the last facts before the disk is full."""
        path = self._folder / "reserve"
        if path.exists() and path.stat().st_size == RESERVE_BYTES:
            return
        try:
            with open_kept(path) as reserve:
                os.posix_fallocate(reserve.fileno(), 0, RESERVE_BYTES)
        except OSError:
            path.unlink(missing_ok=True)

    def close(self) -> None:
        """Closes the file and lets another daemon have it."""
        self._connection.close()
        self._lock.close()

    def restore(self) -> None:
        """Takes from the file where the chain, the numbers and the tree are.

        Raises:
            JournalDamagedError: an event is missing, or the tree isn't the one of the last checkpoint.
        """
        with readable():
            self.last_record = number(self._connection, "SELECT coalesce(max(number), 0) FROM record")
            self.last_sequence = number(self._connection, "SELECT coalesce(max(sequence), 0) FROM event")
            self._link = link_of(self._connection, self.last_record)
            self._tree = restored_tree(self._connection, self.last_sequence)
            if (note := self.meta(Remembered.CHECKPOINT)) is not None:
                compare_with_checkpoint(self._hashes(), note)

    # --- inside

    def _commit(self, records: Sequence[Record], snapshot: Snapshot | None) -> None:
        events = [event for record in records for event in record.events]
        leaves = [leaf_hash(event.payload) for event in events]
        tree, tiles = self._tree.grown(leaves)
        if events and (last := events[-1].sequence) != tree.size:
            raise JournalFailedError(f"event {last} came where {tree.size} was due")
        with self._writing:
            link = store_records(self._connection, records, leaves, self._link)
            if tiles:
                store_tiles(self._connection, tiles)
            if snapshot is not None:
                store_snapshot(self._connection, snapshot)
        self._link, self._tree = link, tree
        self.last_record, self.last_sequence = records[-1].number, tree.size

    def _release_reserve(self) -> bool:
        try:
            (self._folder / "reserve").unlink()
        except OSError:
            return False
        return True

    @contextmanager
    def _or_fail(self) -> Generator[None]:
        """Either succeed with all that is done within, or take nothing any more."""
        try:
            yield
        except (apsw.Error, OSError) as error:
            self._give_up(error)

    def _give_up(self, error: Exception) -> NoReturn:
        # After a failed write or sync nobody knows what is on disk: only a new process that reads it does.
        self._failed = f"the journal can't be written: {error}"
        raise JournalFailedError(self._failed) from error


def open_journal(folder: Path) -> Journal:
    """Opens the journal in this folder, or makes a new one.

    Raises:
        JournalError: the folder or the file can't be used; in one line, with what to do.
    """
    held = lock(folder)
    path = folder / "journal.db"
    try:
        with openable(path):
            connection = connect(path)
    except JournalError:
        held.close()
        raise
    journal = Journal(folder, connection, held)
    try:
        journal.restore()
    except JournalError:
        journal.close()
        raise
    journal.make_reserve()
    return journal
