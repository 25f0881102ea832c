"""Requests through a real broker: who is heard, who is answered and where."""

import asyncio
import json
import time
from dataclasses import replace
from typing import Any

import aiomqtt
import pytest

from tablectl.mqtt.requests import RATE_PER_S, WAITING
from tests.mqtt.clerking import talk
from tests.mqtt.conftest import PREFIX, Rig, event
from tests.support.broker import Broker
from tests.support.patience import PATIENCE_S
from tests.support.witness import witness


async def test_answer_comes_on_the_askers_own_topic_with_their_transaction(rig: Rig, broker: Broker) -> None:
    async with talk(rig, broker) as t:
        await t.ask("cctv/status", {"transaction": "x1", "user": "pit", "k": "ü"})
        assert await t.answer("/answer/cctv/x1") == {
            "transaction": "x1",
            "data": {"by": "cctv", "user": "pit", "k": "ü"},
        }
    (message,) = t.seen.under("/answer/")
    assert (message.qos, message.retain) == (1, False)


async def test_response_topic_and_correlation_are_kept(rig: Rig, broker: Broker) -> None:
    own = f"{PREFIX}/answer/cctv/my/inbox"
    async with talk(rig, broker) as t:
        await t.ask("cctv/status", {"transaction": "x1"}, ResponseTopic=own, CorrelationData=b"\x01k")
        await t.answer("/my/inbox")
    (message,) = t.seen.under("/answer/")
    assert message.properties is not None
    assert message.properties.CorrelationData == b"\x01k"  # type: ignore[attr-defined]
    assert message.properties.ContentType == "application/json; charset=utf-8"  # type: ignore[attr-defined]


async def test_request_with_a_foreign_response_topic_does_nothing(rig: Rig, broker: Broker) -> None:
    async with talk(rig, broker) as t:
        await t.ask("cctv/status", {"transaction": "x1"}, ResponseTopic=f"{PREFIX}/event/round")
        assert (await t.answer("/answer/cctv/x1"))["error"]["code"] == "response_topic"
        assert t.clerks.asked == []
        assert t.seen.under("/event/") == []


@pytest.mark.parametrize(
    ("path", "body", "code"),
    [
        ("cctv/recall", {"transaction": "x1"}, "forbidden"),
        ("cctv/prove", {"transaction": "x1"}, "denied"),
        ("cctv/shutdown", {"transaction": "x1"}, "unknown_verb"),
        ("pit/status", {"transaction": "x1"}, "forbidden"),
        ("cctv/bookmark", {"transaction": "x1"}, "stopped"),
    ],
)
async def test_what_he_may_not_do_is_answered_with_an_error(
    rig: Rig, broker: Broker, path: str, body: dict[str, Any], code: str
) -> None:
    async with talk(rig, broker) as t:
        await t.ask(path, body)
        form = await t.answer(f"/answer/{path.partition('/')[0]}/x1")
        assert (form["transaction"], form["error"]["code"]) == ("x1", code)
        assert form["error"]["message"]
        assert t.outbox.health().requests_denied == 1


async def test_internal_error_costs_its_asker_the_answer_only(rig: Rig, broker: Broker) -> None:
    async with talk(rig, broker) as t:
        await t.ask("cctv/status", {"transaction": "x1", "odd": True})
        assert (await t.answer("/answer/cctv/x1"))["error"]["code"] == "failed"
        await t.ask("cctv/status", {"transaction": "x2"})
        assert "data" in await t.answer("/answer/cctv/x2")


async def test_who_is_not_configured_is_not_even_heard(rig: Rig, broker: Broker) -> None:
    async with talk(rig, broker) as t:
        await t.ask("mallory/status", {"transaction": "x1"})
        await t.ask("cctv/status", {"transaction": "x2"})
        await t.answer("/answer/cctv/x2")
        assert t.answers() == ["answer/cctv/x2"]
        assert t.outbox.health().requests == 1


async def test_without_subscribers_nothing_is_subscribed_to_and_nothing_answered(rig: Rig, broker: Broker) -> None:
    broker.lines = ("log_type subscribe",)
    broker.start()
    async with witness(broker.port, rig.board) as seen, rig.running() as outbox:
        await rig.board.until(lambda: seen.payloads("/health"))
        async with aiomqtt.Client("127.0.0.1", broker.port) as client:
            await client.publish(f"{PREFIX}/req/cctv/status", b'{"transaction":"x1"}', qos=1)
        rig.offer(outbox, "event/round")
        await rig.board.until(lambda: seen.under("/event/"))
        assert seen.under("/answer/") == []
    assert f"{PREFIX}/status" in broker.log()
    assert "/req/" not in broker.log()


async def test_malformed_request_is_counted_and_answered_where_that_can_be(rig: Rig, broker: Broker) -> None:
    async with talk(rig, broker) as t:
        await t.ask("cctv/status", b"no json")
        await t.ask("cctv/status", b"no json", ResponseTopic=f"{PREFIX}/answer/cctv/here")
        form = await t.answer("/answer/cctv/here")
        assert (form["transaction"], form["error"]["code"]) == (None, "malformed")
        health = t.outbox.health()
        assert (health.requests, health.requests_denied, health.requests_dropped) == (2, 2, 1)


