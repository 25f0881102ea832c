"""Check of the table's own retained checkpoint, on each connection.

It comes before the connection's first event.
"""

import asyncio
import secrets
from contextlib import aclosing, suppress
from enum import StrEnum
from typing import Final, Protocol

from tablectl.mqtt.client import BrokerAwayError, Connection
from tablectl.mqtt.leader import ANSWER_S, AT_WORK, read_instance
from tablectl.mqtt.message import state_properties
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


class Judge(Protocol):
    """Compares what the broker retains with the log."""

    async def compare(self, payload: bytes | None, /) -> Verdict:
        """Compare a retained checkpoint; None: there is none."""
        ...

    def silenced(self, *, is_silent: bool) -> None:
        """Take whether a foreign log is kept back."""
        ...


class CheckpointGate:
    """Check of the retained checkpoint that decides if this connection may publish.

    Args:
        judge: compares the checkpoint; None: there is nothing to compare.
        is_known: whether the broker has had events of this log.
        has_followed: whether another session has answered that it is at work: ours may then go on after it.
    """

    def __init__(self, judge: Judge | None, *, is_known: bool, has_followed: bool) -> None:
        self._judge = judge
        self._wait_s = WAIT_S if is_known else NEW_LOG_WAIT_S
        self._verdict, self._has_followed = Verdict.NONE, has_followed
        self._is_silent = False
        self._kept: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

    def heard(self, payload: bytes) -> None:
        """Takes the checkpoint in.

        Raises:
            BrokerAwayError: somebody cleared the one that silenced us; what the broker keeps is compared anew.
        """
        if self._is_silent and not payload:
            raise BrokerAwayError("the checkpoint that silenced this table was cleared")
        if self._kept.done():
            self._kept = asyncio.get_running_loop().create_future()
        self._kept.set_result(payload)

    async def may_follow(self) -> bool:
        """Compare the newest checkpoint once another session that was at work is gone.

        It may have gone on in our own log, where ours is a copy of its folder: then nothing is published.
        """
        self._has_followed = True
        return await self.verdict() is not Verdict.FORKED

    async def verdict(self) -> Verdict:
        """Waits for the checkpoint, but not for long. The subscription stands."""
        if self._judge is None:
            return Verdict.NONE
        kept: bytes | None = None
        with suppress(TimeoutError):
            async with asyncio.timeout(self._wait_s):
                kept = await asyncio.shield(self._kept)
        self._verdict = await self._judge.compare(kept)
        self._is_silent = self._verdict is Verdict.FORKED
        self.silence(is_silent=not self._has_followed)
        return self._verdict

    def silence(self, *, is_silent: bool) -> None:
        """Report whether a foreign log is kept back; no other is."""
        if self._judge is not None and self._verdict is Verdict.FOREIGN:
            self._is_silent = is_silent
            self._judge.silenced(is_silent=is_silent)


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


async def is_answered(broker: BrokerSettings, prefix: str, topic: str, challenge: bytes) -> bool:
    """Return True if a session at work answers, over a separate connection.

    Args:
        topic: of the status.
        challenge: a waiting session's status, which the broker doesn't keep.

    Raises:
        BrokerAwayError: the broker doesn't answer.
        BrokerRefusedError: it refuses us, or the topic.
    """
    name = f"{prefix}/{topic}"
    async with Connection(broker, f"tablectl-look-{secrets.token_hex(8)}", largest=LARGEST) as connection:
        await connection.subscribe([name], hear_self=False)
        connection.publish(name, challenge, properties=state_properties(topic, challenge))
        with suppress(TimeoutError):
            async with asyncio.timeout(ANSWER_S), aclosing(connection.messages()) as messages:
                async for message in messages:
                    heard = None if message.retained else read_instance(message.payload)
                    if heard is not None and heard.state in AT_WORK:
                        return True
    return False
