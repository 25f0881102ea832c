"""Replays through a real broker: the stored bytes in order, live events first, and one replay of a user at a time."""

import asyncio
import base64
import json
from dataclasses import replace
from functools import partial

import pytest

from tests.mqtt.arrivals import newest
from tests.mqtt.clerking import talk
from tests.mqtt.conftest import PREFIX, Rig, number
from tests.support.asyncapi import validator
from tests.support.broker import Broker
from tests.support.patience import PATIENCE_S
from tests.support.witness import Witness


async def test_replay_sends_stored_bytes_in_order_and_then_says_so(rig: Rig, broker: Broker) -> None:
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


async def test_replay_has_permitted_families_and_ends_as_asked(rig: Rig, broker: Broker) -> None:
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


async def test_tree_over_pruned_events_reaches_those_permitted(rig: Rig, broker: Broker) -> None:
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


def came(seen: Witness, last: int) -> bool:
    return newest(seen) == last


STORED = 1_500


async def test_live_events_go_out_before_what_is_left_of_replay(
    rig: Rig, broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    # At a pace that a busy machine keeps up with: what piles up at the broker isn't what is judged here.
    monkeypatch.setattr("tablectl.mqtt.requests.EVENTS_PER_S", 100.0)
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


async def test_second_replay_waits_for_the_same_users_first_only(rig: Rig, broker: Broker) -> None:
    rig.store.append_published(*["event/round"] * 400)
    async with talk(rig, broker) as t:
        await t.ask("cctv/replay", {"transaction": "a", "from": "1"})
        await t.ask("cctv/replay", {"transaction": "b", "from": "1"})
        await t.ask("pit/replay", {"transaction": "c", "from": "399"})
        await rig.board.until(lambda: any(b"complete" in payload for payload in t.seen.payloads("/replay/cctv/b")))
    order = [m.topic.value.rpartition("/")[2] for m in t.seen.under("/replay/")]
    assert order.index("b") > max(nth for nth, name in enumerate(order) if name == "a")
    assert order.index("c") < order.index("b")


async def test_replay_that_broker_refuses_ends_and_holds_no_event_up(rig: Rig, broker: Broker) -> None:
    broker.allow("topic read #", "topic write #", f"topic deny {PREFIX}/replay/#")
    rig.store.append(*["event/round"] * 300)
    async with talk(rig, broker) as t:
        await t.ask("cctv/replay", {"transaction": "x1", "from": "1"})
        await rig.board.until(lambda: t.outbox.health().requests_dropped == 1)
        rig.offer(t.outbox, "event/round")
        await rig.board.until(lambda: number(t.seen.payloads("/event/round")[-1]) == 301)
        assert rig.standing() == {}
        assert t.seen.under("/replay/") == []


@pytest.mark.parametrize(("limit", "size"), [("max_packet_size", 2500), ("message_size_limit", 2960)])
async def test_answer_beyond_the_brokers_limit_becomes_an_error(
    rig: Rig, broker: Broker, limit: str, size: int
) -> None:
    broker.lines = (f"{limit} 3000",)
    async with talk(rig, broker) as t:
        await t.ask("cctv/status", {"transaction": "x1", "k": "k" * size})
        assert (await t.answer("/answer/cctv/x1"))["error"]["code"] == "too_large"
        await t.ask("cctv/status", {"transaction": "x2"})
        assert "data" in await t.answer("/answer/cctv/x2")
        assert t.outbox.health().retries == 0
        assert t.answers() == ["answer/cctv/x1", "answer/cctv/x2"]


async def test_answer_at_which_broker_hangs_up_becomes_an_error(rig: Rig, broker: Broker) -> None:
    rig.settings = replace(rig.settings, mqtt5=False)
    broker.lines = ("max_packet_size 8000",)
    async with talk(rig, broker) as t:

        def listens(before: int) -> bool:
            """Whether a connection is made and subscribed since then: it publishes its states after that."""
            return len(t.seen.payloads("/health")) > before

        def heard(nth: int) -> bool:
            return t.outbox.health().retries > nth or bool(t.answers())

        before = 0
        for nth in range(3):
            await rig.board.until(partial(listens, before))
            before = len(t.seen.payloads("/health"))
            await t.ask("cctv/status", {"transaction": f"x{nth}", "size": 9000})
            await rig.board.until(partial(heard, nth))
        assert (await t.answer("/answer/cctv/x2"))["error"]["code"] == "too_large"
        assert t.outbox.health().retries == 2


async def test_replay_under_way_does_not_hold_the_end_up(rig: Rig, broker: Broker) -> None:
    rig.store.append_published(*["event/round"] * 1500)
    rig.closing_s = PATIENCE_S
    async with talk(rig, broker) as t:
        await t.ask("cctv/replay", {"transaction": "x1", "from": "1"})
        await rig.board.until(lambda: t.seen.payloads("/replay/cctv/x1"))
        closes_s = asyncio.get_running_loop().time()
    # Three quarters of the limit is what it would have taken to give up waiting for it.
    assert asyncio.get_running_loop().time() - closes_s < PATIENCE_S / 2
    assert b"stopped" in t.seen.payloads("/status")[-1]
