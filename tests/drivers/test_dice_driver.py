"""The dice reader's driver at a real port, and its messages' bytes: each throw once, and a flawed one says so."""

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import pytest

from drivers.dice.codec import Flaw, Motion, Status, Thrown
from drivers.dice.device import DiceHandler
from drivers.link.driver import LinkedDevice
from drivers.sim.dice import SimulatedDice
from drivers.transport.serial_tcp import LinkError
from tablectl.core.facts import Body
from tablectl.core.facts.reports import DeviceNoted, DiceThrown
from tablectl.core.faults import Code
from tests.drivers.linkbench import NAME, Bench, at_port, link_driver, momentary, said
from tests.support.told import eventually, nothing, running

dice_driver = link_driver(DiceHandler)

DiceBench = Bench[SimulatedDice, LinkedDevice]


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[DiceBench]:
    async with at_port(tmp_path, SimulatedDice, dice_driver) as made:
        yield made


# --- throws


async def throws(bench: DiceBench, *thrown: Thrown) -> list[Body]:
    """What the driver makes of these throws."""
    for each in thrown:
        bench.device.throw(each.dice, each.flaw)
    async with running(bench.driver.run(nothing)):
        await bench.told.nth(DiceThrown, len(thrown))
        await eventually(lambda: bench.device.line.unacked == 0)
    return said(bench.told, DeviceNoted)


async def test_a_throw_is_told_with_its_faces(bench: DiceBench) -> None:
    assert await throws(bench, Thrown((4, 4, 6)), Thrown((1, 2, 3))) == [
        DiceThrown(NAME, (4, 4, 6)),
        DiceThrown(NAME, (1, 2, 3)),
    ]


async def test_a_shaker_of_four_dice_is_a_matter_of_setting(tmp_path: Path) -> None:
    async with at_port(
        tmp_path,
        lambda port: SimulatedDice(port, dice=4),
        partial(dice_driver, dice=4),
    ) as bench:
        faces = bench.device.throw()
        assert await throws(bench, Thrown((1, 2, 3))) == [
            DiceThrown(NAME, faces),
            *momentary(Code.DICE_COUNT, "3 dice, not 4"),
            DiceThrown(NAME, (1, 2, 3), "missing"),
        ]
    assert len(faces) == 4


@pytest.mark.parametrize(
    ("flaw", "text"),
    [
        (Flaw.COCKED, "cocked"),
        (Flaw.STACKED, "stacked"),
        (Flaw.OUTSIDE, "outside"),
        (Flaw.MISSING, "missing"),
        (Flaw.EXTRA, "extra"),
        (Flaw.UNSURE, "unsure"),
        (Flaw.MOVED, "moved"),
    ],
)
@pytest.mark.parametrize("dice", [(), (1, 2), (1, 2, 3), (1, 2, 3, 4)])
async def test_a_flawed_throw_names_its_flaw_whatever_was_read(
    bench: DiceBench, flaw: Flaw, text: str, dice: tuple[int, ...]
) -> None:
    assert await throws(bench, Thrown(dice, flaw)) == [DiceThrown(NAME, dice, text)]


@pytest.mark.parametrize(("dice", "flaw"), [((), "missing"), ((1, 2), "missing"), ((1, 2, 3, 4), "extra")])
async def test_throw_with_a_wrong_number_of_dice_is_a_fault(bench: DiceBench, dice: tuple[int, ...], flaw: str) -> None:
    counted = f"{len(dice)} dice, not 3"
    assert await throws(bench, Thrown(dice)) == [*momentary(Code.DICE_COUNT, counted), DiceThrown(NAME, dice, flaw)]


@pytest.mark.parametrize("face", [0, 7, 255])
async def test_a_throw_with_an_unread_die_is_unsure(bench: DiceBench, face: int) -> None:
    assert await throws(bench, Thrown((1, face, 3))) == [DiceThrown(NAME, (1, 3), "unsure")]


async def test_a_flaw_that_nobody_knows_is_a_flaw(bench: DiceBench) -> None:
    assert await throws(bench, Thrown((1, 2, 3), 99)) == [
        *momentary(Code.UNKNOWN_MESSAGE, "flaw 99"),
        DiceThrown(NAME, (1, 2, 3), "unsure"),
    ]


async def test_shaking_settling_and_the_cover_are_recorded(bench: DiceBench) -> None:
    async with running(bench.driver.run(nothing)):
        await bench.told.nth(DeviceNoted)
        bench.device.shake()
        bench.device.settle()
        bench.device.open_cover()
        bench.device.close_cover()
        await bench.told.nth(DeviceNoted, 5)
    noted = [noted.report for noted in bench.told.of(DeviceNoted)]
    assert noted == ["dice_status", "shaking", "settled", "cover_opened", "cover_closed"]


async def test_the_reader_s_state_is_recorded_when_it_comes(bench: DiceBench) -> None:
    bench.device.status = Status(Motion.SHAKEN, cover_open=True)
    async with running(bench.driver.run(nothing)):
        assert await bench.told.nth(DeviceNoted) == DeviceNoted(NAME, "dice_status", "shaken, cover open")


# --- each throw once


async def test_plug_pulled_at_any_moment_loses_and_repeats_no_throw(bench: DiceBench) -> None:
    for nth in range(1, 10):
        async with running(bench.driver.run(nothing)) as task:
            bench.device.throw()
            await asyncio.sleep(nth * 0.001)
            await bench.port.unplug()
            with pytest.raises(LinkError):
                await task
        await bench.port.plug()
    async with running(bench.driver.run(nothing)):
        await eventually(lambda: bench.device.line.unacked == 0)
    assert [thrown.dice for thrown in bench.told.of(DiceThrown)] == bench.device.throws
