"""A replay under way: stored events sent again to who asked for them, and what is said at its end."""

import asyncio
import base64
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final

from tablectl.bus.flow import REFUSED_FROM, Letter
from tablectl.bus.properties import answer_properties, event_properties
from tablectl.bus.request import Request
from tablectl.core.asking import CompactRange
from tablectl.core.ports import StoredEvent

IN_FLIGHT: Final = 16
"""Events of a replay that wait for the broker at once."""


class Sending:
    """A replay under way."""

    def __init__(self, topic: str, request: Request, post: Callable[[Letter], bool]) -> None:
        self._topic = topic
        self._request = request
        self._post = post
        self._free = asyncio.Semaphore(IN_FLIGHT)
        self._refused = False
        self._gone = 0

    async def send(self, events: Sequence[StoredEvent]) -> bool:
        """Sends the events' own bytes; returns False once the broker or the connection doesn't take them."""
        for event in events:
            properties = event_properties(event, self._request.reply_to.correlation)
            if not await self._put(Letter(self._topic, event.payload, properties, self._answered)):
                return False
        return not self._refused

    def note_gaps(self, after: int, events: Sequence[StoredEvent], through: int) -> None:
        """Remembers the last number whose event isn't stored any more."""
        before = after
        for event in events:
            if event.sequence != before + 1:
                self._gone = event.sequence - 1
            before = event.sequence
        if not events and after < through:
            self._gone = through

    async def end(self, through: int, compact: Callable[[int], Awaitable[CompactRange]] | None) -> bool:
        """Waits until the broker has everything, and says so; and what stands in the tree for what isn't stored."""
        for _ in range(IN_FLIGHT):
            await self._free.acquire()
        if self._refused:
            return False
        form: dict[str, Any] = {"complete": True, "last": f"{through:016d}", "transaction": self._request.transaction}
        if self._gone:
            form["pruned"] = f"{self._gone:016d}"
        if self._gone and compact is not None:
            form["tree"] = _tree_form(await compact(self._gone))
        properties = answer_properties(self._request.reply_to.correlation)
        return self._post(Letter(self._topic, json_bytes(form), properties, self._answered))

    async def _put(self, letter: Letter) -> bool:
        await self._free.acquire()
        return not self._refused and self._post(letter)

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
