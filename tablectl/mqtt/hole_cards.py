"""Hole-card feed: face-down cards to the broker, in order, one at a time.

They go behind the log's events. What waits is in memory only: the journal holds the facts, and a stop or a long absence
of the broker shows as a gap in these messages' own numbers. Another copy on disk would be another place to guard.
"""

from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

from tablectl.core.protocols import StoredEvent
from tablectl.mqtt.flow import REFUSED_FROM, BackgroundMessage
from tablectl.mqtt.message import event_properties

MOST_WAITING: Final = 4096
"""Cards that wait at most: about a hundred rounds. The oldest go first."""

Waiting = deque[StoredEvent]


def waiting() -> Waiting:
    """Return a queue for the cards that wait; it outlives the connections."""
    return deque(maxlen=MOST_WAITING)


class HoleCardFeed:
    """The feed over one connection.

    Args:
        prefix: of all topics, without a slash at the end.
        cards: those that wait.
        post: sends a message when nothing else is to be sent; returns False where there is no room.
        noted: takes the topic and the broker's reason code of each answer.
    """

    def __init__(
        self, prefix: str, cards: Waiting, post: Callable[[BackgroundMessage], bool], noted: Callable[[str, int], None]
    ) -> None:
        self._prefix = prefix
        self._cards = cards
        self._post = post
        self._noted = noted
        self._on_its_way: StoredEvent | None = None

    def send(self, cards: Sequence[StoredEvent] = ()) -> None:
        """Take cards in, and send the first that waits where none is on its way."""
        self._cards.extend(cards)
        if self._on_its_way is not None or not self._cards:
            return
        card = self._cards[0]
        topic, properties = f"{self._prefix}/{card.topic}", event_properties(card)
        if self._post(BackgroundMessage(topic, card.payload, properties, self._answered)):
            self._on_its_way = card

    def _answered(self, code: int) -> None:
        card, self._on_its_way = self._on_its_way, None
        if card is None:
            return
        self._noted(card.topic, code)
        if code < REFUSED_FROM:
            if self._cards and self._cards[0] is card:
                self._cards.popleft()
            self.send()
