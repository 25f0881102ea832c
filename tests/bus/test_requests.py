"""Requests through a real broker: who is heard, who is answered and where, and that live events go first."""

import asyncio
import base64
import json
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, cast

import aiomqtt
import pytest
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from tablectl.bus.outbox import Outbox
from tablectl.bus.requests import RATE_PER_S, WAITING, Clerk
from tablectl.core.asking import Answer, Asked, CompactRange, Denied, Stretch, Subscriber
from tablectl.core.ports import StoredEvent, TableStoppedError
from tests.bus.conftest import PREFIX, Rig, event, number
from tests.support.asyncapi import validator
from tests.support.broker import Broker
from tests.support.witness import Witness, witness

CCTV = Subscriber("cctv", frozenset({"replay", "status", "bookmark"}), frozenset({"round"}))
PIT = Subscriber("pit", frozenset({"replay", "recall"}), frozenset({"round", "card"}))


@dataclass(slots=True)
class Clerks:
    """Answers what it is asked, and remembers it."""

    rig: Rig
    asked: list[Asked] = field(default_factory=list[Asked])
    hold: asyncio.Event = field(default_factory=asyncio.Event)
    bridging: bool = False

    async def answer(self, asked: Asked) -> Answer | Denied:
        self.asked.append(asked)
        self.rig.board.changed()
        match asked.verb:
            case "replay":
                through = min(int(asked.body.get("to") or 10**9), self.rig.store.last_sequence())
                after = int(asked.body["from"]) - 1
                compact = partial(_bridge, after) if self.bridging else None
                return Answer(events=Stretch(after, through, _reads(asked.by), compact))
            case "recall":
                await self.hold.wait()
                return Denied("later", "not now")
            case "bookmark":
                raise TableStoppedError("the journal failed")
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
    """A subscriber's two ends: what he sends, what he sees."""

    rig: Rig
    client: aiomqtt.Client
    seen: Witness
    clerks: Clerks
    outbox: Outbox

    async def ask(self, path: str, body: Any, retain: bool = False, **properties: Any) -> None:
        given = cast("Any", Properties)(PacketTypes.PUBLISH)
        for name, value in properties.items():
            setattr(given, name, value)
        payload = body if isinstance(body, bytes) else json.dumps(body).encode()
        await self.client.publish(f"{PREFIX}/req/{path}", payload, qos=1, retain=retain, properties=given)

    async def answer(self, end: str) -> dict[str, Any]:
        await self.rig.board.until(lambda: self.seen.payloads(end))
        form: dict[str, Any] = json.loads(self.seen.payloads(end)[-1])
        return form

    def answers(self) -> list[str]:
        return [m.topic.value.removeprefix(f"{PREFIX}/") for m in self.seen.messages if "/answer/" in m.topic.value]


@asynccontextmanager
async def talk(rig: Rig, broker: Broker) -> AsyncGenerator[Talk]:
    """A table that listens to two subscribers, with a broker that is started."""
    if broker._process is None:
        broker.start()
    clerks = Clerks(rig)
    rig.clerk = Clerk({"cctv": CCTV, "pit": PIT}, clerks.answer)
    async with (
        witness(broker.port, rig.board) as seen,
        rig.running() as outbox,
        aiomqtt.Client("127.0.0.1", broker.port, protocol=aiomqtt.ProtocolVersion.V5) as client,
    ):
        await rig.board.until(lambda: seen.payloads("/health"))
        yield Talk(rig, client, seen, clerks, outbox)


async def test_answer_comes_on_the_askers_own_topic_with_his_transaction(rig: Rig, broker: Broker) -> None:
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


async def test_response_topic_of_somebody_else_gets_nothing_and_nothing_is_done(rig: Rig, broker: Broker) -> None:
    async with talk(rig, broker) as t:
        await t.ask("cctv/status", {"transaction": "x1"}, ResponseTopic=f"{PREFIX}/event/round")
        assert (await t.answer("/answer/cctv/x1"))["error"]["code"] == "response_topic"
        assert t.clerks.asked == []
        assert t.seen.under("/event/") == []


