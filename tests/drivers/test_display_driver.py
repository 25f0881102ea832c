"""The display's driver at a real port: a draw counts as shown only when the display reads it back."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from drivers.display import device
from drivers.display.codec import DisplayFault, Reading, Seen
from drivers.display.codec import ShowDraw as Picture
from drivers.display.device import DisplayHandler
from drivers.link.driver import LinkedDevice
from drivers.sim.display import SimulatedDisplay
from drivers.transport.serial_tcp import LinkError
from tablectl.core.effects import BlankDisplay, ShowDraw, ShowTestPattern
from tablectl.core.facts import FaultCleared, FaultRaised
from tablectl.core.facts.reports import DeviceNoted, DrawShown
from tablectl.core.faults import Code
from tablectl.core.outcomes import Series
from tests.drivers.linkbench import NAME, Bench, at_port, link_driver, momentary, said, settings
from tests.support.told import nothing, running

display_driver = link_driver(DisplayHandler)

SHOW = ShowDraw(42, Series.LOWER, 3)
SHOWN = DrawShown(NAME, 42, Series.LOWER, 3)
PICTURE = Picture(42, 1, 3)
DisplayBench = Bench[SimulatedDisplay, LinkedDevice]


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[DisplayBench]:
    async with at_port(tmp_path, SimulatedDisplay, display_driver) as made:
        yield made


async def told_nothing_more(bench: DisplayBench) -> None:
    """What the device says next is the next thing told."""
    bench.device.raise_fault(DisplayFault.SEGMENT)
    await bench.told.until(lambda: bench.told.raised(Code.DISPLAY_SEGMENT))


async def test_a_draw_is_shown_and_read_back(bench: DisplayBench) -> None:
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.driver.command(SHOW)
        assert await bench.told.nth(DrawShown) == SHOWN
    assert bench.device.shown == PICTURE
    assert said(bench.told) == [SHOWN]


async def test_a_draw_shown_again_is_told_once(bench: DisplayBench) -> None:
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        for _ in range(3):
            bench.driver.command(SHOW)
        await bench.told.nth(DrawShown)
        bench.driver.command(SHOW)
        await told_nothing_more(bench)
    assert bench.device.pictures == [PICTURE]
    assert bench.told.of(DrawShown) == [SHOWN]


async def test_a_display_is_blanked_and_read_back(bench: DisplayBench) -> None:
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.driver.command(SHOW)
        await bench.told.nth(DrawShown)
        bench.driver.command(BlankDisplay(42))
        assert await bench.told.nth(DeviceNoted) == DeviceNoted(NAME, "display_blanked", "42")
    assert bench.device.pictures == [PICTURE, Seen.NOTHING]


async def test_of_two_pictures_asked_for_at_once_newer_is_shown(bench: DisplayBench) -> None:
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.driver.command(BlankDisplay(41))
        bench.driver.command(SHOW)
        await bench.told.nth(DrawShown)
    assert bench.device.shown == PICTURE
    assert said(bench.told, DeviceNoted) == [SHOWN]


@pytest.mark.parametrize(
    ("seen", "words"),
    [
        (Picture(42, 1, 4), "lower 4 of draw 42"),
        (Picture(41, 1, 3), "lower 3 of draw 41"),
        (Picture(42, 9, 3), "series 9 3 of draw 42"),
        (Seen.NOTHING, "nothing"),
        (Seen.SOMETHING_ELSE, "something else"),
    ],
)
async def test_display_showing_something_else_is_a_fault(bench: DisplayBench, seen: Reading, words: str) -> None:
    bench.device.broken = seen
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.driver.command(SHOW)
        await bench.told.nth(FaultRaised)
        await told_nothing_more(bench)
    mismatch = FaultRaised(Code.DISPLAY_MISMATCH, NAME, f"shows {words}, not lower 3 of draw 42")
    assert bench.told.raised(Code.DISPLAY_MISMATCH) == [mismatch]
    assert bench.told.of(DrawShown) == []
    assert bench.device.pictures == [PICTURE]


async def test_display_that_comes_right_ends_fault_and_draw_is_shown(
    bench: DisplayBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(device, "READ_AGAIN_S", 0.02)
    bench.device.broken = Seen.SOMETHING_ELSE
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.driver.command(SHOW)
        await bench.told.nth(FaultRaised)
        bench.device.broken = None
        await bench.told.nth(DrawShown)
    assert said(bench.told)[1:] == [FaultCleared(Code.DISPLAY_MISMATCH, NAME), SHOWN]
    assert bench.device.pictures == [PICTURE]


async def test_a_display_that_cannot_be_blanked_is_a_fault(bench: DisplayBench) -> None:
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.driver.command(SHOW)
        await bench.told.nth(DrawShown)
        bench.device.broken = PICTURE
        bench.driver.command(BlankDisplay(42))
        fault = await bench.told.nth(FaultRaised)
    assert fault == FaultRaised(Code.DISPLAY_MISMATCH, NAME, "shows lower 3 of draw 42, not nothing")
    assert bench.told.of(DeviceNoted) == []


async def test_refused_picture_is_a_fault_and_not_asked_for_again(bench: DisplayBench) -> None:
    bench.device.refuses = DisplayFault.SEGMENT
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.driver.command(SHOW)
        await bench.told.nth(FaultCleared)
        await told_nothing_more(bench)
    assert said(bench.told)[:2] == momentary(Code.REFUSED_BY_DEVICE, "refused: segment")
    assert bench.told.of(DrawShown) == []


async def test_refused_picture_that_table_asks_for_again_is_tried_again(bench: DisplayBench) -> None:
    bench.device.refuses = DisplayFault.SEGMENT
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.driver.command(SHOW)
        await bench.told.nth(FaultCleared)
        bench.device.refuses = None
        bench.driver.command(SHOW)
        assert await bench.told.nth(DrawShown) == SHOWN


async def test_a_display_that_does_not_know_a_command_shows_nothing(bench: DisplayBench) -> None:
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.know_no_command()
        bench.driver.command(SHOW)
        await bench.told.nth(FaultCleared)
    assert said(bench.told) == momentary(Code.REFUSED_BY_DEVICE, "refused: unrecognised")


async def test_an_answer_that_makes_no_sense_shows_nothing(bench: DisplayBench) -> None:
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.answer_nonsense()
        bench.driver.command(SHOW)
        await bench.told.nth(FaultCleared, 2)
    assert [fault.code for fault in bench.told.of(FaultRaised)] == [Code.UNKNOWN_MESSAGE, Code.REFUSED_BY_DEVICE]
    assert bench.told.of(DrawShown) == []


async def test_display_unplugged_at_any_moment_shows_the_draw_finally(bench: DisplayBench) -> None:
    bench.driver.command(SHOW)
    for nth in range(1, 10):
        async with running(bench.driver.run(nothing)) as task:
            await asyncio.sleep(nth * 0.001)
            await bench.port.unplug()
            with pytest.raises(LinkError):
                await task
        await bench.port.plug()
    before = len(bench.told.bodies)
    async with running(bench.driver.run(nothing)):
        await bench.told.until(lambda: SHOWN in bench.told.bodies[before:])
        await told_nothing_more(bench)
    assert bench.told.bodies[before:].count(SHOWN) == 1
    assert bench.device.shown == PICTURE


async def test_repowered_display_gets_its_picture_back(bench: DisplayBench) -> None:
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.driver.command(SHOW)
        await bench.told.nth(DrawShown)
        bench.device.cut_power()
        await bench.told.nth(DrawShown, 2)
        assert bench.device.shown == PICTURE
        await told_nothing_more(bench)
    assert bench.told.of(DrawShown) == [SHOWN, SHOWN]


async def test_a_display_changed_while_it_was_away_is_a_fault(bench: DisplayBench) -> None:
    async with running(bench.driver.run(nothing)) as task:
        await bench.attached()
        bench.driver.command(SHOW)
        await bench.told.nth(DrawShown)
        await bench.unplug(task)
    bench.device.broken = Seen.NOTHING
    await bench.port.plug()
    async with running(bench.driver.run(nothing)):
        fault = await bench.told.nth(FaultRaised)
    assert fault.code == Code.DISPLAY_MISMATCH


async def test_a_fault_of_the_display_makes_the_driver_look_again(bench: DisplayBench) -> None:
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.driver.command(SHOW)
        await bench.told.nth(DrawShown)
        bench.device.broken = Seen.SOMETHING_ELSE
        bench.device.raise_fault(DisplayFault.SEGMENT)
        await bench.told.until(lambda: bench.told.raised(Code.DISPLAY_MISMATCH))


async def test_a_restarted_daemon_may_have_the_draw_shown_again(bench: DisplayBench, tmp_path: Path) -> None:
    async with running(bench.driver.run(nothing)) as task:
        await bench.attached()
        bench.driver.command(SHOW)
        await bench.told.nth(DrawShown)
        await bench.unplug(task)
    await bench.port.plug()
    restarted = display_driver(settings(tmp_path), bench.told, bench.clock, delivered="00000001:1")
    restarted.command(SHOW)
    async with running(restarted.run(nothing)):
        await bench.told.nth(DrawShown, 2)
    assert bench.told.of(DrawShown) == [SHOWN, SHOWN]


async def test_a_test_pattern_waits_while_a_draw_is_shown(bench: DisplayBench) -> None:
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.driver.command(SHOW)
        await bench.told.nth(DrawShown)
        bench.driver.command(ShowTestPattern(1))
        bench.driver.command(BlankDisplay(42))
        await bench.told.until(lambda: DeviceNoted(NAME, "test_pattern") in bench.told.bodies)
    assert bench.device.pictures == [PICTURE, Seen.NOTHING, Seen.TEST_PATTERN]
    assert bench.told.of(FaultRaised) == []


async def test_a_draw_ends_the_test_pattern(bench: DisplayBench) -> None:
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.driver.command(ShowTestPattern(1))
        await bench.told.nth(DeviceNoted)
        bench.driver.command(SHOW)
        await bench.told.nth(DrawShown)
    assert bench.device.pictures == [Seen.TEST_PATTERN, PICTURE]
