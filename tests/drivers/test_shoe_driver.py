"""The shoe's driver at a real port: what the simulated shoe does comes out as facts."""

import asyncio
import fcntl
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from drivers.link import (
    AddressError,
    LinkClosedError,
    PortBusyError,
    PortMissingError,
    UnansweredError,
    WrongDeviceError,
)
from drivers.shoe import reports
from drivers.shoe.angel_eye import LOCK, UNLOCK, CommandType, encode_command
from drivers.shoe.driver import CommandRefusedError, ShoeDriver, ShoeSettings
from drivers.shoe.reports import ShoeError, Target
from drivers.sim.pty import PtyEnd
from drivers.sim.shoe import SimulatedShoe, encode_report, frame_report
from tablectl.core.cards import PACK, parse_card
from tablectl.core.facts import (
    Body,
    CardDrawn,
    CutCardReached,
    DeviceAttached,
    DeviceNoted,
    FaultCleared,
    FaultRaised,
)
from tablectl.core.faults import Code
from tests.support.told import MovableClock, Told, eventually, nothing, running

NAME = "shoe"


@pytest.fixture
async def port(tmp_path: Path) -> AsyncIterator[PtyEnd]:
    end = PtyEnd(link=tmp_path / "port")
    await end.plug()
    yield end
    await end.unplug()


@pytest.fixture
def settings(tmp_path: Path) -> ShoeSettings:
    return ShoeSettings(NAME, "serial:port", 9600, tmp_path, simulated=True, vote_window_s=0.05)


@pytest.fixture
async def told() -> Told:
    return Told()


@pytest.fixture
async def shoe(port: PtyEnd, driver: ShoeDriver, told: Told) -> AsyncIterator[SimulatedShoe]:
    async with running(driver.run(nothing)):
        await told.nth(DeviceAttached)
        told.reports.clear()
        yield SimulatedShoe(port)


@pytest.fixture
def clock() -> MovableClock:
    return MovableClock()


@pytest.fixture
def driver(settings: ShoeSettings, told: Told, clock: MovableClock) -> ShoeDriver:
    return ShoeDriver(settings, told, clock)


def card(text: str) -> CardDrawn:
    return CardDrawn(NAME, parse_card(text), in_game=True, target="player", index=1)


def drawn(text: str) -> reports.CardDrawn:
    return reports.CardDrawn(in_game=True, target=Target.PLAYER, index=1, card=text)


def momentary(code: Code, detail: str = "") -> list[Body]:
    return [FaultRaised(code, NAME, detail), FaultCleared(code, NAME)]


UNSURE = CardDrawn(NAME, None)


async def test_the_open_port_is_the_device(port: PtyEnd, driver: ShoeDriver, told: Told) -> None:
    up = asyncio.Event()
    async with running(driver.run(up.set)), asyncio.timeout(1):
        await up.wait()
    assert told.bodies == [DeviceAttached(NAME, simulated=True)]


async def test_a_card_is_a_fact_within_milliseconds(shoe: SimulatedShoe, told: Told) -> None:
    clock = MovableClock()
    written_ns = clock.now().monotonic_ns
    await shoe.draw("As")
    assert await told.nth(CardDrawn) == card("As")
    came_ns = clock.now().monotonic_ns
    stamp = told.reports[0].at
    assert stamp is not None
    assert written_ns < stamp.monotonic_ns <= came_ns
    assert came_ns - written_ns < 50_000_000


async def test_each_of_the_52_cards_comes_once_and_as_itself(shoe: SimulatedShoe, told: Told) -> None:
    for number, text in enumerate(PACK, start=1):
        await shoe.draw(text)
        await told.nth(CardDrawn, number)
    assert told.bodies == [card(text) for text in PACK]


