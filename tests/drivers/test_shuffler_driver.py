"""The shuffler's driver at a real port: identity first, each event once, each shuffle at most once."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from drivers.deliveries import Deliveries, delivery_name
from drivers.frames import FrameType, NakReason
from drivers.link import LinkClosedError, LinkError, PortMissingError, UnansweredError, WrongDeviceError
from drivers.session import REPLIES, EventReceived
from drivers.shuffler.codec import encode_event
from drivers.shuffler.driver import Expected, ShufflerDriver, ShufflerSettings
from drivers.shuffler.messages import FaultCode
from drivers.shuffler.messages import PacketDelivered as Packet
from drivers.shuffler.telling import FAULTS
from drivers.sim.pty import PtyEnd
from drivers.sim.shuffler import SimulatedShuffler
from tablectl.core.effects import ShuffleCards
from tablectl.core.facts import (
    Body,
    DeviceAttached,
    DeviceNoted,
    FaultCleared,
    FaultRaised,
    PacketDelivered,
    ShuffleCompleted,
    ShuffleFailed,
    ShuffleStarted,
)
from tablectl.core.faults import Code
from tests.support.told import MovableClock, Told, eventually, nothing, running

NAME = "shuffler"
OP = 0x1234_5678_9ABC_DEF0


@dataclass(slots=True)
class Bench:
    """A shuffler at a port, and a driver with its surroundings."""

    port: PtyEnd
    device: SimulatedShuffler
    settings: ShufflerSettings
    told: Told
    clock: MovableClock
    driver: ShufflerDriver

    async def unplug(self, task: asyncio.Task[None]) -> None:
        await self.port.unplug()
        with pytest.raises(LinkClosedError):
            await task

    def drop_what_the_host_writes(self) -> None:
        self.port.on_bytes = None

    def hear_the_host_again(self) -> None:
        self.port.on_bytes = self.device.line.hear

    async def attached(self, times: int = 1) -> None:
        await self.told.nth(DeviceAttached, times)


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    port = PtyEnd(link=tmp_path / "port")
    await port.plug()
    device = SimulatedShuffler(port)
    settings = ShufflerSettings(NAME, "serial:port", 115200, tmp_path, simulated=True)
    told, clock = Told(), MovableClock()
    yield Bench(port, device, settings, told, clock, ShufflerDriver(settings, told, clock))
    device.close()
    await port.unplug()


def momentary(code: Code, detail: str = "") -> list[Body]:
    return [FaultRaised(code, NAME, detail), FaultCleared(code, NAME)]


# --- who it is


async def test_the_device_says_who_it_is_before_anything_counts(bench: Bench) -> None:
    bench.device.deliver_packet(3)
    up = asyncio.Event()
    async with running(bench.driver.run(up.set)), asyncio.timeout(2):
        await up.wait()
        await bench.told.nth(PacketDelivered)
    assert bench.told.bodies == [
        DeviceAttached(
            NAME,
            maker="tablectl",
            model="simulated",
            serial="SIM-1",
            firmware="0000000000000000",
            boot=f"{bench.device.boot:08x}",
            simulated=True,
        ),
        PacketDelivered(NAME, 3),
    ]


async def test_another_device_than_the_approved_one_is_not_used(bench: Bench) -> None:
    settings = replace(bench.settings, expect=Expected(serial="A-17"))
    driver = ShufflerDriver(settings, bench.told, bench.clock)
    bench.device.deliver_packet(3)
    with pytest.raises(WrongDeviceError, match="'SIM-1', approved is 'A-17'"):
        await driver.run(nothing)
    assert bench.told.bodies == []
    assert bench.device.unacked == 1


async def test_a_pseudo_terminal_must_be_declared(bench: Bench) -> None:
    driver = ShufflerDriver(replace(bench.settings, simulated=False), bench.told, bench.clock)
    with pytest.raises(WrongDeviceError, match="simulated = true"):
        await driver.run(nothing)


async def test_a_missing_port_says_so(bench: Bench) -> None:
    await bench.port.unplug()
    with pytest.raises(PortMissingError):
        await bench.driver.run(nothing)


async def test_a_restarted_device_is_attached_anew(bench: Bench) -> None:
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.device.reboot()
        await bench.attached(2)
        bench.device.deliver_packet(3)
        await bench.told.nth(PacketDelivered)
    first, second = bench.told.of(DeviceAttached)
    assert first.boot != second.boot


# --- what it reports


@pytest.mark.parametrize("code", list(FaultCode))
async def test_each_fault_of_the_device_is_one_of_the_catalogue(bench: Bench, code: FaultCode) -> None:
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.device.raise_fault(code)
        bench.device.clear_fault(code)
        await bench.told.nth(FaultCleared)
    assert bench.told.bodies[1:] == [
        FaultRaised(FAULTS[code], NAME, f"fault {code.value}"),
        FaultCleared(FAULTS[code], NAME),
    ]


def test_no_two_faults_of_the_device_are_one_of_the_catalogue() -> None:
    assert len(set(FAULTS.values())) == len(FAULTS) == len(FaultCode)


async def test_the_lid_moves_nothing_and_is_recorded(bench: Bench) -> None:
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.device.open_lid()
        bench.device.close_lid()
        await bench.told.nth(DeviceNoted, 2)
        await eventually(lambda: bench.device.unacked == 0)
    assert bench.told.bodies[1:] == [DeviceNoted(NAME, "lid_opened"), DeviceNoted(NAME, "lid_closed")]


async def test_a_leaked_card_order_is_a_fault_without_a_card(bench: Bench) -> None:
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.device.leak_card_order()
        await bench.told.nth(FaultCleared)
        await eventually(lambda: bench.device.unacked == 0)
    assert bench.told.bodies[1:] == momentary(Code.SHUFFLER_ORDER_RECEIVED)


async def test_unknown_messages_are_a_fault_once_per_connection_and_all_recorded(bench: Bench) -> None:
    async with running(bench.driver.run(nothing)) as task:
        await bench.attached()
        bench.device.send_payload(b"\x63")
        bench.device.send_payload(b"\x64\x01")
        await bench.told.nth(DeviceNoted, 2)
        await eventually(lambda: bench.device.unacked == 0)
        await bench.unplug(task)
    await bench.port.plug()
    async with running(bench.driver.run(nothing)):
        await bench.attached(2)
        bench.device.send_payload(b"\x63")
        await bench.told.nth(DeviceNoted, 3)
    assert [noted.value for noted in bench.told.of(DeviceNoted)] == ["99", "100", "99"]
    assert len(bench.told.raised(Code.UNKNOWN_MESSAGE)) == 2


async def test_events_that_the_device_could_not_keep_are_a_fault(bench: Bench) -> None:
    async with running(bench.driver.run(nothing)) as task:
        await bench.attached()
        await bench.unplug(task)
    for _ in range(70):
        bench.device.deliver_packet(3)
    await bench.port.plug()
    async with running(bench.driver.run(nothing)):
        await bench.told.nth(PacketDelivered, 64)
        await eventually(lambda: bench.device.unacked == 0)
    assert bench.told.raised(Code.EVENT_GAP) == [FaultRaised(Code.EVENT_GAP, NAME, "events 1 to 6")]
    assert len(bench.told.of(PacketDelivered)) == 64


async def test_a_damaged_event_is_asked_for_again(bench: Bench) -> None:
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.port.garble(12)
        for count in (3, 4, 5):
            bench.device.deliver_packet(count)
        await bench.told.nth(PacketDelivered, 3)
    assert [packet.count for packet in bench.told.of(PacketDelivered)] == [3, 4, 5]
    assert bench.told.raised(Code.EVENT_GAP) == []
    assert bench.driver.counters().rejected >= 1


async def test_what_came_is_counted_over_connections(bench: Bench) -> None:
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


# --- each event once


async def test_an_event_is_acknowledged_only_when_it_is_durable(bench: Bench) -> None:
    bench.told.durable = False
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.device.deliver_packet(3)
        bench.device.deliver_packet(3)
        await bench.told.nth(PacketDelivered, 2)
        bench.device.open_lid()
        await bench.told.nth(DeviceNoted)
        assert bench.device.unacked == 3
        bench.told.make_durable()
        await eventually(lambda: bench.device.unacked == 0)
    assert len(bench.told.of(PacketDelivered)) == 2


async def test_an_event_that_waits_for_the_disk_is_not_told_again_after_a_reconnect(bench: Bench) -> None:
    bench.told.durable = False
    async with running(bench.driver.run(nothing)) as task:
        await bench.attached()
        bench.device.deliver_packet(3)
        await bench.told.nth(PacketDelivered)
        await bench.unplug(task)
    await bench.port.plug()
    async with running(bench.driver.run(nothing)):
        await bench.attached(2)
        bench.device.open_lid()
        await bench.told.nth(DeviceNoted)
        assert bench.device.unacked == 2
        bench.told.make_durable()
        await eventually(lambda: bench.device.unacked == 0)
    assert bench.told.of(PacketDelivered) == [PacketDelivered(NAME, 3)]


async def test_an_event_made_durable_while_the_device_was_away_is_acknowledged_later(bench: Bench) -> None:
    bench.told.durable = False
    async with running(bench.driver.run(nothing)) as task:
        await bench.attached()
        bench.device.deliver_packet(3)
        await bench.told.nth(PacketDelivered)
        await bench.unplug(task)
    bench.told.make_durable()
    await bench.port.plug()
    async with running(bench.driver.run(nothing)):
        await eventually(lambda: bench.device.unacked == 0)
    assert bench.told.of(PacketDelivered) == [PacketDelivered(NAME, 3)]


async def test_a_lost_acknowledgement_makes_no_second_packet_after_the_daemon_restarts(
    bench: Bench,
) -> None:
    async with running(bench.driver.run(nothing)) as task:
        await bench.attached()
        await eventually(lambda: bench.driver.counters().frames)
        bench.drop_what_the_host_writes()
        for count in (3, 4):
            bench.device.deliver_packet(count)
        await bench.told.nth(PacketDelivered, 2)
        await bench.unplug(task)
    assert bench.device.unacked == 2
    last = bench.told.reports[-1].delivery
    assert last == f"{bench.device.boot:08x}:2"

    await bench.port.plug()
    bench.hear_the_host_again()
    restarted = ShufflerDriver(bench.settings, bench.told, bench.clock, delivered=last)
    async with running(restarted.run(nothing)):
        await eventually(lambda: bench.device.unacked == 0)
        bench.device.deliver_packet(5)
        await bench.told.nth(PacketDelivered, 3)
    assert [packet.count for packet in bench.told.of(PacketDelivered)] == [3, 4, 5]


async def test_an_event_of_an_older_start_does_not_hide_one_of_this_start(bench: Bench) -> None:
    driver = ShufflerDriver(bench.settings, bench.told, bench.clock, delivered="00000001:9")
    bench.device.deliver_packet(3)
    async with running(driver.run(nothing)):
        await bench.told.nth(PacketDelivered)
        await eventually(lambda: bench.device.unacked == 0)


def test_deliveries_are_told_once_and_stored_in_order_beyond_the_wrap() -> None:
    packet = encode_event(Packet(1, 3))
    events = [EventReceived(7, seq, 0, packet) for seq in (65534, 65535, 0)]
    deliveries = Deliveries("00000007:65533")
    assert [deliveries.report(event) for event in (*events, *events)] == [True] * 3 + [False] * 3
    deliveries.store(events[2])
    assert all(deliveries.is_stored(event) for event in events)
    deliveries.store(events[0])
    assert deliveries.is_stored(events[2])
    assert not deliveries.is_stored(EventReceived(8, 0, 0, packet))
    assert delivery_name(events[0]) == "00000007:65534"


# --- silence


@pytest.mark.slow
async def test_a_device_without_heartbeat_is_gone_within_four_seconds(bench: Bench) -> None:
    async with running(bench.driver.run(nothing)) as task:
        await bench.attached()
        bench.device.mute_heartbeat()
        async with asyncio.timeout(4.5):
            with pytest.raises(UnansweredError, match="said nothing"):
                await task
    assert bench.port.plugged


async def test_three_missed_heartbeats_end_the_run(bench: Bench) -> None:
    async with running(bench.driver.run(nothing)) as task:
        await bench.attached()
        bench.device.close()
        bench.clock.ahead_s += 4
        bench.port.inject(b"\x00")  # wakes the host, and is no frame
        async with asyncio.timeout(2):
            with pytest.raises(UnansweredError, match="said nothing"):
                await task


async def test_a_port_where_nobody_answers_ends_the_run(bench: Bench) -> None:
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


# --- shuffling


async def test_a_shuffle_is_started_and_completed(bench: Bench) -> None:
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.driver.command(ShuffleCards(OP))
        await bench.told.nth(ShuffleCompleted)
    assert bench.told.bodies[1:] == [ShuffleStarted(NAME, OP), ShuffleCompleted(NAME, OP, 52)]
    assert bench.device.shuffles == [OP]


async def test_a_shuffle_asked_for_again_is_done_once(bench: Bench) -> None:
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        for _ in range(3):
            bench.driver.command(ShuffleCards(OP))
        await bench.told.nth(ShuffleCompleted)
        bench.driver.command(ShuffleCards(OP))
        bench.device.open_lid()
        await bench.told.nth(DeviceNoted)
    assert bench.device.shuffles == [OP]
    assert len(bench.told.of(ShuffleCompleted)) == 1


async def test_a_shuffle_asked_for_while_the_device_is_away_is_done_when_it_comes(bench: Bench) -> None:
    bench.driver.command(ShuffleCards(OP))
    async with running(bench.driver.run(nothing)):
        await bench.told.nth(ShuffleCompleted)
    assert bench.device.shuffles == [OP]


async def test_a_shuffle_that_runs_over_an_unplugging_is_waited_for(bench: Bench) -> None:
    bench.device.shuffle_s = 0.3
    async with running(bench.driver.run(nothing)) as task:
        await bench.attached()
        bench.driver.command(ShuffleCards(OP))
        await bench.told.nth(ShuffleStarted)
        await bench.unplug(task)
    await bench.port.plug()
    async with running(bench.driver.run(nothing)):
        await bench.told.nth(ShuffleCompleted)
        bench.device.open_lid()
        await bench.told.nth(DeviceNoted)
    assert bench.device.shuffles == [OP]
    assert bench.told.of(ShuffleCompleted) == [ShuffleCompleted(NAME, OP, 52)]
    assert bench.told.of(ShuffleFailed) == []


async def test_a_shuffle_done_while_the_device_was_away_is_told_once(bench: Bench) -> None:
    async with running(bench.driver.run(nothing)) as task:
        await bench.attached()
        bench.driver.command(ShuffleCards(OP))
        await bench.told.nth(ShuffleStarted)
        await bench.unplug(task)
    await eventually(lambda: bench.device.unacked == 2 or bench.device._running is None)
    await bench.port.plug()
    async with running(bench.driver.run(nothing)):
        await bench.told.nth(ShuffleCompleted)
        bench.device.open_lid()
        await bench.told.nth(DeviceNoted)
    assert bench.told.of(ShuffleCompleted) == [ShuffleCompleted(NAME, OP, 52)]
    assert bench.device.shuffles == [OP]


async def test_a_restarted_daemon_learns_what_became_of_a_shuffle(bench: Bench) -> None:
    async with running(bench.driver.run(nothing)) as task:
        await bench.attached()
        bench.driver.command(ShuffleCards(OP))
        await bench.told.nth(ShuffleCompleted)
        await eventually(lambda: bench.device.unacked == 0)
        await bench.unplug(task)
    await bench.port.plug()
    told = Told()
    restarted = ShufflerDriver(bench.settings, told, bench.clock, delivered=bench.told.reports[-1].delivery)
    restarted.command(ShuffleCards(OP))
    async with running(restarted.run(nothing)):
        await told.nth(ShuffleCompleted)
    assert told.of(ShuffleCompleted) == [ShuffleCompleted(NAME, OP, 52)]
    assert bench.device.shuffles == [OP]


async def test_a_device_that_restarts_during_a_shuffle_has_failed_it(bench: Bench) -> None:
    bench.device.shuffle_s = 60
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.driver.command(ShuffleCards(OP))
        await bench.told.nth(ShuffleStarted)
        bench.device.reboot()
        failed = await bench.told.nth(ShuffleFailed)
    assert failed == ShuffleFailed(NAME, OP, "restarted and no longer knows the shuffle")
    assert bench.device.shuffles == [OP]


async def test_a_jam_during_a_shuffle_fails_it(bench: Bench) -> None:
    bench.device.shuffle_s = 60
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.driver.command(ShuffleCards(OP))
        await bench.told.nth(ShuffleStarted)
        bench.device.jam()
        assert await bench.told.nth(ShuffleFailed) == ShuffleFailed(NAME, OP, "jam")
    assert bench.told.raised(Code.SHUFFLER_JAM)


async def test_a_refused_shuffle_has_failed_and_is_a_fault(bench: Bench) -> None:
    bench.device.shuffle_s = 60
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.driver.command(ShuffleCards(OP))
        await bench.told.nth(ShuffleStarted)
        bench.driver.command(ShuffleCards(OP + 1))
        assert await bench.told.nth(ShuffleFailed) == ShuffleFailed(NAME, OP + 1, "refused: feed_fail")
        await bench.told.nth(FaultCleared)
    assert bench.told.bodies[-2:] == momentary(Code.REFUSED_BY_DEVICE, "refused: feed_fail")


async def test_a_shuffle_that_takes_too_long_is_a_fault_and_may_still_complete(bench: Bench) -> None:
    bench.device.shuffle_s = 0.3
    driver = ShufflerDriver(replace(bench.settings, timeout_s=0.05), bench.told, bench.clock)
    async with running(driver.run(nothing)):
        await bench.attached()
        driver.command(ShuffleCards(OP))
        await bench.told.nth(ShuffleCompleted)
    assert bench.told.bodies[1:] == [
        ShuffleStarted(NAME, OP),
        *momentary(Code.SHUFFLER_TIMEOUT),
        ShuffleCompleted(NAME, OP, 52),
    ]
    assert bench.device.shuffles == [OP]


async def let_time_pass(bench: Bench) -> None:
    """Longer than the longest wait for a reply; the device is heard, so it isn't silent."""
    bench.clock.ahead_s += 3.3
    heard = len(bench.told.of(DeviceNoted))
    bench.device.open_lid()
    await bench.told.nth(DeviceNoted, heard + 1)
    await asyncio.sleep(0.01)


