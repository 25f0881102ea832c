"""The outbox against a real broker."""

import asyncio
import random
import signal
import sys
from dataclasses import replace
from functools import partial

import aiomqtt

from tablectl.bus.delivery import BATCH
from tablectl.core.faults import Code
from tests.bus.conftest import PREFIX, Rig, event, number
from tests.support.broker import Broker
from tests.support.proxy import proxy
from tests.support.witness import Witness, witness


def first_arrivals(seen: Witness) -> list[int]:
    """The events' numbers in the order of their first arrivals; every repeat has the same bytes."""
    first: dict[int, bytes] = {}
    for message in seen.under("/event/"):
        payload = bytes(message.payload)
        assert first.setdefault(number(payload), payload) == payload
    return list(first)


def newest(seen: Witness) -> int:
    """The number of the event that came last, told without a look at all the others."""
    found = (message for message in reversed(seen.messages) if "/event/" in message.topic.value)
    return next((number(bytes(message.payload)) for message in found), 0)


def upto(count: int) -> list[int]:
    return list(range(1, count + 1))


async def test_event_offered_to_a_connected_outbox_arrives_with_its_exact_bytes(rig: Rig, broker: Broker) -> None:
    broker.start()
    async with witness(broker.port, rig.board) as seen, rig.running() as outbox:
        await rig.board.until(lambda: seen.payloads("/health"))
        rig.offer(outbox, "event/card", "event/round")
        await rig.board.until(lambda: len(seen.under("/event/")) == 2)
        assert [(m.topic.value, m.payload) for m in seen.under("/event/")] == [
            (f"{PREFIX}/event/card", event(1, "event/card").payload),
            (f"{PREFIX}/event/round", event(2).payload),
        ]


async def test_event_carries_its_type_sequence_and_subject_as_properties_and_is_not_retained(
    rig: Rig, broker: Broker
) -> None:
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


async def test_twenty_events_from_before_the_broker_was_there_arrive_in_order(rig: Rig, broker: Broker) -> None:
    async with rig.running() as outbox:
        for nth in range(20):
            rig.offer(outbox, ("event/round", "event/card", "event/bet")[nth % 3])
        await rig.board.until(lambda: Code.BROKER_AWAY in rig.standing())
        assert str(broker.port) in rig.standing()[Code.BROKER_AWAY]
        broker.start()
        async with witness(broker.port, rig.board) as seen:
            await rig.board.until(lambda: len(first_arrivals(seen)) == 20)
            assert first_arrivals(seen) == upto(20)
            assert rig.flaws(seen.messages) == []
            assert Code.BROKER_AWAY not in rig.standing()


async def test_blip_is_no_fault(rig: Rig, broker: Broker) -> None:
    broker.start()
    async with witness(broker.port, rig.board) as seen, proxy(broker.port) as wire:
        rig.settings = replace(rig.settings, port=wire.port)
        async with rig.running() as outbox:
            await rig.board.until(lambda: seen.payloads("/health"))
            wire.cut()
            rig.offer(outbox, "event/round")
            await rig.board.until(lambda: seen.under("/event/"))
    assert [fault for fault in rig.faults if fault[1]] == []


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


async def test_what_a_broker_kept_of_a_device_that_is_gone_is_cleared_on_every_connection(
    rig: Rig, broker: Broker
) -> None:
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


async def test_broker_that_lost_everything_gets_the_states_again_and_the_events_that_it_had_not(
    rig: Rig, broker: Broker
) -> None:
    broker.start()
    async with proxy(broker.port) as wire:
        rig.settings = replace(rig.settings, port=wire.port)
        async with rig.running() as outbox:
            async with witness(broker.port, rig.board) as before:
                rig.offer(outbox, *["event/round"] * 10)
                await rig.board.until(lambda: len(first_arrivals(before)) == 10)
                await rig.all_acknowledged(outbox)
            wire.passing = False
            broker.kill()
            rig.offer(outbox, *["event/card"] * 5)
            broker.start()
            async with witness(broker.port, rig.board) as after:
                wire.passing = True
                await rig.board.until(lambda: after.under("/event/card")[4:])
                assert first_arrivals(after) == [11, 12, 13, 14, 15]
                assert [len(after.payloads(f"/{name}")) for name in ("status", "round/state", "health")] == [
                    1,
                    1,
                    1,
                ]


