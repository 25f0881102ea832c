"""The draw system's driver at a real port: each draw is made once, told once, and never with impossible values."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from drivers.draw.codec import EVENTS, Committed, Drawn, NotDrawn
from drivers.draw.device import KNOWN_DRAWS, DrawHandler
from drivers.sim.draw import SimulatedDraw
from tablectl.core.effects import RequestDraw, RunSelfTest
from tablectl.core.facts import FaultCleared, FaultRaised
from tablectl.core.facts.reports import DeviceNoted, DrawCommitted, DrawFailed
from tablectl.core.faults import Code
from tablectl.core.outcomes import Series
from tests.drivers.drawbench import DRAW_ID, REQUEST, DrawBench, kept, outcomes, told_nothing_more
from tests.drivers.linkbench import NAME, at_port, link_driver, momentary, said, settings
from tests.support.told import eventually, nothing, running

draw_driver = link_driver(DrawHandler)


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[DrawBench]:
    async with at_port(tmp_path, SimulatedDraw, draw_driver) as made:
        yield made


# --- drawing


async def test_a_draw_is_made_and_told(bench: DrawBench) -> None:
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.driver.command(REQUEST)
        committed = await bench.told.nth(DrawCommitted)
        await eventually(lambda: bench.device.line.unacked == 0)
    assert committed == kept(bench)
    assert bench.device.draws == [DRAW_ID]
    assert bench.device.rounds == {DRAW_ID: "t-7"}


async def test_a_draw_asked_for_again_is_made_and_told_once(bench: DrawBench) -> None:
    bench.device.draw_s = 0.02
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        for _ in range(3):
            bench.driver.command(REQUEST)
        await bench.told.nth(DrawCommitted)
        bench.driver.command(REQUEST)
        await told_nothing_more(bench)
    assert outcomes(bench.told) == [kept(bench)]
    assert bench.device.draws == [DRAW_ID]


async def test_the_draws_of_many_rounds_are_the_device_s_own(bench: DrawBench) -> None:
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        for draw_id in range(1, 40):
            bench.driver.command(RequestDraw(draw_id, f"t-{draw_id}"))
            await bench.told.nth(DrawCommitted, draw_id)
    assert outcomes(bench.told) == [kept(bench, draw_id) for draw_id in range(1, 40)]
    assert len({(draw.series, draw.combination) for draw in bench.told.of(DrawCommitted)}) > 10


async def test_overdue_draw_is_a_fault_until_made(bench: DrawBench, tmp_path: Path) -> None:
    bench.device.draw_s = 0.2
    driver = draw_driver(settings(tmp_path), bench.told, bench.clock, timeout_s=0.03)
    async with running(driver.run(nothing)):
        await bench.attached()
        driver.command(REQUEST)
        await bench.told.nth(DrawCommitted)
    assert said(bench.told, DeviceNoted) == [
        FaultRaised(Code.DRAW_TIMEOUT, NAME),
        FaultCleared(Code.DRAW_TIMEOUT, NAME),
        kept(bench),
    ]


# --- what a draw system must not do


@pytest.mark.parametrize("drawn", [Drawn(2, 1), Drawn(0, 0), Drawn(1, 9), Drawn(255, 255)])
@pytest.mark.parametrize("by_event", [True, False])
async def test_impossible_values_are_a_fault_and_no_draw(bench: DrawBench, drawn: Drawn, *, by_event: bool) -> None:
    if by_event:
        bench.device.line.send_event(EVENTS.encode(Committed(DRAW_ID, drawn)))
    else:
        bench.device.falsify(DRAW_ID, drawn)
    bench.driver.command(REQUEST)
    async with running(bench.driver.run(nothing)):
        await bench.told.nth(DrawFailed)
        await told_nothing_more(bench)
    values = f"series {drawn.series}, combination {drawn.combination}"
    assert bench.told.raised(Code.DRAW_VALUES_OUT_OF_RANGE) == [
        FaultRaised(Code.DRAW_VALUES_OUT_OF_RANGE, NAME, values)
    ]
    assert outcomes(bench.told) == [DrawFailed(NAME, DRAW_ID, "values out of range")]


async def test_other_values_for_known_draw_are_fault_and_no_draw(bench: DrawBench) -> None:
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.device.line.send_event(EVENTS.encode(Committed(DRAW_ID, Drawn(0, 3))))
        bench.device.line.send_event(EVENTS.encode(Committed(DRAW_ID, Drawn(0, 3))))
        bench.device.line.send_event(EVENTS.encode(Committed(DRAW_ID, Drawn(0, 4))))
        await told_nothing_more(bench)
    assert outcomes(bench.told) == [DrawCommitted(NAME, DRAW_ID, Series.UPPER, 3)]
    conflict = momentary(Code.DRAW_ID_CONFLICT, f"draw {DRAW_ID}: 00 03 then 00 04")
    again = DeviceNoted(NAME, "draw_said_again", str(DRAW_ID))
    noted = [body for body in said(bench.told) if body in (*conflict, again)]
    assert [each for each in noted if each in conflict] == conflict
    assert again in noted


async def test_draw_that_failed_and_is_made_all_same_is_conflict(bench: DrawBench) -> None:
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        for event in (
            NotDrawn(9, 1),
            NotDrawn(9, 1),
            Committed(9, Drawn(1, 8)),
            Committed(8, Drawn(0, 1)),
            NotDrawn(8, 1),
        ):
            bench.device.line.send_event(EVENTS.encode(event))
        await told_nothing_more(bench)
    assert outcomes(bench.told) == [DrawFailed(NAME, 9, "rng_repetition"), DrawCommitted(NAME, 8, Series.UPPER, 1)]
    details = [fault.detail for fault in bench.told.raised(Code.DRAW_ID_CONFLICT)]
    assert details == ["draw 9: nothing then 01 08", "draw 8: 00 01 then nothing"]
    assert DeviceNoted(NAME, "draw_said_again", "9") in bench.told.bodies


async def test_a_device_that_does_not_know_the_command_draws_nothing(bench: DrawBench) -> None:
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        await bench.told.nth(DeviceNoted)
        bench.know_no_command()
        bench.driver.command(REQUEST)
        assert await bench.told.nth(DrawFailed) == DrawFailed(NAME, DRAW_ID, "refused: unrecognised")
        bench.driver.command(RunSelfTest(1))
        await bench.told.until(lambda: DeviceNoted(NAME, "self_test", "refused") in bench.told.bodies)


def test_of_the_draws_of_years_the_last_ones_are_remembered() -> None:
    handler = DrawHandler(NAME, timeout_s=5.0)
    for draw_id in range(KNOWN_DRAWS + 10):
        handler.on_event(EVENTS.encode(Committed(draw_id, Drawn(0, 1))), 0.0)
    assert list(handler._known) == list(range(10, KNOWN_DRAWS + 10))


async def test_forgetful_draw_system_is_broken_and_draws_once(bench: DrawBench) -> None:
    bench.device.draw_s = 60
    async with running(bench.driver.run(nothing)) as task:
        await bench.attached()
        bench.driver.command(REQUEST)
        await eventually(lambda: bench.driver._memory.handler.next_timeout() is not None)
        await bench.unplug(task)
    bench.device.forget()
    await bench.port.plug()
    async with running(bench.driver.run(nothing)):
        failed = await bench.told.nth(DrawFailed)
    assert failed == DrawFailed(NAME, DRAW_ID, "restarted and no longer knows the draw")
    assert bench.told.raised(Code.DRAW_STORAGE)
    assert bench.device.draws == []


async def test_draw_that_nobody_asked_for_is_told_all_the_same(bench: DrawBench) -> None:
    bench.device.line.send_event(EVENTS.encode(Committed(9, Drawn(1, 8))))
    async with running(bench.driver.run(nothing)):
        assert await bench.told.nth(DrawCommitted) == DrawCommitted(NAME, 9, Series.LOWER, 8)


async def test_an_answer_that_makes_no_sense_fails_the_draw(bench: DrawBench) -> None:
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        await eventually(lambda: bench.told.of(DeviceNoted))
        bench.answer_nonsense()
        bench.driver.command(REQUEST)
        await bench.told.nth(FaultCleared, 2)
    assert outcomes(bench.told) == [DrawFailed(NAME, DRAW_ID, "answered something unknown (119)")]
    assert bench.told.raised(Code.UNKNOWN_MESSAGE)
    assert bench.told.raised(Code.REFUSED_BY_DEVICE)
