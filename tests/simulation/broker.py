"""A broker in memory, as one connection sees it: it takes, acknowledges, delays, freezes, hangs up and forgets."""

import asyncio
import random
from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Final

from tablectl.mqtt.client import WINDOW, BrokerAwayError
from tablectl.mqtt.message import Message, Will
from tests.simulation.virtual import VirtualLoop, about

NETWORK_S: Final = 0.001


@dataclass(frozen=True, slots=True)
class Received:
    """A message that the broker took.

    Args:
        life: which life of the daemon sent it.
    """

    at_s: float
    life: int
    topic: str
    payload: bytes
    retained: bool


@dataclass(slots=True)
class Broker:
    """The far end of every connection.

    Attributes:
        received: all that it ever took, in order.
        is_up: whether it listens.
        is_frozen: whether it holds its connections and says nothing.
        connection: the table's; `beside` is that of a controller that runs beside it.
    """

    world: VirtualLoop
    chance: random.Random
    note: Callable[[str, str], None]
    received: list[Received] = field(default_factory=list[Received])
    retained: dict[str, bytes] = field(default_factory=dict[str, bytes])
    is_up: bool = True
    is_frozen: bool = False
    slow_s: float = 0.0
    connection: "SimulatedConnection | None" = None
    beside: "SimulatedConnection | None" = None
    listeners: list[Callable[[str, bytes], None]] = field(default_factory=list[Callable[[str, bytes], None]])
    _waiting: list[Callable[[], None]] = field(default_factory=list[Callable[[], None]])

    def accept(self, life: int, topic: str, payload: bytes, *, retain: bool) -> None:
        """Takes a message."""
        self.received.append(Received(self.world.time(), life, topic, payload, retain))
        if retain:
            self.retained[topic] = payload
        self.note("published", topic)
        if "/answer/" in topic or "/replay/" in topic:
            for hear in self.listeners:
                hear(topic, payload)

    def checkpoint(self) -> bytes:
        """The one that it keeps; empty where it keeps none."""
        return next((each for topic, each in self.retained.items() if topic.endswith("/checkpoint")), b"")

    def bring(self, topic: str, payload: bytes) -> None:
        """Brings somebody's message to whoever has subscribed to its topic at this moment."""
        self.handle(lambda: self._bring(topic, payload))

    def _bring(self, topic: str, payload: bytes) -> None:
        if self.is_up and (connection := self.connection) is not None and connection.wants(topic):
            connection.bring(Message(topic, payload))

    def pass_on(self, sender: "SimulatedConnection", topic: str, payload: bytes) -> None:
        """Brings what one controller says to the one beside it."""
        other = self.connection if sender is self.beside else self.beside
        if other is not None and other is not sender and other.wants(topic):
            other.bring(Message(topic, payload))

    def handle(self, act: Callable[[], None]) -> None:
        """Does something now, or once it is awake again."""
        if self.is_frozen:
            self._waiting.append(act)
        else:
            act()

    def stop(self, *, forgets: bool) -> None:
        """Ends; what it had retained may be gone with it."""
        self.is_up, self.is_frozen = False, False
        self._waiting.clear()
        if forgets:
            self.retained.clear()
        self.hang_up()

    def start(self) -> None:
        """Listens again."""
        self.is_up = True

    def freeze(self) -> None:
        """Says nothing from now on."""
        self.is_frozen = True

    def thaw(self) -> None:
        """Goes on where it was."""
        self.is_frozen = False
        waiting, self._waiting = self._waiting, []
        for act in waiting:
            act()

    def hang_up(self) -> None:
        """Cuts the connection that it has."""
        if (connection := self.connection) is not None:
            self.connection = None
            connection.loop.call_soon(connection.lose, "Connection reset by peer")

    def bury(self, connection: "SimulatedConnection", after_s: float) -> None:
        """Says a client's last will, once it notices that the client is gone."""
        self.world.call_later(after_s, lambda: self.handle(lambda: self._will(connection)))

    def _will(self, connection: "SimulatedConnection") -> None:
        if connection.will is not None and not connection.parted and not connection.buried:
            connection.buried = True
            self.accept(connection.life, connection.will.topic, connection.will.payload, retain=True)
            self.pass_on(connection, connection.will.topic, connection.will.payload)


