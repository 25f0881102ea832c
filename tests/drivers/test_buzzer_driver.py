"""The buzzer's driver at a real port, and its messages' bytes: each signal sounds once, in time or not at all."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from drivers.buzzer.codec import BuzzerFault, Pattern
from drivers.buzzer.device import KNOWN_SIGNALS, BuzzerHandler
from drivers.link.driver import LinkedDevice
from drivers.sim.buzzer import SimulatedBuzzer
from drivers.transport.serial_tcp import LinkError
from tablectl.core.effects import Signal, SoundSignal
from tablectl.core.facts import Body, FaultCleared
from tablectl.core.facts.reports import DeviceNoted, SignalFailed, SignalSounded
from tablectl.core.faults import Code
from tests.drivers.linkbench import NAME, Bench, at_port, link_driver, momentary, said, settings
from tests.support.told import Told, eventually, nothing, running

buzzer_driver = link_driver(BuzzerHandler)

OP = 0x1234_5678_9ABC_DEF0
TIME_IS_UP = SoundSignal(OP, Signal.TIME_IS_UP)
BuzzerBench = Bench[SimulatedBuzzer, LinkedDevice]


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[BuzzerBench]:
    async with at_port(tmp_path, SimulatedBuzzer, buzzer_driver) as made:
        yield made


def outcomes(told: Told) -> list[Body]:
    return [body for body in told.bodies if isinstance(body, SignalSounded | SignalFailed)]


async def told_nothing_more(bench: BuzzerBench) -> None:
    """What the device says next is the next thing told."""
    bench.device.raise_fault(BuzzerFault.UNVERIFIED)
    await bench.told.until(lambda: bench.told.raised(Code.BUZZER_UNVERIFIED))


# --- sounding


@pytest.mark.parametrize(
    ("signal", "pattern"),
    [(Signal.TIME_IS_UP, Pattern.TIME_IS_UP), (Signal.NO_MORE_BETS, Pattern.NO_MORE_BETS)],
)
async def test_a_signal_sounds_by_its_pattern(bench: BuzzerBench, signal: Signal, pattern: Pattern) -> None:
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.driver.command(SoundSignal(OP, signal))
        await bench.told.nth(SignalSounded)
    assert said(bench.told) == [SignalSounded(NAME, OP, verified=True)]
    assert bench.device.sounds == [(OP, pattern)]


async def test_a_signal_asked_for_again_sounds_once(bench: BuzzerBench) -> None:
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        for _ in range(3):
            bench.driver.command(TIME_IS_UP)
        await bench.told.nth(SignalSounded)
        bench.driver.command(TIME_IS_UP)
        await told_nothing_more(bench)
    assert outcomes(bench.told) == [SignalSounded(NAME, OP)]
    assert bench.device.sounds == [(OP, Pattern.TIME_IS_UP)]


async def test_two_signals_sound_one_after_the_other(bench: BuzzerBench) -> None:
    bench.device.sound_s = 0.02
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.driver.command(TIME_IS_UP)
        bench.driver.command(SoundSignal(OP + 1, Signal.NO_MORE_BETS))
        await bench.told.nth(SignalSounded, 2)
    assert bench.device.sounds == [(OP, Pattern.TIME_IS_UP), (OP + 1, Pattern.NO_MORE_BETS)]
    assert outcomes(bench.told) == [SignalSounded(NAME, OP), SignalSounded(NAME, OP + 1)]


async def test_signal_of_unknown_outcome_is_a_fault(bench: BuzzerBench) -> None:
    bench.device.verifies = False
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.driver.command(TIME_IS_UP)
        await bench.told.nth(SignalSounded)
    assert said(bench.told) == [*momentary(Code.BUZZER_UNVERIFIED), SignalSounded(NAME, OP, verified=False)]


async def test_a_buzzer_without_current_fails_the_signal(bench: BuzzerBench) -> None:
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.device.raise_fault(BuzzerFault.NO_CURRENT)
        bench.driver.command(TIME_IS_UP)
        assert await bench.told.nth(SignalFailed) == SignalFailed(NAME, OP, "no_current")
    assert bench.told.raised(Code.BUZZER_NO_CURRENT)
    assert bench.device.sounds == []


async def test_a_muted_buzzer_refuses_the_signal(bench: BuzzerBench) -> None:
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.device.raise_fault(BuzzerFault.MUTED)
        bench.driver.command(TIME_IS_UP)
        await bench.told.nth(SignalFailed)
        await bench.told.nth(FaultCleared)
    assert outcomes(bench.told) == [SignalFailed(NAME, OP, "refused: muted")]
    assert bench.told.raised(Code.REFUSED_BY_DEVICE)


async def test_signal_over_time_has_failed_once(bench: BuzzerBench, tmp_path: Path) -> None:
    bench.device.sound_s = 0.1
    driver = buzzer_driver(settings(tmp_path), bench.told, bench.clock, timeout_s=0.03)
    async with running(driver.run(nothing)):
        await bench.attached()
        driver.command(TIME_IS_UP)
        await bench.told.nth(SignalFailed)
        await bench.told.nth(DeviceNoted)
    assert said(bench.told) == [
        SignalFailed(NAME, OP, "not over in time"),
        DeviceNoted(NAME, "signal_said_again", str(OP)),
    ]


async def test_an_answer_that_makes_no_sense_fails_the_signal(bench: BuzzerBench) -> None:
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.answer_nonsense()
        bench.driver.command(TIME_IS_UP)
        await bench.told.nth(FaultCleared, 2)
    assert outcomes(bench.told) == [SignalFailed(NAME, OP, "answered something unknown (119)")]


async def test_buzzer_that_does_not_know_the_command_fails_the_signal(bench: BuzzerBench) -> None:
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.know_no_command()
        bench.driver.command(TIME_IS_UP)
        assert await bench.told.nth(SignalFailed) == SignalFailed(NAME, OP, "refused: unrecognised")


async def test_of_the_signals_of_years_the_last_ones_are_remembered(bench: BuzzerBench) -> None:
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        for number in range(1, KNOWN_SIGNALS + 10):
            bench.driver.command(SoundSignal(number, Signal.TIME_IS_UP))
            await bench.told.nth(SignalSounded, number)
        bench.driver.command(SoundSignal(KNOWN_SIGNALS + 9, Signal.TIME_IS_UP))
        await told_nothing_more(bench)
    assert len(bench.device.sounds) == KNOWN_SIGNALS + 9


# --- unplugging, restarting


async def test_signal_for_a_long_absent_buzzer_does_not_sound(bench: BuzzerBench) -> None:
    bench.driver.command(TIME_IS_UP)
    bench.clock.ahead_s += 3.1
    async with running(bench.driver.run(nothing)):
        assert await bench.told.nth(SignalFailed) == SignalFailed(NAME, OP, "too late")
    assert bench.device.sounds == []


async def test_a_signal_asked_for_just_before_the_buzzer_came_sounds(bench: BuzzerBench) -> None:
    bench.driver.command(TIME_IS_UP)
    async with running(bench.driver.run(nothing)):
        await bench.told.nth(SignalSounded)
    assert bench.device.sounds == [(OP, Pattern.TIME_IS_UP)]


async def test_signal_that_sounded_while_the_buzzer_was_away_is_told(bench: BuzzerBench) -> None:
    bench.device.sound_s = 0.02
    async with running(bench.driver.run(nothing)) as task:
        await bench.attached()
        bench.driver.command(TIME_IS_UP)
        await eventually(lambda: bench.device.sounds)
        await bench.unplug(task)
    await eventually(lambda: bench.device.line.unacked)
    bench.clock.ahead_s += 60
    await bench.port.plug()
    async with running(bench.driver.run(nothing)):
        await bench.told.until(lambda: outcomes(bench.told))
    assert outcomes(bench.told) == [SignalSounded(NAME, OP)]


async def test_a_plug_pulled_at_any_moment_makes_no_second_sound(bench: BuzzerBench) -> None:
    bench.device.sound_s = 0.01
    bench.driver.command(TIME_IS_UP)
    for nth in range(1, 12):
        async with running(bench.driver.run(nothing)) as task:
            await asyncio.sleep(nth * 0.0015)
            await bench.port.unplug()
            with pytest.raises(LinkError):
                await task
        await bench.port.plug()
    async with running(bench.driver.run(nothing)):
        await bench.told.until(lambda: outcomes(bench.told))
        await told_nothing_more(bench)
    assert bench.device.sounds == [(OP, Pattern.TIME_IS_UP)]
    assert outcomes(bench.told) == [SignalSounded(NAME, OP)]


async def test_buzzer_that_lost_its_power_during_signal_has_failed_it(bench: BuzzerBench) -> None:
    bench.device.sound_s = 60
    async with running(bench.driver.run(nothing)):
        await bench.attached()
        bench.driver.command(TIME_IS_UP)
        await eventually(lambda: bench.device.sounds)
        bench.device.cut_power()
        failed = await bench.told.nth(SignalFailed)
    assert failed == SignalFailed(NAME, OP, "restarted and no longer knows the signal")
    assert len(bench.device.sounds) == 1


async def test_a_restarted_daemon_learns_that_a_signal_sounded(bench: BuzzerBench, tmp_path: Path) -> None:
    async with running(bench.driver.run(nothing)) as task:
        await bench.attached()
        bench.driver.command(TIME_IS_UP)
        await bench.told.nth(SignalSounded)
        await eventually(lambda: bench.device.line.unacked == 0)
        await bench.unplug(task)
    await bench.port.plug()
    told, last = Told(), bench.told.reports[-1].delivery
    restarted = buzzer_driver(settings(tmp_path), told, bench.clock, delivered=last)
    restarted.command(TIME_IS_UP)
    async with running(restarted.run(nothing)):
        await told.nth(SignalSounded)
    assert outcomes(told) == [SignalSounded(NAME, OP)]
    assert len(bench.device.sounds) == 1
