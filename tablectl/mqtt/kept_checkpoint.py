"""Check of the table's own retained checkpoint, on each connection.

It comes before the connection's first event.
"""

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from contextlib import aclosing, suppress
from enum import StrEnum
from typing import Final

from tablectl.mqtt.client import Connection
from tablectl.mqtt.settings import BrokerSettings

CHECKPOINT: Final = "checkpoint"

LARGEST: Final = 65_536
"""Bytes of a message that the broker may bring us."""

WAIT_S: Final = 1.0
"""How long a log that was published before waits for its checkpoint."""

NEW_LOG_WAIT_S: Final = 0.25
"""How long a log waits that the broker can't know yet; most brokers send what they keep before they answer."""


class Verdict(StrEnum):
    """Relation of a retained checkpoint to our log."""

    NONE = "none"
    UNREADABLE = "unreadable"
    OWN = "own"
    PREDECESSOR = "predecessor"
    FORKED = "forked"
    FOREIGN = "foreign"


Judge = Callable[[bytes | None], Awaitable[Verdict]]
"""Compares a retained checkpoint with the log; None: there is none."""


class CheckpointGate:
    """Check of the retained checkpoint that decides if this connection may publish.

    Args:
        judge: compares the checkpoint; None: there is nothing to compare.
        is_known: whether the broker has had events of this log.
    """

    def __init__(self, judge: Judge | None, *, is_known: bool) -> None:
        self._judge = judge
        self._wait_s = WAIT_S if is_known else NEW_LOG_WAIT_S
        self._kept: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

    def heard(self, payload: bytes) -> None:
        """Takes the checkpoint in."""
        if not self._kept.done():
            self._kept.set_result(payload)

    async def verdict(self) -> Verdict:
        """Waits for the checkpoint, but not for long. The subscription stands."""
        if self._judge is None:
            return Verdict.NONE
        kept: bytes | None = None
        with suppress(TimeoutError):
            async with asyncio.timeout(self._wait_s):
                kept = await asyncio.shield(self._kept)
        return await self._judge(kept)


async def kept_messages(broker: BrokerSettings, prefix: str, *topics: str, wait_s: float = WAIT_S) -> dict[str, bytes]:
    """Return the retained messages of these topics, read over a separate connection.

    Raises:
        BrokerAwayError: the broker doesn't answer.
        BrokerRefusedError: it refuses us, or one of the topics.
    """
    kept: dict[str, bytes] = {}
    async with Connection(broker, f"tablectl-look-{secrets.token_hex(8)}", largest=LARGEST) as connection:
        for topic in topics:
            await connection.subscribe([f"{prefix}/{topic}"] * 2)
        with suppress(TimeoutError):
            async with asyncio.timeout(wait_s), aclosing(connection.messages()) as messages:
                async for message in messages:
                    kept[message.topic.removeprefix(f"{prefix}/")] = message.payload
                    if len(kept) == len(topics):
                        break
    return kept
