"""The wheel's driver at a simulated USB system: the real pyusb and the reading thread, and bytes from the far end."""

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from drivers.link.identity import Expected
from drivers.sim.usb import SimulatedUsb, UsbPlug
from drivers.sim.wheel import EVEN
from drivers.sim.wheel_physics import Feel, Launch, Trace, speed_for, spin_wheel
from drivers.sim.wheel_usb import IN_A_PACKET, SimulatedSensor, send, sensor_plug
from drivers.transport.serial_tcp import (
    AddressError,
    CorruptFrameError,
    LinkClosedError,
    PortBusyError,
    PortMissingError,
    UnansweredError,
    WrongDeviceError,
)
from drivers.transport.usb import UsbAddress, parse_usb_address
from drivers.wheel.connection import SILENT_S, WheelSettings
from drivers.wheel.device import WheelDriver
from drivers.wheel.facts import Defect, Reading
from drivers.wheel.usb_sensor import Packet, SensorIdentity, encode_packet
from tablectl.core.facts import FaultCleared, FaultRaised
from tablectl.core.facts.reports import DeviceAttached, SpinStarted, SpinStopped, TurnCompleted
from tablectl.core.faults import Code
from tablectl.core.outcomes import Direction, Flaw, Spin
from tests.support.patience import PATIENCE_S
from tests.support.told import MovableClock, Told, eventually, nothing, running
from tests.support.wheel import accepted

NAME = "wheel"
BOOT = 0xDEADBEEF
INCREMENTAL = SensorIdentity("tablectl", "wheel", "W-1", "1.0", BOOT, 8192, 1000, simulated=True)
ABSOLUTE = replace(INCREMENTAL, counts_per_turn=1 << 16, absolute=True, indexed=False)


@pytest.fixture(params=[INCREMENTAL, ABSOLUTE], ids=["incremental", "absolute"])
def identity(request: pytest.FixtureRequest) -> SensorIdentity:
    made: SensorIdentity = request.param
    return made


@pytest.fixture
def plug(identity: SensorIdentity) -> UsbPlug:
    return sensor_plug(identity)


@pytest.fixture
async def sensor(plug: UsbPlug, identity: SensorIdentity) -> AsyncIterator[SimulatedSensor]:
    sensor = SimulatedSensor(plug, identity, angle_deg=100.0)
    yield sensor
    sensor.stop()


@pytest.fixture
async def told() -> Told:
    return Told()


@pytest.fixture
def settings(identity: SensorIdentity) -> WheelSettings:
    counts = identity.counts_per_turn
    address = "usb:1209:0001:W-1"
    return WheelSettings(NAME, address, Path("/"), EVEN, protocol="usb", simulated=True, counts_per_turn=counts)


@pytest.fixture
def driver(settings: WheelSettings, plug: UsbPlug, told: Told) -> WheelDriver:
    return WheelDriver(settings, told, MovableClock(), usb_backend=SimulatedUsb(plug))


@pytest.fixture
async def up(driver: WheelDriver, sensor: SimulatedSensor, told: Told) -> AsyncIterator[asyncio.Task[None]]:
    """The driver at work, the wheel known to it."""
    async with running(driver.run(nothing)) as task:
        await told.nth(DeviceAttached)
        sensor.follow([sensor.angle_deg] * 500)
        sensor.follow(spun(sensor).angles_deg)
        await told.nth(SpinStopped)
        told.reports.clear()
        yield task


def spun(sensor: SimulatedSensor, turns: float = 4.2) -> Trace:
    return _trace(sensor.angle_deg, turns)


@cache
def _trace(start_deg: float, turns: float) -> Trace:
    launch = Launch(Direction.CLOCKWISE, speed_for(turns, Feel(), 52), back_deg=40.0)
    return spin_wheel(EVEN, launch, start_deg=start_deg, rate_hz=1000)


async def result(told: Told, number: int = 1) -> Spin:
    return (await told.nth(SpinStopped, number)).spin


async def test_the_sensor_says_who_it_is(
    plug: UsbPlug, sensor: SimulatedSensor, driver: WheelDriver, told: Told
) -> None:
    ready = asyncio.Event()
    async with running(driver.run(ready.set)), asyncio.timeout(PATIENCE_S):
        await ready.wait()
    attached = DeviceAttached(NAME, "tablectl", "wheel", "W-1", "1.0", boot="deadbeef", simulated=True)
    assert told.of(DeviceAttached) == [attached]


async def test_a_counter_s_first_spin_finds_the_zero(sensor: SimulatedSensor, driver: WheelDriver, told: Told) -> None:
    async with running(driver.run(nothing)):
        await told.nth(DeviceAttached)
        sensor.follow([sensor.angle_deg] * 500)
        trace = spun(sensor)
        sensor.follow(trace.angles_deg)
        spin = await result(told)
    assert spin.section == trace.truth.section
    assert accepted(spin)


