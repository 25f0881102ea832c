"""The outbox at a broker that is there: exact bytes, states first, no more than asked."""

import asyncio
from dataclasses import replace
from functools import partial

import aiomqtt

from tablectl.core.events.device import FairnessAlarm
from tablectl.core.events.text import saying
from tablectl.core.facts import Fact, SessionEnded, Stamp
from tablectl.core.faults import Code
from tablectl.core.protocols import StoredEvent
from tablectl.journal.encoding import Origin, write_event
from tablectl.mqtt.delivery import BATCH
from tests.mqtt.arrivals import first_arrivals, upto
from tests.mqtt.conftest import PREFIX, STATES, Rig, event
from tests.support.broker import Broker
from tests.support.witness import Witness, witness


async def test_event_offered_to_connected_outbox_arrives_with_its_exact_bytes(rig: Rig, broker: Broker) -> None:
    broker.start()
    async with witness(broker.port, rig.board) as seen, rig.running() as outbox:
        await rig.board.until(lambda: seen.payloads("/health"))
        rig.offer(outbox, "event/card", "event/round")
        await rig.board.until(lambda: len(seen.under("/event/")) == 2)
        assert [(m.topic.value, m.payload) for m in seen.under("/event/")] == [
            (f"{PREFIX}/event/card", event(1, "event/card").payload),
            (f"{PREFIX}/event/round", event(2).payload),
        ]


async def test_subject_in_stored_events_data_is_no_property(rig: Rig, broker: Broker) -> None:
    broker.start()
    alarm = FairnessAlarm(
        "wheel", "W-77", "3.1", 900, "3.0", saying("fairness.alarmed", log10_e="3.1", threshold="3.0")
    )
    fact = Fact(SessionEnded("5e551011", ""), Stamp(1, 1, "b"), "table")
    origin = Origin("site", "t1", "log", "5e551011")
    topic, payload = write_event(alarm, fact, origin, 1, 1, cause=None, simulated=False)
    rig.store.events.append(StoredEvent(1, topic, payload))
    async with witness(broker.port, rig.board) as seen, rig.running():
        await rig.board.until(lambda: seen.under("/event/"))
    properties = seen.under("/event/")[0].properties
    assert properties is not None
    assert properties.UserProperty == [  # type: ignore[attr-defined]
        ("sequence", "0000000000000001"),
        ("type", "mo.tablectl.fairness.alarm.v1"),
    ]


async def test_event_has_type_sequence_and_subject_and_is_not_retained(rig: Rig, broker: Broker) -> None:
    broker.start()
    async with witness(broker.port, rig.board) as seen, rig.running() as outbox:
        rig.offer(outbox, "event/round")
        await rig.board.until(lambda: seen.under("/event/"))
    message = seen.under("/event/")[0]
    properties = message.properties
    assert properties is not None
    assert properties.ContentType == "application/cloudevents+json; charset=utf-8"  # type: ignore[attr-defined]
    assert properties.UserProperty == [  # type: ignore[attr-defined]
        ("sequence", "0000000000000001"),
        ("type", "mo.tablectl.round.tested.v1"),
        ("subject", "r-1"),
    ]
    assert not hasattr(properties, "MessageExpiryInterval")
    async with witness(broker.port, rig.board) as later:
        await rig.board.until(lambda: later.payloads("/status"))
        assert later.under("/event/") == []


async def test_states_but_for_the_status_expire_after_a_day(rig: Rig, broker: Broker) -> None:
    broker.start()
    async with witness(broker.port, rig.board) as seen, rig.running():
        await rig.board.until(lambda: len(seen.messages) == 3)
    expiry = {m.topic.value: getattr(m.properties, "MessageExpiryInterval", None) for m in seen.messages[:3]}
    assert expiry == {f"{PREFIX}/{name}": 24 * 3600 if name != "status" else None for name in STATES}


async def test_states_come_first_on_a_connection_and_are_retained(rig: Rig, broker: Broker) -> None:
    broker.start()
    rig.store.append("event/round")
    async with witness(broker.port, rig.board) as seen, rig.running():
        await rig.board.until(lambda: seen.under("/event/"))
        names = [message.topic.value.removeprefix(f"{PREFIX}/") for message in seen.messages]
        assert names == ["status", "round/state", "health", "event/round"]
        async with witness(broker.port, rig.board) as later:
            await rig.board.until(lambda: len(later.messages) == 3)
            assert all(message.retain for message in later.messages)


def _saw(seen: Witness, end: str, payload: bytes | None = None) -> bool:
    return any(payload in {None, each} for each in seen.payloads(end))


