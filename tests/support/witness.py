"""A subscriber that remembers what the broker gave it, and a way to wait for what a test expects."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

import aiomqtt

from tests.support.patience import PATIENCE_S

LOOK_EVERY_S = 0.05


@dataclass(slots=True)
class Board:
    """Where the parts of a test note that something changed, and the test waits for what it wants to see."""

    _event: asyncio.Event = field(default_factory=asyncio.Event)

    def changed(self) -> None:
        """Has every condition looked at again."""
        self._event.set()

    async def until(self, condition: Callable[[], object], longest_s: float = PATIENCE_S) -> None:
        """Returns once the condition holds; looks at each `changed`, and now and then besides.

        Raises:
            TimeoutError: it didn't come true.
        """
        async with asyncio.timeout(longest_s):
            while not condition():
                self._event.clear()
                with suppress(TimeoutError):
                    async with asyncio.timeout(LOOK_EVERY_S):
                        await self._event.wait()


@dataclass(slots=True)
class Witness:
    """All messages that came, in their order."""

    board: Board
    messages: list[aiomqtt.Message] = field(default_factory=list[aiomqtt.Message])

    def payloads(self, end: str) -> list[bytes]:
        """The payloads on topics that end so."""
        return [bytes(m.payload) for m in self.messages if m.topic.value.endswith(end)]

    def under(self, part: str) -> list[aiomqtt.Message]:
        """The messages on topics that contain this."""
        return [m for m in self.messages if part in m.topic.value]


@asynccontextmanager
async def witness(
    port: int,
    board: Board,
    filters: Sequence[str] = ("#",),
    *,
    username: str | None = None,
    password: str | None = None,
) -> AsyncGenerator[Witness]:
    """A witness that is subscribed; it stops when its broker goes."""
    seen = Witness(board)
    async with aiomqtt.Client(
        "127.0.0.1", port, protocol=aiomqtt.ProtocolVersion.V5, username=username, password=password
    ) as client:
        for name in filters:
            await client.subscribe(name, qos=1)
        async with asyncio.TaskGroup() as group:
            watching = group.create_task(_watch(client, seen))
            yield seen
            watching.cancel()


async def _watch(client: aiomqtt.Client, seen: Witness) -> None:
    try:
        async for message in client.messages:
            seen.messages.append(message)
            seen.board.changed()
    except aiomqtt.MqttError:
        return