@pytest.mark.parametrize(
    ("act", "bodies"),
    [
        (lambda shoe: shoe.reach_cut_card(), [CutCardReached(NAME)]),
        (
            lambda shoe: shoe.report(reports.CardDrawn(False, Target.SETTING_MODE, 3, "2d")),
            [CardDrawn(NAME, parse_card("2d"), in_game=False, target="setting_mode", index=3)],
        ),
        (lambda shoe: shoe.report(reports.StandBy()), [DeviceNoted(NAME, "stand_by")]),
        (
            lambda shoe: shoe.lock(locked=True),
            [DeviceNoted(NAME, "lock", "locked"), FaultRaised(Code.SHOE_LOCKED, NAME)],
        ),
        (
            lambda shoe: shoe.lock(locked=False),
            [DeviceNoted(NAME, "lock", "unlocked"), FaultCleared(Code.SHOE_LOCKED, NAME)],
        ),
        (
            lambda shoe: shoe.report(reports.PresetChanged("07", "0012")),
            [DeviceNoted(NAME, "preset", "07 0012")],
        ),
        (
            lambda shoe: shoe.report(reports.GameResult(reports.Winner.TIE, player_pair=True, banker_pair=True)),
            [DeviceNoted(NAME, "result", "tie player_pair banker_pair")],
        ),
    ],
)
async def test_what_the_shoe_reports_is_a_fact(
    shoe: SimulatedShoe, told: Told, act: Callable[[SimulatedShoe], Awaitable[None]], bodies: list[Body]
) -> None:
    await act(shoe)
    await told.until(lambda: len(told.bodies) >= len(bodies))
    assert told.bodies == bodies


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ShoeError.CANNOT_READ, Code.SHOE_CANNOT_READ),
        (ShoeError.OVERDRAW, Code.SHOE_OVERDRAW),
        (ShoeError.BUTTON_MISUSE, Code.SHOE_BUTTON_MISUSE),
        (ShoeError.REVERSE_AT_EXIT, Code.SHOE_REVERSE_AT_EXIT),
        (ShoeError.REVERSE_MIDWAY, Code.SHOE_REVERSE_MIDWAY),
        (ShoeError.CARD_CODE_ERROR, Code.SHOE_CARD_CODE),
        (ShoeError.DRAW_TIMEOUT, Code.SHOE_DRAW_TIMEOUT),
    ],
)
async def test_each_error_of_the_shoe_has_its_fault(
    shoe: SimulatedShoe, told: Told, error: ShoeError, code: Code
) -> None:
    await shoe.raise_error(error)
    await shoe.cancel_error(error)
    await told.nth(FaultCleared)
    assert [type(body) for body in told.bodies] == [FaultRaised, FaultCleared]
    assert told.raised(code)
    assert told.cleared(code)


async def test_an_error_number_that_nobody_knows_is_a_fault_all_the_same(shoe: SimulatedShoe, told: Told) -> None:
    await shoe.report(reports.ErrorRaised(42, ShoeError.UNRECOGNISED, error_mode=True))
    assert await told.nth(FaultRaised) == FaultRaised(Code.SHOE_UNKNOWN_ERROR, NAME, "error 42, error mode")


async def test_a_shoe_that_starts_has_no_error_any_more(shoe: SimulatedShoe, told: Told, clock: MovableClock) -> None:
    await shoe.raise_error(ShoeError.OVERDRAW)
    await told.nth(FaultRaised)
    clock.ahead_s += 1  # starting takes longer than a vote
    await shoe.start()
    await told.until(lambda: DeviceNoted(NAME, "stand_by") in told.bodies)
    assert told.cleared(Code.SHOE_OVERDRAW)


async def test_a_retransmission_is_noted_without_the_card_and_is_no_draw(shoe: SimulatedShoe, told: Told) -> None:
    await shoe.report(reports.CardRetransmitted(Target.BANKER, 2, "Kh"))
    await told.nth(DeviceNoted)
    assert told.bodies == [DeviceNoted(NAME, "retransmission", "banker 2")]


@pytest.mark.parametrize("cards", [("As", "Ks", "Qs"), ("As", "Ks", "As"), ("As", "Ks", "Ks")])
async def test_copies_that_differ_make_one_card_without_identity(
    shoe: SimulatedShoe, told: Told, cards: tuple[str, ...]
) -> None:
    await shoe.disagree(*map(drawn, cards))
    await told.nth(FaultCleared)
    assert told.bodies == [UNSURE, *momentary(Code.SHOE_REPEATS_DISAGREE)]


async def test_a_third_copy_that_differs_leaves_the_card_and_is_a_fault(shoe: SimulatedShoe, told: Told) -> None:
    await shoe.disagree(drawn("As"), drawn("As"), drawn("Ks"))
    await told.nth(FaultCleared)
    assert told.bodies == [card("As"), *momentary(Code.SHOE_REPEATS_DISAGREE)]


async def test_copies_that_differ_about_no_card_make_no_card(shoe: SimulatedShoe, told: Told) -> None:
    await shoe.disagree(reports.StandBy(), reports.LockReported(locked=True), reports.CutCardReached())
    await told.nth(DeviceNoted)
    assert told.bodies == [DeviceNoted(NAME, "repeats_disagree", "StandBy")]


async def test_a_third_copy_that_differs_about_no_card_is_noted(shoe: SimulatedShoe, told: Told) -> None:
    await shoe.disagree(reports.StandBy(), reports.StandBy(), reports.CutCardReached())
    await told.nth(DeviceNoted, 2)
    assert told.bodies == [DeviceNoted(NAME, "stand_by"), DeviceNoted(NAME, "repeats_disagree")]