async def test_retained_state_of_a_gone_device_is_cleared_per_connection(rig: Rig, broker: Broker) -> None:
    broker.start()
    rig.past = ("device/old/status",)
    for _ in range(2):
        async with aiomqtt.Client("127.0.0.1", broker.port) as client:
            await client.publish(f"{PREFIX}/device/old/status", b"{}", qos=1, retain=True)
        async with witness(broker.port, rig.board) as during, rig.running():
            await rig.board.until(partial(_saw, during, "/device/old/status", b""))
        rig.state = "ready"
        async with witness(broker.port, rig.board) as seen:
            await rig.board.until(partial(_saw, seen, "/t1/status"))
            assert not seen.payloads("/device/old/status")


async def test_touched_states_are_coalesced_and_the_last_one_stays(rig: Rig, broker: Broker) -> None:
    broker.start()
    async with witness(broker.port, rig.board, [f"{PREFIX}/round/state"]) as seen, rig.running() as outbox:
        await rig.board.until(lambda: seen.messages)
        for _ in range(200):
            outbox.touch("round/state")
        rig.state = "changed"
        await rig.board.until(lambda: b"changed" in seen.payloads("/round/state")[-1])
        assert len(seen.messages) <= 3


async def test_events_go_before_a_state_that_changed_with_them(rig: Rig, broker: Broker) -> None:
    broker.start()
    async with witness(broker.port, rig.board) as seen, rig.running() as outbox:
        await rig.board.until(lambda: seen.payloads("/health"))
        seen.messages.clear()
        outbox.touch("round/state")
        rig.offer(outbox, "event/round")
        await rig.board.until(lambda: len(seen.messages) == 2)
        assert [message.topic.value.removeprefix(f"{PREFIX}/") for message in seen.messages] == [
            "event/round",
            "round/state",
        ]


async def test_backlog_is_read_in_batches_that_fit(rig: Rig, broker: Broker) -> None:
    broker.start()
    rig.store.append(*["event/round"] * 2000)
    async with witness(broker.port, rig.board) as seen, rig.running() as outbox:
        rig.offer(outbox, "event/card")
        await rig.board.until(lambda: len(seen.under("/event/")) == 2001)
        assert first_arrivals(seen) == upto(2001)
        assert rig.flaws(seen.messages) == []
        assert set(rig.store.asked) == {BATCH}
        assert outbox.health().published == 2001


async def test_only_what_broker_does_not_have_is_sent_after_restart(rig: Rig, broker: Broker) -> None:
    broker.start()
    rig.store.append(*["event/round"] * 10)
    rig.store.marks.append(7)
    async with witness(broker.port, rig.board) as seen, rig.running():
        await rig.board.until(lambda: len(seen.under("/event/")) == 3)
        assert first_arrivals(seen) == [8, 9, 10]


async def test_journal_hears_of_progress_once_a_second_at_most(rig: Rig, broker: Broker) -> None:
    broker.start()
    async with rig.running() as outbox:
        for _ in range(50):
            rig.offer(outbox, "event/round")
            await asyncio.sleep(0.005)
        await rig.board.until(lambda: rig.store.published() == 50)
    assert len(rig.store.marks) <= 3
    assert rig.store.marks == sorted(rig.store.marks)


async def test_small_window_of_the_broker_is_kept(rig: Rig, broker: Broker) -> None:
    broker.lines = ("max_inflight_messages 2",)
    broker.start()
    async with witness(broker.port, rig.board) as seen, rig.running() as outbox:
        rig.offer(outbox, *["event/round"] * 100)
        await rig.board.until(lambda: len(seen.under("/event/")) == 100)
        assert first_arrivals(seen) == upto(100)
        assert rig.flaws(seen.messages) == []
        assert outbox.health().retries == 0


async def test_broker_without_mqtt_5_gets_the_same_messages(rig: Rig, broker: Broker) -> None:
    broker.start()
    rig.settings = replace(rig.settings, mqtt5=False)
    async with witness(broker.port, rig.board) as seen, rig.running() as outbox:
        rig.offer(outbox, *["event/round"] * 30)
        await rig.board.until(lambda: len(seen.under("/event/")) == 30)
        assert first_arrivals(seen) == upto(30)
        assert rig.flaws(seen.messages) == []


async def test_faults_of_an_earlier_session_are_cleared_by_first_success(rig: Rig, broker: Broker) -> None:
    broker.start()
    async with rig.running():
        await rig.board.until(lambda: len(rig.faults) == 3)
    assert {(code, present) for code, present, _ in rig.faults} == {
        (Code.BROKER_AWAY, False),
        (Code.BROKER_REFUSED, False),
        (Code.TABLE_TAKEN, False),
    }
