"""The frames of AM03127 LED boards, and such a board as a display."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.display.am03127 import BROADCAST, DELETE_ALL, RUN_PAGE_A, Answer, AnswerReader, Board, encode_frame, page
from drivers.display.connection import LedBoard
from drivers.link.driver import LinkedDevice
from drivers.link.handler import LinkSettings
from drivers.sim.display import SimulatedLed
from drivers.sim.pty import PtyEnd
from drivers.transport.serial_tcp import AddressError, LinkClosedError, LinkError, UnansweredError
from tablectl.core.effects import BlankDisplay, RequestDraw, ShowDraw, ShowTestPattern
from tablectl.core.facts import FaultRaised
from tablectl.core.facts.reports import DeviceAttached, DeviceNoted, DrawShown
from tablectl.core.faults import Code
from tablectl.core.outcomes import Series
from tests.drivers.linkbench import NAME, cuts, momentary, pieces, said
from tests.support.told import MovableClock, Told, eventually, nothing, running

SHOW = ShowDraw(42, Series.UPPER, 3)
SHOWN = DrawShown(NAME, 42, Series.UPPER, 3, read_back=False)
PAGE = Path(__file__).parents[2] / "docs" / "protocols" / "am03127.md"
TEXT = "UPPER 3  3456/7812"

# --- frames


def test_golden_frames() -> None:
    assert encode_frame(1, "<L1><PA><FE><MA><WC><FE>Hello") == b"<ID01><L1><PA><FE><MA><WC><FE>Hello36<E>"
    assert encode_frame(0x1F, DELETE_ALL) == b"<ID1F><D*>6C<E>"
    assert encode_frame(BROADCAST, "A") == b"<ID00>A41<E>"
    assert page("x") == "<L1><PA><FA><MA><WC><FA>x"


def test_the_frames_on_the_page_are_those_that_are_written() -> None:
    listed = [line.split("`")[1].encode() for line in PAGE.read_text().splitlines() if line.startswith("| `<ID")]
    assert listed == [encode_frame(1, data) for data in (page(TEXT), RUN_PAGE_A, DELETE_ALL)]


@pytest.mark.parametrize(("board", "data"), [(-1, "x"), (256, "x"), (1, ""), (1, "é"), (1, "a\r")])
def test_what_a_board_cannot_be_given_is_an_error(board: int, data: str) -> None:
    with pytest.raises(ValueError, match="can't be given"):
        encode_frame(board, data)


@pytest.mark.parametrize("text", ["a<b", "a>b", "x" * 65])
def test_text_with_a_meaning_of_its_own_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match="can't be shown"):
        page(text)


@given(st.lists(st.sampled_from(Answer), max_size=20), st.booleans(), cuts(100))
def test_answers_are_found_however_the_line_cuts_them(answers: list[Answer], lines: bool, at: list[int]) -> None:
    data = b"".join(answer.value.encode() + b"\r\n" * lines for answer in answers)
    reader = AnswerReader()
    assert [answer for piece in pieces(data, at) for answer in reader.feed(piece)] == answers
    assert reader.stray == 0


@given(st.lists(st.binary(max_size=9), max_size=9))
def test_any_bytes_make_the_same_answers_however_they_are_cut(data: list[bytes]) -> None:
    cut, whole = AnswerReader(), AnswerReader()
    found = [answer for piece in data for answer in cut.feed(piece)]
    assert found == whole.feed(b"".join(data))
    assert cut.stray == whole.stray
    assert len(cut._piece) <= 3


def test_bytes_between_answers_are_counted() -> None:
    reader = AnswerReader()
    assert reader.feed(b"??ACK!NANACK..N") == [Answer.ACK, Answer.NACK]
    assert reader.stray == 7


# --- a board as a display


@dataclass(slots=True)
class LedBench:
    port: PtyEnd
    led: SimulatedLed
    settings: LinkSettings
    told: Told
    clock: MovableClock
    driver: LinkedDevice | LedBoard


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[LedBench]:
    port = PtyEnd(link=tmp_path / "port")
    await port.plug()
    led, told, clock = SimulatedLed(port), Told(), MovableClock()
    settings = LinkSettings(NAME, "serial:port", 9600, tmp_path, simulated=True)
    yield LedBench(port, led, settings, told, clock, LedBoard(settings, Board(), told, clock))
    led.close()
    await port.unplug()


async def test_draw_is_shown_as_text_and_counts_when_acknowledged(bench: LedBench) -> None:
    async with running(bench.driver.run(nothing)):
        bench.driver.command(SHOW)
        assert await bench.told.nth(DrawShown) == SHOWN
    assert bench.led.seen == TEXT
    assert bench.led.frames == [f"<L1><PA><FA><MA><WC><FA>{TEXT}", "<RPA>"]
    assert bench.told.bodies == [DeviceAttached(NAME, simulated=True), SHOWN]


async def test_a_board_is_blanked(bench: LedBench) -> None:
    async with running(bench.driver.run(nothing)):
        bench.driver.command(SHOW)
        await bench.told.nth(DrawShown)
        bench.driver.command(BlankDisplay(42))
        assert await bench.told.nth(DeviceNoted) == DeviceNoted(NAME, "display_blanked", "42")
    assert bench.led.seen == ""


async def test_a_draw_shown_again_does_nothing(bench: LedBench) -> None:
    async with running(bench.driver.run(nothing)):
        for _ in range(3):
            bench.driver.command(SHOW)
        await bench.told.nth(DrawShown)
        bench.driver.command(SHOW)
        bench.driver.command(RequestDraw(1, "t-1"))
        bench.driver.command(ShowTestPattern(1))
        bench.driver.command(BlankDisplay(42))
        await bench.told.nth(DeviceNoted, 2)
    assert bench.told.of(DrawShown) == [SHOWN]
    assert bench.told.of(DeviceNoted)[0] == DeviceNoted(NAME, "test_pattern", "not possible")
    assert len(bench.led.frames) == 3


async def test_a_newer_picture_comes_after_the_frame_that_is_out(bench: LedBench) -> None:
    bench.led.answer_s = 0.02
    async with running(bench.driver.run(nothing)):
        await bench.told.nth(DeviceAttached)
        bench.driver.command(SHOW)
        bench.driver.command(BlankDisplay(42))
        bench.driver.command(ShowDraw(43, Series.LOWER, 8))
        shown = await bench.told.nth(DrawShown)
    assert shown == DrawShown(NAME, 43, Series.LOWER, 8, read_back=False)
    assert said(bench.told) == [shown]
    assert bench.led.seen == "LOWER 8  8123/4567"


async def test_a_frame_that_the_board_refuses_is_given_again(bench: LedBench) -> None:
    bench.led.nacks = 2
    async with running(bench.driver.run(nothing)):
        bench.driver.command(SHOW)
        assert await bench.told.nth(DrawShown) == SHOWN
    assert bench.led.seen == TEXT


async def test_board_that_refuses_three_times_is_fault_and_shows_nothing(bench: LedBench) -> None:
    bench.led.nacks = 3
    async with running(bench.driver.run(nothing)):
        bench.driver.command(SHOW)
        await bench.told.nth(FaultRaised)
        assert bench.led.seen == ""
        bench.driver.command(SHOW)
        await bench.told.nth(DrawShown)
    refusal = momentary(Code.REFUSED_BY_DEVICE, "the board refuses what it is to show")
    assert said(bench.told) == [*refusal, SHOWN]


@pytest.mark.parametrize("why", ["silent", "another board"])
async def test_silent_board_ends_the_run_and_the_next_shows(bench: LedBench, why: str) -> None:
    if why == "silent":
        bench.led.silent = True
    else:
        bench.led.board = 2
    async with running(bench.driver.run(nothing)) as task:
        await bench.told.nth(DeviceAttached)
        bench.driver.command(SHOW)
        bench.clock.ahead_s += 2.1
        bench.port.inject(b"?")  # wakes the host
        with pytest.raises(UnansweredError, match="doesn't answer"):
            await task
    assert bench.told.of(DrawShown) == []
    bench.led.silent, bench.led.board = False, 1
    async with running(bench.driver.run(nothing)):
        await bench.told.nth(DrawShown)
    assert bench.driver.counters().rejected == 1


async def test_display_unplugged_at_any_moment_shows_the_draw_finally(bench: LedBench) -> None:
    bench.driver.command(SHOW)
    bench.led.answer_s = 0.003
    for nth in range(1, 8):
        async with running(bench.driver.run(nothing)) as task:
            await asyncio.sleep(nth * 0.002)
            await bench.port.unplug()
            with pytest.raises(LinkError):
                await task
        await bench.port.plug()
    before = len(bench.told.bodies)
    async with running(bench.driver.run(nothing)):
        await bench.told.until(lambda: SHOWN in bench.told.bodies[before:])
        bench.driver.command(BlankDisplay(42))
        await bench.told.nth(DeviceNoted)
    assert bench.told.bodies[before:].count(SHOWN) == 1


async def test_a_board_that_comes_back_is_given_its_picture_again(bench: LedBench) -> None:
    async with running(bench.driver.run(nothing)) as task:
        bench.driver.command(SHOW)
        await bench.told.nth(DrawShown)
        await bench.port.unplug()
        with pytest.raises(LinkClosedError):
            await task
    bench.led.pages.clear()
    await bench.port.plug()
    async with running(bench.driver.run(nothing)):
        assert await bench.told.nth(DrawShown, 2) == SHOWN  # what a display that was away shows counts anew
    assert bench.led.seen == TEXT
    assert bench.told.of(DrawShown) == [SHOWN, SHOWN]


async def answers(bench: LedBench, count: int) -> None:
    await eventually(lambda: bench.driver.counters().frames == count)


async def test_what_came_is_counted_over_connections(bench: LedBench) -> None:
    bench.driver.command(SHOW)
    for times in (1, 2):
        await bench.port.plug()
        async with running(bench.driver.run(nothing)) as task:
            await bench.told.nth(DeviceAttached, times)
            await answers(bench, 2 * times)
            assert bench.driver.counters().silent_s is not None
            await bench.port.unplug()
            with pytest.raises(LinkClosedError):
                await task
    counters = bench.driver.counters()
    assert (counters.bytes, counters.frames, counters.rejected, counters.facts) == (12, 4, 0, 4)


def test_settings_that_no_board_can_follow_are_an_error(bench: LedBench) -> None:
    for wrong, why in ((Board(300), "board 300 can't"), (Board(ranges=(("<", ">"),)), "can't be shown")):
        with pytest.raises(ValueError, match=why):
            LedBoard(bench.settings, wrong, bench.told, bench.clock)
    with pytest.raises(AddressError):
        LedBoard(replace(bench.settings, address="wifi:led"), Board(), bench.told, bench.clock)