async def test_a_single_copy_of_a_card_is_a_card_without_identity(shoe: SimulatedShoe, told: Told) -> None:
    await shoe.send([encode_report("7", drawn("As"))])
    await told.nth(FaultCleared)
    assert told.bodies == [UNSURE, *momentary(Code.SHOE_UNCONFIRMED)]


async def test_a_single_copy_of_anything_else_is_noted(shoe: SimulatedShoe, told: Told) -> None:
    await shoe.send([encode_report("7", reports.CardRetransmitted(Target.PLAYER, 1, "As"))])
    await told.nth(DeviceNoted)
    assert told.bodies == [DeviceNoted(NAME, "unconfirmed", "CardRetransmitted")]


async def test_a_card_that_cannot_be_read_is_a_card_without_identity(shoe: SimulatedShoe, told: Told) -> None:
    await shoe.draw_unreadable()
    await told.nth(FaultCleared)
    assert told.bodies == [UNSURE, *momentary(Code.SHOE_UNCONFIRMED)]


async def test_an_unknown_report_is_a_fault_once_and_noted_each_time(shoe: SimulatedShoe, told: Told) -> None:
    for seq in "12":
        await shoe.send([frame_report(seq, b"Z")] * 3)
    await told.nth(DeviceNoted, 2)
    assert told.of(DeviceNoted) == [DeviceNoted(NAME, "not_understood", "Z unknown_code")] * 2
    assert len(told.raised(Code.UNKNOWN_MESSAGE)) == 1


async def test_three_cards_at_once_waited_somewhere(shoe: SimulatedShoe, told: Told) -> None:
    shoe.port.stall()
    for text in ("As", "Ks", "Qs"):
        await shoe.draw(text)
    shoe.port.resume()
    await told.nth(FaultCleared)
    assert told.of(CardDrawn) == [card(text) for text in ("As", "Ks", "Qs")]
    assert told.bodies[3:] == momentary(Code.BACKLOG_BURST, "3 cards at once")


async def test_cards_drawn_one_by_one_are_no_burst(shoe: SimulatedShoe, told: Told) -> None:
    for number, text in enumerate(PACK[:6], start=1):
        await shoe.draw(text)
        await told.nth(CardDrawn, number)
    assert told.raised(Code.BACKLOG_BURST) == []


async def test_garbage_is_counted_and_the_next_card_is_read(
    shoe: SimulatedShoe, driver: ShoeDriver, told: Told
) -> None:
    shoe.port.inject(bytes(range(0x20, 0x60)) + b"\x05\x05garbage")
    await shoe.draw("9c")
    assert await told.nth(CardDrawn) == card("9c")
    counters = driver.counters()
    assert counters.rejected >= 2
    assert counters.frames >= 2
    assert counters.facts == len(told.bodies) + 1  # the shoe was attached before
    assert counters.silent_s is not None
    assert counters.silent_s < 1


async def test_one_damaged_copy_of_three_is_outvoted(shoe: SimulatedShoe, driver: ShoeDriver, told: Told) -> None:
    shoe.port.garble(4)
    await shoe.draw("Td")
    assert await told.nth(CardDrawn) == card("Td")
    await eventually(lambda: driver.counters().rejected)
    assert told.bodies == [card("Td")]


async def test_a_reader_that_may_only_read_writes_not_a_byte(port: PtyEnd, driver: ShoeDriver, told: Told) -> None:
    heard = bytearray()
    async with running(driver.run(nothing)) as task:
        await told.nth(DeviceAttached)
        shoe = SimulatedShoe(port)
        port.on_bytes = heard.extend
        await shoe.start()
        await shoe.raise_error(ShoeError.CANNOT_READ)
        await shoe.draw_unreadable()
        port.inject(b"\x06\x15garbage\x05")
        await shoe.draw("As")
        await told.until(lambda: card("As") in told.bodies)
        assert driver.controls is None
        await port.unplug()
        with pytest.raises(LinkClosedError):
            await task
    assert heard == b""


@pytest.mark.parametrize("includes_stx", [True, False])
async def test_a_driver_that_may_write_locks_and_unlocks(
    settings: ShoeSettings, port: PtyEnd, told: Told, includes_stx: bool
) -> None:
    settings = replace(settings, read_only=False, bcc_includes_stx=includes_stx)
    driver = ShoeDriver(settings, told, MovableClock())
    assert driver.controls is not None
    with pytest.raises(LinkClosedError):
        await driver.controls.lock()
    async with running(driver.run(nothing)):
        await told.nth(DeviceAttached)
        shoe = SimulatedShoe(port, bcc_includes_stx=includes_stx)
        await driver.controls.lock()
        await driver.controls.unlock()
        await driver.controls.cancel_error(4)
    asked = [(CommandType.LOCK, LOCK), (CommandType.LOCK, UNLOCK), (CommandType.CANCEL_ERROR, 4)]
    assert shoe.commands == [encode_command(*each, bcc_includes_stx=includes_stx) for each in asked]


