"""The outbox and a broker that is away, frozen, cut off or has lost everything: order kept, nothing lost."""

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import cast

import pytest

from tablectl.core.faults import Code
from tablectl.mqtt.publisher import AWAY_AFTER_S, STEADY_S, _BrokerFaults
from tests.mqtt.arrivals import first_arrivals, newest, upto
from tests.mqtt.conftest import Rig
from tests.support.broker import Broker
from tests.support.mqtt_server import MqttServer
from tests.support.patience import PATIENCE_S
from tests.support.proxy import proxy
from tests.support.witness import witness


async def test_twenty_events_from_before_broker_was_there_arrive_in_order(rig: Rig, broker: Broker) -> None:
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


async def test_amnesiac_broker_gets_states_and_missing_events_again(rig: Rig, broker: Broker) -> None:
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


@pytest.mark.parametrize("taken", [0, 3])
async def test_mark_never_passes_what_the_broker_acknowledged(rig: Rig, broker: Broker, taken: int) -> None:
    server = MqttServer(events=taken, changed=rig.board.changed)
    silent = rig.settings
    async with server.listening():
        rig.settings = replace(silent, port=server.port, timeout_s=PATIENCE_S)
        rig.closing_s = 0.5
        async with rig.running() as outbox:
            rig.offer(outbox, *["event/round"] * 10)
            await rig.board.until(lambda: server.events < 0 and outbox.acknowledged() == taken)
            if taken:
                await rig.board.until(lambda: rig.store.marks)
    assert rig.store.published() == max((0, *rig.store.marks)) == taken
    rig.settings = silent
    broker.start()
    async with witness(broker.port, rig.board) as seen, rig.running():
        await rig.board.until(lambda: len(seen.under("/event/")) == 10 - taken)
        assert first_arrivals(seen) == upto(10)[taken:]


async def test_fault_follows_its_cause_from_one_reason_to_the_next(rig: Rig, broker: Broker) -> None:
    async with rig.running():
        await rig.board.until(lambda: Code.BROKER_AWAY in rig.standing())
        broker.anonymous = False
        broker.start()
        await rig.board.until(lambda: Code.BROKER_REFUSED in rig.standing())
        assert list(rig.standing()) == [Code.BROKER_REFUSED]
        broker.stop()
        await rig.board.until(lambda: Code.BROKER_AWAY in rig.standing())
        assert list(rig.standing()) == [Code.BROKER_AWAY]
        assert "Connection refused" in rig.standing()[Code.BROKER_AWAY]


@dataclass(slots=True)
class HandTurned:
    """A loop's clock that a test turns; one alarm at a time."""

    now_s: float = 0.0
    due: tuple[float, Callable[[], None]] | None = None

    def time(self) -> float:
        """Seconds."""
        return self.now_s

    def call_later(self, delay_s: float, alarm: Callable[[], None]) -> "HandTurned":
        """Sets the alarm."""
        self.due = self.now_s + delay_s, alarm
        return self

    def cancel(self) -> None:
        """Takes it back."""
        self.due = None

    def turn(self, by_s: float) -> None:
        """Turns it on; the alarm goes off when it is due."""
        self.now_s += by_s
        if self.due is not None and self.due[0] <= self.now_s:
            (_, alarm), self.due = self.due, None
            alarm()


def test_reason_that_swings_is_told_at_a_falling_rate() -> None:
    told: list[str] = []
    clock = HandTurned()

    def tell(code: Code, *, present: bool, detail: str) -> None:
        assert code is Code.BROKER_AWAY or not present
        told.extend([detail] * present)

    faults = _BrokerFaults(tell, cast("asyncio.AbstractEventLoop", clock))
    for nth in range(24 * 720):  # a day of attempts
        faults.lost(("refused", "no answer", "unknown name")[nth % 3])
        clock.turn(5)
    assert told[0] == "refused"
    assert len(told) < 200
    faults.connected()
    clock.turn(STEADY_S + 1)
    faults.lost("at last")
    clock.turn(AWAY_AFTER_S)
    assert told[-1] == "at last"
