"""The order of one connection beside a broker that answers when it likes, refuses topics, and hangs up."""

from collections import deque
from typing import NamedTuple

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tablectl.core.protocols import StoredEvent
from tablectl.mqtt.flow import BackgroundMessage, Flow, Item
from tablectl.mqtt.message import answer_properties

TOPICS = ("event/round", "event/card")
STATES = ("status", "board")
ACCEPTED, DENIED = 0x00, 0x87
SOME = st.integers(1, 5)


class Sent(NamedTuple):
    """A message that has come to the broker, and its answer, which hasn't gone yet."""

    mid: int
    topic: str
    code: int
    surprises: bool


class FlowMachine(RuleBasedStateMachine):
    """A log that grows, and a broker that has accepted a beginning of it, whatever went wrong."""

    def __init__(self) -> None:
        super().__init__()
        self.stored: list[StoredEvent] = []
        self.arrived: set[int] = set()
        self.refusals: dict[str, int] = {}
        self.denied: set[str] = set()
        self.in_flight: deque[Sent] = deque()
        self.known: set[str] = set()
        self.letters = self.answers = 0
        self.now_s = 0.0
        self.mid = 0

    @initialize(window=st.integers(1, 6))
    def connect(self, window: int) -> None:
        self.window = window
        self.acknowledged = 0
        self.flow = Flow(window, 0, STATES, self.refusals)

    @rule(topics=st.lists(st.sampled_from(TOPICS), min_size=1, max_size=8))
    def happen(self, topics: list[str]) -> None:
        first = len(self.stored) + 1
        self.stored += [StoredEvent(number, topic, b"") for number, topic in enumerate(topics, first)]

    @rule(topic=st.sampled_from(STATES))
    def change(self, topic: str) -> None:
        self.flow.touch(topic, self.now_s)

    @rule()
    def write(self) -> None:
        message = BackgroundMessage("t/answer/u/x", b"{}", answer_properties(None), self._heard)
        self.letters += self.flow.post(message)

    @rule(count=SOME, ahead=st.integers(0, 9))
    def send(self, count: int, ahead: int) -> None:
        self.flow.take(self.stored[self.flow.tail : self.flow.tail + ahead])
        for _ in range(count):
            if (item := self.flow.next(self.now_s)) is None:
                return
            self.mid += 1
            self.flow.sent(self.mid, item, self.now_s)
            self.in_flight.append(self._judged(item))

    def _judged(self, item: Item) -> Sent:
        """The broker's answer to a message that has just come.

        An event comes after all before it, but where the broker has just refused a topic that it took before.
        """
        topic = item if isinstance(item, str) else item.topic
        if topic in self.denied:
            return Sent(self.mid, topic, DENIED, topic in self.known)
        if isinstance(item, StoredEvent):
            assert set(range(1, item.sequence)) <= self.arrived or any(each.surprises for each in self.in_flight)
            self.arrived.add(item.sequence)
        return Sent(self.mid, topic, ACCEPTED, surprises=False)

    @precondition(lambda self: self.in_flight)
    @rule(count=SOME, turned=st.integers(0, 5))
    def answer(self, count: int, turned: int) -> None:
        self.in_flight.rotate(turned)
        for _ in range(min(count, len(self.in_flight))):
            sent = self.in_flight.popleft()
            if isinstance(self.flow.answered(sent.mid, sent.code), StoredEvent):
                (self.known.add if sent.code == ACCEPTED else self.known.discard)(sent.topic)

    @rule()
    def go_on(self) -> None:
        """As long as nothing is in the way."""
        for _ in range(3 * len(self.stored) + 3 * len(STATES) + self.letters + 10):
            self.send(self.window, 5)
            if self.in_flight:
                self.answer(self.window, turned=1)

    @rule(topic=st.sampled_from((*TOPICS, *STATES)))
    def deny(self, topic: str) -> None:
        self.denied.add(topic)

    @rule(topic=st.sampled_from((*TOPICS, *STATES)))
    def allow(self, topic: str) -> None:
        self.denied.discard(topic)

    @rule()
    def resume(self) -> None:
        self.flow.resume(self.now_s)

    @rule(seconds=st.sampled_from((0.1, 1.0)))
    def wait(self, seconds: float) -> None:
        self.now_s += seconds

    @rule()
    def hang_up(self) -> None:
        self.flow = Flow(self.window, self.flow.acknowledged, STATES, self.refusals)
        self.in_flight.clear()
        self.known.clear()
        self.letters = self.answers = 0

    @invariant()
    def window_is_kept(self) -> None:
        assert len(self.in_flight) <= self.window

    @invariant()
    def what_is_acknowledged_has_arrived(self) -> None:
        assert self.acknowledged <= self.flow.acknowledged
        self.acknowledged = self.flow.acknowledged
        assert set(range(1, self.acknowledged + 1)) <= self.arrived

    def teardown(self) -> None:
        """Once the broker takes everything, it has everything."""
        self.denied.clear()
        self.go_on()
        self.flow.resume(self.now_s)
        self.go_on()
        self.what_is_acknowledged_has_arrived()
        assert self.flow.is_drained(len(self.stored))
        assert self.answers == self.letters

    def _heard(self, _code: int) -> None:
        self.answers += 1


TestFlow = FlowMachine.TestCase
TestFlow.settings = settings(max_examples=4 * settings().max_examples)
