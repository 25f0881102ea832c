"""A table that answers two subscribers, with everything that was asked and said."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, cast

import aiomqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from tablectl.core.actions.subscriber_requests import Answer, Asked, CompactRange, Denied, Stretch, Subscriber
from tablectl.core.protocols import StoredEvent, TableStoppedError
from tablectl.mqtt.publisher import Publisher
from tablectl.mqtt.requests import RequestService
from tests.mqtt.conftest import PREFIX, Rig
from tests.support.broker import Broker
from tests.support.witness import Witness, witness

CCTV = Subscriber("cctv", frozenset({"replay", "status", "bookmark"}), frozenset({"round"}))
PIT = Subscriber("pit", frozenset({"replay", "recall", "verify", "acknowledge"}), frozenset({"round", "card"}))


@dataclass(slots=True)
class Clerks:
    """Answers what it is asked, and remembers it."""

    rig: Rig
    asked: list[Asked] = field(default_factory=list[Asked])
    hold: asyncio.Event = field(default_factory=asyncio.Event)
    bridging: bool = False

    async def answer(self, asked: Asked) -> Answer | Denied:
        """A replay gets the stored events; a recall or `verify` waits, a bookmark fails; others get back theirs."""
        self.asked.append(asked)
        self.rig.board.changed()
        match asked.verb:
            case "replay":
                through = min(int(asked.body.get("to") or 10**9), self.rig.store.last_sequence())
                after = int(asked.body["from"]) - 1
                compact = partial(_bridge, after) if self.bridging else None
                return Answer(events=Stretch(after, through, _reads(asked.by), compact))
            case "recall" | "verify":
                await self.hold.wait()
                return Denied("later", "not now")
            case "bookmark":
                raise TableStoppedError("the journal failed")
            case "status" if size := asked.body.get("size"):
                return Answer({"filling": "x" * size})
            case "status" if asked.body.get("odd"):
                return Answer({"odd": object()})
            case _:
                return Answer({"by": asked.by.user, **asked.body})


async def _bridge(old: int, size: int) -> CompactRange:
    peaks = tuple(bytes([nth] * 32) for nth in range(size.bit_count()))
    return CompactRange(size, peaks, old, (bytes([2] * 32),))


def _reads(by: Subscriber) -> Callable[[StoredEvent], bool]:
    return lambda event: event.topic.removeprefix("event/") in by.reads


@dataclass(slots=True)
class Talk:
    """A subscriber's two ends: what they send, what they see."""

    rig: Rig
    client: aiomqtt.Client
    seen: Witness
    clerks: Clerks
    outbox: Publisher

    async def ask(self, path: str, body: Any, retain: bool = False, **properties: Any) -> None:
        """Sends a request."""
        given = cast("Any", Properties)(PacketTypes.PUBLISH)
        for name, value in properties.items():
            setattr(given, name, value)
        payload = body if isinstance(body, bytes) else json.dumps(body).encode()
        await self.client.publish(f"{PREFIX}/req/{path}", payload, qos=1, retain=retain, properties=given)

    async def answer(self, end: str) -> dict[str, Any]:
        """The last answer whose topic ends so, once there is one."""
        await self.rig.board.until(lambda: self.seen.payloads(end))
        form: dict[str, Any] = json.loads(self.seen.payloads(end)[-1])
        return form

    def answers(self) -> list[str]:
        """The topics of all answers."""
        return [m.topic.value.removeprefix(f"{PREFIX}/") for m in self.seen.messages if "/answer/" in m.topic.value]


@asynccontextmanager
async def talk(rig: Rig, broker: Broker) -> AsyncGenerator[Talk]:
    """A table that listens to two subscribers, with a broker that is started."""
    if broker._process is None:
        broker.start()
    clerks = Clerks(rig)
    rig.clerk = RequestService({"cctv": CCTV, "pit": PIT}, clerks.answer)
    async with (
        witness(broker.port, rig.board) as seen,
        rig.running() as outbox,
        aiomqtt.Client("127.0.0.1", broker.port, protocol=aiomqtt.ProtocolVersion.V5) as client,
    ):
        await rig.board.until(lambda: seen.payloads("/health"))
        yield Talk(rig, client, seen, clerks, outbox)