async def test_frozen_broker_is_a_broken_one_and_loses_nothing(rig: Rig, broker: Broker) -> None:
    broker.start()
    async with witness(broker.port, rig.board) as seen, rig.running() as outbox:
        rig.offer(outbox, "event/round")
        await rig.board.until(lambda: seen.under("/event/"))
        broker.freeze()
        for _ in range(40):
            rig.offer(outbox, "event/card")
        await rig.board.until(lambda: Code.BROKER_AWAY in rig.standing())
        assert outbox.health().connected_s is None
        broker.thaw()
        await rig.board.until(lambda: len(first_arrivals(seen)) == 41)
        assert first_arrivals(seen) == upto(41)
        assert rig.flaws(seen.messages) == []
        await rig.board.until(lambda: Code.BROKER_AWAY not in rig.standing())
        await rig.board.until(lambda: b'"ready"' in seen.payloads("/status")[-1])


async def test_every_cut_of_the_wire_keeps_order_and_loses_nothing(rig: Rig, broker: Broker) -> None:
    broker.start()
    chance = random.Random(7)
    topics = ("event/round", "event/card", "event/bet", "event/fault")
    async with witness(broker.port, rig.board) as seen, proxy(broker.port) as wire:
        rig.settings = replace(rig.settings, port=wire.port)
        async with rig.running() as outbox:
            for _ in range(300):
                rig.offer(outbox, *chance.choices(topics, k=chance.randint(1, 9)))
                outbox.touch("round/state")
                await asyncio.sleep(0.01)
                if chance.random() < 0.1:
                    wire.cut()
            total = len(rig.store.events)
            await rig.board.until(lambda: newest(seen) == total)
            assert wire.cuts > 3
            assert first_arrivals(seen) == upto(total)
            assert rig.flaws(seen.messages) == []
            assert outbox.health().retries >= 3


async def test_refused_login_is_a_fault_that_names_it_and_ends_when_the_broker_lets_us_in(
    rig: Rig, broker: Broker
) -> None:
    broker.anonymous = False
    broker.admit("table", "right")
    broker.start()
    rig.settings = replace(rig.settings, username="table", password="wrong")
    async with rig.running() as outbox:
        rig.offer(outbox, "event/round")
        await rig.board.until(lambda: Code.BROKER_REFUSED in rig.standing())
        detail = rig.standing()[Code.BROKER_REFUSED]
        assert "doesn't let us in" in detail
        assert "password" in detail
        assert "wrong" not in detail
        broker.admit("table", "wrong")
        broker.reload()
        await rig.all_acknowledged(outbox)
        assert rig.standing() == {}


async def test_refused_topic_holds_later_events_back_until_the_acl_allows_it(rig: Rig, broker: Broker) -> None:
    broker.allow("topic read #", f"topic write {PREFIX}/#", f"topic deny {PREFIX}/event/card")
    broker.start()
    async with witness(broker.port, rig.board) as seen, rig.running() as outbox:
        rig.offer(outbox, "event/round", "event/card", "event/round", "event/bet")
        await rig.board.until(lambda: Code.BROKER_REFUSED in rig.standing())
        assert rig.standing()[Code.BROKER_REFUSED] == "event/card: Not authorized (0x87)"
        rig.offer(outbox, "event/round")
        await rig.board.until(lambda: outbox.health().refused >= 3 or seen.under("/event/")[1:])
        assert first_arrivals(seen) == [1]
        assert outbox.health().backlog == 4
        broker.allow("topic readwrite #")
        await rig.board.until(lambda: len(first_arrivals(seen)) == 5)
        assert first_arrivals(seen) == upto(5)
        assert rig.flaws(seen.messages) == []
        await rig.board.until(lambda: rig.standing() == {})
        assert len([fault for fault in rig.faults if fault[1]]) == 1


