"""Replay in progress: stored events resent to a requester, and the final message."""

import asyncio
import base64
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final

from tablectl.core.actions.subscriber_requests import CompactRange
from tablectl.core.protocols import StoredEvent
from tablectl.mqtt.flow import REFUSED_FROM, BackgroundMessage
from tablectl.mqtt.message import answer_properties, event_properties

IN_FLIGHT: Final = 16
"""Events of a replay that wait for the broker at once."""


class Sending:
    """The events of one replay, a few at a time.

    Args:
        transaction: of the request.
        correlation: Correlation Data of the request.
    """

    def __init__(
        self, topic: str, transaction: str, correlation: bytes | None, post: Callable[[BackgroundMessage], bool]
    ) -> None:
        self._topic = topic
        self._transaction = transaction
        self._correlation = correlation
        self._post = post
        self._free = asyncio.Semaphore(IN_FLIGHT)
        self._refused = False
        self._gone = 0

    async def send(self, events: Sequence[StoredEvent]) -> bool:
        """Send the events' own bytes.

        Returns:
            False once the broker or the connection doesn't take them.
        """
        for event in events:
            properties = event_properties(event, self._correlation)
            if not await self._put(BackgroundMessage(self._topic, event.payload, properties, self._answered)):
                return False
        return not self._refused

    def note_gaps(self, after: int, events: Sequence[StoredEvent], through: int) -> None:
        """Remember the last number whose event isn't stored any more."""
        before = after
        for event in events:
            if event.sequence != before + 1:
                self._gone = event.sequence - 1
            before = event.sequence
        if not events and after < through:
            self._gone = through

    async def end(self, through: int, compact: Callable[[int], Awaitable[CompactRange]] | None) -> bool:
        """Wait until the broker has everything, and send the final message.

        It has the hashes of events that aren't stored any more.

        Returns:
            False where the broker or the connection doesn't take it.
        """
        for _ in range(IN_FLIGHT):
            await self._free.acquire()
        if self._refused:
            return False
        form: dict[str, Any] = {"complete": True, "last": f"{through:016d}", "transaction": self._transaction}
        if self._gone:
            form["pruned"] = f"{self._gone:016d}"
        if self._gone and compact is not None:
            form["tree"] = _tree_form(await compact(self._gone))
        properties = answer_properties(self._correlation)
        return self._post(BackgroundMessage(self._topic, json_bytes(form), properties, self._answered))

    async def _put(self, message: BackgroundMessage) -> bool:
        await self._free.acquire()
        return not self._refused and self._post(message)

    def _answered(self, code: int) -> None:
        self._refused = self._refused or code >= REFUSED_FROM
        self._free.release()


def json_bytes(form: Mapping[str, Any]) -> bytes:
    """A message as it goes out."""
    return json.dumps(form, ensure_ascii=False, separators=(",", ":")).encode(errors="replace")


def _tree_form(given: CompactRange) -> Mapping[str, Any]:
    return {
        "size": f"{given.size:016d}",
        "peaks": [base64.b64encode(peak).decode() for peak in given.peaks],
        "old": f"{given.old:016d}",
        "proof": [base64.b64encode(node).decode() for node in given.proof],
    }