@pytest.mark.usefixtures("up")
async def test_a_spin_is_told_from_start_to_stop(sensor: SimulatedSensor, told: Told) -> None:
    begin = EVEN.section_at(int(sensor.angle_deg * 1000))
    trace = spun(sensor, 5.3)
    sensor.follow(trace.angles_deg)
    spin = await result(told)
    assert told.bodies[0] == SpinStarted(NAME, Direction.CLOCKWISE, begin)
    assert len(told.of(TurnCompleted)) == trace.truth.turns_milli // 1000
    assert spin.on_peg or spin.section == trace.truth.section
    assert spin.flaws == ()


@pytest.mark.usefixtures("up")
async def test_a_lost_packet_is_no_gap_yet_and_ten_are(sensor: SimulatedSensor, told: Told) -> None:
    trace = spun(sensor)
    sensor.follow(trace.angles_deg, lost=range(100, 105))
    assert (await result(told)).flaws == ()
    trace = spun(sensor)
    sensor.follow(trace.angles_deg, lost=range(100, 110))
    assert (await result(told, 2)).flaws == (Flaw.SAMPLE_GAP,)


@pytest.mark.usefixtures("up")
async def test_a_mark_in_a_lost_packet_is_not_missed(sensor: SimulatedSensor, told: Told) -> None:
    trace = spun(sensor)
    # A packet has 16 of the trace's samples; those around each full turn are lost.
    marks = [
        number
        for number, angle in enumerate(trace.angles_deg)
        if number and _turn(angle) != _turn(trace.angles_deg[number - 1])
    ]
    number = marks[-2] // IN_A_PACKET
    sensor.follow(trace.angles_deg, lost=range(number, number + 1))
    assert (await result(told)).flaws == ()
    assert not told.raised(Code.WHEEL_INDEX_MISSING)


def _turn(angle_deg: float) -> int:
    return int(angle_deg // 360.0)


@pytest.mark.usefixtures("up")
async def test_a_stall_and_a_burst_change_no_result(plug: UsbPlug, sensor: SimulatedSensor, told: Told) -> None:
    plug.stall()
    trace = spun(sensor)
    sensor.follow(trace.angles_deg)
    plug.resume()
    spin = await result(told)
    assert accepted(spin)
    assert spin.section == trace.truth.section


@pytest.mark.usefixtures("up")
async def test_a_quadrature_error_is_a_fault(sensor: SimulatedSensor, told: Told) -> None:
    sensor.follow([sensor.angle_deg] * 16, defect=Defect.QUADRATURE)
    assert (await told.nth(FaultRaised)).code == Code.WHEEL_QUADRATURE
    sensor.follow([sensor.angle_deg] * 1200)
    await told.until(lambda: told.cleared(Code.WHEEL_QUADRATURE))


@pytest.mark.usefixtures("up")
async def test_a_damaged_word_is_a_fault(sensor: SimulatedSensor, told: Told) -> None:
    sensor.follow([sensor.angle_deg] * 16, defect=Defect.WORD)
    assert (await told.nth(FaultRaised)).code == Code.WHEEL_ENCODER_WORD
    sensor.follow([sensor.angle_deg] * 1200)
    assert (await told.nth(FaultCleared)).code == Code.WHEEL_ENCODER_WORD


async def test_unplugged_in_a_spin_there_is_no_result(
    up: asyncio.Task[None], plug: UsbPlug, sensor: SimulatedSensor, driver: WheelDriver, told: Told
) -> None:
    trace = spun(sensor)
    half = len(trace.angles_deg) // 3
    sensor.follow(trace.angles_deg[:half])
    await told.nth(TurnCompleted, 2)
    plug.unplug()
    with pytest.raises(LinkClosedError, match="plug it in"):
        await asyncio.wait_for(up, 2)
    assert told.of(SpinStopped) == []
    told.reports.clear()
    plug.plug()
    async with running(driver.run(nothing)):
        await told.nth(DeviceAttached)
        sensor.follow(trace.angles_deg[half:])
        spin = await result(told)
        assert not accepted(spin)
        assert Flaw.SAMPLE_GAP in spin.flaws
        trace = spun(sensor, 5.1)
        sensor.follow(trace.angles_deg)
        spin = await result(told, 2)
    assert spin.on_peg or spin.section == trace.truth.section


async def test_a_sensor_that_sends_nothing_is_silent(up: asyncio.Task[None], plug: UsbPlug) -> None:
    plug.stall()
    with pytest.raises(UnansweredError, match="silent"):
        await asyncio.wait_for(up, 3)


async def test_a_held_up_process_finds_its_sensor_not_silent(
    up: asyncio.Task[None], sensor: SimulatedSensor, told: Told
) -> None:
    sensor.follow([sensor.angle_deg] * 500)
    time.sleep(SILENT_S + 0.1)  # noqa: ASYNC251  # as a machine does that is busy elsewhere
    sensor.follow(spun(sensor).angles_deg)
    await result(told)
    assert not up.done()


async def test_a_sensor_that_began_anew_ends_the_connection(up: asyncio.Task[None], plug: UsbPlug) -> None:
    send(plug, Packet(1, BOOT + 1, 0, 0, 1000, (Reading(0, 0),)))
    with pytest.raises(LinkClosedError, match="began anew"):
        await asyncio.wait_for(up, 2)


async def test_damaged_packets_are_counted_and_too_many_end_the_connection(
    up: asyncio.Task[None], plug: UsbPlug, sensor: SimulatedSensor, driver: WheelDriver
) -> None:
    damaged = bytearray(encode_packet(Packet(1, BOOT, 0, 0, 1000, (Reading(0, 0),))))
    damaged[9] ^= 1
    plug.send_bytes(*[bytes(damaged)] * 3)
    await eventually(lambda: driver.counters().rejected == 3)
    assert not up.done()
    sensor.stop()
    plug.send_bytes(*[bytes(damaged)] * 25)
    with pytest.raises(CorruptFrameError):
        await asyncio.wait_for(up, 2)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"expect": Expected(model="other")}, "its model is 'wheel', approved is 'other'"),
        ({"expect": Expected(firmware=("2.0", "3.0"))}, "its firmware 1.0 isn't approved"),
        ({"simulated": False}, "declare it with simulated = true"),
        ({"counts_per_turn": 4096}, "counts in a turn, not 4096"),
    ],
)
async def test_another_sensor_than_the_approved_one_is_not_used(
    plug: UsbPlug, settings: WheelSettings, told: Told, change: dict[str, object], why: str
) -> None:
    other = replace(settings, **change)  # type: ignore[arg-type]
    driver = WheelDriver(other, told, MovableClock(), usb_backend=SimulatedUsb(plug))
    with pytest.raises(WrongDeviceError, match=why):
        await driver.run(nothing)
    assert told.bodies == []
    assert not plug.taken


