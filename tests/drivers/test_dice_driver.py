"""The dice reader's driver at a real port, and its messages' bytes: each throw once, and a flawed one says so."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from drivers.dice.codec import (
    Flaw,
    Motion,
    Status,
    Thrown,
)
from drivers.dice.device import FAULTS, DiceHandler
from drivers.link.driver import LinkedDevice
from drivers.sim.buzzer import SIMULATED_BUZZER
from drivers.sim.dice import SimulatedDice
from drivers.transport.serial_tcp import LinkError, WrongDeviceError
from tablectl.core.effects import RequestDraw, Signal, SoundSignal
from tablectl.core.facts import Body, DeviceNoted, DiceThrown, FaultCleared, FaultRaised
from tablectl.core.faults import Code
from tests.drivers.linkbench import NAME, Bench, at_port, link_driver, momentary, said, settings
from tests.support.told import Told, eventually, nothing, running

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
async def test_a_throw_of_another_number_of_dice_is_a_fault_and_never_valid(
    bench: DiceBench, dice: tuple[int, ...], flaw: str
) -> None:
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


async def test_commands_are_ignored(bench: DiceBench) -> None:
    async with running(bench.driver.run(nothing)):
        await bench.told.nth(DeviceNoted)
        bench.driver.command(RequestDraw(1, "t-1"))
        bench.driver.command(SoundSignal(1, Signal.TIME_IS_UP))
        bench.device.shake()
        await bench.told.nth(DeviceNoted, 2)
    assert len(bench.told.bodies) == 3


async def test_an_answer_that_makes_no_sense_is_a_fault_and_no_more(bench: DiceBench) -> None:
    bench.answer_nonsense()
    async with running(bench.driver.run(nothing)):
        await bench.told.nth(FaultCleared)
        bench.device.throw((1, 2, 3))
        await bench.told.nth(DiceThrown)
    assert said(bench.told) == [*momentary(Code.UNKNOWN_MESSAGE, "reply 119"), DiceThrown(NAME, (1, 2, 3))]


async def test_a_reader_that_does_not_know_the_command_is_used_all_the_same(bench: DiceBench) -> None:
    bench.know_no_command()
    async with running(bench.driver.run(nothing)):
        await eventually(lambda: bench.device.line.session.counters.naks_sent)
        bench.device.throw((1, 2, 3))
        await bench.told.nth(DiceThrown)
    assert said(bench.told) == [DiceThrown(NAME, (1, 2, 3))]


async def test_an_event_that_nobody_knows_is_recorded_and_a_fault(bench: DiceBench) -> None:
    bench.device.line.send_event(b"\x63")
    async with running(bench.driver.run(nothing)):
        await bench.told.until(lambda: DeviceNoted(NAME, "not_understood", "99") in bench.told.bodies)
    assert bench.told.raised(Code.UNKNOWN_MESSAGE)


# --- each throw once


async def test_a_plug_pulled_at_any_moment_loses_and_repeats_no_throw(bench: DiceBench) -> None:
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


async def test_a_throw_that_the_journal_holds_is_not_told_again_after_a_restart(
    bench: DiceBench, tmp_path: Path
) -> None:
    async with running(bench.driver.run(nothing)) as task:
        await bench.attached()
        await bench.told.nth(DeviceNoted)
        bench.drop_what_the_host_writes()
        bench.device.throw((1, 2, 3))
        await bench.told.nth(DiceThrown)
        await bench.unplug(task)
    assert bench.device.line.unacked == 1
    await bench.port.plug()
    bench.hear_the_host_again()
    told, last = Told(), bench.told.reports[-1].delivery
    restarted = dice_driver(settings(tmp_path), told, bench.clock, delivered=last)
    async with running(restarted.run(nothing)):
        await eventually(lambda: bench.device.line.unacked == 0)
        bench.device.throw((4, 5, 6))
        await told.nth(DiceThrown)
    assert told.of(DiceThrown) == [DiceThrown(NAME, (4, 5, 6))]


async def test_throws_that_the_reader_could_not_keep_are_a_fault(bench: DiceBench) -> None:
    for _ in range(70):
        bench.device.throw()
    async with running(bench.driver.run(nothing)):
        await bench.told.nth(DiceThrown, 64)
        await eventually(lambda: bench.device.line.unacked == 0)
    assert bench.told.raised(Code.EVENT_GAP) == [FaultRaised(Code.EVENT_GAP, NAME, "events 1 to 6")]
    assert [thrown.dice for thrown in bench.told.of(DiceThrown)] == bench.device.throws[6:]


# --- faults and identity


@pytest.mark.parametrize("number", [*FAULTS, 99])
async def test_each_fault_of_the_device_is_one_of_the_catalogue(bench: DiceBench, number: int) -> None:
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.device.raise_fault(number)
        bench.device.clear_fault(number)
        await bench.told.nth(FaultCleared)
    code = FAULTS.get(number, Code.UNKNOWN_MESSAGE)
    assert said(bench.told, DeviceNoted) == [
        FaultRaised(code, NAME, f"fault {number}"),
        FaultCleared(code, NAME),
    ]


def test_no_two_faults_of_the_device_are_one_of_the_catalogue() -> None:
    assert len(set(FAULTS.values())) == len(FAULTS)


@pytest.mark.parametrize("known_before", [True, False])
async def test_faults_end_where_the_reader_was_started_anew(
    bench: DiceBench, tmp_path: Path, *, known_before: bool
) -> None:
    delivered = f"{bench.device.line.boot if not known_before else 1:08x}:1"
    driver = dice_driver(settings(tmp_path), bench.told, bench.clock, delivered=delivered)
    async with running(driver.run(nothing)):
        await bench.told.nth(DeviceNoted)
    ended = {fault.code for fault in bench.told.of(FaultCleared)}
    assert ended == ({*FAULTS.values(), Code.UNKNOWN_MESSAGE} if known_before else set())


async def test_a_buzzer_at_the_reader_s_port_is_not_used(tmp_path: Path) -> None:
    async with at_port(
        tmp_path,
        lambda port: SimulatedDice(port, identity=replace(SIMULATED_BUZZER)),
        dice_driver,
    ) as bench:
        with pytest.raises(WrongDeviceError, match="it is a buzzer, not a dice reader"):
            await bench.driver.run(nothing)