async def test_topic_refused_in_mid_connection_is_sent_again_from_there_on(rig: Rig, broker: Broker) -> None:
    broker.allow("topic readwrite #")
    broker.start()
    async with witness(broker.port, rig.board) as seen, rig.running() as outbox:
        rig.offer(outbox, "event/round", "event/card")
        await rig.board.until(lambda: len(first_arrivals(seen)) == 2)
        broker.allow("topic read #", f"topic write {PREFIX}/status", f"topic write {PREFIX}/event/round")
        while Code.BROKER_REFUSED not in rig.standing():
            rig.offer(outbox, "event/round", "event/card", "event/round")
            await asyncio.sleep(0.02)
        broker.allow("topic readwrite #")
        total = len(rig.store.events)
        await rig.board.until(lambda: len(first_arrivals(seen)) == total)
        assert sorted(first_arrivals(seen)) == upto(total)
        await rig.all_acknowledged(outbox)


async def test_refused_state_is_a_fault_but_events_go_on(rig: Rig, broker: Broker) -> None:
    broker.allow("topic read #", f"topic write {PREFIX}/event/#", f"topic write {PREFIX}/status")
    broker.start()
    async with witness(broker.port, rig.board) as seen, rig.running() as outbox:
        await rig.board.until(lambda: "health" in rig.standing().get(Code.BROKER_REFUSED, ""))
        rig.offer(outbox, *["event/round"] * 30)
        await rig.board.until(lambda: len(first_arrivals(seen)) == 30)
        broker.allow("topic readwrite #")
        await rig.board.until(lambda: seen.payloads("/health") and seen.payloads("/round/state"))
        await rig.board.until(lambda: rig.standing() == {})


async def test_broker_that_hangs_up_on_a_refused_state_gets_the_events(rig: Rig, broker: Broker) -> None:
    broker.lines = ("max_queued_messages 0",)
    broker.allow("topic read #", f"topic write {PREFIX}/event/#", f"topic write {PREFIX}/status")
    broker.start()
    async with witness(broker.port, rig.board) as seen, rig.running() as outbox:
        await rig.board.until(lambda: outbox.health().retries >= 2)
        rig.offer(outbox, *["event/round"] * 30)
        await rig.board.until(lambda: len(first_arrivals(seen)) == 30)
        assert first_arrivals(seen) == upto(30)
        assert rig.flaws(seen.messages) == []


async def test_server_that_takes_the_connection_and_says_nothing_is_away(rig: Rig) -> None:
    async def say_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    server = await asyncio.start_server(say_nothing, "127.0.0.1", 0)
    rig.settings = replace(rig.settings, port=server.sockets[0].getsockname()[1], timeout_s=0.2)
    async with server, rig.running() as outbox:
        rig.offer(outbox, "event/round")
        await rig.board.until(lambda: Code.BROKER_AWAY in rig.standing())
        assert "no answer in time" in rig.standing()[Code.BROKER_AWAY]
        assert outbox.health().retries >= 2


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


async def test_closing_delivers_what_waits_and_says_stopped_without_the_will(rig: Rig, broker: Broker) -> None:
    broker.start()
    rig.store.append(*["event/round"] * 500)
    async with witness(broker.port, rig.board) as seen:
        async with rig.running():
            pass
        await rig.board.until(lambda: len(first_arrivals(seen)) == 500)
        await rig.board.until(lambda: seen.messages[-1].topic.value == f"{PREFIX}/status")
        assert first_arrivals(seen) == upto(500)
        assert rig.flaws(seen.messages) == []
        assert b"stopped" in seen.payloads("/status")[-1]
        assert rig.store.marks[-1] == 500
    async with witness(broker.port, rig.board) as later:
        await rig.board.until(lambda: later.payloads("/status"))
        assert b"stopped" in later.payloads("/status")[0]


async def test_closing_in_the_middle_of_a_backlog_says_stopped_in_time(rig: Rig, broker: Broker) -> None:
    broker.start()
    rig.store.append(*["event/round"] * 50_000)
    outbox = rig.outbox()
    async with witness(broker.port, rig.board, [f"{PREFIX}/status"]) as seen, asyncio.TaskGroup() as group:
        group.create_task(outbox.run())
        await rig.board.until(lambda: outbox.health().acknowledged > 0)
        rig.state = "stopped"
        await outbox.close(0.8)
        assert outbox.health().backlog > 0
        assert rig.store.marks[-1] == outbox.health().acknowledged
        await rig.board.until(lambda: b"stopped" in seen.payloads("/status")[-1])


