"""A draw over pulled plugs, restarts and lost power: one or none, and the table knows which."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from drivers.draw.codec import DrawFault
from drivers.draw.device import DrawHandler
from drivers.sim.draw import SimulatedDraw
from drivers.transport.serial_tcp import LinkError
from tablectl.core.facts import FaultRaised
from tablectl.core.facts.reports import DeviceNoted, DrawCommitted, DrawFailed
from tablectl.core.faults import Code
from tests.drivers.drawbench import DRAW_ID, REQUEST, DrawBench, kept, outcomes, told_nothing_more
from tests.drivers.linkbench import NAME, at_port, link_driver, settings
from tests.support.patience import PATIENCE_S
from tests.support.told import Told, eventually, nothing, running

draw_driver = link_driver(DrawHandler)


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[DrawBench]:
    async with at_port(tmp_path, SimulatedDraw, draw_driver) as made:
        yield made


async def test_draw_for_an_absent_device_is_made_on_return(bench: DrawBench) -> None:
    bench.driver.command(REQUEST)
    async with running(bench.driver.run(nothing)):
        await bench.told.nth(DrawCommitted)
    assert bench.device.draws == [DRAW_ID]


@pytest.mark.parametrize("draw_s", [0.0, 0.015])
async def test_a_plug_pulled_at_any_moment_makes_no_second_draw(bench: DrawBench, draw_s: float) -> None:
    bench.device.draw_s = draw_s
    bench.driver.command(REQUEST)
    for nth in range(1, 14):
        async with running(bench.driver.run(nothing)) as task:
            await asyncio.sleep(nth * 0.002)
            await bench.port.unplug()
            with pytest.raises(LinkError):
                await task
        await bench.port.plug()
    async with running(bench.driver.run(nothing)):
        await bench.told.nth(DrawCommitted)
        await told_nothing_more(bench)
    assert bench.device.draws == [DRAW_ID]
    assert outcomes(bench.told) == [kept(bench)]


@pytest.mark.parametrize("frames", range(1, 9))
async def test_unplugging_after_any_frame_makes_no_second_draw(bench: DrawBench, frames: int) -> None:
    told, line = bench.told, bench.device.line
    heard, write, written = asyncio.Event(), bench.port.write, 0

    def write_some(data: bytes) -> None:
        nonlocal written
        written += 1
        if written <= frames:
            write(data)
        else:
            heard.set()

    bench.driver.command(REQUEST)
    bench.port.write = write_some  # type: ignore[method-assign]
    async with running(bench.driver.run(nothing)) as task:
        async with asyncio.timeout(PATIENCE_S):
            await heard.wait()
        await bench.unplug(task)
    bench.port.write = write  # type: ignore[method-assign]
    await bench.port.plug()
    async with running(bench.driver.run(nothing)):
        await told.nth(DrawCommitted)
        await told_nothing_more(bench)
        await eventually(lambda: line.unacked == 0)
    assert bench.device.draws == [DRAW_ID]
    assert outcomes(told) == [kept(bench)]


@pytest.mark.parametrize("at_s", [0.0, 0.002, 0.004, 0.008, 0.012, 0.02, 0.04])
async def test_power_lost_at_any_moment_leaves_at_most_one_draw(bench: DrawBench, at_s: float) -> None:
    bench.device.draw_s = 0.01
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.driver.command(REQUEST)
        await asyncio.sleep(at_s)
        bench.device.cut_power()
        await bench.told.until(lambda: outcomes(bench.told))
        await told_nothing_more(bench)
    assert len(bench.device.draws) <= 1
    failed = DrawFailed(NAME, DRAW_ID, "power_lost")
    assert outcomes(bench.told) == ([kept(bench)] if bench.device.draws else [failed])


async def test_reply_and_a_restart_in_one_read_make_one_draw(bench: DrawBench) -> None:
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        await bench.told.nth(DeviceNoted)
        bench.port.stall()
        bench.driver.command(REQUEST)
        await eventually(lambda: len(bench.device.line.session._replies) == 2)
        bench.device.cut_power()
        bench.port.resume()
        await bench.told.nth(DrawCommitted)
    assert bench.device.draws == [DRAW_ID]


async def test_a_committed_draw_outlasts_the_power_of_the_device(bench: DrawBench) -> None:
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.answer_in_vain(lambda: bench.device.draws)
        bench.driver.command(REQUEST)
        await eventually(lambda: bench.device.draws)
        bench.hear_the_host_again()
        bench.device.cut_power()
        await bench.told.nth(DrawCommitted)
    assert outcomes(bench.told) == [kept(bench)]
    assert bench.device.draws == [DRAW_ID]


async def test_draw_that_failed_with_the_power_is_not_made_later(bench: DrawBench) -> None:
    bench.device.draw_s = 60
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.driver.command(REQUEST)
        await eventually(lambda: DRAW_ID in bench.device.rounds)
        bench.device.cut_power()
        await bench.told.nth(DrawFailed)
        bench.driver.command(REQUEST)
        await told_nothing_more(bench)
    assert outcomes(bench.told) == [DrawFailed(NAME, DRAW_ID, "power_lost")]
    assert bench.device.draws == []


@pytest.mark.parametrize("remembered", [True, False])
async def test_a_restarted_daemon_learns_the_draw_that_was_made(
    bench: DrawBench, tmp_path: Path, *, remembered: bool
) -> None:
    async with running(bench.driver.run(nothing)) as task:
        await bench.attached()
        bench.driver.command(REQUEST)
        await bench.told.nth(DrawCommitted)
        await eventually(lambda: bench.device.line.unacked == 0)
        await bench.unplug(task)
    await bench.port.plug()
    told, deliveries = Told(), [report.delivery for report in bench.told.reports if report.delivery]
    restarted = draw_driver(settings(tmp_path), told, bench.clock, delivered=deliveries[-1] if remembered else "")
    restarted.command(REQUEST)
    async with running(restarted.run(nothing)):
        await told.nth(DrawCommitted)
    assert outcomes(told) == [kept(bench)]
    assert bench.device.draws == [DRAW_ID]


async def test_draw_that_journal_holds_is_not_told_again_after_restart(bench: DrawBench, tmp_path: Path) -> None:
    async with running(bench.driver.run(nothing)) as task:
        await bench.attached()
        await eventually(lambda: bench.told.of(DeviceNoted))
        bench.told.durable = False
        bench.driver.command(REQUEST)
        await bench.told.nth(DrawCommitted)
        await bench.unplug(task)
    last = bench.told.reports[-1].delivery
    assert last == f"{bench.device.line.boot:08x}:1"
    await bench.port.plug()
    told = Told()
    restarted = draw_driver(settings(tmp_path), told, bench.clock, delivered=last)
    async with running(restarted.run(nothing)):
        await told.nth(DeviceNoted)
        await eventually(lambda: bench.device.line.unacked == 0)
    assert outcomes(told) == []


async def test_a_device_that_restarted_says_again_what_is_wrong(bench: DrawBench) -> None:
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.device.raise_fault(DrawFault.STORAGE)
        await bench.told.nth(FaultRaised)
        bench.device.cut_power()
        await bench.attached(2)
        await bench.told.until(lambda: bench.told.cleared(Code.DRAW_STORAGE))
    assert bench.told.raised(Code.DRAW_STORAGE) == [FaultRaised(Code.DRAW_STORAGE, NAME, "fault 5")]
