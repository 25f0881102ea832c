"""Shuffles over a real port and over USB: each is made at most once, and its outcome is told once."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from drivers.link.notices import REPLIES
from drivers.transport.serial_tcp import LinkError
from tablectl.core.effects import ShuffleCards
from tablectl.core.facts import FaultCleared, FaultRaised
from tablectl.core.facts.reports import DeviceNoted, ShuffleCompleted, ShuffleFailed, ShuffleStarted
from tablectl.core.faults import Code
from tests.drivers.linkbench import NAME, momentary
from tests.drivers.shufflerbench import OP, ShufflerBench, another, at_wire, let_time_pass
from tests.support.told import Told, eventually, nothing, running


@pytest.fixture(params=["serial", "usb"])
async def bench(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[ShufflerBench]:
    async with at_wire(request.param, tmp_path) as made:
        yield made


async def test_a_shuffle_is_started_and_completed(bench: ShufflerBench) -> None:
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.driver.command(ShuffleCards(OP))
        await bench.told.nth(ShuffleCompleted)
    assert bench.told.bodies[1:] == [ShuffleStarted(NAME, OP), ShuffleCompleted(NAME, OP, 52)]
    assert bench.device.shuffles == [OP]


async def test_a_shuffle_asked_for_again_is_done_once(bench: ShufflerBench) -> None:
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


async def test_shuffle_for_an_absent_device_is_done_on_return(bench: ShufflerBench) -> None:
    bench.driver.command(ShuffleCards(OP))
    async with running(bench.driver.run(nothing)):
        await bench.told.nth(ShuffleCompleted)
    assert bench.device.shuffles == [OP]


async def test_a_shuffle_that_runs_over_an_unplugging_is_waited_for(bench: ShufflerBench) -> None:
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


async def test_shuffle_done_while_the_device_was_away_is_told_once(bench: ShufflerBench) -> None:
    async with running(bench.driver.run(nothing)) as task:
        await bench.attached()
        bench.driver.command(ShuffleCards(OP))
        await bench.told.nth(ShuffleStarted)
        await bench.unplug(task)
    await eventually(lambda: bench.device.line.unacked == 2 or bench.device._running is None)
    await bench.port.plug()
    async with running(bench.driver.run(nothing)):
        await bench.told.nth(ShuffleCompleted)
        bench.device.open_lid()
        await bench.told.nth(DeviceNoted)
    assert bench.told.of(ShuffleCompleted) == [ShuffleCompleted(NAME, OP, 52)]
    assert bench.device.shuffles == [OP]


async def test_a_restarted_daemon_learns_what_became_of_a_shuffle(bench: ShufflerBench) -> None:
    async with running(bench.driver.run(nothing)) as task:
        await bench.attached()
        bench.driver.command(ShuffleCards(OP))
        await bench.told.nth(ShuffleCompleted)
        await eventually(lambda: bench.device.line.unacked == 0)
        await bench.unplug(task)
    await bench.port.plug()
    told = Told()
    restarted = another(bench, told=told, delivered=bench.told.reports[-1].delivery)
    restarted.command(ShuffleCards(OP))
    async with running(restarted.run(nothing)):
        await told.nth(ShuffleCompleted)
    assert told.of(ShuffleCompleted) == [ShuffleCompleted(NAME, OP, 52)]
    assert bench.device.shuffles == [OP]


async def test_a_device_that_restarts_during_a_shuffle_has_failed_it(bench: ShufflerBench) -> None:
    bench.device.shuffle_s = 60
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.driver.command(ShuffleCards(OP))
        await bench.told.nth(ShuffleStarted)
        bench.device.cut_power()
        failed = await bench.told.nth(ShuffleFailed)
    assert failed == ShuffleFailed(NAME, OP, "restarted and no longer knows the shuffle")
    assert bench.device.shuffles == [OP]


async def test_a_jam_during_a_shuffle_fails_it(bench: ShufflerBench) -> None:
    bench.device.shuffle_s = 60
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.driver.command(ShuffleCards(OP))
        await bench.told.nth(ShuffleStarted)
        bench.device.jam()
        assert await bench.told.nth(ShuffleFailed) == ShuffleFailed(NAME, OP, "jam")
    assert bench.told.raised(Code.SHUFFLER_JAM)


async def test_a_refused_shuffle_has_failed_and_is_a_fault(bench: ShufflerBench) -> None:
    bench.device.shuffle_s = 60
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.driver.command(ShuffleCards(OP))
        await bench.told.nth(ShuffleStarted)
        bench.driver.command(ShuffleCards(OP + 1))
        assert await bench.told.nth(ShuffleFailed) == ShuffleFailed(NAME, OP + 1, "refused: feed_fail")
        await bench.told.nth(FaultCleared)
    assert bench.told.bodies[-2:] == momentary(Code.REFUSED_BY_DEVICE, "refused: feed_fail")


async def test_overdue_shuffle_is_a_fault_and_may_still_complete(bench: ShufflerBench) -> None:
    bench.device.shuffle_s = 0.3
    driver = another(bench, timeout_s=0.05)
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


async def test_command_without_an_answer_is_asked_about_and_not_repeated(bench: ShufflerBench) -> None:
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


async def test_a_shuffle_whose_acceptance_was_lost_is_not_begun_again(bench: ShufflerBench) -> None:
    told, device = bench.told, bench.device
    device.shuffle_s = 60
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.answer_in_vain(lambda: device.shuffles)
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


async def test_a_busy_device_is_asked_again_later(bench: ShufflerBench) -> None:
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


async def test_an_answer_that_makes_no_sense_fails_the_shuffle(bench: ShufflerBench) -> None:
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.answer_nonsense()
        bench.driver.command(ShuffleCards(OP))
        failed = await bench.told.nth(ShuffleFailed)
        await bench.told.nth(FaultCleared, 2)
    assert failed == ShuffleFailed(NAME, OP, "answered something unknown (119)")
    assert [fault.code for fault in bench.told.of(FaultRaised)] == [Code.UNKNOWN_MESSAGE, Code.REFUSED_BY_DEVICE]


async def test_a_command_that_the_device_cannot_take_fails_the_shuffle(bench: ShufflerBench) -> None:
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.know_no_command()
        bench.driver.command(ShuffleCards(OP))
        assert await bench.told.nth(ShuffleFailed) == ShuffleFailed(NAME, OP, "refused: unrecognised")


async def test_unplugging_during_a_shuffle_makes_no_second_one(bench: ShufflerBench) -> None:
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
