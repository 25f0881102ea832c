"""The order of one connection beside a broker that answers in order, refuses topics, and hangs up."""

from collections import deque
from itertools import pairwise

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tablectl.core.protocols import StoredEvent
from tablectl.mqtt.flow import BackgroundMessage, Flow, Item
from tablectl.mqtt.message import answer_properties

TOPICS = ("event/round", "event/card", "event/bet")
STATES = ("status", "board")
ACCEPTED, DENIED = 0x00, 0x87
SOME = st.integers(1, 5)


class FlowMachine(RuleBasedStateMachine):
    """A log that grows, and a broker that has accepted a beginning of it, whatever went wrong."""

    def __init__(self) -> None:
        super().__init__()
        self.stored: list[StoredEvent] = []
        self.arrived: list[int] = []
        self.refusals: dict[str, int] = {}
        self.denied: set[str] = set()
        self.in_flight: deque[tuple[int, Item]] = deque()
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

    @rule(count=SOME)
    def read(self, count: int) -> None:
        self.flow.take(self.stored[self.flow.tail : self.flow.tail + count])

    @rule(topic=st.sampled_from(STATES))
    def change(self, topic: str) -> None:
        self.flow.touch(topic, self.now_s)

    @rule()
    def write(self) -> None:
        message = BackgroundMessage("t/answer/u/x", b"{}", answer_properties(None), self._heard)
        self.letters += self.flow.post(message)

    @rule(count=SOME)
    def send(self, count: int) -> None:
        for _ in range(count):
            if (item := self.flow.next(self.now_s)) is None:
                return
            self.mid += 1
            self.flow.sent(self.mid, item, self.now_s)
            self.in_flight.append((self.mid, item))

    @precondition(lambda self: self.in_flight)
    @rule(count=SOME)
    def answer(self, count: int) -> None:
        for mid, item in [self.in_flight.popleft() for _ in range(min(count, len(self.in_flight)))]:
            topic = item if isinstance(item, str) else item.topic
            if isinstance(item, StoredEvent) and topic not in self.denied:
                self.arrived.append(item.sequence)
            self.flow.answered(mid, DENIED if topic in self.denied else ACCEPTED)

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
        self.letters = self.answers = 0

    @invariant()
    def window_is_kept(self) -> None:
        assert len(self.in_flight) <= self.window

    @invariant()
    def broker_has_a_beginning_in_order(self) -> None:
        heard = list(dict.fromkeys(self.arrived))
        assert heard == list(range(1, len(heard) + 1))
        assert self.acknowledged <= self.flow.acknowledged <= len(heard)
        self.acknowledged = self.flow.acknowledged

    @invariant()
    def events_in_flight_follow_each_other(self) -> None:
        events = [item for _, item in self.in_flight if isinstance(item, StoredEvent)]
        assert all(one.sequence + 1 == other.sequence for one, other in pairwise(events))

    def teardown(self) -> None:
        """Once the broker takes everything, it has everything."""
        self.denied.clear()
        for _ in range(3 * len(self.stored) + 3 * len(STATES) + self.letters + 10):
            self.flow.resume(self.now_s)
            self.read(5)
            self.send(self.window)
            if self.in_flight:
                self.answer(self.window)
            self.broker_has_a_beginning_in_order()
        assert self.flow.is_drained(len(self.stored))
        assert self.answers == self.letters

    def _heard(self, _code: int) -> None:
        self.answers += 1


TestFlow = FlowMachine.TestCase
TestFlow.settings = settings(max_examples=4 * settings().max_examples)
