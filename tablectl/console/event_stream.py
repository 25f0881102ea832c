"""Stream of stored events for screens that watch the whole table.

With the events it sends how many are published and signed.
"""

from collections.abc import AsyncGenerator, Callable
from typing import Final

from tablectl.console.screens import write_json
from tablectl.core.protocols import EventStore
from tablectl.lazy_dataclass import dataclass

STEP: Final = 128
"""Events in one message: the journal's reader is its writer as well, and cards don't wait."""

FURTHEST: Final = 2000
"""Events that a screen may ask to be given again; what is older it reads page by page."""


@dataclass(frozen=True, slots=True)
class Feed:
    """The stored events, and what has become of them.

    Args:
        published: the last event that the broker has.
        connected: whether the broker is there.
        checkpoint: the last event under a signed checkpoint that was shown.
    """

    store: EventStore
    published: Callable[[], int]
    connected: Callable[[], bool]
    checkpoint: Callable[[], int]

    def begin(self, after: int | None) -> "Follower":
        """A screen that follows: from the present, or from the event after this one."""
        last = self.store.last_sequence()
        return Follower(self, last if after is None else min(max(after, last - FURTHEST), last))

    def figures(self) -> str:
        """How far the events have come."""
        return write_json(
            {
                "type": "feed",
                "stored": self.store.last_sequence(),
                "published": self.published(),
                "connected": self.connected(),
                "checkpoint": self.checkpoint(),
            }
        )


@dataclass(slots=True)
class Follower:
    """One screen that follows the events.

    Args:
        seen: the last event that it was sent.
    """

    feed: Feed
    seen: int

    async def news(self) -> AsyncGenerator[str]:
        """Yield the new events, in order and without gaps, then the figures of the feed.

        Raises:
            TableStoppedError: the journal can't be read.
        """
        while self.seen < self.feed.store.last_sequence():
            events = await self.feed.store.events_after(self.seen, STEP)
            if not events:
                break
            self.seen = events[-1].sequence
            payloads = ",".join(event.payload.decode() for event in events)  # the very bytes that are published
            yield f'{{"type":"events","events":[{payloads}]}}'
        yield self.feed.figures()
