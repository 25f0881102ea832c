"""A recorder that shares the tables with others, shard by shard."""

import asyncio
import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import field
from random import SystemRandom
from typing import Final, Protocol

from tablectl.features.recorder.ingest import Tally
from tablectl.features.recorder.recorder import Recorder
from tablectl.features.recorder.shards import Shard
from tablectl.features.recorder.stores.store import ShardLostError, StoreAwayError
from tablectl.lazy_dataclass import dataclass

SHARD_BEAT_S: Final = 2.0
LOOK_S: Final = 1.0
"""How often it is looked who is at work, and which shards are free."""


class Shards(Protocol):
    """The list of shards, and of their keepers."""

    async def look(self) -> tuple[int, set[int]]:
        """How many recorders are at work, we among them, and the shards that nobody keeps.

        Raises:
            StoreAwayError: the database doesn't answer, or others write there who don't share as we do.
        """
        ...

    async def close(self) -> None:
        """Count no longer as one that is at work."""
        ...


@dataclass(slots=True)
class Sharing:
    """Keeps its part of the shards.

    There is a recorder for each, with a connection of its own to database and broker.

    Args:
        count: how many shards there are.
        made: the recorder of a shard.
        tell: takes a line for people.
        ready: is called while it counts as one that is at work.
        tally: of all its recorders, since it began.
        recorders: those at work, by the shard's number; the last one taken is the last.
    """

    count: int
    shards: Shards
    made: Callable[[Shard], Recorder]
    tell: Callable[[str], None]
    ready: Callable[[], None]
    tally: Tally
    recorders: dict[int, Recorder] = field(default_factory=dict[int, Recorder])
    _stops: dict[int, asyncio.Event] = field(default_factory=dict[int, asyncio.Event])
    _free: set[int] = field(default_factory=set[int])
    _said: str = ""

    async def run(self, stop: asyncio.Event) -> None:
        """Work until stopped.

        Raises:
            StoreUnusableError: in an exception group: the database can't be used as it is.
        """
        try:
            async with asyncio.TaskGroup() as group:
                while not stop.is_set():
                    await self._look(group)
                    with suppress(TimeoutError):
                        async with asyncio.timeout(LOOK_S):
                            await stop.wait()
                for each in self._stops.values():
                    each.set()
        finally:
            await self.shards.close()

    async def _look(self, group: asyncio.TaskGroup) -> None:
        """Take free shards up to our part, or give up what is beyond it."""
        try:
            at_work, free = await self.shards.look()
        except StoreAwayError as error:
            self._free = set()
            self._change(str(error))
            return
        self._change("the database is there")
        self.ready()
        # Whoever lost the connection only for a moment comes back first.
        long_free, self._free = sorted(self._free & free - self._stops.keys()), free
        part = math.ceil(self.count / at_work)
        for number in list(self._stops)[part:]:
            self._stops[number].set()
        for number in SystemRandom().sample(long_free, min(len(long_free), max(0, part - len(self._stops)))):
            self.recorders[number] = await asyncio.to_thread(self.made, Shard(number, self.count))
            self._stops[number] = asyncio.Event()
            group.create_task(self._keep(number))

    async def _keep(self, number: int) -> None:
        """Record a shard's tables until stopped, or until another recorder has it."""
        try:
            await self.recorders[number].run(self._stops[number])
        except* ShardLostError:
            self.tell(f"shard {number}: another recorder has it")
        else:
            self.tell(f"shard {number}: given back")
        finally:
            del self.recorders[number], self._stops[number]

    def _change(self, said: str) -> None:
        if self._said != said:
            self._said = said
            self.tell(said)
