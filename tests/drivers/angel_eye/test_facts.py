"""What the simulated shoe does comes out of its driver as facts."""

from collections.abc import Awaitable, Callable

import pytest

from drivers.shoe import reports
from drivers.shoe.reports import ShoeError, Target
from drivers.sim.shoe import SimulatedShoe, frame_report
from tablectl.core.cards import PACK, parse_card
from tablectl.core.facts import Body, FaultCleared, FaultRaised
from tablectl.core.facts.reports import CardDrawn, CutCardReached, DeviceNoted
from tablectl.core.faults import Code
from tests.drivers.angel_eye.cards import NAME, card, momentary
from tests.support.told import MovableClock, Told


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


async def test_error_number_that_nobody_knows_is_a_fault_all_same(shoe: SimulatedShoe, told: Told) -> None:
    await shoe.report(reports.ErrorRaised(42, ShoeError.UNRECOGNISED, error_mode=True))
    assert await told.nth(FaultRaised) == FaultRaised(Code.SHOE_UNKNOWN_ERROR, NAME, "error 42, error mode")


async def test_a_shoe_that_starts_has_no_error_any_more(shoe: SimulatedShoe, told: Told, clock: MovableClock) -> None:
    await shoe.raise_error(ShoeError.OVERDRAW)
    await told.nth(FaultRaised)
    clock.ahead_s += 1  # starting takes longer than a vote
    await shoe.start()
    await told.until(lambda: DeviceNoted(NAME, "stand_by") in told.bodies)
    assert told.cleared(Code.SHOE_OVERDRAW)


async def test_unknown_report_is_a_fault_once_and_noted_each_time(shoe: SimulatedShoe, told: Told) -> None:
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
