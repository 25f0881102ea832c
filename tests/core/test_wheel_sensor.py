"""Gaps and damage, in samples that are made by hand."""

import pytest

from drivers.wheel.tracking.events import Started, Stopped
from drivers.wheel.tracking.unwrap import Sensor, Trouble
from tablectl.core.faults import Code
from tablectl.core.outcomes import Direction, Flaw
from tests.support.wheel_by_hand import ABSOLUTE, BRAKING, PEGS, RATE, TOP, TURN, Wheel, at_section, known_counter


def gap(lasts_s: float, sensor: Sensor | None = None) -> Wheel:
    wheel = known_counter() if sensor is None else at_section(10, sensor)
    wheel.go(TOP, 0.5)
    wheel.coast(8000.0)
    wheel.sends = False
    wheel.go(wheel.speed - BRAKING * lasts_s, lasts_s)
    wheel.sends = True
    wheel.coast()
    wheel.rest()
    return wheel


@pytest.mark.parametrize("sensor", [None, ABSOLUTE])
def test_gap_of_less_than_tenth_of_second_changes_nothing(sensor: Sensor | None) -> None:
    wheel = gap(0.08, sensor)
    assert wheel.result.flaws == ()
    assert wheel.raised() == []


@pytest.mark.parametrize("sensor", [None, ABSOLUTE])
@pytest.mark.parametrize("lasts_s", [0.12, 0.4, 2.0])
def test_after_a_longer_gap_a_spin_is_no_result(sensor: Sensor | None, lasts_s: float) -> None:
    wheel = gap(lasts_s, sensor)
    assert Flaw.SAMPLE_GAP in wheel.result.flaws
    assert Code.WHEEL_SAMPLE_GAP in wheel.raised()
    assert Code.WHEEL_SAMPLE_GAP in wheel.cleared()


def test_a_gap_at_rest_is_nothing_but_a_fault() -> None:
    wheel = at_section(10)
    wheel.sends = False
    wheel.rest(1.0)
    wheel.sends = True
    wheel.rest(1.2)
    assert wheel.raised() == wheel.cleared() == [Code.WHEEL_SAMPLE_GAP]
    wheel.seen.clear()
    wheel.spin()
    assert wheel.result.flaws == ()


def test_gap_while_it_comes_to_rest_begins_the_wait_anew() -> None:
    wheel = at_section(10)
    wheel.go(TOP, 0.5)
    wheel.coast()
    wheel.rest(1.0)
    wheel.sends = False
    wheel.rest(0.2)
    wheel.sends = True
    wheel.rest(1.4)
    assert wheel.of(Stopped) == []
    wheel.rest(0.2)
    assert len(wheel.of(Stopped)) == 1


def test_who_comes_while_the_wheel_turns_knows_no_turns() -> None:
    wheel = Wheel()
    wheel.speed = 6000.0
    wheel.coast()
    wheel.rest()
    assert wheel.of(Started) == [Started(Direction.CLOCKWISE, None)]
    assert Flaw.SAMPLE_GAP in wheel.result.flaws


def test_one_impossible_sample_is_left_out() -> None:
    wheel = known_counter()
    wheel.go(TOP, 0.5)
    wheel.seen += wheel.watch.take(wheel.ticks * 1_000_000 // RATE + 500, int(wheel.at) + 3000)
    wheel.coast()
    wheel.rest()
    assert wheel.raised() == wheel.cleared() == [Code.WHEEL_IMPOSSIBLE_SPEED]
    assert wheel.result.flaws == ()
    assert wheel.result.section == PEGS.section_at(int(wheel.at * 360_000 / TURN))


def test_a_counter_that_begins_anew_leaves_the_position_unknown() -> None:
    wheel = known_counter()
    wheel.go(TOP, 0.5)
    wheel.at += 3 * TURN + 4000
    wheel.coast(9000.0)
    wheel.rest()
    assert Flaw.SAMPLE_GAP in wheel.result.flaws
    assert Flaw.POSITION_UNKNOWN in wheel.result.flaws
    assert Code.WHEEL_POSITION_UNKNOWN in wheel.raised()


def test_the_same_sample_twice_is_one() -> None:
    wheel = at_section(10)
    wheel.go(TOP, 0.5)
    wheel.seen += wheel.watch.take(wheel.ticks * 1_000_000 // RATE, int(wheel.at // 1) % TURN)
    wheel.coast()
    wheel.rest()
    assert wheel.result.flaws == ()


def test_an_encoder_s_quadrature_error_costs_the_spin_its_result() -> None:
    wheel = known_counter()
    wheel.go(TOP, 0.5)
    wheel.trouble = Trouble.QUADRATURE
    wheel.step(wheel.speed / RATE)
    wheel.trouble = Trouble.NONE
    wheel.coast()
    wheel.rest()
    assert Flaw.POSITION_UNKNOWN in wheel.result.flaws
    assert Code.WHEEL_QUADRATURE in wheel.raised()
    assert Code.WHEEL_QUADRATURE in wheel.cleared()
    assert Code.WHEEL_POSITION_UNKNOWN in wheel.cleared()  # the mark came by twice more


def test_a_damaged_encoder_word_is_left_out() -> None:
    wheel = at_section(10)
    wheel.go(TOP, 0.5)
    wheel.seen += wheel.watch.take(wheel.ticks * 1_000_000 // RATE + 500, 7, trouble=Trouble.WORD)
    wheel.coast()
    wheel.rest()
    assert wheel.raised() == wheel.cleared() == [Code.WHEEL_ENCODER_WORD]
    assert wheel.result.flaws == ()


def test_a_spin_without_end_is_told_once() -> None:
    wheel = at_section(10)
    wheel.go(TOP, 0.5)
    wheel.go(TOP, 70.0)
    assert wheel.raised() == [Code.WHEEL_SPIN_TIMEOUT]
    wheel.coast()
    wheel.rest()
    assert wheel.cleared() == [Code.WHEEL_SPIN_TIMEOUT]
