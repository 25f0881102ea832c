"""A private broker, a journal in memory, and an outbox between them."""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import aiomqtt
import pytest

from tablectl.core.faults import Code
from tablectl.core.protocols import StoredEvent, TableStoppedError
from tablectl.mqtt.contents import Contents
from tablectl.mqtt.kept_checkpoint import Judge, Verdict
from tablectl.mqtt.publisher import Publisher
from tablectl.mqtt.requests import RequestService
from tablectl.mqtt.settings import BrokerSettings
from tests.support.broker import Broker, private_broker
from tests.support.whole import Message, flaws
from tests.support.witness import Board

PREFIX = "tablectl/v1/site/t1"
STATES = ("status", "round/state", "health")


def event(sequence: int, topic: str = "event/round") -> StoredEvent:
    """An event as the journal has it."""
    kind = f"mo.tablectl.{topic.removeprefix('event/')}.tested.v1"
    envelope = {
        "specversion": "1.0",
        "id": f"log-{sequence:016d}",
        "source": "/tablectl/site/t1/log",
        "type": kind,
        "subject": "r-1",
        "data": {"n": sequence},
    }
    return StoredEvent(sequence, topic, json.dumps(envelope, separators=(",", ":")).encode())


def number(payload: bytes) -> int:
    """The sequence that an event's payload carries."""
    return int(json.loads(payload)["data"]["n"])


@dataclass(slots=True)
class ListStore:
    """A journal's events in a list."""

    board: Board
    events: list[StoredEvent] = field(default_factory=list[StoredEvent])
    marks: list[int] = field(default_factory=list[int])
    asked: list[int] = field(default_factory=list[int])
    failed: bool = False
    pruned: int = 0

    async def events_after(self, sequence: int, limit: int) -> Sequence[StoredEvent]:
        """The events that follow, in order."""
        self._check()
        self.asked.append(limit)
        await asyncio.sleep(0)
        return self.events[max(sequence, self.pruned) :][:limit]

    def last_sequence(self) -> int:
        """How many there are."""
        return len(self.events)

    def published(self) -> int:
        """The last mark."""
        return self.marks[-1] if self.marks else 0

    async def mark_published(self, sequence: int) -> None:
        """Keeps the mark."""
        self._check()
        self.marks.append(sequence)
        self.board.changed()

    def _check(self) -> None:
        if self.failed:
            raise TableStoppedError("the journal can't be used")

    def append_published(self, *topics: str) -> None:
        """Stores events that the broker has had before."""
        self.append(*topics)
        self.marks.append(len(self.events))

    def append(self, *topics: str) -> list[StoredEvent]:
        """Stores one event for each topic."""
        new = [event(len(self.events) + 1 + nth, topic) for nth, topic in enumerate(topics)]
        self.events += new
        return new


@dataclass(slots=True)
class ForeignLog:
    """A judge to whom the broker's log is another one; it notes what it is told."""

    board: Board
    told: list[bool] = field(default_factory=list[bool])

    async def compare(self, _payload: bytes | None, /) -> Verdict:
        """It is another one."""
        return Verdict.FOREIGN

    def silenced(self, *, is_silent: bool) -> None:
        """Notes it."""
        self.told.append(is_silent)
        self.board.changed()


@dataclass(slots=True)
class Rig:
    """A table's publishing side, with everything that it says written down."""

    settings: BrokerSettings
    board: Board = field(default_factory=Board)
    store: ListStore = field(init=False)
    faults: list[tuple[Code, bool, str]] = field(default_factory=list[tuple[Code, bool, str]])
    state: str = "ready"
    rendered: int = 0
    session: str = ""
    since: str = "2026-11-20T10:00:00.000000Z"
    clerk: RequestService | None = None
    accepted: list[int] = field(default_factory=list[int])
    stop: Callable[[float], Awaitable[None]] | None = None
    relieved: Callable[[str], bool] | None = None
    past: tuple[str, ...] = ()
    closing_s: float = 2.0
    states: tuple[str, ...] = STATES
    judge: Judge | None = None
    sizes: dict[str, int] = field(default_factory=dict[str, int])

    def __post_init__(self) -> None:
        self.store = ListStore(self.board)

    def standing(self) -> dict[Code, str]:
        """The faults that stand now, and their details."""
        return {code: detail for code, present, detail in self._latest() if present}

    def _latest(self) -> list[tuple[Code, bool, str]]:
        return list({fault[0]: fault for fault in self.faults}.values())

    def tell_fault(self, code: Code, *, present: bool, detail: str) -> None:
        """Writes a fault down."""
        self.faults.append((code, present, detail))
        self.board.changed()

    def render(self, topic: str) -> bytes:
        """A state, with a count so that the newest can be told."""
        self.rendered += 1
        form = {"topic": topic, "data": self._said(self.state), "count": self.rendered}
        form |= {"filling": "x" * self.sizes[topic]} if topic in self.sizes else {}
        return json.dumps({"specversion": "1.0", **form}, separators=(",", ":")).encode()

    def passive(self) -> bytes:
        """The status while another session speaks."""
        return json.dumps({"topic": "status", "data": self._said("passive")}).encode()

    def _said(self, state: str) -> dict[str, str]:
        return {"state": state, **({"session": self.session, "since": self.since} if self.session else {})}

    def will(self) -> bytes:
        """What the broker says when this table vanishes."""
        session = b',"session":"%s"' % self.session.encode() if self.session else b""
        return b'{"specversion":"1.0","data":{"state":"lost"%s}}' % session

    def outbox(self) -> Publisher:
        """An outbox that nobody runs yet."""
        contents = Contents(
            self.store,
            self.states,
            self.render,
            self.will,
            self.tell_fault,
            passive=self.passive if self.session else None,
            service=self.clerk,
            accepted=self.accepted.append,
            relieved=self.relieved,
            past=lambda: self.past,
            judge=self.judge,
        )
        return Publisher(self.settings, f"site-t1-{self.session}", PREFIX, contents)

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[Publisher]:
        """An outbox at work, closed afterwards."""
        outbox = self.outbox()
        async with asyncio.TaskGroup() as group:
            group.create_task(outbox.run())
            yield outbox
            self.state = "stopped"
            await outbox.close(self.closing_s)

    def offer(self, outbox: Publisher, *topics: str) -> None:
        """What the table does: stores events, then offers them."""
        outbox.offer(self.store.append(*topics))

    def flaws(self, came: Sequence[aiomqtt.Message]) -> list[str]:
        """In what these messages of a subscriber aren't what is stored, by the judge of completeness."""
        events = [message for message in came if f"{PREFIX}/event/" in message.topic.value]
        got = [Message(each.topic.value, bytes(each.payload), each.retain) for each in events]
        return flaws(got, [Message(each.topic, each.payload) for each in self.store.events])

    async def all_acknowledged(self, outbox: Publisher) -> None:
        """Returns when the broker has every event."""
        await self.board.until(lambda: outbox.health().backlog == 0)


@pytest.fixture
def broker(mosquitto: Path, tmp_path: Path) -> Iterator[Broker]:
    """A broker of the test's own, not started."""
    with private_broker(mosquitto, tmp_path) as made:
        yield made


@pytest.fixture
def rig(broker: Broker) -> Rig:
    """A publishing side that speaks to that broker."""
    return Rig(BrokerSettings("127.0.0.1", broker.port, timeout_s=0.5))
