"""What goes wrong between wheel, adapter and driver costs a result, never makes a wrong one."""

import asyncio
import random
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from drivers.link.identity import Expected
from drivers.sim.pty import PtyEnd
from drivers.sim.wheel import EVEN, SimulatedWheel
from drivers.sim.wheel_physics import Launch, spin_wheel
from drivers.sim.wheel_sensor import BANNER, SimulatedEncoder, SimulatedQsb
from drivers.transport.serial_tcp import (
    AddressError,
    CorruptFrameError,
    LinkClosedError,
    UnansweredError,
    WrongDeviceError,
)
from drivers.wheel import qsb
from drivers.wheel.connection import Memory, QsbConnection, WheelSettings
from drivers.wheel.device import WheelDriver
from drivers.wheel.facts import Pace, Telling
from drivers.wheel.tracking.events import Cleared, Raised
from tablectl.core.facts import FaultCleared, FaultRaised
from tablectl.core.facts.reports import DeviceAttached, SpinStarted, SpinStopped, TurnCompleted, WheelMoved
from tablectl.core.faults import Code
from tablectl.core.outcomes import Flaw
from tests.drivers.wheel.results import NAME, result, spin_once
from tests.support.told import MovableClock, Told, eventually, nothing, running
from tests.support.wheel import accepted


async def test_unplugging_in_a_spin_gives_no_result_until_the_next(
    port: PtyEnd, driver: WheelDriver, told: Told
) -> None:
    wheel = SimulatedWheel(port, seed=2, speed=8.0)
    async with running(driver.run(nothing)) as first:
        await told.nth(DeviceAttached)
        async with running(spin_once(wheel)) as spinning:
            await told.nth(TurnCompleted, 2)
            await wheel.unplug()
            with pytest.raises(LinkClosedError):
                await asyncio.wait_for(first, 2)
            assert told.of(SpinStopped) == []
            told.reports.clear()
            await wheel.plug()
            async with running(driver.run(nothing)):
                await told.nth(DeviceAttached)
                await asyncio.wait_for(spinning, 5)
                spin = await result(told)  # it turned still: how often it had, nobody knows
                assert {Flaw.SAMPLE_GAP, Flaw.POSITION_UNKNOWN} & set(spin.flaws)
                assert not accepted(spin)
                truth = await wheel.spin(5.0)
                spin = await result(told, 2)
    assert accepted(spin)
    assert spin.section == truth.section


async def test_wheel_that_stopped_while_unplugged_has_no_result(port: PtyEnd, driver: WheelDriver, told: Told) -> None:
    wheel = SimulatedWheel(port, seed=2, speed=50.0)
    async with running(driver.run(nothing)) as first:
        await told.nth(DeviceAttached)
        async with running(spin_once(wheel)) as spinning:
            await told.nth(SpinStarted)
            await wheel.unplug()
            with pytest.raises(LinkClosedError):
                await asyncio.wait_for(first, 2)
            await asyncio.wait_for(spinning, 5)
    await wheel.plug()
    told.reports.clear()
    async with running(driver.run(nothing)):
        await told.nth(DeviceAttached)
        await wheel.move(36.0)
        await told.nth(WheelMoved)
    assert told.of(SpinStopped) == []


async def test_a_port_where_nobody_answers_is_silent(port: PtyEnd, driver: WheelDriver, clock: MovableClock) -> None:
    heard = bytearray()
    port.on_bytes = heard.extend
    with pytest.raises(UnansweredError, match="silent"):
        await asyncio.wait_for(driver.run(nothing), 10)
    assert bytes(heard) == 4 * qsb.encode_write(qsb.Register.REPLIES, qsb.FIXED_REPLIES)


async def test_a_stream_that_ends_is_silent(
    up: asyncio.Task[None], wheel: SimulatedWheel, port: PtyEnd, told: Told
) -> None:
    port.stall()
    with pytest.raises(UnansweredError, match="silent"):
        await asyncio.wait_for(up, 5)
    assert told.of(SpinStopped) == []


@pytest.mark.usefixtures("up")
async def test_a_stall_and_a_burst_change_no_result(wheel: SimulatedWheel, port: PtyEnd, told: Told) -> None:
    port.stall()
    truth = await wheel.spin(4.0)
    port.resume()
    spin = await result(told)
    assert accepted(spin)
    assert spin.section == truth.section


