"""What goes out next on one connection, and what its answers mean. No socket, no clock, no task.

Events leave in the order of their sequence. A topic's first event on a connection goes alone: nothing follows
it until the broker has accepted it. So a topic that the broker's ACL refuses holds back all that comes behind
it. Retained state goes out when no event waits, or when it has waited for long enough. Letters, which are answers to
one subscriber, go out when nothing else waits, and leave most of the window free for the next event.
"""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from tablectl.bus.properties import MessageProperties
from tablectl.core.ports import StoredEvent

ROOM: Final = 512
"""Events in memory at most; what doesn't fit stays in the journal."""

READ_AHEAD: Final = 256
"""Fewer events than this in memory, and more are read from the journal."""

STATE_WAITS_S: Final = 1.0
"""A touched state topic overtakes waiting events after this time."""

REFUSED_FROM: Final = 0x80
"""The first reason code that is a refusal."""


MOST_LETTERS: Final = 256
"""Letters that wait at most; whoever writes more is told so."""

LETTERS_SHARE: Final = 4
"""Letters have so many parts of the window less than events have, and one at least."""


@dataclass(frozen=True, slots=True)
class Letter:
    """A message to one subscriber; its topic is whole.

    Args:
        answered: is told the broker's reason code.
    """

    topic: str
    payload: bytes
    properties: MessageProperties
    answered: Callable[[int], None]


Item = StoredEvent | Letter | str
"""What goes out: an event, a letter, or the topic of a state."""


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
            ``max_queued_messages 0``), and events shall go out before they do.
    """

    def __init__(self, window: int, acknowledged: int, states: Sequence[str], refusals: dict[str, int]) -> None:
        self.acknowledged = acknowledged
        self._window = window
        self._refusals = refusals
        self._states = frozenset(states)
        self._greeting = deque(topic for topic in states if topic not in refusals)
        self._waiting: deque[StoredEvent] = deque()
        self._tail = acknowledged
        self._open: dict[int, None] = {}  # sequences in flight, in order
        self._newest = acknowledged
        self._sent: dict[int, _Sent] = {}  # by message id, in order
        self._accepted: set[str] = set()
        self._alone: int | None = None
        self._held = False
        self._attempt = 0
        self._touched: dict[str, float] = {}
        self._asking: set[str] = set()
        self._letters: deque[Letter] = deque()
        self._letters_out = 0
        self._last_word = False

    # --- what wants to go out

    @property
    def tail(self) -> int:
        """The last event that was taken in: the next one to be read is the one after it."""
        return self._tail

    def take(self, events: Iterable[StoredEvent]) -> None:
        """Takes events in, as far as there is room for them and they follow on what is here."""
        for event in events:
            if event.sequence == self._tail + 1 and len(self._waiting) < ROOM:
                self._waiting.append(event)
                self._tail += 1

    def hungry(self, last: int) -> bool:
        """Whether events should be read from the journal, whose last one is ``last``."""
        return self._tail < last and len(self._waiting) < READ_AHEAD

    def touch(self, topic: str, now_s: float) -> None:
        """A state changed. Several changes go out as one."""
        if topic not in self._greeting:
            self._touched.setdefault(topic, now_s)

    def post(self, letter: Letter) -> bool:
        """Takes a letter in; returns whether there was room for it."""
        if self._last_word or len(self._letters) >= MOST_LETTERS:
            return False
        self._letters.append(letter)
        return True

    def stop_letters(self) -> None:
        """Drops the letters that wait, and takes none from now on."""
        self._last_word = True
        self._letters.clear()

    def quiet(self, last: int) -> bool:
        """Whether everything up to event ``last`` is with the broker, and every state."""
        return self.acknowledged >= last and self.calm()

    def calm(self) -> bool:
        """Whether no state waits and nothing is in flight."""
        return not (self._greeting or self._touched or self._sent)

    # --- what goes out

    def next(self, now_s: float) -> Item | None:
        """The next message, or None where nothing may go out now."""
        if len(self._sent) >= self._window:
            return None
        if self._greeting:
            return self._greeting.popleft()
        state = self._next_state()
        if state is not None and now_s - self._touched[state] >= STATE_WAITS_S:
            return self._without_touch(state)
        if (event := self._next_event()) is not None:
            return event
        return self._without_touch(state) if state is not None else self._next_letter()

    def sent(self, mid: int, item: Item, now_s: float) -> None:
        """The message went out under this message id."""
        self._sent[mid] = _Sent(item, now_s, self._attempt)
        if isinstance(item, str):
            self._asking.add(item)
            return
        if isinstance(item, Letter):
            self._letters_out += 1
            return
        self._open[item.sequence] = None
        self._newest = item.sequence
        if item.topic not in self._accepted:
            self._alone = item.sequence

    def oldest_s(self) -> float | None:
        """When the message was sent that has waited longest for its answer."""
        return next(iter(self._sent.values())).at_s if self._sent else None

    # --- what comes back

    def answered(self, mid: int, code: int) -> Item | None:
        """The message that an answer is for; None where the answer has lost its meaning."""
        sent = self._sent.pop(mid, None)
        if sent is None:
            return None
        if isinstance(sent.item, str):
            self._asking.discard(sent.item)
            self._note(sent.item, code)
        elif isinstance(sent.item, Letter):
            self._letters_out -= 1
            sent.item.answered(code)
        elif sent.attempt == self._attempt:
            self._event_answered(sent.item, code)
        else:
            return None
        return sent.item

    def resume(self, now_s: float) -> None:
        """Lets events go again, and what was refused of the state."""
        self._held = False
        for topic in self._refusals.keys() & self._states:
            self.touch(topic, now_s)

    def hold(self) -> None:
        """Lets no event go any more, until `resume`."""
        self._held = True

    def _next_state(self) -> str | None:
        return next((topic for topic in self._touched if topic not in self._asking), None)

    def _without_touch(self, topic: str) -> str:
        del self._touched[topic]
        return topic

    def _next_event(self) -> StoredEvent | None:
        if self._held or self._alone is not None or not self._waiting:
            return None
        return self._waiting.popleft()

    def _next_letter(self) -> Letter | None:
        most = max(1, self._window // LETTERS_SHARE)
        return self._letters.popleft() if self._letters and self._letters_out < most else None

    def _event_answered(self, event: StoredEvent, code: int) -> None:
        self._note(event.topic, code)
        if code >= REFUSED_FROM:
            self._back_to_the_first_open(event.topic)
            return
        self._accepted.add(event.topic)
        del self._open[event.sequence]
        self.acknowledged = next(iter(self._open)) - 1 if self._open else self._newest
        if self._alone == event.sequence:
            self._alone = None

    def _back_to_the_first_open(self, topic: str) -> None:
        """Holds all events until `resume`; then they go out again from the first that has no good answer.

        Answers to what is still in flight lose their meaning; it counts in the window until they come.
        """
        self._held, self._alone = True, None
        self._attempt += 1
        self._accepted.discard(topic)
        self._open.clear()
        self._waiting.clear()
        self._tail = self._newest = self.acknowledged

    def _note(self, topic: str, code: int) -> None:
        if code >= REFUSED_FROM:
            self._refusals[topic] = code
        else:
            self._refusals.pop(topic, None)
