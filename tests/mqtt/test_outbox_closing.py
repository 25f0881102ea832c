"""How an outbox ends: its last status, in time whatever the broker does, or the will of one that was killed."""

import asyncio
import signal
import sys
from dataclasses import replace

import aiomqtt

from tablectl.core.faults import Code
from tablectl.mqtt.message import CLOUDEVENT
from tests.mqtt.arrivals import first_arrivals, upto
from tests.mqtt.conftest import PREFIX, Rig
from tests.support.broker import Broker
from tests.support.patience import PATIENCE_S
from tests.support.witness import witness


async def test_closing_delivers_what_waits_and_says_stopped_without_the_will(rig: Rig, broker: Broker) -> None:
    broker.start()
    rig.closing_s = PATIENCE_S  # what takes longer than a stop may is the next test's
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


async def test_closing_in_middle_of_a_backlog_says_stopped_in_time(rig: Rig, broker: Broker) -> None:
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
    rig.settings = replace(rig.settings, timeout_s=10 * PATIENCE_S)
    outbox = rig.outbox()
    async with asyncio.TaskGroup() as group:
        group.create_task(outbox.run())
        async with witness(broker.port, rig.board) as seen:
            await rig.board.until(lambda: seen.payloads("/health"))
        broker.freeze()
        rig.offer(outbox, "event/round")
        async with asyncio.timeout(PATIENCE_S):
            await outbox.close(0.5)
    assert outbox.health().backlog == 1


async def test_closing_without_a_broker_does_not_wait(rig: Rig) -> None:
    outbox = rig.outbox()
    async with asyncio.TaskGroup() as group:
        group.create_task(outbox.run())
        rig.offer(outbox, "event/round")
        await asyncio.sleep(0.1)
        async with asyncio.timeout(PATIENCE_S):
            await outbox.close(10 * PATIENCE_S)
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
from tests.mqtt.arrivals import first_arrivals, newest, upto
from tests.mqtt.conftest import Rig
from tablectl.mqtt.settings import BrokerSettings

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
        assert later.messages[0].properties.ContentType == CLOUDEVENT  # type: ignore[union-attr]


async def test_late_will_of_an_earlier_session_is_published_over(rig: Rig, broker: Broker) -> None:
    broker.start()
    async with witness(broker.port, rig.board) as seen, rig.running():
        await rig.board.until(lambda: seen.payloads("/health"))
        async with aiomqtt.Client("127.0.0.1", broker.port) as old:
            await old.publish(f"{PREFIX}/status", rig.will(), qos=1, retain=True)
        await rig.board.until(lambda: seen.payloads("/status")[-2:-1] == [rig.will()])
        assert b'"ready"' in seen.payloads("/status")[-1]
