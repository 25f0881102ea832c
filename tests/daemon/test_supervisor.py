"""A device comes and goes: what the table is told, once each, and how soon it is tried again."""

import asyncio
import fcntl
import os
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

import pytest
from structlog.testing import capture_logs

from drivers.devices import fault_of
from drivers.shoe.device import ShoeDriver, ShoeSettings
from drivers.sim.pty import PtyEnd
from drivers.sim.shoe import SimulatedShoe
from drivers.transport.serial_tcp import LinkClosedError, LinkError, UnansweredError, WrongDeviceError
from tablectl.core.cards import PACK
from tablectl.core.facts import Body, FaultCleared, FaultRaised
from tablectl.core.facts.reports import CardDrawn, DeviceAttached, DeviceLost
from tablectl.core.faults import Code
from tablectl.core.protocols import DeviceCounters
from tablectl.daemon.devices.presence import Presence
from tablectl.daemon.devices.supervisor import Pace, Supervised, Tolerance
from tablectl.daemon.steady import Patience
from tests.support.patience import PATIENCE_S, SCALE
from tests.support.told import MovableClock, Told, eventually, running

NAME = "shoe"
QUICK = Pace(first_s=0.001, longest_s=0.002)
EVER_PATIENT = Patience(swings=1000)


@dataclass(slots=True)
class Scripted:
    """A driver that does what each connection's line says: comes up or not, then ends with the error."""

    lines: list[tuple[bool, Exception | None]]
    name: str = NAME
    rejected: int = 0
    began_s: list[float] = field(default_factory=list[float])
    waits: asyncio.Event = field(default_factory=asyncio.Event)

    async def run(self, up: Callable[[], None]) -> None:
        self.began_s.append(asyncio.get_running_loop().time())
        if not self.lines:
            self.waits.set()
            await asyncio.Event().wait()
        comes_up, error = self.lines.pop(0)
        if comes_up:
            up()
        if error is not None:
            raise error

    def counters(self) -> DeviceCounters:
        return DeviceCounters(rejected=self.rejected)


async def played(
    lines: list[tuple[bool, Exception | None]], *, standing: Mapping[int, str] = MappingProxyType({})
) -> list[Body]:
    """What is told of these connections."""
    told, driver = Told(), Scripted(lines)
    presence = Presence(NAME, told, standing)
    async with running(Supervised(driver, presence, fault_of, pace=QUICK).run()):
        async with asyncio.timeout(PATIENCE_S):
            await driver.waits.wait()
    return told.bodies


@pytest.fixture
async def port(tmp_path: Path) -> AsyncIterator[PtyEnd]:
    end = PtyEnd(link=tmp_path / "port")
    yield end
    await end.unplug()


@pytest.fixture
def settings(tmp_path: Path) -> ShoeSettings:
    return ShoeSettings(NAME, "serial:port", 9600, tmp_path, simulated=True)


def supervised_shoe(settings: ShoeSettings, told: Told, patience: Patience = EVER_PATIENT) -> Supervised:
    presence = Presence(NAME, told, patience=patience)
    return Supervised(ShoeDriver(settings, presence, MovableClock()), presence, fault_of, pace=QUICK)


# --- what is told


async def test_returning_device_is_lost_once_and_its_fault_cleared() -> None:
    told = await played([(True, LinkClosedError("unplugged")), (True, None)])
    assert told[:3] == [
        DeviceLost(NAME, "unplugged"),
        FaultRaised(Code.LINK_LOST, NAME, "unplugged"),
        FaultCleared(Code.LINK_LOST, NAME),
    ]


async def test_same_fault_is_raised_once_however_often_it_is_tried() -> None:
    told = await played([(False, UnansweredError("says nothing"))] * 10)
    assert told == [FaultRaised(Code.SILENT, NAME, "says nothing")]


async def test_another_fault_takes_the_place_of_the_first() -> None:
    told = await played([(False, LinkClosedError("gone")), (False, UnansweredError("mute")), (True, None)])
    assert told[:4] == [
        FaultRaised(Code.LINK_LOST, NAME, "gone"),
        FaultCleared(Code.LINK_LOST, NAME),
        FaultRaised(Code.SILENT, NAME, "mute"),
        FaultCleared(Code.SILENT, NAME),
    ]


async def test_a_device_that_never_came_is_not_lost() -> None:
    told = await played([(False, LinkClosedError("gone"))] * 3)
    assert not [body for body in told if isinstance(body, DeviceLost)]


async def test_driver_error_is_logged_with_place_and_retried() -> None:
    with capture_logs() as logs:
        told = await played([(True, ZeroDivisionError("by nought")), (True, None)])
    assert told[0] == DeviceLost(NAME, "a mistake in the driver: ZeroDivisionError('by nought')")
    assert told[1] == FaultRaised(Code.LINK_LOST, NAME, "a mistake in the driver: ZeroDivisionError('by nought')")
    assert told[2] == FaultCleared(Code.LINK_LOST, NAME)
    assert [(line["log_level"], line["exc_info"], line["device"]) for line in logs] == [("error", True, NAME)]