async def test_another_device_at_the_address_is_not_used(
    identity: SensorIdentity, settings: WheelSettings, told: Told
) -> None:
    stranger = sensor_plug(replace(identity, serial="W-2"))
    driver = WheelDriver(settings, told, MovableClock(), usb_backend=SimulatedUsb(stranger))
    with pytest.raises(PortMissingError, match="usb:1209:0001:W-1"):
        await driver.run(nothing)


async def test_right_one_of_two_is_found_by_its_serial_number(
    plug: UsbPlug, identity: SensorIdentity, settings: WheelSettings, told: Told
) -> None:
    bus = SimulatedUsb(sensor_plug(replace(identity, serial="W-2")), plug)
    async with running(WheelDriver(settings, told, MovableClock(), usb_backend=bus).run(nothing)):
        assert (await told.nth(DeviceAttached)).serial == "W-1"
    unnamed = replace(settings, address="usb:1209:0001")
    with pytest.raises(PortMissingError, match="there are 2 devices"):
        await WheelDriver(unnamed, told, MovableClock(), usb_backend=bus).run(nothing)


async def test_a_sensor_that_another_program_has_is_busy(plug: UsbPlug, driver: WheelDriver) -> None:
    plug.taken = True
    with pytest.raises(PortBusyError, match="stop that program"):
        await driver.run(nothing)


async def test_a_missing_sensor_is_missing(plug: UsbPlug, driver: WheelDriver) -> None:
    plug.unplug()
    with pytest.raises(PortMissingError, match="plug it in"):
        await driver.run(nothing)


def test_an_address_names_vendor_product_and_serial() -> None:
    assert parse_usb_address("usb:1209:0001") == UsbAddress(0x1209, 0x0001)
    assert parse_usb_address("usb:1209:abCD:W-1") == UsbAddress(0x1209, 0xABCD, "W-1")
    assert str(UsbAddress(0x1209, 0xABCD, "W-1")) == "usb:1209:abcd:W-1"


@pytest.mark.parametrize("text", ["usb:", "usb:1209", "usb:1209:000", "usb:1209:0001:", "usb:12g9:7457", "serial:x"])
def test_another_address_is_refused(text: str) -> None:
    with pytest.raises(AddressError, match="write usb:"):
        parse_usb_address(text)
