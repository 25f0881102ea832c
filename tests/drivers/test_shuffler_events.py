"""A shuffler's events over a real port and over USB: each is told once, and acknowledged when it is durable."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from drivers.link.connection import Deliveries, delivery_name
from drivers.link.notices import EventReceived
from drivers.shuffler.codec import EVENTS
from drivers.shuffler.codec import PacketDelivered as Packet
from tablectl.core.facts.reports import DeviceNoted, PacketDelivered
from tests.drivers.linkbench import NAME
from tests.drivers.shufflerbench import ShufflerBench, another, at_wire
from tests.support.told import eventually, nothing, running


@pytest.fixture(params=["serial", "usb"])
async def bench(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[ShufflerBench]:
    async with at_wire(request.param, tmp_path) as made:
        yield made


async def test_an_event_is_acknowledged_only_when_it_is_durable(bench: ShufflerBench) -> None:
    bench.told.durable = False
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.device.deliver_packet(3)
        bench.device.deliver_packet(3)
        await bench.told.nth(PacketDelivered, 2)
        bench.device.open_lid()
        await bench.told.nth(DeviceNoted)
        assert bench.device.line.unacked == 3
        bench.told.make_durable()
        await eventually(lambda: bench.device.line.unacked == 0)
    assert len(bench.told.of(PacketDelivered)) == 2


async def test_event_made_durable_while_device_was_away_is_acknowledged_later(bench: ShufflerBench) -> None:
    bench.told.durable = False
    async with running(bench.driver.run(nothing)) as task:
        await bench.attached()
        bench.device.deliver_packet(3)
        await bench.told.nth(PacketDelivered)
        await bench.unplug(task)
    bench.told.make_durable()
    await bench.port.plug()
    async with running(bench.driver.run(nothing)):
        await eventually(lambda: bench.device.line.unacked == 0)
    assert bench.told.of(PacketDelivered) == [PacketDelivered(NAME, 3)]


async def test_lost_acknowledgement_makes_no_second_packet_after_the_daemon_restarts(
    bench: ShufflerBench,
) -> None:
    async with running(bench.driver.run(nothing)) as task:
        await bench.attached()
        await eventually(lambda: bench.driver.counters().frames)
        bench.drop_what_the_host_writes()
        for count in (3, 4):
            bench.device.deliver_packet(count)
        await bench.told.nth(PacketDelivered, 2)
        await bench.unplug(task)
    assert bench.device.line.unacked == 2
    last = bench.told.reports[-1].delivery
    assert last == f"{bench.device.line.boot:08x}:2"

    await bench.port.plug()
    bench.hear_the_host_again()
    restarted = another(bench, delivered=last)
    async with running(restarted.run(nothing)):
        await eventually(lambda: bench.device.line.unacked == 0)
        bench.device.deliver_packet(5)
        await bench.told.nth(PacketDelivered, 3)
    assert [packet.count for packet in bench.told.of(PacketDelivered)] == [3, 4, 5]


async def test_event_of_an_older_start_hides_none_of_this(bench: ShufflerBench) -> None:
    driver = another(bench, delivered="00000001:9")
    bench.device.deliver_packet(3)
    async with running(driver.run(nothing)):
        await bench.told.nth(PacketDelivered)
        await eventually(lambda: bench.device.line.unacked == 0)


def test_deliveries_are_told_once_and_stored_in_order_beyond_wrap() -> None:
    packet = EVENTS.encode(Packet(1, 3))
    events = [EventReceived(7, seq, 0, packet) for seq in (65534, 65535, 0)]
    deliveries = Deliveries("00000007:65533")
    assert [deliveries.report(event) for event in (*events, *events)] == [True] * 3 + [False] * 3
    deliveries.store(events[2])
    assert all(deliveries.is_stored(event) for event in events)
    deliveries.store(events[0])
    assert deliveries.is_stored(events[2])
    assert not deliveries.is_stored(EventReceived(8, 0, 0, packet))
    assert delivery_name(events[0]) == "00000007:65534"