class SimulatedConnection:
    """One connection; the same face as `mqtt.client.Connection`."""

    def __init__(
        self,
        broker: Broker,
        life: int,
        loop: VirtualLoop,
        timeout_s: float,
        will: Will | None,
        slot: str = "connection",
    ) -> None:
        self.answered: Callable[[int, int], None] | None = None
        self.window = WINDOW
        self.takes = 268_435_455
        self.life = life
        self.loop = loop
        self.will = will
        self.parted = False
        self.buried = False
        self._broker = broker
        self._slot = slot
        self._timeout_s = timeout_s
        self._lost: str | None = None
        self._mid = 0
        self._there_s = 0.0
        self._back_s = 0.0
        self._came: asyncio.Queue[Message | None] = asyncio.Queue()
        self._filters: list[str] = []

    async def __aenter__(self) -> "SimulatedConnection":
        """Connects."""
        broker = self._broker
        await asyncio.sleep(self._network_s())
        if not broker.is_up:
            raise BrokerAwayError("the broker at simulated:1883 doesn't answer (Connection refused): check it")
        if broker.is_frozen:
            await asyncio.sleep(self._timeout_s)
            raise BrokerAwayError("the broker at simulated:1883 doesn't answer (no answer in time): check it")
        old: SimulatedConnection | None = getattr(broker, self._slot)
        if old is not None:
            setattr(broker, self._slot, None)
            broker.bury(old, 0.0)
            old.loop.call_soon(old.lose, "taken over")
        setattr(broker, self._slot, self)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Says goodbye, or hangs up."""
        broker = self._broker
        if error is None and self._lost is None:
            self._up(self._part)
            await asyncio.sleep(self._network_s())
        else:
            broker.bury(self, self._network_s())
        if getattr(broker, self._slot) is self:
            setattr(broker, self._slot, None)
        self._lost = self._lost or "closed"

    def _part(self) -> None:
        self.parted = True

    def publish(self, topic: str, payload: bytes, *, retain: bool = False, properties: Any = None) -> int:
        """Sends a message; its answer comes later."""
        if self._lost is not None:
            raise BrokerAwayError("the broker at simulated:1883 hung up")
        self._mid += 1
        mid = self._mid
        self._up(lambda: self._take(mid, topic, payload, retain=retain))
        return mid

    def _take(self, mid: int, topic: str, payload: bytes, *, retain: bool) -> None:
        self._broker.accept(self.life, topic, payload, retain=retain)
        self._broker.pass_on(self, topic, payload)
        self._down(lambda: self._acknowledged(mid))

    def _acknowledged(self, mid: int) -> None:
        if self._lost is None and self.answered is not None:
            self.answered(mid, 0)

    @contextmanager
    def together(self) -> Generator[None]:
        """Does nothing: every message is a segment."""
        yield

    async def subscribe(self, filters: Sequence[str], *, hear_self: bool = True) -> None:
        """Subscribes; what is retained comes before the answer."""
        for name in filters:
            done: asyncio.Future[None] = self.loop.create_future()
            self._up(lambda name=name, done=done: self._subscribed(name, done))  # type: ignore[misc]
            try:
                async with asyncio.timeout(self._timeout_s):
                    await done
            except TimeoutError:
                raise BrokerAwayError("the broker at simulated:1883 doesn't answer (Operation timed out)") from None

    def _subscribed(self, name: str, done: "asyncio.Future[None]") -> None:
        self._filters.append(name)
        if (kept := self._broker.retained.get(name)) is not None:
            self._down(lambda: self._came.put_nowait(Message(name, kept, retained=True)))
        self._down(lambda: None if done.done() else done.set_result(None))

    def wants(self, topic: str) -> bool:
        """Whether it has subscribed to the topic."""
        return any(topic in {name, f"{name[:-1]}{topic.rpartition('/')[2]}"} for name in self._filters)

    def bring(self, message: Message) -> None:
        """Brings a message to the client, a little later."""
        self._down(lambda: self._came.put_nowait(message))

    async def messages(self) -> AsyncGenerator[Message]:
        """What was subscribed to, until the connection ends."""
        while (message := await self._came.get()) is not None:
            yield message
        raise BrokerAwayError(f"the broker at simulated:1883 doesn't answer ({self._lost}): check it")

    def lose(self, why: str) -> None:
        """The connection has ended; both ends know it."""
        if self._lost is None:
            self._lost = why
            self._came.put_nowait(None)

    # --- the network

    def _network_s(self) -> float:
        broker = self._broker
        took_s = about(broker.chance, NETWORK_S)
        return took_s + broker.slow_s * broker.chance.random() if broker.slow_s else took_s

    def _up(self, act: Callable[[], None]) -> None:
        self._there_s = max(self._there_s, self.loop.time() + self._network_s())
        self._broker.world.call_at(self._there_s, self._arrived, act)

    def _arrived(self, act: Callable[[], None]) -> None:
        if self._broker.is_up and (getattr(self._broker, self._slot) is self or self.parted or self._lost == "closed"):
            self._broker.handle(act)

    def _down(self, act: Callable[[], None]) -> None:
        world = self._broker.world
        self._back_s = max(self._back_s, world.time() + self._network_s())
        self.loop.call_at(self._back_s, act)