@asynccontextmanager
async def at_the_third_turn(port: PtyEnd, driver: WheelDriver, told: Told) -> AsyncGenerator[SimulatedWheel]:
    """A wheel in the midst of a spin, eight times as fast as a real one."""
    wheel = SimulatedWheel(port, seed=4, speed=8.0)
    async with running(driver.run(nothing)):
        await told.nth(DeviceAttached)
        async with running(spin_once(wheel)):
            await told.nth(TurnCompleted, 3)
            yield wheel


async def test_samples_that_don_t_come_cost_the_spin_its_result(port: PtyEnd, driver: WheelDriver, told: Told) -> None:
    async with at_the_third_turn(port, driver, told) as wheel:
        wheel.skip(0.4)
        spin = await result(told)
    assert Flaw.SAMPLE_GAP in spin.flaws
    assert told.raised(Code.WHEEL_SAMPLE_GAP)


async def test_a_coupling_that_slips_is_seen_and_overcome(port: PtyEnd, driver: WheelDriver, told: Told) -> None:
    async with at_the_third_turn(port, driver, told) as wheel:
        wheel.slip(60)
        spin = await result(told)
        assert Flaw.INDEX_DISAGREES in spin.flaws
        assert told.raised(Code.WHEEL_DRIFT_BLOCKS)
        truth = await wheel.spin(5.0)
        spin = await result(told, 2)
    assert told.cleared(Code.WHEEL_DRIFT_BLOCKS)
    assert accepted(spin)
    assert spin.section == truth.section


async def test_an_adapter_that_begins_anew_ends_the_connection(up: asyncio.Task[None], port: PtyEnd) -> None:
    port.write(BANNER)
    with pytest.raises(LinkClosedError, match="began anew"):
        await asyncio.wait_for(up, 2)


async def test_a_banner_in_the_set_up_begins_it_anew(
    port: PtyEnd, wheel: SimulatedWheel, driver: WheelDriver, told: Told
) -> None:
    port.write(b"rubbish\r\n" + BANNER)
    async with running(driver.run(nothing)):
        await told.nth(DeviceAttached)


async def test_an_answer_that_is_lost_is_asked_for_again(
    port: PtyEnd, wheel: SimulatedWheel, driver: WheelDriver, told: Told
) -> None:
    port.garble(26)
    async with running(driver.run(nothing)):
        await told.nth(DeviceAttached)


@pytest.mark.usefixtures("up")
async def test_a_few_damaged_lines_are_counted_and_left_out(
    port: PtyEnd, wheel: SimulatedWheel, driver: WheelDriver, told: Told
) -> None:
    port.garble(26 * 15)
    truth = await wheel.spin(5.0)
    spin = await result(told)
    assert accepted(spin)
    assert spin.section == truth.section
    assert driver.counters().rejected >= 1


async def test_too_many_damaged_lines_end_the_connection(up: asyncio.Task[None], port: PtyEnd) -> None:
    port.write(b"rubbish\r\n" * 40)
    with pytest.raises(CorruptFrameError, match="20 unreadable"):
        await asyncio.wait_for(up, 2)


async def test_another_adapter_than_the_approved_one_is_not_used(
    wheel: SimulatedWheel, settings: WheelSettings, told: Told, clock: MovableClock
) -> None:
    other = replace(settings, expect=Expected(serial="1"))
    with pytest.raises(WrongDeviceError, match="'7457', approved is '1'"):
        await asyncio.wait_for(WheelDriver(other, told, clock).run(nothing), 5)
    assert told.bodies == []


async def test_a_simulator_that_isn_t_declared_is_not_used(
    wheel: SimulatedWheel, settings: WheelSettings, told: Told, clock: MovableClock
) -> None:
    with pytest.raises(WrongDeviceError, match="simulated = true"):
        await WheelDriver(replace(settings, simulated=False), told, clock).run(nothing)


