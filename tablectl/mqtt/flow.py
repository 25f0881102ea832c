"""Flow control of one connection: the next message, and each answer's effect.

No I/O, no clock. Events leave in the order of their sequence. A topic's first event on a connection goes alone: nothing
follows it until the broker has accepted it. So a topic that the broker's ACL refuses holds back all that comes behind
it. Retained state goes out when no event waits, or when it has waited for long enough. Background messages, which
are for one subscriber, go out when nothing else waits, and leave most of the window free for the next event.
Descriptions, which are long and urgent to nobody, go out one by one when the broker has everything else.
"""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from tablectl.core.protocols import StoredEvent
from tablectl.lazy_dataclass import dataclass
from tablectl.mqtt.message import MessageProperties

ROOM: Final = 512
"""Events in memory at most; what doesn't fit stays in the journal."""

DESCRIPTIONS: Final = frozenset({"meta/asyncapi"})
"""The states that describe what subscribers may know anyhow."""

READ_AHEAD: Final = 256
"""Fewer events than this in memory, and more are read from the journal."""

STATE_WAITS_S: Final = 1.0
"""A touched state topic overtakes waiting events after this time."""

REFUSED_FROM: Final = 0x80
"""The first reason code that is a refusal."""


MOST_BACKGROUND: Final = 256
"""Background messages that wait at most; more are refused."""

BACKGROUND_SHARE: Final = 4
"""The part of the window that background messages may take: one in so many, and one at least."""


@dataclass(frozen=True, slots=True)
class BackgroundMessage:
    """A message to one subscriber, on its whole topic.

    Args:
        answered: takes the broker's reason code.
    """

    topic: str
    payload: bytes
    properties: MessageProperties
    answered: Callable[[int], None]


Item = StoredEvent | BackgroundMessage | str
"""An event, a background message, or the topic of a state."""


@dataclass(frozen=True, slots=True)
class _Sent:
    """A message in flight."""

    item: Item
    at_s: float
    attempt: int


