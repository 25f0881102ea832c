"""A device that reports without end: one fault, one gap with its count, and a journal that it can't fill."""

from dataclasses import dataclass, replace
from functools import cache, partial

import pytest

from tablectl.core.facts import ClockState, FaultCleared, FaultRaised, Stamp
from tablectl.core.facts.reports import DeviceAttached, DeviceNoted
from tablectl.core.faults import Code
from tablectl.daemon.devices.allowance import Allowance, Share
from tests.support.told import Told

NAME = "shoe"
NOTE = DeviceNoted(NAME, "stand_by")
FLOODS, OVER = FaultRaised(Code.DEVICE_FLOODS, NAME), FaultCleared(Code.DEVICE_FLOODS, NAME)
SMALL = Share(at_once=8, each_s=2.0, waiting=4, calm=4)
HOUR_S, TEN_MINUTES_S = 3600, 600


@cache
def note(number: int) -> DeviceNoted:
    return replace(NOTE, value=str(number))


@dataclass(slots=True)
class Still:
    """A clock that goes only where it is put."""

    at_s: float = 100.0

    def now(self) -> Stamp:
        return Stamp(0, round(self.at_s * 1e9), "boot", ClockState.SYNCED, 1)

    def monotonic_s(self) -> float:
        return self.at_s


@dataclass(slots=True)
class Bench:
    """An allowance, its clock, and what it passes on."""

    told: Told
    clock: Still
    allowance: Allowance

    def notes(self, count: int) -> None:
        for number in range(count):
            self.allowance(note(number))

    def pass_s(self, seconds: int) -> None:
        for _ in range(seconds):
            self.clock.at_s += 1.0
            self.allowance.turn()


@pytest.fixture(name="bench")
async def _bench() -> Bench:
    return bench_with(SMALL)


def bench_with(share: Share, **standing: str) -> Bench:
    told, clock = Told(), Still()
    known = {int(Code[name]): detail for name, detail in standing.items()}
    return Bench(told, clock, Allowance(NAME, told, clock, known, share))


def gaps(told: Told) -> list[str]:
    return [raised.detail for raised in told.raised(Code.EVENT_GAP)]


async def test_device_within_its_rate_is_never_delayed() -> None:
    bench = bench_with(Share())
    for _ in range(HOUR_S):
        bench.notes(20)
        bench.clock.at_s += 1.0
    assert len(bench.told.bodies) == 20 * HOUR_S == len(bench.told.of(DeviceNoted))


async def test_flood_is_one_fault_and_one_counted_gap(bench: Bench) -> None:
    bench.notes(8 + 4 + 1000)
    assert bench.told.bodies[8:] == [FLOODS, FaultRaised(Code.EVENT_GAP, NAME, "it sends more than can be stored")]
    bench.pass_s(3)
    gap = FaultRaised(Code.EVENT_GAP, NAME, "1000 reports left out: too many at once")
    assert bench.told.bodies[-3:] == [gap, FaultCleared(Code.EVENT_GAP, NAME), OVER]
    assert [note.value for note in bench.told.of(DeviceNoted)] == [str(number) for number in range(12)]
    bench.notes(1)
    assert bench.told.bodies[-1] == replace(NOTE, value="0")


async def test_what_came_before_the_gap_is_told_before_it(bench: Bench) -> None:
    bench.notes(8 + 4)
    assert (gaps(bench.told), len(bench.told.of(DeviceNoted))) == ([], 8)
    bench.pass_s(1)
    assert len(bench.told.of(DeviceNoted)) == 9
    bench.pass_s(2)
    assert (gaps(bench.told), len(bench.told.of(DeviceNoted)), bench.told.bodies[-1]) == ([], 12, OVER)


async def test_a_report_that_waits_keeps_its_time(bench: Bench) -> None:
    bench.notes(9)
    came = bench.clock.now()
    bench.pass_s(3)
    assert [report.at for report in bench.told.reports if report.body == replace(NOTE, value="8")] == [came]


async def test_nothing_counts_after_a_gap_until_the_flood_is_over(bench: Bench) -> None:
    bench.notes(8 + 4 + 1)
    for _ in range(60):
        bench.notes(50)
        bench.pass_s(1)
    assert len(bench.told.of(DeviceNoted)) == 12
    bench.pass_s(3)
    assert gaps(bench.told)[1:] == ["3001 reports left out: too many at once"]


async def test_a_report_that_the_device_keeps_is_never_left_out(bench: Bench) -> None:
    stored: list[str] = []
    bench.notes(8 + 4 + 1)
    names = [f"00000001:{number}" for number in range(4)]
    for name in names:
        bench.allowance(NOTE, stored=partial(stored.append, name), delivery=name)
    bench.told.durable = False
    bench.pass_s(3)
    assert [report.delivery for report in bench.told.reports if report.delivery] == names
    assert stored == []
    bench.told.make_durable()
    assert stored == names


async def test_the_newest_word_on_each_fault_is_kept(bench: Bench) -> None:
    bench.notes(8 + 4 + 1)
    for number in range(100):
        bench.allowance(FaultRaised(Code.SHOE_LOCKED, NAME, str(number)))
        bench.allowance(FaultCleared(Code.SHOE_LOCKED, NAME))
        bench.allowance(FaultRaised(Code.SHOE_OVERDRAW, NAME, str(number)))
        bench.allowance(DeviceAttached(NAME, serial=str(number)))
    bench.pass_s(3)
    locked, overdraw = bench.told.raised(Code.SHOE_LOCKED), bench.told.raised(Code.SHOE_OVERDRAW)
    assert [fault.detail for fault in (*locked, *overdraw)] == ["99", "99"]
    last = [body for body in bench.told.bodies if isinstance(body, FaultRaised | FaultCleared)][2:5]
    assert last == [locked[0], FaultCleared(Code.SHOE_LOCKED, NAME), overdraw[0]]
    assert [seen.serial for seen in bench.told.of(DeviceAttached)] == ["99"]


@pytest.mark.parametrize("delivery", ["", "00000001:1"], ids=["once", "kept until acknowledged"])
async def test_an_hour_of_a_flood_makes_few_records(delivery: str) -> None:
    bench = bench_with(Share())
    for _ in range(HOUR_S):
        for _ in range(100):
            bench.allowance(NOTE, delivery=delivery)
        bench.pass_s(1)
    assert len(bench.told.bodies) < 1024 + 256 + HOUR_S + 3


async def test_floods_with_pauses_make_no_more_records_than_the_rate() -> None:
    bench = bench_with(Share())
    for _ in range(TEN_MINUTES_S // 15):
        bench.notes(5000)
        bench.pass_s(15)
    assert len(bench.told.bodies) < 1024 + 20 * TEN_MINUTES_S + 6 * TEN_MINUTES_S // 15


async def test_flood_of_an_earlier_session_ends_with_calm() -> None:
    bench = bench_with(SMALL, DEVICE_FLOODS="", EVENT_GAP="it sends more than can be stored")
    bench.notes(1)
    assert bench.told.bodies == []
    bench.pass_s(3)
    assert bench.told.bodies == [replace(NOTE, value="0"), FaultCleared(Code.EVENT_GAP, NAME), OVER]
