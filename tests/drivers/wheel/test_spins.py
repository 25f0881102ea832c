"""The wheel's driver at a real port with a simulated QSB: what the wheel truly did comes out as facts."""

import asyncio

import pytest

from drivers.sim.wheel import EVEN, SimulatedWheel
from drivers.wheel.device import WheelDriver
from tablectl.core.facts import FaultCleared, FaultRaised
from tablectl.core.facts.reports import DeviceAttached, SpinStarted, SpinStopped, TurnCompleted, WheelMoved
from tablectl.core.faults import Code
from tablectl.core.outcomes import Flaw
from tests.drivers.wheel.results import NAME, result
from tests.support.patience import PATIENCE_S
from tests.support.told import Told, nothing, running
from tests.support.wheel import accepted


async def test_the_adapter_counts_once_it_has_said_who_it_is(
    wheel: SimulatedWheel, driver: WheelDriver, told: Told
) -> None:
    ready = asyncio.Event()
    async with running(driver.run(ready.set)), asyncio.timeout(PATIENCE_S):
        await ready.wait()
        assert told.of(DeviceAttached) == [DeviceAttached(NAME, "US Digital", "QSB", "7457", "17", simulated=True)]
        assert (await told.nth(FaultRaised)).code == Code.WHEEL_POSITION_UNKNOWN


async def test_the_first_spin_finds_the_zero_and_has_its_section(
    wheel: SimulatedWheel, driver: WheelDriver, told: Told
) -> None:
    async with running(driver.run(nothing)):
        await told.nth(DeviceAttached)
        truth = await wheel.spin()
        spin = await result(told)
    assert accepted(spin)
    assert (spin.section, spin.direction) == (truth.section, truth.direction)
    assert told.of(FaultCleared) == [FaultCleared(Code.WHEEL_POSITION_UNKNOWN, NAME)]
    assert told.of(SpinStarted) == [SpinStarted(NAME, truth.direction, None)]


@pytest.mark.usefixtures("up")
async def test_a_spin_is_told_from_start_to_stop(wheel: SimulatedWheel, told: Told) -> None:
    assert wheel.truth is not None
    section = wheel.truth.section
    truth = await wheel.spin(5.0)
    spin = await result(told)
    assert accepted(spin)
    assert spin.section == truth.section
    assert 0 <= truth.turns_milli - spin.turns_milli <= 3
    assert told.bodies[0] == SpinStarted(NAME, truth.direction, section)
    assert [turn.turns for turn in told.of(TurnCompleted)] == list(range(1, truth.turns_milli // 1000 + 1))
    assert told.bodies[-1] == SpinStopped(NAME, spin)
    assert spin.calibration == EVEN.name


@pytest.mark.usefixtures("up")
async def test_a_short_spin_has_its_turns_and_no_more(wheel: SimulatedWheel, told: Told) -> None:
    truth = await wheel.spin_short()
    spin = await result(told)
    assert spin.turns_milli <= truth.turns_milli < 3000
    assert not accepted(spin)
    assert spin.section in {truth.section, None}


@pytest.mark.usefixtures("up")
async def test_rest_on_a_peg_has_no_section(wheel: SimulatedWheel, told: Told) -> None:
    truth = await wheel.rest_on_peg()
    spin = await result(told)
    assert truth.on_peg
    assert (spin.on_peg, spin.section) == (True, None)


@pytest.mark.usefixtures("up")
async def test_a_hand_on_the_wheel_is_told(wheel: SimulatedWheel, told: Told) -> None:
    wheel.touch()
    truth = await wheel.spin(6.0)
    assert truth.touched
    assert Flaw.INTERFERENCE in (await result(told)).flaws


@pytest.mark.usefixtures("up")
async def test_a_wheel_moved_at_rest_is_told(wheel: SimulatedWheel, told: Told) -> None:
    await wheel.move(36.0)
    assert abs((await told.nth(WheelMoved)).turns_milli - 100) <= 1
    assert told.of(SpinStarted) == []


@pytest.mark.usefixtures("up")
async def test_spin_of_sixteen_seconds_takes_fast_simulator_fraction_of_that(wheel: SimulatedWheel, told: Told) -> None:
    begin_s = asyncio.get_running_loop().time()
    await wheel.spin(7.0)
    await result(told)
    assert asyncio.get_running_loop().time() - begin_s < 12


@pytest.mark.usefixtures("up")
async def test_a_hand_during_a_spin_changes_what_comes_then(wheel: SimulatedWheel, told: Told) -> None:
    wheel.touch(after_s=6.0)
    truth = await wheel.spin(7.0)
    assert truth.touched
    spin = await result(told)
    assert Flaw.INTERFERENCE in spin.flaws
    assert abs(truth.turns_milli - spin.turns_milli) <= 3