async def test_request_that_the_broker_kept_is_not_answered(rig: Rig, broker: Broker) -> None:
    broker.start()
    async with aiomqtt.Client("127.0.0.1", broker.port) as client:
        await client.publish(f"{PREFIX}/req/cctv/status", b'{"transaction":"old"}', qos=1, retain=True)
    async with talk(rig, broker) as t:
        await t.ask("cctv/status", {"transaction": "new"})
        await t.answer("/answer/cctv/new")
        assert t.answers() == ["answer/cctv/new"]


async def test_frequent_asker_is_told_once_and_heard_later(rig: Rig, broker: Broker) -> None:
    many = int(RATE_PER_S) * 5
    async with talk(rig, broker) as t:
        begun_s = time.monotonic()
        for nth in range(many):
            await t.ask("cctv/status", {"transaction": f"x{nth}"})
        await rig.board.until(lambda: t.outbox.health().requests == many)
        lasted_s = time.monotonic() - begun_s
        forms = [json.loads(payload) for payload in t.seen.payloads("") if b'"too_often"' in payload]
        assert 1 <= len(forms) <= 3 + lasted_s
        assert len(t.clerks.asked) <= RATE_PER_S * (2 + lasted_s)

        async def heard() -> bool:
            await t.ask("cctv/status", {"transaction": "later"})
            await asyncio.sleep(0.1)
            return bool(t.seen.payloads("/answer/cctv/later")) and b"data" in t.seen.payloads("/later")[-1]

        async with asyncio.timeout(PATIENCE_S):
            while not await heard():
                pass


async def test_one_user_at_their_limit_costs_the_other_nothing(rig: Rig, broker: Broker) -> None:
    async with talk(rig, broker) as t:
        for nth in range(30):
            await t.ask("cctv/status", {"transaction": f"x{nth}"})
        await t.ask("pit/replay", {"transaction": "p", "from": "1"})
        assert (await t.answer("/replay/pit/p"))["complete"] is True


async def test_requests_that_wait_are_bounded_and_hold_no_others_up(rig: Rig, broker: Broker) -> None:
    async with talk(rig, broker) as t:
        for nth in range(WAITING + 2):
            await t.ask("pit/recall", {"transaction": f"r{nth}"})
            await asyncio.sleep(1 / RATE_PER_S)
        form = await t.answer(f"/answer/pit/r{WAITING + 1}")
        assert form["error"]["code"] == "busy"
        assert [asked.transaction for asked in t.clerks.asked] == ["r0"]
        t.clerks.hold.set()
        await t.answer(f"/answer/pit/r{WAITING}")


async def test_verification_under_way_holds_no_other_request_up(rig: Rig, broker: Broker) -> None:
    rig.store.append_published("event/round")
    async with talk(rig, broker) as t:
        await t.ask("pit/verify", {"transaction": "v"})
        await t.ask("pit/verify", {"transaction": "w"})
        await t.ask("pit/acknowledge", {"transaction": "a"})
        await t.ask("pit/replay", {"transaction": "r", "from": "1"})
        assert "data" in await t.answer("/answer/pit/a")
        await rig.board.until(lambda: len(t.seen.payloads("/replay/pit/r")) == 2)
        assert {asked.transaction for asked in t.clerks.asked} == {"v", "a", "r"}
        t.clerks.hold.set()
        await t.answer("/answer/pit/w")


async def test_with_mqtt_3_answers_go_to_the_askers_topic(rig: Rig, broker: Broker) -> None:
    rig.settings = replace(rig.settings, mqtt5=False)
    rig.store.append("event/round")
    async with talk(rig, broker) as t:
        await t.ask("cctv/status", {"transaction": "x1"})
        await t.ask("cctv/replay", {"transaction": "x2", "from": "1"})
        assert "data" in await t.answer("/answer/cctv/x1")
        await rig.board.until(lambda: len(t.seen.payloads("/replay/cctv/x2")) == 2)
    assert t.seen.payloads("/replay/cctv/x2")[0] == event(1).payload


async def test_request_is_answered_while_broker_refuses_an_event(rig: Rig, broker: Broker) -> None:
    broker.allow("topic read #", f"topic write {PREFIX}/#", f"topic deny {PREFIX}/event/card")
    rig.store.append("event/round", "event/card", "event/round")
    async with talk(rig, broker) as t:
        await t.ask("cctv/status", {"transaction": "x1"})
        assert "data" in await t.answer("/answer/cctv/x1")
        assert t.outbox.health().backlog == 2


async def test_requests_are_heard_on_every_connection(rig: Rig, broker: Broker) -> None:
    async with talk(rig, broker) as t:
        broker.kill()
        await rig.board.until(lambda: t.outbox.health().connected_s is None)
        broker.start()
        async with witness(broker.port, rig.board) as seen:
            await rig.board.until(lambda: seen.payloads("/health"))
            async with aiomqtt.Client("127.0.0.1", broker.port) as client:
                await client.publish(f"{PREFIX}/req/cctv/status", b'{"transaction":"x9"}', qos=1)
                await rig.board.until(lambda: seen.payloads("/answer/cctv/x9"))