async def test_a_refusal_says_why(settings: ShoeSettings, port: PtyEnd, told: Told) -> None:
    driver = ShoeDriver(replace(settings, read_only=False), told, MovableClock())
    assert driver.controls is not None
    async with running(driver.run(nothing)):
        await told.nth(DeviceAttached)
        SimulatedShoe(port, bcc_includes_stx=True)
        with pytest.raises(CommandRefusedError, match="wrong check characters"):
            await driver.controls.lock()


async def test_a_shoe_that_does_not_answer_leaves_the_outcome_unknown(
    settings: ShoeSettings, port: PtyEnd, told: Told
) -> None:
    driver = ShoeDriver(replace(settings, read_only=False), told, MovableClock())
    assert driver.controls is not None
    async with running(driver.run(nothing)):
        await told.nth(DeviceAttached)
        with pytest.raises(UnansweredError):
            await driver.controls.lock()


async def test_a_pulled_plug_ends_the_run(port: PtyEnd, driver: ShoeDriver, told: Told) -> None:
    async with running(driver.run(nothing)) as task:
        await told.nth(DeviceAttached)
        await port.unplug()
        async with asyncio.timeout(1):
            with pytest.raises(LinkClosedError):
                await task


async def test_a_card_whose_copies_the_lost_link_took_is_told_before_the_end(
    port: PtyEnd, settings: ShoeSettings, told: Told
) -> None:
    driver = ShoeDriver(replace(settings, vote_window_s=600), told, MovableClock())
    async with running(driver.run(nothing)) as task:
        await told.nth(DeviceAttached)
        port.write(encode_report("1", drawn("As")))
        await eventually(lambda: driver.counters().frames)
        await port.unplug()
        with pytest.raises(LinkClosedError):
            await task
    assert told.bodies[1:] == [UNSURE, *momentary(Code.SHOE_UNCONFIRMED)]


async def test_a_late_copy_after_a_reconnect_is_no_new_card(port: PtyEnd, settings: ShoeSettings, told: Told) -> None:
    driver = ShoeDriver(replace(settings, vote_window_s=600), told, MovableClock())
    copy = encode_report("1", drawn("As"))
    async with running(driver.run(nothing)) as task:
        await told.nth(DeviceAttached)
        port.write(copy * 2)
        await told.nth(CardDrawn)
        await port.unplug()
        with pytest.raises(LinkClosedError):
            await task
    await port.plug()
    async with running(driver.run(nothing)):
        await told.nth(DeviceAttached, 2)
        port.write(copy + encode_report("2", drawn("Ks")) * 2)
        await told.nth(CardDrawn, 2)
    assert told.of(CardDrawn) == [card("As"), card("Ks")]


async def test_a_simulator_must_be_declared(port: PtyEnd, settings: ShoeSettings, told: Told) -> None:
    driver = ShoeDriver(replace(settings, simulated=False), told, MovableClock())
    with pytest.raises(WrongDeviceError, match="simulated = true"):
        await driver.run(nothing)
    assert told.bodies == []


async def test_a_missing_port_says_so(tmp_path: Path, driver: ShoeDriver) -> None:
    with pytest.raises(PortMissingError):
        await driver.run(nothing)


async def test_a_port_in_use_says_so(port: PtyEnd, driver: ShoeDriver) -> None:
    other = os.open(port.path, os.O_RDWR | os.O_NOCTTY)
    try:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(PortBusyError):
            await driver.run(nothing)
    finally:
        os.close(other)


def test_an_address_that_cannot_be_used_is_refused_at_the_start(settings: ShoeSettings, told: Told) -> None:
    with pytest.raises(AddressError):
        ShoeDriver(replace(settings, address="usb:1234"), told, MovableClock())


async def test_a_mistake_while_reading_ends_the_run_with_itself(port: PtyEnd, settings: ShoeSettings) -> None:
    def stumble(body: Body, **_: object) -> None:
        if isinstance(body, CutCardReached):
            raise ZeroDivisionError

    driver = ShoeDriver(settings, stumble, MovableClock())
    attached = asyncio.Event()
    async with running(driver.run(attached.set)) as task:
        await attached.wait()
        await SimulatedShoe(port).reach_cut_card()
        async with asyncio.timeout(1):
            with pytest.raises(ZeroDivisionError):
                await task
