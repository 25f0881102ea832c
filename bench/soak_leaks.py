"""Leaks, to see that a soak run finds them: planted in the daemon that is watched, never in the product.

Some grow by the second, in the thread that counts. The others stand in for a part of the daemon that does its work
wrongly, and grow with what the table does.
"""

import asyncio
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

import apsw

from tablectl.core.protocols import StoredEvent
from tablectl.daemon.table import LiveTable
from tablectl.journal import journal, records
from tablectl.journal.journal import Journal
from tablectl.journal.records import Snapshot
from tablectl.mqtt.flow import Flow

FEW_BYTES: Final = 256 * 1024

ONE_IN: Final = 5
"""Of the facts and the events, one in so many stays where it is."""

Loop = asyncio.AbstractEventLoop | None
Leak = Callable[[list[Any], Loop], None]


def _leak_task(_held: list[Any], loop: Loop) -> None:
    if loop is not None:  # none before the daemon runs
        asyncio.run_coroutine_threadsafe(asyncio.sleep(1e6), loop)


def _leak_thread(_held: list[Any], _loop: Loop) -> None:
    threading.Thread(target=time.sleep, args=(1e6,), daemon=True).start()


BY_THE_SECOND: Final[Mapping[str, tuple[float, Leak]]] = MappingProxyType(
    {
        "memory": (1.0, lambda held, _loop: held.append(os.urandom(FEW_BYTES))),
        "descriptors": (1.0, lambda held, _loop: held.append(os.open(os.devnull, os.O_RDONLY))),
        "threads": (1.0, _leak_thread),
        "tasks": (1.0, _leak_task),
        "blocks": (1000.0, lambda held, _loop: held.append([])),
    }
)
"""How many a second where nothing else is asked for, and one of them."""


class HoardingQueue(deque[Any]):
    """Gives all that is put into it in order, and beside that keeps one in `ONE_IN` at its front for ever."""

    kept = 0
    came = 0

    def __bool__(self) -> bool:
        return len(self) > self.kept

    def append(self, item: Any) -> None:
        super().append(item)
        self.came += 1
        if self.came % ONE_IN == 0:
            super().appendleft(item)
            self.kept += 1

    def popleft(self) -> Any:
        item = self[self.kept]
        del self[self.kept]
        return item


def plant_queue() -> None:
    """The table's facts wait in a queue that keeps some of them."""
    begin = LiveTable.__init__

    def begin_with_a_hoard(self: LiveTable[Any], *given: Any, **named: Any) -> None:
        begin(self, *given, **named)
        vars(self)["_waiting"] = HoardingQueue()

    _put_in_place(LiveTable, "__init__", begin_with_a_hoard)


def plant_outbox() -> None:
    """For every five events that went out one more stays behind."""
    _next_event: Callable[[Flow], StoredEvent | None] = vars(Flow)["_next_event"]

    def next_but_some(self: Flow) -> StoredEvent | None:
        flow = vars(self)
        return _next_event(self) if len(flow["_waiting"]) > flow["_newest"] // ONE_IN else None

    _put_in_place(Flow, "_next_event", next_but_some)


def plant_log() -> None:
    """The write-ahead log is never moved into the file."""
    _put_in_place(Journal, "checkpoint", lambda _self: None)


def plant_journal() -> None:
    """With each snapshot the numbers of all records so far are stored under a name of their own."""
    store: Callable[[apsw.Connection, Snapshot], None] = records.store_snapshot

    def store_with_numbers(connection: apsw.Connection, snapshot: Snapshot) -> None:
        store(connection, snapshot)
        numbers = " ".join(f"{number:016}" for number in range(1, snapshot.record + 1))
        connection.execute("INSERT INTO meta VALUES (?, ?)", (f"records {snapshot.record}", numbers))

    _put_in_place(journal, "store_snapshot", store_with_numbers)


def plant_snapshots() -> None:
    """Each round's snapshot stays in the journal: no more with each record, but for ever more than it takes."""
    seal: Callable[[apsw.Connection, Snapshot], bytes] = vars(records)["_seal"]

    def store(connection: apsw.Connection, snapshot: Snapshot) -> None:
        values = (snapshot.record, snapshot.sequence, snapshot.version, snapshot.state, seal(connection, snapshot))
        connection.execute("INSERT OR REPLACE INTO snapshot VALUES (?, ?, ?, ?, ?)", values)

    _put_in_place(journal, "store_snapshot", store)


def _put_in_place(owner: Any, name: str, value: Callable[..., Any]) -> None:
    setattr(owner, name, value)


INSTEAD: Final[Mapping[str, Callable[[], None]]] = MappingProxyType(
    {
        "queue": plant_queue,
        "outbox": plant_outbox,
        "log": plant_log,
        "journal": plant_journal,
        "snapshots": plant_snapshots,
    }
)
"""What is put in the place of a part, before the daemon begins."""

LEAKS: Final[Sequence[str]] = (*BY_THE_SECOND, *INSTEAD)

SEEN_IN: Final[Mapping[str, str]] = MappingProxyType(
    {
        "memory": "private memory, MiB",
        "blocks": "blocks of memory",
        "log": "write-ahead log, MiB",
        "journal": "journal, bytes a record",
        "snapshots": "journal, bytes a record",
    }
)
"""The series in which a leak is seen, where it isn't the one of its name."""
