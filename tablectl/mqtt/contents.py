"""Content of the publisher's messages, its progress, and the hole-card feed.

Hole-card feed: face-down cards to the broker, in order, one at a time.

They go behind the log's events. What waits is in memory only: the journal holds the facts, and a stop or a long absence
of the broker shows as a gap in these messages' own numbers. Another copy on disk would be another place to guard.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from typing import Final, Protocol

from tablectl.core.faults import Code
from tablectl.core.protocols import EventStore, StoredEvent
from tablectl.lazy_dataclass import dataclass
from tablectl.mqtt.flow import REFUSED_FROM, BackgroundMessage
from tablectl.mqtt.kept_checkpoint import Judge
from tablectl.mqtt.leader import Election
from tablectl.mqtt.message import event_properties
from tablectl.mqtt.reasons import SizeLimit
from tablectl.mqtt.reconnect import delays
from tablectl.mqtt.requests import RequestCounts, RequestService

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


STATUS: Final = "status"
"""The state topic that also carries the will."""


class ReportFault(Protocol):
    """Reports a fault of the catalogue."""

    def __call__(self, code: Code, *, present: bool, detail: str) -> None:
        """Report that the fault is there, or isn't. Must not wait for the broker."""
        ...


@dataclass(frozen=True, slots=True)
class Contents:
    """The messages of one table, and the callbacks of their publisher.

    Args:
        store: the journal.
        states: the state topics, without the prefix; `status` first.
        render_state: makes the payload of a state topic; empty while there is none.
        will: makes the payload of `status` for a lost connection; called for every connection.
        report_fault: takes `BROKER_AWAY`, `BROKER_REFUSED` and `TABLE_TAKEN`.
        passive: makes the payload of `status` while another session leads; None: no other ever does.
        service: answers requests; None: there are none.
        accepted: takes the last event that the broker has, whenever that changes.
        relieving: makes the payload of `status` that asks this session to step down.
        past: makes the list of former state topics, which are cleared on every connection.
        over: the session that is known to be over, whatever the broker has kept of it; empty: none.
        judge: of the checkpoint that the broker keeps; None: nobody compares it.
        relieved: another session asks us to step down; returns True if we shall, and then has `give_way` called.
    """

    store: EventStore
    states: Sequence[str]
    render_state: Callable[[str], bytes]
    will: Callable[[], bytes]
    report_fault: ReportFault
    passive: Callable[[], bytes] | None = None
    service: RequestService | None = None
    accepted: Callable[[int], None] | None = None
    relieving: Callable[[str], bytes] | None = None
    relieved: Callable[[str], bool] | None = None
    past: Callable[[], Sequence[str]] = tuple
    judge: Judge | None = None
    over: str = ""


@dataclass(slots=True)
class Progress:
    """State of publishing that outlives a connection.

    Args:
        acknowledged: the last event that the broker has.
        published: events sent, re-sends included.
        refused: publishes that the broker refused.
        refusals: the topics that the broker refused last time, and the reason codes.
        waits: how long to wait before each next attempt at them.
        election: knowledge about other sessions.
        sizes: what is known of the size that the broker takes.
        requests: their counts.
        cards: read face down, and not with the broker yet.
    """

    acknowledged: int = 0
    published: int = 0
    refused: int = 0
    refusals: dict[str, int] = field(default_factory=dict[str, int])
    waits: Iterator[float] = field(default_factory=delays)
    election: Election = field(default_factory=lambda: Election(None))
    sizes: SizeLimit = field(default_factory=SizeLimit)
    requests: RequestCounts = field(default_factory=RequestCounts)
    cards: Waiting = field(default_factory=waiting)