@pytest.mark.parametrize(
    ("protocol", "address"), [("qsb", "usb:1209:0001"), ("usb", "serial:port"), ("link", "serial:port"), ("qsb", "x")]
)
def test_an_address_that_doesn_t_fit_its_protocol_is_refused(
    settings: WheelSettings, protocol: str, address: str, told: Told, clock: MovableClock
) -> None:
    with pytest.raises(AddressError):
        WheelDriver(replace(settings, protocol=protocol, address=address), told, clock)


def test_too_coarse_an_encoder_is_refused_before_anything_is_opened(settings: WheelSettings, told: Told) -> None:
    with pytest.raises(ValueError, match="4096 at least"):
        WheelDriver(replace(settings, counts_per_turn=1024), told, MovableClock())


async def test_a_driver_counts_what_comes(up: asyncio.Task[None], driver: WheelDriver, wheel: SimulatedWheel) -> None:
    counted = driver.counters()
    await eventually(lambda: driver.counters().frames > counted.frames)
    assert counted.bytes >= 26 * counted.frames
    assert counted.facts > 0
    assert counted.silent_s is not None
    assert driver.name == NAME


async def test_faults_of_mark_outlast_a_connection_until_mark_agrees(told: Told) -> None:
    telling, at = Telling(NAME, told), MovableClock().now()
    faults = (Code.WHEEL_DRIFT_BLOCKS, Code.WHEEL_SAMPLE_GAP, Code.WHEEL_POSITION_UNKNOWN)
    telling.see([Raised(code) for code in faults], at)
    telling.attached(DeviceAttached(NAME), at)
    assert told.of(FaultCleared) == [FaultCleared(Code.WHEEL_SAMPLE_GAP, NAME)]
    telling.see([Raised(Code.WHEEL_POSITION_UNKNOWN), Cleared(Code.WHEEL_POSITION_UNKNOWN)], at)
    assert [fault.code for fault in told.of(FaultRaised)] == list(faults)
    assert [fault.code for fault in told.of(FaultCleared)[1:]] == [Code.WHEEL_POSITION_UNKNOWN, Code.WHEEL_DRIFT_BLOCKS]


def test_backlog_is_told_once_and_a_fast_simulator_is_none() -> None:
    pace = Pace()
    assert not any(pace.behind(at_us, at_us + 7_000_000) for at_us in range(0, 5_000_000, 10_000))
    assert [pace.behind(5_100_000 + late, 13_500_000) for late in (0, 10_000, 20_000)] == [True, False, False]
    assert not pace.behind(7_000_000, 14_000_000)
    assert not any(pace.behind(at_us, 14_000_000 + at_us // 20) for at_us in range(7_000_000, 60_000_000, 10_000))
    assert not any(pace.behind(60_000_000 + at_us, 17_000_000 + at_us) for at_us in range(0, 9_000_000, 10_000))


@pytest.mark.parametrize("seed", range(6))
async def test_flipped_bits_never_make_a_wrong_result(settings: WheelSettings, told: Told, seed: int) -> None:
    chance = random.Random(seed)
    angle, flips = chance.uniform(0, 360), 10 ** chance.uniform(-6, -3)
    encoder = SimulatedEncoder(chance, 8192, 0.6, angle)
    adapter = SimulatedQsb(encoder)
    memory = Memory(replace(settings, bad_lines=1000), Telling(NAME, told), MovableClock())
    sent: list[bytes] = []
    connection = QsbConnection(memory, sent.append, nothing)
    connection.begin()
    at = MovableClock().now()
    while not adapter.streaming:
        for answer in adapter.hear(sent.pop(0)):
            connection.received(answer, at)
    for _ in range(4):
        trace = spin_wheel(EVEN, Launch(speed=chance.uniform(330, 460)), start_deg=angle)
        angle = trace.angles_deg[-1]
        told.reports.clear()
        for place in trace.angles_deg:
            encoder.turn_to(place)
            connection.received(_flipped(chance, adapter.tick(), flips), at)
        taken = [stopped.spin for stopped in told.of(SpinStopped) if accepted(stopped.spin)]
        assert [spin.section for spin in taken] in ([], [trace.truth.section])
        assert all(spin.turns_milli <= trace.truth.turns_milli for spin in taken)


def _flipped(chance: random.Random, data: bytes, flips: float) -> bytes:
    if chance.random() >= flips * 8 * len(data):
        return data
    damaged = bytearray(data)
    damaged[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return bytes(damaged)
