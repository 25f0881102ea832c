"""Wires that are slow or dead without a word, and a broker whose queues are full: the judge finds nothing missing."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import suppress
from dataclasses import replace

import aiomqtt
import pytest

from tablectl.core.actions.subscriber_requests import Answer, Asked, Denied, Stretch, Subscriber
from tablectl.core.faults import Code
from tablectl.mqtt.requests import RequestService
from tests.mqtt.conftest import PREFIX, Rig, number
from tests.support.broker import Broker
from tests.support.proxy import proxy
from tests.support.whole import Message, flaws
from tests.support.witness import Witness, witness

TOPICS = ("event/round", "event/card", "event/bet")
READER = Subscriber("cctv", frozenset({"replay"}), frozenset({"round", "card", "bet"}))


def newest(rig: Rig, seen: Witness) -> bool:
    """Whether the last event that is stored has come."""
    last = rig.store.events[-1].payload
    return any(bytes(message.payload) == last for message in reversed(seen.messages))


async def test_a_slow_wire_is_no_trouble_and_keeps_order(rig: Rig, broker: Broker) -> None:
    broker.start()
    async with witness(broker.port, rig.board) as seen, proxy(broker.port) as wire:
        rig.settings = replace(rig.settings, port=wire.port, timeout_s=20.0)
        async with rig.running() as outbox:
            await rig.board.until(lambda: seen.payloads("/health"))
            wire.piece, wire.pause_s = 200, 0.002
            for _ in range(40):
                rig.offer(outbox, *TOPICS)
            assert outbox.health().backlog > 0, "the table waited for the broker"
            await rig.board.until(lambda: newest(rig, seen))
            assert outbox.health().retries == 0
            assert rig.standing() == {}
            wire.piece, wire.pause_s = 0, 0.0
    assert rig.flaws(seen.messages) == []


async def test_half_dead_wire_is_given_up_without_loss(rig: Rig, broker: Broker) -> None:
    broker.start()
    async with witness(broker.port, rig.board) as seen, proxy(broker.port) as wire:
        rig.settings = replace(rig.settings, port=wire.port)
        async with rig.running() as outbox:
            rig.offer(outbox, *TOPICS)
            await rig.board.until(lambda: newest(rig, seen))
            wire.deaf = True
            for _ in range(20):
                rig.offer(outbox, *TOPICS)
            await rig.board.until(lambda: Code.BROKER_AWAY in rig.standing())
            wire.deaf = False
            await rig.board.until(lambda: newest(rig, seen))
            await rig.board.until(lambda: Code.BROKER_AWAY not in rig.standing())
            assert outbox.health().retries >= 1
    assert rig.flaws(seen.messages) == []


@pytest.mark.parametrize("most", [10, 100])
async def test_overflowed_subscriber_is_made_whole_by_replay(rig: Rig, broker: Broker, most: int) -> None:
    broker.lines = (f"max_queued_messages {most}", "max_inflight_messages 1")
    broker.start()
    rig.clerk = RequestService({"cctv": READER}, lambda asked: _replayed(rig, asked))
    async with rig.running() as outbox:
        rig.offer(outbox, *TOPICS)
        async with _subscriber(broker):
            await rig.all_acknowledged(outbox)
        for _ in range(100):
            rig.offer(outbox, *TOPICS)
        await rig.all_acknowledged(outbox)
        assert outbox.health().backlog == 0, "the broker drops what is beyond its limit and says that it has it"
        async with _subscriber(broker) as client:
            await client.subscribe(f"{PREFIX}/replay/cctv/+", qos=1)
            came = {bytes(message.payload) async for message in _live(client)}
            assert len(came) < len(rig.store.events), "the queue didn't overflow"
            while missing := [event for event in rig.store.events if event.payload not in came]:
                # A replay goes through the same queue, so no more is asked for than it holds.
                first = missing[0].sequence
                body = {"transaction": "x1", "from": str(first), "to": str(first + most - 1)}
                await client.publish(f"{PREFIX}/req/cctv/replay", json.dumps(body), qos=1)
                came |= {bytes(message.payload) async for message in _until_complete(client)}
    in_order = sorted(came, key=number)
    held = [Message(event.topic, event.payload) for event in rig.store.events]
    got = [Message(f"{PREFIX}/{each.topic}", payload) for each, payload in zip(held, in_order, strict=True)]
    assert flaws(got, held) == []


async def _live(client: aiomqtt.Client) -> AsyncGenerator[aiomqtt.Message]:
    """What the broker kept for them, until nothing more comes."""
    with suppress(TimeoutError):
        while True:
            async with asyncio.timeout(0.5):
                message = await anext(client.messages)
            yield message


async def _until_complete(client: aiomqtt.Client) -> AsyncGenerator[aiomqtt.Message]:
    async for message in client.messages:
        if bytes(message.payload).startswith(b'{"complete"'):
            return
        yield message


async def _replayed(rig: Rig, asked: Asked) -> Answer | Denied:
    through = min(int(asked.body["to"]), rig.store.last_sequence())
    return Answer(events=Stretch(int(asked.body["from"]) - 1, through, lambda _event: True))


def _subscriber(broker: Broker) -> aiomqtt.Client:
    """One whose session the broker keeps while they are away."""
    return aiomqtt.Client(
        "127.0.0.1", broker.port, identifier="cctv", clean_session=False, protocol=aiomqtt.ProtocolVersion.V311
    )
