"""The QSB's lines, its clock, and a count that goes on over the index mark."""

import math
import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.sim.wheel_sensor import SimulatedEncoder
from drivers.wheel.facts import Reading
from drivers.wheel.qsb import BadLine, Banner, ClearedCounter, Clock, Line, LineReader, Reply, encode_reply

U32 = st.integers(0, (1 << 32) - 1)
REPLIES = st.builds(Reply, st.sampled_from("wrs"), st.integers(0, 255), U32, U32)
TURN = 8192


@given(st.lists(REPLIES, max_size=5), st.lists(st.integers(0, 200), max_size=20))
def test_lines_are_read_however_the_bytes_come(replies: list[Reply], cuts: list[int]) -> None:
    data = b"".join([encode_reply(reply) for reply in replies])
    places = sorted({0, len(data), *[cut for cut in cuts if cut < len(data)]})
    reader, lines = LineReader(), list[Line]()
    for begin, end in pairwise(places):
        lines += reader.feed(data[begin:end])
    assert lines == replies


@pytest.mark.parametrize("banner", [b"QSB-D  0E!\r\n", b"QSB-M  0E!\n", b"\r QSB-S 1A! \r\n"])
def test_the_banner_is_known(banner: bytes) -> None:
    assert LineReader().feed(banner) == [Banner()]


@pytest.mark.parametrize(
    "line",
    [
        b"\r\n",
        b"s 0E FFFFFFFE 000001F4 \r\n",
        b"s 0E FFFFFFFE 000001F4 !\n",
        b"s 0e fffffffe 000001f4 !\r\n",
        b"S 0E FFFFFFFE 000001F4 !\r\n",
        b"s 0E  FFFFFFE 000001F4 !\r\n",
        b" s 0E FFFFFFFE 000001F4 !\r\n",
    ],
)
def test_a_line_in_another_form_says_nothing(line: bytes) -> None:
    assert LineReader().feed(line) == [BadLine()]


@given(st.lists(st.binary(max_size=300), max_size=10))
def test_random_bytes_never_fail_and_are_never_kept(pieces: list[bytes]) -> None:
    reader = LineReader()
    for piece in pieces:
        reader.feed(piece)
    assert reader.feed(b"\n" + encode_reply(Reply("s", 14, 1, 2)))[-1] == Reply("s", 14, 1, 2)


def test_a_line_without_end_is_dropped() -> None:
    assert LineReader().feed(b"x" * 1000) == [BadLine()]


def test_the_clock_goes_on_where_the_ticks_begin_anew() -> None:
    clock = Clock()
    ticks = [(1 << 32) - 512 + 256 * number for number in range(5)]
    times = [clock.read(tick % (1 << 32)) for tick in ticks]
    assert times == [0, 500_000, 1_000_000, 1_500_000, 2_000_000]


def test_a_time_a_second_away_is_damage() -> None:
    clock = Clock()
    assert [clock.read(ticks) for ticks in (1000, 1002, 1002 + 512, 1002 - 512, 1004)] == [0, 3906, None, None, 7812]


def test_after_a_long_silence_the_clock_goes_on() -> None:
    clock = Clock()
    times = [clock.read(ticks) for ticks in (1000, 5000, 5002, 5004)]
    assert times == [0, None, 7_816_406, 7_820_312]


def spun(counter: ClearedCounter, encoder: SimulatedEncoder, angles: list[float]) -> list[Reading]:
    readings: list[Reading] = []
    for number, angle in enumerate(angles, start=1):
        encoder.turn_to(angle)
        readings.append(counter.read(number * 3906, encoder.count() % (1 << 32)))
    return readings


def swing(start: float, *legs: tuple[float, float]) -> list[float]:
    """Angles at 256 in a second; each leg has a usual speed and a way, in degrees."""
    angles, at = [start] * 20, start
    for top, way in legs:
        steps = max(20, round(abs(way / top) * 2 * 256))
        angles += [at + way * (1 - math.cos(math.pi * step / steps)) / 2 for step in range(1, steps + 1)]
        at = angles[-1]
    return angles


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    "angles",
    [
        swing(100.0, (450.0, 2000.0)),
        swing(100.0, (450.0, -2000.0)),
        swing(100.0, (450.0, 1000.0), (400.0, -900.0), (30.0, -250.0), (450.0, 1500.0)),
        swing(359.0, (20.0, 2.0), (20.0, -2.0), (20.0, 2.0), (450.0, 1000.0)),
        swing(1.0, (200.0, -20.0), (450.0, 1500.0), (100.0, -40.0)),
    ],
)
def test_count_goes_on_over_the_mark_as_the_wheel_does(angles: list[float], seed: int) -> None:
    encoder = SimulatedEncoder(random.Random(seed), TURN, 0.6, angles[0])
    readings = spun(ClearedCounter(TURN), encoder, angles)
    marks = [(number, reading) for number, reading in enumerate(readings) if reading.index is not None]
    assert marks
    # From the first mark on the count is the angle, to a few counts; the mark is a whole number of turns.
    signed = [(reading.count + (1 << 31)) % (1 << 32) - (1 << 31) for reading in readings]
    begin = marks[0][0]
    offset = signed[begin] - angles[begin] * TURN / 360.0
    counted = zip(signed[begin:], angles[begin:], strict=True)
    assert all(abs(count - angle * TURN / 360.0 - offset) < 6 for count, angle in counted)
    zero = marks[0][1].index or 0
    assert all(((reading.index or 0) - zero + 4) % TURN <= 8 for _, reading in marks)


def test_every_pass_of_the_mark_is_told_once() -> None:
    angles = swing(100.0, (450.0, 2000.0), (300.0, -400.0), (300.0, 700.0))
    encoder = SimulatedEncoder(random.Random(1), TURN, 0.6, 100.0)
    marks = [reading for reading in spun(ClearedCounter(TURN), encoder, angles) if reading.index is not None]
    passes = sum([math.floor(before / 360.0) != math.floor(after / 360.0) for before, after in pairwise(angles)])
    assert len(marks) == passes


def test_lost_counts_show_at_the_mark() -> None:
    encoder, counter = SimulatedEncoder(random.Random(1), TURN, 0.0, 100.0), ClearedCounter(TURN)
    angles = swing(100.0, (450.0, 2000.0))
    third = len(angles) // 2
    readings: list[Reading] = []
    for number, angle in enumerate(angles, start=1):
        encoder.lost += 40 if number == third else 0
        encoder.turn_to(angle)
        readings.append(counter.read(number * 3906, encoder.count() % (1 << 32)))
    marks = [reading.index for reading in readings if reading.index is not None]
    apart = {(after - before) % TURN for before, after in pairwise(marks)}
    assert any(40 - 5 <= min(off, TURN - off) <= 40 + 5 for off in apart)


@pytest.mark.parametrize("digit", range(8))
@pytest.mark.parametrize("rests_at", [-5000, -37, 3, 20, 37, 5000])
def test_after_one_damaged_digit_wheel_at_rest_is_at_rest(digit: int, rests_at: int) -> None:
    counter = ClearedCounter(8192)
    damaged = rests_at % (1 << 32) ^ 0x4 << 4 * digit
    counts = [*[rests_at % (1 << 32)] * 20, damaged, *[rests_at % (1 << 32)] * 200]
    readings = [counter.read(number * 3906, count) for number, count in enumerate(counts)]
    assert len({reading.count for reading in readings[-100:]}) == 1