async def test_faults_of_earlier_session_are_cleared_when_they_are_over() -> None:
    standing: dict[int, str] = {Code.PORT_MISSING: "not there", Code.SILENT: "mute", Code.SHOE_OVERDRAW: ""}
    came = await played([(True, LinkClosedError("gone"))], standing=standing)
    assert came[:2] == [FaultCleared(Code.PORT_MISSING, NAME), FaultCleared(Code.SILENT, NAME)]
    stayed = await played([(False, UnansweredError("mute"))], standing=standing)
    assert stayed == [FaultCleared(Code.PORT_MISSING, NAME)]


async def test_fault_that_has_another_reason_now_is_told_again_once() -> None:
    lines: list[tuple[bool, Exception | None]] = [(False, UnansweredError(why)) for why in ("deaf", "deaf", "dumb")]
    came = await played(lines, standing={Code.SILENT: "mute"})
    assert came == [FaultRaised(Code.SILENT, NAME, "deaf"), FaultRaised(Code.SILENT, NAME, "dumb")]


async def test_stopping_it_tells_nothing_and_leaves_nothing_running() -> None:
    told, driver = Told(), Scripted([])
    supervised = Supervised(driver, Presence(NAME, told), fault_of)
    before = asyncio.all_tasks()
    async with running(supervised.run()) as task:
        await driver.waits.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert told.bodies == []
    assert asyncio.all_tasks() == before


@pytest.mark.parametrize("error", [*LinkError.__subclasses__(), LinkError])
def test_every_error_of_a_link_is_a_fault(error: type[LinkError]) -> None:
    code = fault_of(error("why"))
    assert code in {Code.LINK_LOST, Code.PORT_MISSING, Code.PORT_BUSY, Code.SILENT, Code.WRONG_DEVICE}
    assert fault_of(OSError("not a link's")) is None


# --- what swings


async def test_flapping_device_is_reported_ever_more_rarely() -> None:
    told = await played([(True, LinkClosedError("hung up"))] * 300)
    raised = [body.detail for body in told if isinstance(body, FaultRaised)]
    counts = [4, 8, 16, 32, 64, 128, 256]
    assert raised == ["hung up"] * 4 + [f"hung up (came and went {count} times)" for count in counts]
    assert len([body for body in told if isinstance(body, DeviceLost)]) == 4


async def test_faults_that_take_turns_are_told_ever_more_rarely() -> None:
    turns: list[tuple[bool, Exception | None]] = [(False, LinkClosedError("gone")), (False, UnansweredError("mute"))]
    told = await played(turns * 150)
    assert 4 <= len(told) < 40


async def test_reasons_that_are_never_same_are_told_ever_more_rarely() -> None:
    told = await played([(False, UnansweredError(f"silent for {number} s")) for number in range(300)])
    assert 4 <= len(told) < 40


async def test_a_device_that_swung_is_there_once_it_has_stayed(port: PtyEnd, settings: ShoeSettings) -> None:
    told = Told()
    supervised = supervised_shoe(settings, told, Patience(swings=0, first_s=2 * SCALE))
    await port.plug()  # before the first attempt, which would count as a swing
    async with running(supervised.run()):
        await told.nth(DeviceAttached)
        await port.unplug()
        await told.nth(DeviceLost)
        await port.plug()
        await eventually(lambda: supervised.is_up)
        assert len(told.of(DeviceAttached)) == 1
        await told.nth(DeviceAttached, 2)
        await told.until(lambda: told.raised(Code.LINK_LOST) and told.cleared(Code.LINK_LOST))


async def test_card_from_a_device_that_swings_is_told_after_device(port: PtyEnd, settings: ShoeSettings) -> None:
    told = Told()
    supervised = supervised_shoe(settings, told, Patience(swings=0, first_s=3600))
    await port.plug()  # before the first attempt, which would count as a swing
    async with running(supervised.run()):
        await told.nth(DeviceAttached)
        await port.unplug()
        await told.nth(DeviceLost)
        await port.plug()
        await eventually(lambda: supervised.is_up)
        await SimulatedShoe(port).draw("As")
        await told.nth(CardDrawn)
    kinds = [type(body) for body in told.bodies]
    assert kinds.index(CardDrawn) > kinds.index(DeviceLost)
    assert kinds[kinds.index(DeviceLost) : kinds.index(CardDrawn)].count(DeviceAttached) == 1


# --- how soon


async def gaps_s(lines: list[tuple[bool, Exception | None]], pace: Pace) -> list[float]:
    driver = Scripted(lines)
    async with running(Supervised(driver, Presence(NAME, Told()), fault_of, pace=pace, chance=lambda: 0.5).run()):
        async with asyncio.timeout(PATIENCE_S):
            await driver.waits.wait()
    return [later - earlier for earlier, later in zip(driver.began_s, driver.began_s[1:], strict=False)]


