"""Recorder at work: receive, store, verify and request what is missing.

It runs until it is stopped.
"""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import field
from typing import Any, Final, TypeVar

from tablectl.features.recorder.brokers import Route
from tablectl.features.recorder.ingest import Book
from tablectl.features.recorder.log_state import Account
from tablectl.features.recorder.stores.records import Batch, Heartbeat
from tablectl.features.recorder.stores.store import Store, StoreAwayError
from tablectl.lazy_dataclass import dataclass
from tablectl.mqtt.client import BrokerAwayError, Connection
from tablectl.mqtt.reconnect import delays
from tablectl.proof.tree import Frontier, leaf_hash

LOOK_S: Final = 0.2
"""How often it is looked at what is to be asked for."""

BEAT_S: Final = 5.0
GATHER_S: Final = 0.02
"""Events that come within this time share a transaction."""

READ: Final = 2_000
"""Events that are read from the store at once, where the tree has to catch up."""

FAREWELL_S: Final = 5.0

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Functions that the recorder needs of the machine and of other rooms.

    Args:
        routes: to the broker that brings the events, first, and to those of the pits.
        now: the time, RFC 3339.
        tell: a line for people.
        ready: is called once, when the store is open and the broker is there.
        beat_s: how often a sign of life is left in the store.
    """

    routes: Sequence[Route]
    now: Callable[[], str]
    tell: Callable[[str], None]
    ready: Callable[[], None]
    beat_s: float = BEAT_S


@dataclass(slots=True)
class Recorder:
    """Records what tables publish."""

    book: Book
    store: Store
    around: Surroundings
    _news: asyncio.Event = field(default_factory=asyncio.Event)
    _turned: asyncio.Event = field(default_factory=asyncio.Event)
    _connections: dict[str, Connection] = field(default_factory=dict[str, Connection])
    _batch: Batch = field(default_factory=Batch)
    _begun: bool = False
    _said: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def connected(self) -> bool:
        """Return True while the broker that brings the events is there."""
        return "" in self._connections

    async def run(self, stop: asyncio.Event) -> None:
        """Work until stopped; then store what has come, and close the store.

        Raises:
            StoreUnusableError: the database can't be used as it is.
        """
        try:
            async with asyncio.TaskGroup() as group:
                work = group.create_task(self._work())
                await stop.wait()
                work.cancel()
            if self._begun:
                await self._farewell()
        finally:
            await self.store.close()

    async def _work(self) -> None:
        states = await self._patiently(self.store.open)
        self.book.begin(states, await self._patiently(self.store.open_gaps))
        self._begun = True
        async with asyncio.TaskGroup() as group:
            for work in (self._keep, self._ask, self._beat):
                group.create_task(work())
            for route in self.around.routes:
                group.create_task(self._listen(route))

    async def _farewell(self) -> None:
        with suppress(TimeoutError, StoreAwayError):
            async with asyncio.timeout(FAREWELL_S):
                while await self._flush() or self._batch:
                    pass
                await self.store.beat(Heartbeat(self.around.now(), "", connected=False))

    # --- the brokers

    async def _listen(self, route: Route) -> None:
        waits, name = delays(), f"pit {route.pit}: " if route.pit else ""
        while True:
            try:
                async with route.connect() as connection:
                    filters = self.book.filters(route.hears, route.asks)
                    # NATS elects the leader of a queue for each subscription with QoS 1, which takes seconds.
                    dealt = self.book.shard is not None and not route.pit
                    await connection.subscribe(filters, qos=0 if dealt else 1)
                    self._connections[route.pit] = connection
                    self._turned.set()
                    self._change(f"broker {route.pit}", f"{name}connected")
                    if not route.pit:
                        self.around.ready()
                    waits = delays()
                    await self._hear(connection)
            except BrokerAwayError as error:
                self._change(f"broker {route.pit}", f"{name}{error}")
            finally:
                self._connections.pop(route.pit, None)
                self._turned.set()
                self.book.cut_off(route.leads_to)
            await asyncio.sleep(next(waits))

    async def _hear(self, connection: Connection) -> None:
        loop = asyncio.get_running_loop()
        async for message in connection.messages():
            self.book.take(message.topic, message.payload, self.around.now(), loop.time())
            self._news.set()

    async def _ask(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            for ask in self.book.requests(loop.time(), lambda place: self._way_to(place) is not None):
                if connection := self._way_to(ask.place):
                    with suppress(BrokerAwayError):  # whoever listens hears of it as well
                        connection.publish(ask.topic, ask.payload)
            if self.book.dirty:
                self._news.set()
            await asyncio.sleep(LOOK_S)

    def _way_to(self, place: str) -> Connection | None:
        ways = (self._connections.get(route.pit) for route in self.around.routes if route.leads_to(place))
        return next(ways, None)

    # --- the store

    async def _keep(self) -> None:
        while True:
            await self._news.wait()
            await asyncio.sleep(GATHER_S)
            self._news.clear()
            if await self._flush():
                self._news.set()

    async def _flush(self) -> bool:
        """Store all that has come, and judge what can be judged.

        Returns:
            True if there is more to do at once.
        """
        # A batch that a stop interrupts goes first next time: the states that follow speak of its events as kept.
        batch = self._batch = self._batch or self.book.batch(self.around.now())
        if batch:
            began_s = asyncio.get_running_loop().time()
            self.book.stored(batch, await self._patiently(lambda: self.store.save(batch)))
            self.book.tally.stored.take(asyncio.get_running_loop().time() - began_s)
        self._batch = Batch()
        more = False
        for account in tuple(self.book.accounts.values()):
            more = await self._grow(account) or more
            more = await self._judge(account) or account.ripe or more
        for line in self.book.lines():
            self.around.tell(line)
        return more

    async def _grow(self, account: Account) -> bool:
        """Brings the tree up to what is stored without a gap, a stretch at a time."""
        tree, unbroken = account.tree, account.unbroken
        if tree.size >= unbroken:
            return False
        payloads = await self._read(account.source, tree.size + 1, unbroken - tree.size)
        for sequence, payload in enumerate(payloads, tree.size + 1):
            tree.take(sequence, payload)
        return bool(payloads) and tree.size < unbroken

    async def _read(self, source: str, first: int, count: int) -> Sequence[bytes]:
        return await self._patiently(lambda: self.store.payloads(source, first, min(READ, count)))

    async def _judge(self, account: Account) -> bool:
        sizes = account.due()
        for size in sizes:
            frontier = account.tree.at(size) or await self._earlier(account, size)
            if frontier.size == size and account.others and account.disagrees(size, frontier):
                frontier = await self._signed(account, size)
            if frontier.size == size:
                self.book.judged(account.judge(size, frontier))
            else:
                account.let_be(size)
        return bool(sizes)

    async def _signed(self, account: Account, size: int) -> Frontier:
        """Return the tree at a size with the table's own bytes.

        They count where others came first and are stored.
        """
        tree = account.tree.base
        while tree.size < size and (payloads := await self._read(account.source, tree.size + 1, size - tree.size)):
            numbered = enumerate(payloads, tree.size + 1)
            tree = tree.grown([leaf_hash(account.others.get(number, payload)) for number, payload in numbered])
        return tree

    async def _earlier(self, account: Account, size: int) -> Frontier:
        """Return the tree at a size that lies before what is in memory.

        It is smaller where events aren't stored any more.
        """
        source = account.source
        tree = await self._patiently(lambda: self.store.frontier(source, size))
        while tree.size < size and (payloads := await self._read(source, tree.size + 1, size - tree.size)):
            tree = tree.grown([leaf_hash(payload) for payload in payloads])
        return tree

    async def _beat(self) -> None:
        """Leaves a sign of life every few seconds, and when the broker comes or goes."""
        while True:
            self._turned.clear()
            heartbeat = Heartbeat(self.around.now(), self.book.session, connected=self.connected)
            with suppress(StoreAwayError):  # whoever keeps events hears of it as well
                await self.store.beat(heartbeat)
            with suppress(TimeoutError):
                async with asyncio.timeout(self.around.beat_s):
                    await self._turned.wait()

    async def _patiently(self, call: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Return the store's answer, however long the store takes to be there."""
        waits = delays()
        while True:
            try:
                answer = await call()
            except StoreAwayError as error:
                self._change("store", str(error))
            else:
                self._change("store", "the database is there")
                return answer
            await asyncio.sleep(next(waits))

    def _change(self, what: str, said: str) -> None:
        """Says a thing once, until it is another."""
        if self._said.get(what) != said:
            self._said[what] = said
            self.around.tell(said)
