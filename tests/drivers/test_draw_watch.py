"""The watch over the random source, as the driver tells of it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from drivers.draw.device import DrawHandler
from drivers.sim.draw import SimulatedDraw
from tablectl.core.effects import RequestDraw, RunSelfTest
from tablectl.core.facts import FaultCleared, FaultRaised
from tablectl.core.facts.reports import DeviceNoted, DrawCommitted, DrawFailed
from tablectl.core.faults import Code
from tests.drivers.drawbench import REQUEST, DrawBench
from tests.drivers.linkbench import NAME, at_port, link_driver
from tests.support.told import nothing, running

draw_driver = link_driver(DrawHandler)


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[DrawBench]:
    async with at_port(tmp_path, SimulatedDraw, draw_driver) as made:
        yield made


async def test_stuck_source_draws_nothing_until_its_self_test_passes(bench: DrawBench) -> None:
    told, device = bench.told, bench.device
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        device.stuck = 1
        bench.driver.command(REQUEST)
        await told.nth(DrawFailed)
        bench.driver.command(RequestDraw(2, "t-8"))
        await told.nth(DrawFailed, 2)
        device.stuck = None
        bench.driver.command(RequestDraw(3, "t-9"))
        await told.nth(DrawFailed, 3)
        assert device.draws == []
        bench.driver.command(RunSelfTest(1))
        await told.until(lambda: DeviceNoted(NAME, "self_test", "passed") in told.bodies)
        bench.driver.command(RequestDraw(4, "t-10"))
        await told.nth(DrawCommitted)
    assert told.raised(Code.DRAW_RNG_REPETITION) == [FaultRaised(Code.DRAW_RNG_REPETITION, NAME, "fault 1")]
    assert told.cleared(Code.DRAW_RNG_REPETITION) == [FaultCleared(Code.DRAW_RNG_REPETITION, NAME)]
    reasons = [failed.reason for failed in told.of(DrawFailed)]
    assert reasons == ["rng_repetition", "refused: rng_repetition", "refused: rng_repetition"]
    assert device.draws == [4]


async def test_a_loss_of_power_is_no_self_test(bench: DrawBench) -> None:
    told, device = bench.told, bench.device
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        device.stuck = 1
        device.cycle(64)
        await told.until(lambda: told.raised(Code.DRAW_RNG_REPETITION))
        device.stuck = None
        device.cut_power()
        await told.until(lambda: len(told.raised(Code.DRAW_RNG_REPETITION)) == 2)
        bench.driver.command(REQUEST)
        await told.nth(DrawFailed)
    assert DeviceNoted(NAME, "rng_status", "failed 1024") in told.bodies
    assert device.draws == []


async def test_a_biased_source_is_found_between_draws(bench: DrawBench) -> None:
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.device.biased = True
        bench.device.cycle(200 * 1024)
        await bench.told.until(lambda: bench.told.raised(Code.DRAW_RNG_PROPORTION))


async def test_source_dead_at_start_fails_its_self_test(bench: DrawBench) -> None:
    bench.device.stuck = 0
    bench.device.cut_power()
    async with running(bench.driver.run(nothing)):
        await bench.told.until(lambda: bench.told.raised(Code.DRAW_RNG_STARTUP))
        bench.driver.command(RunSelfTest(1))
        await bench.told.until(lambda: DeviceNoted(NAME, "self_test", "rng_startup") in bench.told.bodies)
        bench.driver.command(REQUEST)
        await bench.told.nth(DrawFailed)
    assert bench.told.cleared(Code.DRAW_RNG_STARTUP) == []
    assert bench.device.draws == []


async def test_the_random_source_s_state_is_recorded_when_the_device_comes(bench: DrawBench) -> None:
    async with running(bench.driver.run(nothing)):
        assert await bench.told.nth(DeviceNoted) == DeviceNoted(NAME, "rng_status", "good 1024")
