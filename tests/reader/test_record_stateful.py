"""The recorder's book beside a table's log: whatever comes, comes twice, or is altered, it knows what it has."""

from typing import Final

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tablectl.features.recorder.ingest import Book
from tablectl.features.recorder.keys import Pins
from tablectl.features.recorder.stores.records import Batch, Dispute, Event, Gap, LogState, Saved, different
from tests.reader.record_table import Table

NOW: Final = "2026-11-20T00:01:00.000000Z"
PREFIX: Final = "tablectl/v1/macau/q1"


class Kept:
    """A store: the first bytes of a number stay."""

    def __init__(self) -> None:
        self.events: dict[int, bytes] = {}
        self.gaps: dict[int, Gap] = {}
        self.states: list[LogState] = []
        self.disputes: list[Dispute] = []

    def save(self, batch: Batch) -> Saved:
        other: list[Event] = []
        for event in batch.events:
            if self.events.setdefault(event.sequence, event.payload) != event.payload:
                other.append(Event(*event_with(event, self.events[event.sequence])))
        self.gaps |= {gap.low: gap for gap in batch.gaps}
        self.states = list(batch.logs) or self.states
        told = (*batch.disputes, *map(different, other))
        self.disputes += told
        return Saved(told, tuple(other))


def event_with(event: Event, payload: bytes) -> tuple[str, int, str, str, str | None, str, bytes, str]:
    head = (event.source, event.sequence, event.id, event.kind, event.time, event.round_id)
    return (*head, payload, event.received)


class BookMachine(RuleBasedStateMachine):
    """A table whose messages come in any order, a recorder that is killed, and its store."""

    def __init__(self) -> None:
        super().__init__()
        self.table = Table(0)
        self.kept = Kept()
        self.altered: set[int] = set()
        self.waiting: set[int] = set()
        self.signed = self.saved_head = 0

    @initialize()
    def start(self) -> None:
        self.book = Book("recorder", "5e55", Pins({"macau/q1": frozenset({self.table.fingerprint})}))
        self.book.begin(self.kept.states, [gap for gap in self.kept.gaps.values() if gap.filled is None])
        self.book.take(f"{PREFIX}/meta/info", self.table.info(), NOW, 0.0)
        self.waiting.clear()
        self.signed = 0

    @rule(count=st.integers(1, 4))
    def happen(self, count: int) -> None:
        self.table.happen(count)

    @precondition(lambda self: self.table.payloads)
    @rule(place=st.integers(0, 1_000), alters=st.booleans())
    def arrive(self, place: int, *, alters: bool) -> None:
        number = place % len(self.table.payloads) + 1
        payload = self.table.payloads[number - 1]
        if alters:
            payload = payload.replace(b'"simulated":', b'"simulatad":')
            self.altered.add(number)
        self.book.take(f"{PREFIX}/event/card", payload, NOW, 0.0)
        self.waiting.add(number)

    @rule()
    def sign(self) -> None:
        if self.table.payloads:
            self.book.take(f"{PREFIX}/checkpoint", self.table.checkpoint().encode(), NOW, 0.0)
            self.signed = len(self.table.payloads)

    @rule()
    def save(self) -> None:
        batch = self.book.batch(NOW)
        self.saved_head = max(self.saved_head, self.signed, *self.waiting)
        self.book.stored(batch, self.kept.save(batch))
        self.waiting.clear()

    @rule()
    def kill(self) -> None:
        self.start()

    @invariant()
    def it_knows_what_it_has(self) -> None:
        account = self.book.accounts[self.table.source]
        assert account.head == max((self.saved_head, *self.waiting))
        has = {number for low, high in account.ranges for number in range(low, high + 1)}
        assert has == self.kept.events.keys() | self.waiting
        lacks = {number for low, high in account.missing() for number in range(low, high + 1)}
        assert lacks == set(range(1, account.head + 1)) - has

    def teardown(self) -> None:
        """Once everything has come, nothing is missing; what was altered first is in dispute, and nothing else."""
        for number in range(1, len(self.table.payloads) + 1):
            self.book.take(f"{PREFIX}/event/card", self.table.payloads[number - 1], NOW, 0.0)
        self.save()
        self.save()
        assert sorted(self.kept.events) == list(range(1, len(self.table.payloads) + 1))
        assert [gap for gap in self.kept.gaps.values() if gap.filled is None] == []
        spoilt = {number for number, payload in self.kept.events.items() if payload != self.table.payloads[number - 1]}
        assert spoilt <= {dispute.sequence for dispute in self.kept.disputes} <= self.altered


TestBook = BookMachine.TestCase
TestBook.settings = settings(max_examples=4 * settings().max_examples)