class Flow:
    """The order of one connection.

    Args:
        window: messages in flight at most.
        acknowledged: the last event that the broker has.
        states: the state topics, in the order in which they go out before the first event.
        refusals: the topics that the broker refused last time, and the reason codes; outlives the connection.
            A state among them waits for `resume`: some brokers hang up on a refusal (mosquitto 2.0.11 with
            `max_queued_messages 0`), and events shall go out before they do.
    """

    def __init__(self, window: int, acknowledged: int, states: Sequence[str], refusals: dict[str, int]) -> None:
        self.acknowledged = acknowledged
        self._window = window
        self._refusals = refusals
        self._states = frozenset(states)
        due = [topic for topic in states if topic not in refusals]
        self._initial_states = deque(topic for topic in due if topic not in DESCRIPTIONS)
        self._descriptions = dict.fromkeys(topic for topic in due if topic in DESCRIPTIONS)
        self._waiting: deque[StoredEvent] = deque()
        self._tail = acknowledged
        self._in_flight_events: dict[int, None] = {}  # sequences in flight, in order
        self._newest = acknowledged
        self._sent: dict[int, _Sent] = {}  # by message id, in order
        self._accepted: set[str] = set()
        self._first_of_topic: int | None = None
        self._held = False
        self._attempt = 0
        self._touched: dict[str, float] = {}
        self._states_in_flight: set[str] = set()
        self._background: deque[BackgroundMessage] = deque()
        self._background_in_flight = 0
        self._background_stopped = False

    # --- what comes in

    @property
    def tail(self) -> int:
        """Last event that was taken in; the next one to be read follows it."""
        return self._tail

    def take(self, events: Iterable[StoredEvent]) -> None:
        """Take events in, as far as there is room and they follow on what is here."""
        for event in events:
            if event.sequence == self._tail + 1 and len(self._waiting) < ROOM:
                self._waiting.append(event)
                self._tail += 1

    def needs_refill(self, last: int) -> bool:
        """Return True if events should be read from the journal, whose last one is `last`."""
        return self._tail < last and len(self._waiting) < READ_AHEAD

    def touch(self, topic: str, now_s: float) -> None:
        """Note a changed state; several changes go out as one."""
        if topic in DESCRIPTIONS:
            self._descriptions[topic] = None
        elif topic not in self._initial_states:
            self._touched.setdefault(topic, now_s)

    def post(self, message: BackgroundMessage) -> bool:
        """Take a background message in; return False where there is no room."""
        if self._background_stopped or len(self._background) >= MOST_BACKGROUND:
            return False
        self._background.append(message)
        return True

    def stop_background(self) -> None:
        """Drop the background messages and descriptions that wait.

        From now on no background message is accepted.
        """
        self._background_stopped = True
        self._background.clear()
        self._descriptions.clear()

    def is_drained(self, last: int) -> bool:
        """Return True if the broker has all events up to `last`, and all states.

        Descriptions don't count.
        """
        return self.acknowledged >= last and self.is_idle()

    @property
    def is_held(self) -> bool:
        """Events wait for `resume`."""
        return self._held

    def is_idle(self) -> bool:
        """Return True if no state waits and nothing is in flight."""
        return not (self._initial_states or self._touched or self._sent)

    # --- what goes out

    def next(self, now_s: float) -> Item | None:
        """Return the next message, or None where nothing may go out now."""
        if len(self._sent) >= self._window:
            return None
        if self._initial_states:
            return self._initial_states.popleft()
        state = self._next_state() if self._touched else None
        if state is not None and now_s - self._touched[state] >= STATE_WAITS_S:
            return self._without_touch(state)
        if self._waiting and (event := self._next_event()) is not None:
            return event
        if state is not None:
            return self._without_touch(state)
        return self._next_background() if self._background else None

    def next_description(self, last: int) -> str | None:
        """Return the next description, once the broker has all else up to event `last`."""
        if not self._descriptions or not self.is_drained(last):
            return None
        topic = next(iter(self._descriptions))
        del self._descriptions[topic]
        return topic

    def sent(self, mid: int, item: Item, now_s: float) -> None:
        """Note that a message went out under this packet id."""
        self._sent[mid] = _Sent(item, now_s, self._attempt)
        if isinstance(item, str):
            self._states_in_flight.add(item)
            return
        if isinstance(item, BackgroundMessage):
            self._background_in_flight += 1
            return
        self._in_flight_events[item.sequence] = None
        self._newest = item.sequence
        if item.topic not in self._accepted:
            self._first_of_topic = item.sequence

    def oldest_s(self) -> float | None:
        """Return when the oldest unanswered message was sent; None if there is none."""
        return next(iter(self._sent.values())).at_s if self._sent else None

    # --- what comes back

    def answered(self, mid: int, code: int) -> Item | None:
        """Process an answer and return its message.

        None where the answer has lost its meaning.
        """
        sent = self._sent.pop(mid, None)
        if sent is None:
            return None
        if isinstance(sent.item, str):
            self._states_in_flight.discard(sent.item)
            self._note(sent.item, code)
        elif isinstance(sent.item, BackgroundMessage):
            self._background_in_flight -= 1
            sent.item.answered(code)
        elif sent.attempt == self._attempt:
            self._event_answered(sent.item, code)
        else:
            return None
        return sent.item

    def resume(self, now_s: float) -> None:
        """Let events go again, and the states that were refused."""
        self._held = False
        for topic in self._refusals.keys() & self._states:
            self.touch(topic, now_s)

    def hold(self) -> None:
        """Hold all events until `resume`."""
        self._held = True

    def _next_state(self) -> str | None:
        return next((topic for topic in self._touched if topic not in self._states_in_flight), None)

    def _without_touch(self, topic: str) -> str:
        del self._touched[topic]
        return topic

    def _next_event(self) -> StoredEvent | None:
        if self._held or self._first_of_topic is not None or not self._waiting:
            return None
        return self._waiting.popleft()

    def _next_background(self) -> BackgroundMessage | None:
        most = max(1, self._window // BACKGROUND_SHARE)
        return self._background.popleft() if self._background and self._background_in_flight < most else None

    def _event_answered(self, event: StoredEvent, code: int) -> None:
        self._note(event.topic, code)
        if code >= REFUSED_FROM:
            self._back_to_the_first_in_flight_events(event.topic)
            return
        self._accepted.add(event.topic)
        del self._in_flight_events[event.sequence]
        self.acknowledged = next(iter(self._in_flight_events)) - 1 if self._in_flight_events else self._newest
        if self._first_of_topic == event.sequence:
            self._first_of_topic = None

    def _back_to_the_first_in_flight_events(self, topic: str) -> None:
        """Hold all events until `resume`, then send them again from the first unaccepted.

        Answers to what is still in flight lose their meaning; it counts in the window until they come.
        """
        self._held, self._first_of_topic = True, None
        self._attempt += 1
        self._accepted.discard(topic)
        self._in_flight_events.clear()
        self._waiting.clear()
        self._tail = self._newest = self.acknowledged

    def _note(self, topic: str, code: int) -> None:
        if code >= REFUSED_FROM:
            self._refusals[topic] = code
        else:
            self._refusals.pop(topic, None)