async def test_closing_says_stopped_also_while_events_are_refused(rig: Rig, broker: Broker) -> None:
    broker.allow("topic read #", f"topic write {PREFIX}/status")
    broker.start()
    async with witness(broker.port, rig.board) as seen:
        async with rig.running() as outbox:
            rig.offer(outbox, "event/round")
            await rig.board.until(lambda: Code.BROKER_REFUSED in rig.standing())
        await rig.board.until(lambda: b"stopped" in seen.payloads("/status")[-1])


async def test_closing_a_frozen_broker_ends_in_time(rig: Rig, broker: Broker) -> None:
    broker.start()
    rig.settings = replace(rig.settings, timeout_s=30)
    outbox = rig.outbox()
    async with asyncio.TaskGroup() as group:
        group.create_task(outbox.run())
        async with witness(broker.port, rig.board) as seen:
            await rig.board.until(lambda: seen.payloads("/health"))
        broker.freeze()
        rig.offer(outbox, "event/round")
        async with asyncio.timeout(1.5):
            await outbox.close(0.5)
    assert outbox.health().backlog == 1


async def test_closing_without_a_broker_does_not_wait(rig: Rig) -> None:
    outbox = rig.outbox()
    async with asyncio.TaskGroup() as group:
        group.create_task(outbox.run())
        rig.offer(outbox, "event/round")
        await asyncio.sleep(0.1)
        async with asyncio.timeout(1):
            await outbox.close(30)
    outbox.offer(rig.store.append("event/round"))  # nothing comes of it, but it isn't an error


async def test_last_status_goes_out_although_the_journal_has_failed(rig: Rig, broker: Broker) -> None:
    broker.start()
    async with witness(broker.port, rig.board) as seen:
        async with rig.running() as outbox:
            rig.offer(outbox, "event/round")
            await rig.board.until(lambda: seen.under("/event/"))
            rig.store.failed = True
            rig.store.append("event/round")
            outbox.touch("status")
        await rig.board.until(lambda: b"stopped" in seen.payloads("/status")[-1])
        assert first_arrivals(seen) == [1]


CHILD = """
import asyncio, sys
from tests.bus.conftest import Rig
from tablectl.bus.settings import BrokerSettings

async def publish():
    await Rig(BrokerSettings("127.0.0.1", int(sys.argv[1]))).outbox().run()

asyncio.run(publish())
"""


async def test_killed_publisher_leaves_its_will(rig: Rig, broker: Broker) -> None:
    broker.start()
    async with witness(broker.port, rig.board) as seen:
        child = await asyncio.create_subprocess_exec(sys.executable, "-c", CHILD, str(broker.port))
        await rig.board.until(lambda: seen.payloads("/health"))
        child.send_signal(signal.SIGKILL)
        await rig.board.until(lambda: seen.payloads("/status")[-1] == rig.will())
        await child.wait()
    async with witness(broker.port, rig.board) as later:
        await rig.board.until(lambda: later.payloads("/status"))
        assert later.messages[0].retain


async def test_late_will_of_an_earlier_session_is_published_over(rig: Rig, broker: Broker) -> None:
    broker.start()
    async with witness(broker.port, rig.board) as seen, rig.running():
        await rig.board.until(lambda: seen.payloads("/health"))
        async with aiomqtt.Client("127.0.0.1", broker.port) as old:
            await old.publish(f"{PREFIX}/status", rig.will(), qos=1, retain=True)
        await rig.board.until(lambda: seen.payloads("/status")[-2:-1] == [rig.will()])
        assert b'"ready"' in seen.payloads("/status")[-1]


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


async def test_only_what_the_broker_does_not_have_is_sent_after_a_restart(rig: Rig, broker: Broker) -> None:
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


async def test_faults_of_an_earlier_session_are_cleared_by_the_first_success(rig: Rig, broker: Broker) -> None:
    broker.start()
    async with rig.running():
        await rig.board.until(lambda: len(rig.faults) == 3)
    assert {(code, present) for code, present, _ in rig.faults} == {
        (Code.BROKER_AWAY, False),
        (Code.BROKER_REFUSED, False),
        (Code.TABLE_TAKEN, False),
    }