async def test_a_command_without_an_answer_is_asked_about_and_not_repeated(bench: Bench) -> None:
    told, device = bench.told, bench.device
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.drop_what_the_host_writes()
        bench.driver.command(ShuffleCards(OP))
        for _ in range(12):
            await let_time_pass(bench)
        assert told.raised(Code.UNANSWERED) == [FaultRaised(Code.UNANSWERED, NAME)]
        assert device.shuffles == []
        bench.hear_the_host_again()
        await let_time_pass(bench)
        await told.nth(ShuffleCompleted)
    assert told.cleared(Code.UNANSWERED) == [FaultCleared(Code.UNANSWERED, NAME)]
    assert told.of(ShuffleCompleted) == [ShuffleCompleted(NAME, OP, 52)]
    assert device.shuffles == [OP]


async def test_a_shuffle_whose_acceptance_was_lost_is_not_begun_again(bench: Bench) -> None:
    told, device, port = bench.told, bench.device, bench.port
    device.shuffle_s = 60

    def answer_in_vain(data: bytes) -> None:
        port.stall()
        device.line.hear(data)
        if device.shuffles and port._held is not None:
            port._held.clear()
        port.resume()

    async with running(bench.driver.run(nothing)):
        await bench.attached()
        port.on_bytes = answer_in_vain
        bench.driver.command(ShuffleCards(OP))
        await eventually(lambda: device.shuffles)
        for _ in range(7):
            await let_time_pass(bench)
        assert told.raised(Code.UNANSWERED)
        bench.hear_the_host_again()
        await let_time_pass(bench)
        device._complete(OP)
        await told.nth(ShuffleCompleted)
    assert device.shuffles == [OP]
    assert told.of(ShuffleFailed) == []


