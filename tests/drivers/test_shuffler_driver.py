"""The shuffler's driver at a real port and on USB: what it reports, and silence."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from drivers.transport.serial_tcp import PortMissingError, UnansweredError, WrongDeviceError
from tablectl.core.facts import FaultCleared
from tablectl.core.facts.reports import DeviceNoted, PacketDelivered
from tablectl.core.faults import Code
from tests.drivers.linkbench import NAME, momentary
from tests.drivers.shufflerbench import ShufflerBench, another, at_wire
from tests.support.patience import PATIENCE_S
from tests.support.told import eventually, nothing, running


@pytest.fixture(params=["serial", "usb"])
async def bench(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[ShufflerBench]:
    async with at_wire(request.param, tmp_path) as made:
        yield made


async def test_report_repeated_before_storage_is_not_acknowledged(bench: ShufflerBench) -> None:
    bench.told.durable = False
    async with running(bench.driver.run(nothing)) as task:
        await bench.attached()
        bench.device.deliver_packet(3)
        await bench.told.nth(PacketDelivered)
        await bench.unplug(task)
    await bench.port.plug()
    async with running(bench.driver.run(nothing)):
        await bench.attached(2)
        seen = bench.driver.counters().frames
        await eventually(lambda: bench.driver.counters().frames > seen + 6)  # heartbeats, and the report again
        assert bench.device.line.unacked == 1
        bench.told.make_durable()
        await eventually(lambda: bench.device.line.unacked == 0)
    assert len(bench.told.of(PacketDelivered)) == 1


async def test_a_pseudo_terminal_must_be_declared(bench: ShufflerBench) -> None:
    driver = another(bench, simulated=False)
    with pytest.raises(WrongDeviceError, match="simulated = true"):
        await driver.run(nothing)


async def test_a_missing_port_says_so(bench: ShufflerBench) -> None:
    await bench.port.unplug()
    with pytest.raises(PortMissingError):
        await bench.driver.run(nothing)


# --- what it reports


async def test_the_lid_moves_nothing_and_is_recorded(bench: ShufflerBench) -> None:
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.device.open_lid()
        bench.device.close_lid()
        await bench.told.nth(DeviceNoted, 2)
        await eventually(lambda: bench.device.line.unacked == 0)
    assert bench.told.bodies[1:] == [DeviceNoted(NAME, "lid_opened"), DeviceNoted(NAME, "lid_closed")]


async def test_a_leaked_card_order_is_a_fault_without_a_card(bench: ShufflerBench) -> None:
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.device.leak_card_order()
        await bench.told.nth(FaultCleared)
        await eventually(lambda: bench.device.line.unacked == 0)
    assert bench.told.bodies[1:] == momentary(Code.SHUFFLER_ORDER_RECEIVED)


async def test_unknown_messages_are_fault_once_per_connection_and_all_recorded(bench: ShufflerBench) -> None:
    async with running(bench.driver.run(nothing)) as task:
        await bench.attached()
        bench.device.line.send_event(b"\x63")
        bench.device.line.send_event(b"\x64\x01")
        await bench.told.nth(DeviceNoted, 2)
        await eventually(lambda: bench.device.line.unacked == 0)
        await bench.unplug(task)
    await bench.port.plug()
    async with running(bench.driver.run(nothing)):
        await bench.attached(2)
        bench.device.line.send_event(b"\x63")
        await bench.told.nth(DeviceNoted, 3)
    assert [noted.value for noted in bench.told.of(DeviceNoted)] == ["99", "100", "99"]
    assert len(bench.told.raised(Code.UNKNOWN_MESSAGE)) == 2


async def test_a_damaged_event_is_asked_for_again(bench: ShufflerBench) -> None:
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.port.garble(12)
        for count in (3, 4, 5):
            bench.device.deliver_packet(count)
        await bench.told.nth(PacketDelivered, 3)
    assert [packet.count for packet in bench.told.of(PacketDelivered)] == [3, 4, 5]
    assert bench.told.raised(Code.EVENT_GAP) == []
    assert bench.driver.counters().rejected >= 1


async def test_what_came_is_counted_over_connections(bench: ShufflerBench) -> None:
    for times in (1, 2):
        await bench.port.plug()
        async with running(bench.driver.run(nothing)) as task:
            await bench.attached(times)
            bench.device.deliver_packet(3)
            await bench.told.nth(PacketDelivered, times)
            assert bench.driver.counters().silent_s is not None
            await bench.unplug(task)
    counters = bench.driver.counters()
    assert counters.facts == len(bench.told.bodies)
    assert counters.frames >= 4
    assert counters.bytes > 100
    assert counters.silent_s is None


# --- silence


@pytest.mark.slow
async def test_a_device_without_heartbeat_is_gone(bench: ShufflerBench) -> None:
    async with running(bench.driver.run(nothing)) as task:
        await bench.attached()
        bench.device.line.mute_heartbeat()
        async with asyncio.timeout(PATIENCE_S):
            with pytest.raises(UnansweredError, match="said nothing"):
                await task


async def test_a_port_where_nobody_answers_ends_the_run(bench: ShufflerBench) -> None:
    heard = bytearray()
    bench.device.close()
    bench.port.on_bytes = heard.extend
    async with running(bench.driver.run(nothing)) as task:
        while not task.done():
            await eventually(lambda: heard or task.done())
            heard.clear()
            bench.clock.ahead_s += 3.3
            bench.port.inject(b"\x00")  # wakes the host, and is no frame
        with pytest.raises(UnansweredError, match="doesn't say who it is"):
            await task
