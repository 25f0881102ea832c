"""The draw system's driver at a real port: each draw is made once, told once, and never with impossible values."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from drivers.draw.codec import encode_event
from drivers.draw.driver import DrawDriver, DrawSettings, Expected
from drivers.draw.messages import Committed, DrawFault, Drawn, NotDrawn
from drivers.draw.telling import FAULTS, KNOWN_DRAWS, DrawDuty
from drivers.link import LinkError, WrongDeviceError
from drivers.sim.buzzer import SIMULATED_BUZZER
from drivers.sim.draw import SimulatedDraw
from tablectl.core.draw import Series
from tablectl.core.effects import BlankDisplay, RequestDraw, ShuffleCards
from tablectl.core.facts import (
    Body,
    DeviceAttached,
    DeviceNoted,
    DrawCommitted,
    DrawFailed,
    FaultCleared,
    FaultRaised,
)
from tablectl.core.faults import Code
from tests.drivers.linkbench import NAME, Bench, at_port, momentary, said
from tests.support.told import Told, eventually, nothing, running

DRAW_ID = 0x1234_5678_9ABC_DEF0
REQUEST = RequestDraw(DRAW_ID, "t-7")
DrawBench = Bench[SimulatedDraw, DrawDriver]


def settings(folder: Path) -> DrawSettings:
    return DrawSettings(NAME, "serial:port", 115200, folder, simulated=True)


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[DrawBench]:
    async with at_port(
        tmp_path, SimulatedDraw, lambda told, clock: DrawDriver(settings(tmp_path), told, clock)
    ) as made:
        yield made


def kept(bench: DrawBench, draw_id: int = DRAW_ID) -> DrawCommitted:
    """The fact that the simulator's own memory of a draw would be."""
    series, combination = bench.device._store[draw_id].result
    return DrawCommitted(NAME, draw_id, [Series.UPPER, Series.LOWER][series], combination)


def outcomes(told: Told) -> list[Body]:
    return [body for body in told.bodies if isinstance(body, DrawCommitted | DrawFailed)]


async def told_nothing_more(bench: DrawBench) -> None:
    """What the device says next is the next thing told."""
    bench.device.raise_fault(DrawFault.ENTROPY_SLOW)
    await bench.told.until(lambda: bench.told.raised(Code.DRAW_ENTROPY_SLOW))


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


async def test_commands_for_other_devices_are_ignored(bench: DrawBench) -> None:
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.driver.command(ShuffleCards(1))
        bench.driver.command(BlankDisplay(1))
        await told_nothing_more(bench)
    assert outcomes(bench.told) == []
    assert bench.device.draws == []


async def test_a_draw_that_takes_too_long_is_a_fault_until_it_is_made(bench: DrawBench, tmp_path: Path) -> None:
    bench.device.draw_s = 0.2
    driver = DrawDriver(replace(settings(tmp_path), timeout_s=0.03), bench.told, bench.clock)
    async with running(driver.run(nothing)):
        await bench.attached()
        driver.command(REQUEST)
        await bench.told.nth(DrawCommitted)
    assert said(bench.told, DeviceNoted) == [
        FaultRaised(Code.DRAW_TIMEOUT, NAME),
        FaultCleared(Code.DRAW_TIMEOUT, NAME),
        kept(bench),
    ]


# --- unplugging, restarting, losing power


async def test_a_draw_asked_for_while_the_device_is_away_is_made_when_it_comes(bench: DrawBench) -> None:
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
async def test_a_plug_pulled_after_any_frame_of_the_device_makes_no_second_draw(bench: DrawBench, frames: int) -> None:
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
        async with asyncio.timeout(5):
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
async def test_power_lost_at_any_moment_leaves_one_draw_or_none_and_the_table_knows(
    bench: DrawBench, at_s: float
) -> None:
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


async def test_a_reply_and_a_restart_in_one_read_make_one_draw(bench: DrawBench) -> None:
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


async def test_a_draw_that_failed_with_the_power_is_not_made_later(bench: DrawBench) -> None:
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
    restarted = DrawDriver(settings(tmp_path), told, bench.clock, delivered=deliveries[-1] if remembered else "")
    restarted.command(REQUEST)
    async with running(restarted.run(nothing)):
        await told.nth(DrawCommitted)
    assert outcomes(told) == [kept(bench)]
    assert bench.device.draws == [DRAW_ID]


async def test_a_draw_that_the_journal_holds_is_not_told_again_after_a_restart(
    bench: DrawBench, tmp_path: Path
) -> None:
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
    restarted = DrawDriver(settings(tmp_path), told, bench.clock, delivered=last)
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


# --- what a draw system must not do


@pytest.mark.parametrize("drawn", [Drawn(2, 1), Drawn(0, 0), Drawn(1, 9), Drawn(255, 255)])
@pytest.mark.parametrize("by_event", [True, False])
async def test_impossible_values_are_a_fault_and_no_draw(bench: DrawBench, drawn: Drawn, *, by_event: bool) -> None:
    if by_event:
        bench.device.line.tell(encode_event(Committed(DRAW_ID, drawn)))
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