async def test_a_busy_device_is_asked_again_later(bench: Bench) -> None:
    waiting = bench.device.line.session._replies
    waiting.update(dict.fromkeys(range(REPLIES)))
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.driver.command(ShuffleCards(OP))
        await eventually(lambda: bench.device.line.session.counters.naks_sent)
        await let_time_pass(bench)
        await eventually(lambda: bench.device.line.session.counters.naks_sent == 2)
        waiting.clear()
        await let_time_pass(bench)
        await bench.told.nth(ShuffleCompleted)
    assert bench.device.shuffles == [OP]


async def test_an_answer_that_makes_no_sense_fails_the_shuffle(bench: Bench) -> None:
    def answer_nonsense(data: bytes) -> None:
        session = bench.device.line.session
        out = session.receive(data, asyncio.get_running_loop().time())
        bench.port.write(out.data)
        for command in out.notices:
            bench.port.write(session.reply(command.command_id, b"\x77", 0).data)

    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.port.on_bytes = answer_nonsense
        bench.driver.command(ShuffleCards(OP))
        failed = await bench.told.nth(ShuffleFailed)
        await bench.told.nth(FaultCleared, 2)
    assert failed == ShuffleFailed(NAME, OP, "answered something unknown (119)")
    assert [fault.code for fault in bench.told.of(FaultRaised)] == [Code.UNKNOWN_MESSAGE, Code.REFUSED_BY_DEVICE]


