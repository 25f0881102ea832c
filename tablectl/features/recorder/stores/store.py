"""Protocols of the recorder's database."""

from collections.abc import Sequence
from typing import Protocol

from tablectl.features.recorder.stores.records import Batch, Gap, Heartbeat, Held, LogState, Saved
from tablectl.proof.tree import Frontier


class StoreAwayError(Exception):
    """The database doesn't answer, or not in time.

    The request may or may not be done. Ask again.
    """


class StoreUnusableError(Exception):
    """The database answers, and can't be used as it is.

    A person has to do something; one line says what.
    """


class ShardLostError(Exception):
    """Another recorder has the shard, or has had it meanwhile.

    What is known of its tables is out of date.
    """


class Store(Protocol):
    """Events of many logs, with what is known of each. One recorder writes at a time.

    Every call raises `StoreAwayError` or `StoreUnusableError`; after the first, the next call connects anew.
    """

    async def open(self) -> Sequence[LogState]:
        """Makes the tables where they aren't there; returns what is known of every log."""
        ...

    async def open_gaps(self) -> Sequence[Gap]:
        """The gaps of which something is missing."""
        ...

    async def save(self, batch: Batch) -> Saved:
        """Store all of a batch or nothing.

        The same batch may be given again: what is stored already stays as it is.
        """
        ...

    async def payloads(self, source: str, first: int, count: int) -> Sequence[bytes]:
        """Return the bytes of events as they are stored; at most `count`.

        They are without a gap from the first number on.
        """
        ...

    async def frontier(self, source: str, size: int) -> Frontier:
        """Return the tree at the last agreeing checkpoint of at most this size.

        It is the empty tree where there is none.
        """
        ...

    async def beat(self, heartbeat: Heartbeat) -> None:
        """Leaves a sign of life."""
        ...

    async def close(self) -> None:
        """Lets go of it."""
        ...


class Reading(Protocol):
    """Queries of `tablectl record status`, while a recorder may be writing."""

    async def held(self) -> Sequence[Held]:
        """Everything known of every log, in the order of their sources."""
        ...

    async def heartbeat(self) -> Heartbeat | None:
        """The recorder's last sign of life."""
        ...

    async def notes(self, source: str, skipped: int, count: int) -> Sequence[tuple[int, str]]:
        """Return the size and text of verified checkpoints of a log, the newest first.

        Args:
            count: the most that are returned.
            skipped: how many newer ones are left out.
        """
        ...

    async def close(self) -> None:
        """Lets go of it."""
        ...
