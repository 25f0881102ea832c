"""The index mark, in samples that are made by hand."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import pytest

from drivers.wheel.tracking.events import Sighting, Started, Turned
from drivers.wheel.tracking.unwrap import Sensor, Trouble
from tablectl.core.faults import Code
from tablectl.core.outcomes import Direction, Flaw
from tests.support.wheel_by_hand import PEGS, RATE, SECTION, TOP, TURN, Wheel, at_section, counter, known_counter


def test_counter_s_position_is_unknown_until_the_mark_came_by_twice() -> None:
    wheel = counter()
    assert wheel.raised() == [Code.WHEEL_POSITION_UNKNOWN]
    wheel.go(TOP, 0.5)
    while wheel.at < TURN:
        wheel.step(TOP / RATE)
    wheel.step(TOP / RATE)
    assert wheel.cleared() == []
    while wheel.at < 2 * TURN:
        wheel.step(TOP / RATE)
    wheel.step(TOP / RATE)
    assert wheel.cleared() == [Code.WHEEL_POSITION_UNKNOWN]


def test_spin_that_begins_unknown_has_its_section_all_the_same() -> None:
    wheel = counter()
    wheel.spin()
    assert Started(Direction.CLOCKWISE, None) in wheel.seen
    assert wheel.result.section == PEGS.section_at(int(wheel.at * 360_000 / TURN))
    assert wheel.result.flaws == ()


def test_spin_that_passes_the_mark_only_once_has_no_section() -> None:
    wheel = counter(3)
    wheel.go(5000.0, 0.4)
    wheel.coast()
    wheel.rest()
    assert wheel.result.section is None
    assert wheel.result.flaws == (Flaw.POSITION_UNKNOWN,)


def slipped(counts: int) -> Wheel:
    """A spin in which the coupling slips before the last turns."""
    wheel = known_counter()
    wheel.go(TOP, 0.5)
    wheel.coast(9000.0)
    zero = Slip(wheel, counts)
    zero.coast()
    return wheel


@dataclass(slots=True)
class Slip:
    """The same wheel with a sensor whose counts are off."""

    wheel: Wheel
    counts: int

    def coast(self) -> None:
        wheel = self.wheel
        take = wheel.watch.take

        def shifted(at_us: int, count: int, *, index: int | None, trouble: Trouble) -> list[Sighting]:
            mark = None if index is None else (index + self.counts) % (1 << 32)
            return take(at_us, (count + self.counts) % (1 << 32), index=mark, trouble=trouble)

        wheel.watch = _With(shifted)  # type: ignore[assignment]
        wheel.coast()
        wheel.rest()


@dataclass(slots=True)
class _With:
    take: Callable[..., list[Sighting]]


def test_the_mark_may_be_off_by_two_counts() -> None:
    wheel = slipped(2)
    assert wheel.raised() == []
    assert wheel.result.flaws == ()


def test_a_small_drift_warns_and_a_third_warning_blocks() -> None:
    wheel = slipped(5)
    assert wheel.raised() == [Code.WHEEL_DRIFT, Code.WHEEL_DRIFT_BLOCKS]
    assert wheel.result.flaws == (Flaw.INDEX_DISAGREES,)


def test_great_drift_blocks_at_once_until_the_mark_is_confirmed() -> None:
    wheel = slipped(30)
    assert wheel.raised() == [Code.WHEEL_DRIFT_BLOCKS]
    assert wheel.cleared() == [Code.WHEEL_DRIFT_BLOCKS]
    assert Flaw.INDEX_DISAGREES in wheel.result.flaws


def test_a_missing_mark_costs_the_spin_its_result() -> None:
    wheel = known_counter()
    wheel.passes = False
    wheel.spin()
    assert wheel.raised() == [Code.WHEEL_INDEX_MISSING]
    assert Flaw.INDEX_DISAGREES in wheel.result.flaws
    wheel.seen.clear()
    wheel.passes = True
    wheel.spin()
    assert wheel.cleared() == [Code.WHEEL_INDEX_MISSING]
    assert wheel.result.flaws == ()


def test_a_mark_too_many_costs_the_spin_its_result() -> None:
    wheel = known_counter()
    wheel.go(TOP, 0.5)
    wheel.coast(8000.0)
    while wheel.at % TURN < TURN // 4 or wheel.at % TURN > TURN // 3:
        wheel.step(wheel.speed / RATE)
    at_us, count = wheel.ticks * 1_000_000 // RATE + 900, int(wheel.at // 1) % (1 << 32)
    wheel.seen += wheel.watch.take(at_us, count, index=count)
    wheel.coast()
    wheel.rest()
    assert Code.WHEEL_INDEX_EXTRA in wheel.raised()
    assert Flaw.INDEX_DISAGREES in wheel.result.flaws


def test_rocking_on_mark_is_neither_too_many_nor_too_few() -> None:
    wheel = known_counter()
    wheel.go(TOP, 0.5)
    wheel.coast(300.0)
    while wheel.at % TURN > 20:
        wheel.step(300.0 / RATE)
    for _ in range(9):
        wheel.go(-300.0, 0.2)
        wheel.go(300.0, 0.2)
    wheel.go(0.0, 0.2)
    wheel.rest()
    assert not {Code.WHEEL_INDEX_EXTRA, Code.WHEEL_INDEX_MISSING} & set(wheel.raised())
    assert Flaw.INDEX_DISAGREES not in wheel.result.flaws


def test_too_coarse_a_sensor_is_refused() -> None:
    with pytest.raises(ValueError, match="4096 at least"):
        Sensor(1024)


def test_a_counter_may_wrap_in_a_spin() -> None:
    wheel = known_counter()
    start = (1 << 32) - 3 * TURN  # a whole number of turns, so that angles stay what they are
    wheel = Wheel(Sensor(TURN), at=start + 9.5 * SECTION)
    wheel.rest()
    wheel.spin()
    assert wheel.at > 1 << 32
    assert wheel.result.flaws == ()
    assert wheel.result.section == PEGS.section_at(int((wheel.at % TURN) * 360_000 / TURN))


def whole(sightings: Iterable[Sighting]) -> list[int]:
    return [sighting.turns for sighting in sightings if isinstance(sighting, Turned)]


def test_an_absolute_sensor_counts_turns_over_its_zero() -> None:
    wheel = at_section(52)
    wheel.spin()
    assert whole(wheel.seen) == list(range(1, len(whole(wheel.seen)) + 1))
    assert wheel.result.turns_milli // 1000 == len(whole(wheel.seen))


def test_absolute_sensor_with_a_mark_is_believed_once_mark_agrees() -> None:
    wheel = at_section(10, Sensor(TURN, absolute=True))
    assert wheel.raised() == [Code.WHEEL_POSITION_UNKNOWN]
    wheel.spin()
    assert wheel.cleared() == [Code.WHEEL_POSITION_UNKNOWN]
    assert wheel.result.section == PEGS.section_at(int(wheel.at * 360_000 / TURN))
    assert wheel.result.flaws == ()


def test_an_absolute_sensor_that_the_mark_contradicts_has_no_result() -> None:
    wheel = at_section(10, Sensor(TURN, absolute=True))
    slip = Slip(wheel, 400)
    wheel.go(TOP, 0.5)
    slip.coast()
    assert Code.WHEEL_DRIFT_BLOCKS in wheel.raised()
    assert wheel.result.section is None
    assert {Flaw.POSITION_UNKNOWN, Flaw.INDEX_DISAGREES} <= set(wheel.result.flaws)