async def test_a_command_that_the_device_cannot_take_fails_the_shuffle(bench: Bench) -> None:
    def refuse(data: bytes) -> None:
        session = bench.device.line.session
        for received in session.receive(data, asyncio.get_running_loop().time()).notices:
            session._send_nak(NakReason.MALFORMED, FrameType.COMMAND, received.command_id.to_bytes(8, "little"))
        bench.port.write(session._out().data)

    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.port.on_bytes = refuse
        bench.driver.command(ShuffleCards(OP))
        assert await bench.told.nth(ShuffleFailed) == ShuffleFailed(NAME, OP, "refused: unrecognised")


async def test_a_plug_pulled_at_any_moment_of_a_shuffle_makes_no_second_one(bench: Bench) -> None:
    bench.device.shuffle_s = 0.02
    bench.driver.command(ShuffleCards(OP))
    for nth in range(1, 12):
        async with running(bench.driver.run(nothing)) as task:
            await asyncio.sleep(nth * 0.002)
            await bench.port.unplug()
            with pytest.raises(LinkError):
                await task
        await bench.port.plug()
    async with running(bench.driver.run(nothing)):
        await bench.told.nth(ShuffleCompleted)
    assert bench.device.shuffles == [OP]
    assert bench.told.of(ShuffleFailed) == []
    assert len(bench.told.of(ShuffleCompleted)) == 1
