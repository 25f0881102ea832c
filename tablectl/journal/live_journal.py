"""The journal at work: its blocking calls in one thread, its figures for the loop."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

from tablectl.core.actions.subscriber_requests import CompactRange
from tablectl.core.protocols import StoredEvent, TableStoppedError
from tablectl.journal.database import JournalError
from tablectl.journal.durations import Durations
from tablectl.journal.files import Room
from tablectl.journal.journal import Journal, JournalFailedError
from tablectl.journal.records import Record, Rows, Snapshot
from tablectl.journal.remembered import Remembered
from tablectl.journal.writer_thread import Worker
from tablectl.proof.note import Signer

T = TypeVar("T")


class LiveJournal:
    """An open journal for a running loop (`EventStore`).

    Args:
        on_failure: takes every failed write and read; nothing may be acknowledged after the first.

    Attributes:
        commits: how long the loop waited for each commit.
    """

    def __init__(self, journal: Journal, on_failure: Callable[[BaseException], None]) -> None:
        self._on_failure = on_failure
        self._journal = journal
        self._worker = Worker("journal")
        self._published = int(journal.meta(Remembered.PUBLISHED) or 0)
        self.commits = Durations()

    def append(self, records: Sequence[Record], snapshot: Snapshot | None, done: Callable[[], None]) -> None:
        """Make records durable; `done` is called in the loop once they are."""
        time_s = asyncio.get_running_loop().time
        began_s = time_s()

        def committed(_none: None) -> None:
            self.commits.take(time_s() - began_s)
            done()

        self._worker.post(partial(self._journal.append, records, snapshot), committed, self._on_failure)

    def read(self, look: Callable[[], T], done: Callable[[T], None]) -> None:
        """Have the journal read; `done` is called in the loop with what was found."""
        self._worker.post(look, done, self._on_failure)

    async def look(self, look: Callable[[], T]) -> T:
        """Return what is found in the journal.

        Raises:
            TableStoppedError: it can't be read.
        """
        return await self._do(look)

    async def events_after(self, sequence: int, limit: int) -> Sequence[StoredEvent]:
        """Return the events that follow `sequence`, at most `limit`, in order.

        Raises:
            TableStoppedError: the journal can't be read.
        """
        return await self._do(self._journal.events_after, sequence, limit)

    async def last_event_by(self, at_us: int, now_us: int) -> int:
        """Return the last event that was stored by a time; 0 where none was.

        Args:
            at_us: that time, UTC microseconds.
            now_us: the present; an event with a later time is left out.

        Raises:
            TableStoppedError: the journal can't be read.
        """
        return await self._do(self._journal.last_event_by, at_us, now_us)

    async def compact_range(self, old: int, size: int) -> CompactRange:
        """Return the peaks of the tree of `size` events, with a proof about `old`.

        The proof is that the first `old` events are its beginning.

        Raises:
            TableStoppedError: the journal can't be read.
        """
        return await self._do(self._journal.compact_range, old, size)

    async def root(self, size: int) -> bytes:
        """Return the root of the tree over the first `size` events.

        Raises:
            TableStoppedError: the journal can't be read.
        """
        return await self._do(self._journal.root, size)

    async def beginning(self) -> Sequence[bytes]:
        """Return the first two facts.

        Raises:
            TableStoppedError: the journal can't be read.
        """
        return await self._do(self._journal.beginning)

    def last_sequence(self) -> int:
        """Return the number of the last stored event."""
        return self._journal.last_sequence

    def published(self) -> int:
        """Return the last event known to be with the broker."""
        return self._published

    async def mark_published(self, sequence: int) -> None:
        """Remember that the broker has all events up to this one.

        Raises:
            TableStoppedError: the journal can't be written.
        """
        self._published = sequence
        await self._do(self._journal.remember, Remembered.PUBLISHED, str(sequence))

    async def remember(self, key: Remembered, value: str) -> None:
        """Remember a value that may be lost without harm.

        Raises:
            TableStoppedError: the journal can't be written.
        """
        await self._do(self._journal.remember, key, value)

    async def remembered(self, key: Remembered) -> str:
        """Return a remembered value; empty where there is none.

        Raises:
            TableStoppedError: the journal can't be read.
        """
        return await self._do(self._journal.meta, key) or ""

    async def signed_checkpoint(self, origin: str, signer: Signer) -> str:
        """Return a signed note of all events stored so far.

        Args:
            origin: the log's name.

        Raises:
            TableStoppedError: the journal can't be written.
        """
        return await self._do(self._journal.signed_checkpoint, origin, signer)

    async def repair(self, rows: Rows) -> bool:
        """Write rows in the place of damaged ones; return whether that could be done.

        Raises:
            TableStoppedError: the journal can't be written.
        """
        return await self._do(self._journal.repair, rows)

    def checkpoint(self) -> None:
        """Move SQLite's log into the file, after what was asked for before."""
        self._worker.post(self._journal.checkpoint, lambda _none: None, self._on_failure)

    def check_files(self) -> None:
        """Verify that the journal's files are still in the folder.

        A failure is reported where they aren't.
        """
        self._worker.post(self._journal.check_files, lambda _none: None, self._on_failure)

    async def room(self) -> Room:
        """Return what is left on the journal's disk."""
        return await self._do(self._journal.room)

    async def make_reserve(self) -> None:
        """Lay a little disk aside for the last facts before the disk is full."""
        await self._do(self._journal.make_reserve)

    def close(self) -> None:
        """End the thread and close the journal. Blocks; after everything else."""
        self._worker.end()
        self._journal.close()

    async def _do(self, call: Callable[..., T], *given: Any) -> T:
        try:
            return await self._worker.do(partial(call, *given))
        except JournalFailedError as error:
            raise self._stopped_by(error) from error
        except JournalError as error:
            raise TableStoppedError(str(error)) from error

    def _stopped_by(self, error: JournalFailedError) -> TableStoppedError:
        self._on_failure(error)
        return TableStoppedError(str(error))
