"""A user of the broker who means harm: topics of others, floods, sizes, words of the table put into its own mouth."""

import json
from typing import Any

import aiomqtt
import pytest

from tablectl.mqtt.publisher import LARGEST_PACKET
from tablectl.mqtt.requests import RATE_PER_S, RequestService
from tests.mqtt.clerking import CCTV, Clerks, Talk, talk
from tests.mqtt.conftest import PREFIX, Rig, number
from tests.support.broker import Broker
from tests.support.witness import witness


@pytest.mark.parametrize(
    "topic",
    [
        "$SYS/broker/load",
        f"$share/g/{PREFIX}/answer/cctv/x",
        f"{PREFIX}/status",
        f"{PREFIX}/event/round",
        f"{PREFIX}/checkpoint",
        f"{PREFIX}/state/round",
        f"{PREFIX}/req/cctv/status",
        f"{PREFIX}/answer/pit/x",
        f"{PREFIX}/replay/pit/x",
    ],
)
async def test_no_answer_is_written_where_asker_may_not_write_themselves(rig: Rig, broker: Broker, topic: str) -> None:
    async with talk(rig, broker) as t:
        await t.ask("cctv/status", {"transaction": "x1"}, ResponseTopic=topic)
        form = await t.answer("/answer/cctv/x1")
        assert form["error"]["code"] == "response_topic"
        assert t.clerks.asked == []
        assert not [m for m in t.seen.messages if m.topic.value == topic and b"response_topic" in bytes(m.payload)]


async def test_correlation_data_of_sixty_kilobytes_are_not_sent_back(rig: Rig, broker: Broker) -> None:
    async with talk(rig, broker) as t:
        await t.ask("cctv/status", {"transaction": "x1"}, CorrelationData=b"k" * 60_000)
        form = await t.answer("/answer/cctv/x1")
        assert form["error"]["code"] == "malformed"
        (message,) = t.seen.under("/answer/")
        assert not hasattr(message.properties, "CorrelationData")
        assert t.clerks.asked == []


async def test_a_message_larger_than_the_table_takes_never_reaches_it(rig: Rig, broker: Broker) -> None:
    async with talk(rig, broker) as t:
        for size in (LARGEST_PACKET, 1 << 20, 8 << 20):
            await t.client.publish(f"{PREFIX}/req/cctv/status", b"x" * size, qos=1)
        await t.ask("cctv/status", {"transaction": "after"})
        await t.answer("/answer/cctv/after")
        health = t.outbox.health()
        assert (health.requests, health.retries) == (1, 0)


async def test_flood_of_nonsense_delays_no_event(rig: Rig, broker: Broker) -> None:
    many = 400
    async with talk(rig, broker) as t:
        for nth in range(many):
            payload = b"[" * 4_000 if nth % 2 else json.dumps({"transaction": f"x{nth}", "from": "1"}).encode()
            await t.client.publish(f"{PREFIX}/req/cctv/replay", payload, qos=0)
        rig.offer(t.outbox, "event/round")
        await rig.board.until(lambda: t.seen.under("/event/"))
        await rig.board.until(lambda: t.outbox.health().requests == many)
        assert number(bytes(t.seen.under("/event/")[-1].payload)) == 1
        assert len(t.clerks.asked) <= 3 * RATE_PER_S
        assert len(t.answers()) <= 3 * RATE_PER_S


async def test_forged_event_on_tables_own_topic_changes_nothing_at_table(rig: Rig, broker: Broker) -> None:
    async with talk(rig, broker) as t:
        before = t.outbox.health()
        for topic in ("event/round", "status", "checkpoint", "meta/info", "answer/cctv/x1", "replay/cctv/x1"):
            await t.client.publish(f"{PREFIX}/{topic}", b'{"sequence":"0000000000000009"}', qos=1)
        rig.offer(t.outbox, "event/round")
        await rig.board.until(lambda: len(t.seen.under("/event/")) >= 2)
        await rig.all_acknowledged(t.outbox)
        after = t.outbox.health()
        assert (after.requests, after.refused, after.retries) == (before.requests, 0, 0)
        assert t.clerks.asked == []


async def test_request_in_nobodys_or_a_patterns_name_is_ignored(rig: Rig, broker: Broker) -> None:
    async with talk(rig, broker) as t:
        for user in ("boss", "cctv2", "CCTV", "cctv%2f", "\u202ecctv"):
            await t.ask(f"{user}/status", {"transaction": "x1"})
        await t.ask("cctv/status", {"transaction": "x2"})
        await t.answer("/answer/cctv/x2")
        assert t.answers() == ["answer/cctv/x2"]
        assert [asked.by.user for asked in t.clerks.asked] == ["cctv"]


async def test_a_stolen_client_id_costs_a_connection_and_no_event(rig: Rig, broker: Broker) -> None:
    async with talk(rig, broker) as t:
        rig.offer(t.outbox, "event/round")
        await rig.all_acknowledged(t.outbox)
        before, name = t.outbox.health().retries, t.outbox._client_id
        async with aiomqtt.Client("127.0.0.1", broker.port, identifier=name, clean_session=True):
            await rig.board.until(lambda: t.outbox.health().retries > before)
        rig.offer(t.outbox, "event/round")
        await rig.board.until(lambda: {number(bytes(m.payload)) for m in t.seen.under("/event/")} == {1, 2})


DONE = {"data": {"by": "cctv", "k": "\ufeff"}}
ELSEWHERE = {
    "error": {
        "code": "response_topic",
        "message": f"answers go below {PREFIX}/answer/cctv/ or {PREFIX}/replay/cctv/ only",
    }
}


@pytest.mark.parametrize(
    ("name", "value", "answer"),
    [
        ("UserProperty", [("k", "\ufeff")], DONE),
        ("ContentType", "\ufeff", DONE),
        ("ResponseTopic", f"{PREFIX}/answer/cctv/\ufeff", ELSEWHERE),
    ],
)
async def test_kept_request_with_odd_properties_ends_no_connection(
    rig: Rig, broker: Broker, name: str, value: Any, answer: Any
) -> None:
    broker.start()
    clerks = Clerks(rig)
    rig.clerk = RequestService({"cctv": CCTV}, clerks.answer)
    async with (
        witness(broker.port, rig.board, (f"{PREFIX}/health", f"{PREFIX}/answer/#")) as seen,
        aiomqtt.Client("127.0.0.1", broker.port, protocol=aiomqtt.ProtocolVersion.V5) as client,
    ):
        await Talk(rig, client, seen, clerks, rig.outbox()).ask(
            "cctv/status", {"transaction": "x0"}, True, **{name: value}
        )
        async with rig.running() as outbox:
            await rig.board.until(lambda: seen.payloads("/health"))
            t = Talk(rig, client, seen, clerks, outbox)
            await t.ask("cctv/status", {"transaction": "x1", "k": "\ufeff"}, **{name: value})
            assert await t.answer("/answer/cctv/x1") == {"transaction": "x1", **answer}
            assert outbox.health().retries == 0