@pytest.mark.parametrize(
    ("path", "body", "code"),
    [
        ("cctv/recall", {"transaction": "x1"}, "forbidden"),
        ("cctv/prove", {"transaction": "x1"}, "forbidden"),
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


async def test_mistake_of_ours_costs_the_asker_his_answer_and_nobody_anything_else(rig: Rig, broker: Broker) -> None:
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


async def test_who_asks_too_often_is_told_once_and_heard_again_later(rig: Rig, broker: Broker) -> None:
    many = int(RATE_PER_S) * 5
    async with talk(rig, broker) as t:
        for nth in range(many):
            await t.ask("cctv/status", {"transaction": f"x{nth}"})
        await rig.board.until(lambda: t.outbox.health().requests == many)
        forms = [json.loads(payload) for payload in t.seen.payloads("") if b'"too_often"' in payload]
        assert 1 <= len(forms) <= 3
        assert len(t.clerks.asked) < many / 2

        async def heard() -> bool:
            await t.ask("cctv/status", {"transaction": "later"})
            await asyncio.sleep(0.1)
            return bool(t.seen.payloads("/answer/cctv/later")) and b"data" in t.seen.payloads("/later")[-1]

        async with asyncio.timeout(5):
            while not await heard():
                pass


async def test_one_user_at_his_limit_costs_the_other_nothing(rig: Rig, broker: Broker) -> None:
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


# --- replays


async def test_replay_sends_the_stored_bytes_in_order_and_then_says_so(rig: Rig, broker: Broker) -> None:
    rig.store.append(*["event/round", "event/card", "event/audit"] * 40)
    async with talk(rig, broker) as t:
        await t.ask("pit/replay", {"transaction": "x1", "from": "0000000000000002"}, CorrelationData=b"c")
        await rig.board.until(lambda: any(b"complete" in payload for payload in t.seen.payloads("/replay/pit/x1")))
    *events, end = t.seen.payloads("/replay/pit/x1")
    wanted = [each for each in rig.store.events[1:] if each.topic != "event/audit"]
    assert events == [each.payload for each in wanted]
    assert json.loads(end) == {"complete": True, "last": f"{120:016d}", "transaction": "x1"}
    for message in t.seen.under("/replay/"):
        assert message.properties is not None
        assert message.properties.CorrelationData == b"c"  # type: ignore[attr-defined]


async def test_replay_has_only_the_families_that_he_reads_and_ends_where_he_says(rig: Rig, broker: Broker) -> None:
    rig.store.append(*["event/round", "event/card"] * 10)
    async with talk(rig, broker) as t:
        await t.ask("cctv/replay", {"transaction": "x1", "from": "3", "to": "7"})
        await rig.board.until(lambda: any(b"complete" in payload for payload in t.seen.payloads("/replay/cctv/x1")))
    *events, end = t.seen.payloads("/replay/cctv/x1")
    assert [number(payload) for payload in events] == [3, 5, 7]
    assert json.loads(end)["last"] == f"{7:016d}"


async def test_events_that_are_stored_no_more_are_named(rig: Rig, broker: Broker) -> None:
    rig.store.append(*["event/round"] * 10)
    async with talk(rig, broker) as t:
        await rig.all_acknowledged(t.outbox)
        rig.store.pruned = 6
        await t.ask("cctv/replay", {"transaction": "x1", "from": "1"})
        await rig.board.until(lambda: any(b"complete" in payload for payload in t.seen.payloads("/replay/cctv/x1")))
    *events, end = t.seen.payloads("/replay/cctv/x1")
    assert [number(payload) for payload in events] == [7, 8, 9, 10]
    assert json.loads(end)["pruned"] == f"{6:016d}"


async def test_the_tree_over_events_that_are_stored_no_more_comes_with_who_may_have_it(
    rig: Rig, broker: Broker
) -> None:
    rig.store.append(*["event/round"] * 10)
    async with talk(rig, broker) as t:
        await rig.all_acknowledged(t.outbox)
        rig.store.pruned = 6
        t.clerks.bridging = True
        await t.ask("cctv/replay", {"transaction": "x1", "from": "3"})
        await rig.board.until(lambda: any(b"complete" in payload for payload in t.seen.payloads("/replay/cctv/x1")))
    *_, end = t.seen.payloads("/replay/cctv/x1")
    form = json.loads(end)
    described = await asyncio.to_thread(validator, "replay.end", strict=True)
    assert described.is_valid(form)
    nodes = [base64.b64encode(bytes([nth] * 32)).decode() for nth in range(3)]
    assert form["tree"] == {"size": f"{6:016d}", "peaks": nodes[:2], "old": f"{2:016d}", "proof": nodes[2:]}
    assert not described.is_valid({**form, "tree": {**form["tree"], "peaks": ["x"]}})


def newest(seen: Witness) -> int:
    """The number of the last live event that came."""
    found = (message for message in reversed(seen.messages) if "/event/" in message.topic.value)
    return next((number(bytes(message.payload)) for message in found), 0)


def came(seen: Witness, last: int) -> bool:
    return newest(seen) == last


STORED = 1_500


async def test_live_events_go_out_before_what_is_left_of_a_replay(
    rig: Rig, broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    # At a pace that a busy machine keeps up with: what piles up at the broker isn't what is judged here.
    monkeypatch.setattr("tablectl.bus.requests.EVENTS_PER_S", 100.0)
    rig.store.append_published(*["event/round"] * STORED)
    async with talk(rig, broker) as t:
        await t.ask("cctv/replay", {"transaction": "x1", "from": "1"})
        await rig.board.until(lambda: t.seen.payloads("/replay/cctv/x1"))
        lags = list[int]()
        for last in range(STORED + 1, STORED + 21):
            rig.offer(t.outbox, "event/round")
            before = len(t.seen.under("/replay/"))
            await rig.board.until(partial(came, t.seen, last))
            lags.append(len(t.seen.under("/replay/")) - before)
        # In flight ahead of an event are no more letters than their share of the window, whatever waits.
        assert sorted(lags)[10] <= 8, lags
        assert len(t.seen.payloads("/replay/cctv/x1")) < STORED


async def test_second_replay_of_a_user_waits_for_his_first_and_another_users_does_not(rig: Rig, broker: Broker) -> None:
    rig.store.append_published(*["event/round"] * 400)
    async with talk(rig, broker) as t:
        await t.ask("cctv/replay", {"transaction": "a", "from": "1"})
        await t.ask("cctv/replay", {"transaction": "b", "from": "1"})
        await t.ask("pit/replay", {"transaction": "c", "from": "399"})
        await rig.board.until(lambda: any(b"complete" in payload for payload in t.seen.payloads("/replay/cctv/b")))
    order = [m.topic.value.rpartition("/")[2] for m in t.seen.under("/replay/")]
    assert order.index("b") > max(nth for nth, name in enumerate(order) if name == "a")
    assert order.index("c") < order.index("b")


async def test_replay_that_the_broker_refuses_ends_and_holds_no_event_up(rig: Rig, broker: Broker) -> None:
    broker.allow("topic read #", "topic write #", f"topic deny {PREFIX}/replay/#")
    rig.store.append(*["event/round"] * 300)
    async with talk(rig, broker) as t:
        await t.ask("cctv/replay", {"transaction": "x1", "from": "1"})
        await rig.board.until(lambda: t.outbox.health().requests_dropped == 1)
        rig.offer(t.outbox, "event/round")
        await rig.board.until(lambda: number(t.seen.payloads("/event/round")[-1]) == 301)
        assert rig.standing() == {}
        assert t.seen.under("/replay/") == []


async def test_what_is_larger_than_the_broker_takes_is_left_out_and_the_connection_stands(
    rig: Rig, broker: Broker
) -> None:
    broker.lines = ("max_packet_size 3000",)
    async with talk(rig, broker) as t:
        await t.ask("cctv/status", {"transaction": "x1", "k": "k" * 2500})
        await rig.board.until(lambda: t.outbox.health().requests_dropped == 1)
        await t.ask("cctv/status", {"transaction": "x2"})
        assert "data" in await t.answer("/answer/cctv/x2")
        assert t.outbox.health().retries == 0
        assert t.answers() == ["answer/cctv/x2"]


async def test_replay_under_way_does_not_hold_the_end_up(rig: Rig, broker: Broker) -> None:
    rig.store.append_published(*["event/round"] * 1500)
    async with talk(rig, broker) as t:
        await t.ask("cctv/replay", {"transaction": "x1", "from": "1"})
        await rig.board.until(lambda: t.seen.payloads("/replay/cctv/x1"))
        closes_s = asyncio.get_running_loop().time()
    # Three quarters of the rig's two seconds is what it would have taken to give up waiting for it.
    assert asyncio.get_running_loop().time() - closes_s < 1.4
    assert b"stopped" in t.seen.payloads("/status")[-1]


async def test_with_mqtt_3_answers_go_to_the_askers_topic(rig: Rig, broker: Broker) -> None:
    rig.settings = replace(rig.settings, mqtt5=False)
    rig.store.append("event/round")
    async with talk(rig, broker) as t:
        await t.ask("cctv/status", {"transaction": "x1"})
        await t.ask("cctv/replay", {"transaction": "x2", "from": "1"})
        assert "data" in await t.answer("/answer/cctv/x1")
        await rig.board.until(lambda: len(t.seen.payloads("/replay/cctv/x2")) == 2)
    assert t.seen.payloads("/replay/cctv/x2")[0] == event(1).payload


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
