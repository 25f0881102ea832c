"""The outbox and a broker that refuses the login, an event's topic or a state's."""

import asyncio
from dataclasses import replace

from tablectl.core.faults import Code
from tests.mqtt.arrivals import first_arrivals, upto
from tests.mqtt.conftest import PREFIX, Rig
from tests.support.broker import Broker
from tests.support.witness import witness


async def test_refused_login_is_a_named_fault_until_admitted(rig: Rig, broker: Broker) -> None:
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


async def test_refused_topic_holds_later_events_back_until_acl_allows_it(rig: Rig, broker: Broker) -> None:
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


async def test_topic_refused_in_mid_connection_is_resent_from_there(rig: Rig, broker: Broker) -> None:
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


async def test_broker_that_hangs_up_on_a_refused_state_gets_events(rig: Rig, broker: Broker) -> None:
    broker.lines = ("max_queued_messages 0",)
    broker.allow("topic read #", f"topic write {PREFIX}/event/#", f"topic write {PREFIX}/status")
    broker.start()
    async with witness(broker.port, rig.board) as seen, rig.running() as outbox:
        await rig.board.until(lambda: outbox.health().retries >= 2)
        rig.offer(outbox, *["event/round"] * 30)
        await rig.board.until(lambda: len(first_arrivals(seen)) == 30)
        assert first_arrivals(seen) == upto(30)
        assert rig.flaws(seen.messages) == []
