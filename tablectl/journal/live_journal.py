"""The journal at work: its blocking calls in one thread, its figures for the loop."""

import asyncio
from bisect import bisect_left
from collections.abc import Callable, Sequence
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from itertools import accumulate
from queue import SimpleQueue
from threading import Thread
from typing import Any, Final, TypeVar

from tablectl.core.actions.subscriber_requests import CompactRange
from tablectl.core.protocols import StoredEvent, TableStoppedError
from tablectl.journal.database import JournalError
from tablectl.journal.files import Room
from tablectl.journal.journal import Journal, JournalFailedError
from tablectl.journal.reading.rows import Remembered
from tablectl.journal.records import Record, Rows, Snapshot
from tablectl.proof.note import Signer

BOUNDS_S: Final = (0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0)
"""Upper ends: from a commit on a good disk to one that holds the table up."""


class Durations:
    """Counts of durations between fixed bounds, and their sum.

    Attributes:
        sum_s: all of them together.
    """

    def __init__(self) -> None:
        self._counts = [0] * (len(BOUNDS_S) + 1)
        self.sum_s = 0.0

    def take(self, duration_s: float) -> None:
        """Count one."""
        self._counts[bisect_left(BOUNDS_S, duration_s)] += 1
        self.sum_s += duration_s

    def at_most(self) -> Sequence[tuple[float, int]]:
        """How many took at most so long, by bound; the last bound is infinity."""
        return tuple(zip((*BOUNDS_S, float("inf")), accumulate(self._counts), strict=True))


T = TypeVar("T")


class Worker:
    """A thread with a queue of calls.

    A pool of one thread would put a second future between call and outcome.

    Outcomes reach the loop in the context in which the worker was made: log lines then name its table.
    """

    def __init__(self, name: str) -> None:
        self._context = copy_context()
        self._calls: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        # A daemon: where a process ends by an error before `end`, nothing waits for this thread.
        self._thread = Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    async def do(self, call: Callable[[], T]) -> T:
        """Return the call's result, or raise its error.

        Once requested the call is made, also where nobody waits any more.
        """
        done: asyncio.Future[T] = asyncio.get_running_loop().create_future()

        def failed(error: BaseException) -> None:
            if not done.done():
                done.set_exception(error)

        self.post(call, lambda result: None if done.done() else done.set_result(result), failed)
        return await done

    def post(self, call: Callable[[], T], done: Callable[[T], None], failed: Callable[[BaseException], None]) -> None:
        """Queue a call; `done` or `failed` is called in the loop as soon as it has ended."""
        loop = asyncio.get_running_loop()

        def carry_out() -> None:
            answer = outcome(call, done, failed)
            with suppress(RuntimeError):  # The loop is closed: nobody waits.
                loop.call_soon_threadsafe(answer, context=self._context)

        self._calls.put(carry_out)

    def end(self) -> None:
        """End the thread after what it was asked before. Blocks."""
        self._calls.put(None)
        self._thread.join()

    def leave(self) -> None:
        """End the thread after what it was asked before, without waiting for it."""
        self._calls.put(None)

    def _work(self) -> None:
        while (call := self._calls.get()) is not None:
            call()


def outcome(
    call: Callable[[], T], done: Callable[[T], None], failed: Callable[[BaseException], None]
) -> Callable[[], None]:
    """Make the call, and return the callback for the loop."""
    try:
        return partial(done, call())
    except BaseException as error:  # noqa: BLE001  # It belongs to the requester, and is raised there.
        return partial(failed, error)


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