async def test_each_failure_doubles_the_wait_up_to_the_longest() -> None:
    gaps = await gaps_s([(False, LinkClosedError("gone"))] * 14, Pace(first_s=0.02, longest_s=0.06))
    assert all(gap >= least for gap, least in zip(gaps, (0.02, 0.04, *[0.06] * 12), strict=True))
    assert max(gaps) < PATIENCE_S  # doubled without end the last would be 160 s


async def test_long_connected_device_is_retried_at_once() -> None:
    pace = Pace(first_s=0.001, longest_s=10 * PATIENCE_S, steady_s=0)
    gaps = await gaps_s([(True, LinkClosedError("gone"))] * 20, pace)
    assert max(gaps) < PATIENCE_S


async def test_wrong_device_is_tried_at_slowest_pace_from_start() -> None:
    gaps = await gaps_s([(False, WrongDeviceError("a stranger"))], Pace(first_s=0.001, longest_s=0.1))
    assert gaps[0] >= 0.1


# --- damage


async def test_three_damaged_frames_are_a_fault_until_long_clean() -> None:
    told, driver = Told(), Scripted([])
    tolerance = Tolerance(frames=3, within_s=10, clean_s=0.05, look_s=0.002)
    async with running(Supervised(driver, Presence(NAME, told), fault_of, tolerance=tolerance).run()):
        driver.rejected = 3
        await told.nth(FaultRaised)
        await told.nth(FaultCleared)
        driver.rejected = 6
        await told.nth(FaultRaised, 2)
    assert told.bodies == [
        FaultRaised(Code.CORRUPT_FRAMES, NAME),
        FaultCleared(Code.CORRUPT_FRAMES, NAME),
        FaultRaised(Code.CORRUPT_FRAMES, NAME),
    ]


async def test_few_damaged_frames_or_slow_ones_are_no_fault() -> None:
    told, driver = Told(), Scripted([])
    tolerance = Tolerance(frames=3, within_s=0.02, clean_s=60, look_s=0.001)
    async with running(Supervised(driver, Presence(NAME, told), fault_of, tolerance=tolerance).run()):
        for _ in range(4):
            driver.rejected += 1
            await asyncio.sleep(0.03)
    assert told.bodies == []


async def test_damage_of_earlier_session_is_cleared_after_clean_time() -> None:
    told, driver = Told(), Scripted([])
    tolerance = Tolerance(clean_s=0.02, look_s=0.002)
    supervised = Supervised(driver, Presence(NAME, told), fault_of, is_loud=True, tolerance=tolerance)
    async with running(supervised.run()):
        await told.nth(FaultCleared)
    assert told.bodies == [FaultCleared(Code.CORRUPT_FRAMES, NAME)]


# --- a real port


async def test_a_port_that_appears_late_is_found(port: PtyEnd, settings: ShoeSettings) -> None:
    told = Told()
    supervised = supervised_shoe(settings, told)
    async with running(supervised.run()):
        await told.nth(FaultRaised)
        await port.plug()
        await told.nth(FaultCleared)
    assert [type(body) for body in told.bodies] == [FaultRaised, DeviceAttached, FaultCleared]
    assert told.raised(Code.PORT_MISSING)


async def test_a_busy_port_is_taken_when_it_is_free(port: PtyEnd, settings: ShoeSettings) -> None:
    told = Told()
    await port.plug()
    other = os.open(port.path, os.O_RDWR | os.O_NOCTTY)
    fcntl.flock(other, fcntl.LOCK_EX)
    async with running(supervised_shoe(settings, told).run()):
        await told.nth(FaultRaised)
        os.close(other)
        await told.nth(DeviceAttached)
        await told.nth(FaultCleared)
    assert told.raised(Code.PORT_BUSY)
    assert told.cleared(Code.PORT_BUSY)


async def test_an_undeclared_simulator_is_a_wrong_device(port: PtyEnd, tmp_path: Path) -> None:
    told = Told()
    await port.plug()
    async with running(supervised_shoe(ShoeSettings(NAME, "serial:port", 9600, tmp_path), told).run()):
        await told.nth(FaultRaised)
    assert told.raised(Code.WRONG_DEVICE)
    assert told.of(DeviceAttached) == []


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


async def test_fifty_unpluggings_lose_no_card_that_was_drawn_between_them(port: PtyEnd, settings: ShoeSettings) -> None:
    told = Told()
    before = open_files()
    async with running(supervised_shoe(settings, told).run()):
        shoe = SimulatedShoe(port)
        for nth, card in enumerate(PACK[:50], start=1):
            await port.plug()
            await told.nth(DeviceAttached, nth)
            await shoe.draw(card)
            await told.nth(CardDrawn, nth)
            await port.unplug()
            await told.nth(DeviceLost, nth)
    await eventually(lambda: open_files() <= before)
    assert [drawn.card for drawn in told.of(CardDrawn)] == list(PACK[:50])
    assert len(told.of(DeviceAttached)) == len(told.of(DeviceLost)) == 50
    assert len(told.of(FaultRaised)) - len(told.of(FaultCleared)) <= 1