async def test_other_values_for_a_known_draw_are_a_fault_and_no_draw(bench: DrawBench) -> None:
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.device.line.tell(encode_event(Committed(DRAW_ID, Drawn(0, 3))))
        bench.device.line.tell(encode_event(Committed(DRAW_ID, Drawn(0, 3))))
        bench.device.line.tell(encode_event(Committed(DRAW_ID, Drawn(0, 4))))
        await told_nothing_more(bench)
    assert outcomes(bench.told) == [DrawCommitted(NAME, DRAW_ID, Series.UPPER, 3)]
    conflict = momentary(Code.DRAW_ID_CONFLICT, f"draw {DRAW_ID}: 00 03 then 00 04")
    again = DeviceNoted(NAME, "draw_said_again", str(DRAW_ID))
    noted = [body for body in said(bench.told) if body in (*conflict, again)]
    assert [each for each in noted if each in conflict] == conflict
    assert again in noted


async def test_a_draw_that_failed_and_is_made_all_the_same_is_a_conflict(bench: DrawBench) -> None:
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        for event in (
            NotDrawn(9, 1),
            NotDrawn(9, 1),
            Committed(9, Drawn(1, 8)),
            Committed(8, Drawn(0, 1)),
            NotDrawn(8, 1),
        ):
            bench.device.line.tell(encode_event(event))
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
        bench.driver.self_test()
        await bench.told.until(lambda: DeviceNoted(NAME, "self_test", "refused") in bench.told.bodies)


async def test_an_event_that_nobody_knows_is_recorded_and_a_fault(bench: DrawBench) -> None:
    bench.device.line.tell(b"\x63")
    async with running(bench.driver.run(nothing)):
        await bench.told.until(lambda: DeviceNoted(NAME, "not_understood", "99") in bench.told.bodies)
    assert bench.told.raised(Code.UNKNOWN_MESSAGE)


def test_of_the_draws_of_years_the_last_ones_are_remembered() -> None:
    duty = DrawDuty(NAME, 5.0)
    for draw_id in range(KNOWN_DRAWS + 10):
        duty.heard(encode_event(Committed(draw_id, Drawn(0, 1))), 0.0)
    assert list(duty._known) == list(range(10, KNOWN_DRAWS + 10))


async def test_a_draw_system_that_forgets_what_it_began_is_broken_and_does_not_draw_again(bench: DrawBench) -> None:
    bench.device.draw_s = 60
    async with running(bench.driver.run(nothing)) as task:
        await bench.attached()
        bench.driver.command(REQUEST)
        await eventually(lambda: bench.driver._duty._operations.next_deadline() is not None)
        await bench.unplug(task)
    bench.device.forget()
    await bench.port.plug()
    async with running(bench.driver.run(nothing)):
        failed = await bench.told.nth(DrawFailed)
    assert failed == DrawFailed(NAME, DRAW_ID, "restarted and no longer knows the draw")
    assert bench.told.raised(Code.DRAW_STORAGE)
    assert bench.device.draws == []


async def test_a_draw_that_nobody_asked_for_is_told_all_the_same(bench: DrawBench) -> None:
    bench.device.line.tell(encode_event(Committed(9, Drawn(1, 8))))
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


# --- the watch over the random source


async def test_a_stuck_source_is_a_fault_and_draws_nothing_until_a_self_test_passes(bench: DrawBench) -> None:
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
        bench.driver.self_test()
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


async def test_a_source_that_is_dead_at_the_start_fails_the_self_test_as_well(bench: DrawBench) -> None:
    bench.device.stuck = 0
    bench.device.cut_power()
    async with running(bench.driver.run(nothing)):
        await bench.told.until(lambda: bench.told.raised(Code.DRAW_RNG_STARTUP))
        bench.driver.self_test()
        await bench.told.until(lambda: DeviceNoted(NAME, "self_test", "rng_startup") in bench.told.bodies)
        bench.driver.command(REQUEST)
        await bench.told.nth(DrawFailed)
    assert bench.told.cleared(Code.DRAW_RNG_STARTUP) == []
    assert bench.device.draws == []


async def test_the_random_source_s_state_is_recorded_when_the_device_comes(bench: DrawBench) -> None:
    async with running(bench.driver.run(nothing)):
        assert await bench.told.nth(DeviceNoted) == DeviceNoted(NAME, "rng_status", "good 1024")


# --- identity and faults


async def test_a_buzzer_at_the_draw_system_s_port_is_not_used(tmp_path: Path) -> None:
    async with at_port(
        tmp_path,
        lambda port: SimulatedDraw(port, identity=SIMULATED_BUZZER),
        lambda told, clock: DrawDriver(settings(tmp_path), told, clock),
    ) as bench:
        with pytest.raises(WrongDeviceError, match="it is a buzzer, not a draw system"):
            await bench.driver.run(nothing)
        assert bench.told.of(DeviceAttached) == []


async def test_another_draw_system_than_the_approved_one_is_not_used(bench: DrawBench, tmp_path: Path) -> None:
    approved = replace(settings(tmp_path), expect=Expected(serial="A-17"))
    with pytest.raises(WrongDeviceError, match="approved is 'A-17'"):
        await DrawDriver(approved, bench.told, bench.clock).run(nothing)


@pytest.mark.parametrize("number", [*FAULTS, 99])
async def test_each_fault_of_the_device_is_one_of_the_catalogue(bench: DrawBench, number: int) -> None:
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.device.raise_fault(number)
        bench.device.clear_fault(number)
        await bench.told.nth(FaultCleared)
    code = FAULTS.get(number, Code.DRAW_UNKNOWN_ERROR)
    assert said(bench.told, DeviceNoted) == [
        FaultRaised(code, NAME, f"fault {number}"),
        FaultCleared(code, NAME),
    ]


def test_no_two_faults_of_the_device_are_one_of_the_catalogue() -> None:
    assert len(set(FAULTS.values())) == len(FAULTS)
