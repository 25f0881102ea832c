"""The simulated wheel does what a wheel does, and knows what it did."""

import random
from itertools import pairwise

import pytest

from drivers.sim.wheel_physics import Feel, Launch, Push, Trace, random_launch, speed_for, spin_wheel
from tablectl.core.outcomes import Direction
from tablectl.core.wheel_pegs import even_pegs

PEGS = even_pegs(52, version="t", guard_mdeg=650, lag_mdeg=50)
SECTION_DEG = 360 / 52


def spun(speed: float, *pushes: Push, back_deg: float = 0.0, start_deg: float = 100.0) -> Trace:
    launch = Launch(Direction.CLOCKWISE, speed, back_deg=back_deg)
    return spin_wheel(PEGS, launch, start_deg=start_deg, pushes=pushes)


def speeds(trace: Trace) -> list[float]:
    return [(after - before) * trace.rate_hz for before, after in pairwise(trace.angles_deg)]


def test_a_wheel_begins_and_ends_at_rest() -> None:
    trace = spun(400.0)
    assert set(speeds(trace)[:100]) == {0.0}
    assert set(speeds(trace)[-1000:]) == {0.0}
    assert trace.truth.turns_milli == int((max(trace.angles_deg) - 100.0) / 0.36)


def test_it_slows_down_about_as_a_real_one() -> None:
    trace = spun(410.0)  # 1.14 turns in a second are four turns in seven seconds
    turning_s = sum([speed != 0.0 for speed in speeds(trace)]) / trace.rate_hz
    assert 4.0 <= trace.truth.turns_milli / 1000 <= 6.5
    assert 6.0 <= turning_s <= 13.0


@pytest.mark.parametrize("turns", [1.0, 3.0, 5.0, 8.0])
def test_the_speed_for_a_number_of_turns_makes_them(turns: float) -> None:
    speed = speed_for(turns, Feel(), 52)
    pulled = speed * Launch().takes_s / 2 / 360
    assert abs(spun(speed).truth.turns_milli / 1000 - pulled - turns) < 0.1


def test_clapper_throws_some_wheels_back_and_never_far_or_fast() -> None:
    thrown = 0
    for number in range(30):
        trace = spun(300.0 + number)
        back = max(trace.angles_deg) - trace.angles_deg[-1]
        assert back < SECTION_DEG
        assert min(speeds(trace)) > -40.0
        thrown += back > 0.2
    assert 3 <= thrown <= 27


def test_wheel_rests_anywhere_between_pegs_and_sometimes_on_one() -> None:
    truths = [spun(300.0 + number * 1.4).truth for number in range(60)]
    assert 3 <= sum([truth.on_peg for truth in truths]) <= 25
    assert len({truth.section for truth in truths}) > 15
    assert max(truth.peg_mdeg for truth in truths) <= 1000 * SECTION_DEG / 2 + 1


def test_section_is_one_at_last_angle_where_no_peg_touches() -> None:
    for number in range(15):
        trace = spun(350.0 + number)
        if not trace.truth.on_peg:
            assert trace.truth.section == PEGS.section_at(int(trace.angles_deg[-1] * 1000))
            assert abs(trace.truth.peg_mdeg - PEGS.margin_at(int(trace.angles_deg[-1] * 1000))) < 2


def test_a_wind_back_costs_turns() -> None:
    trace = spun(400.0, back_deg=90.0)
    assert abs(min(trace.angles_deg) - 10.0) < 1.0
    assert trace.truth.turns_milli == int((max(trace.angles_deg) - 100.0) / 0.36)


def test_a_hand_stops_the_wheel_and_never_turns_it_back() -> None:
    trace = spun(400.0, Push(1.0, 5.0, -900.0))
    assert trace.truth.touched
    assert trace.truth.turns_milli < spun(400.0).truth.turns_milli
    assert min(speeds(trace)) > -40.0


def test_a_hand_that_comes_too_late_touched_nothing() -> None:
    assert not spun(400.0, Push(100.0, 1.0, -900.0)).truth.touched


def test_both_directions_are_alike() -> None:
    one = spin_wheel(PEGS, Launch(Direction.CLOCKWISE, 400.0), start_deg=0.0, feel=Feel(imbalance=0.0))
    two = spin_wheel(PEGS, Launch(Direction.COUNTER_CLOCKWISE, 400.0), start_deg=0.0, feel=Feel(imbalance=0.0))
    assert two.angles_deg[-1] == pytest.approx(-one.angles_deg[-1], abs=0.1)
    assert two.truth.section == 53 - one.truth.section


def test_the_same_chance_makes_the_same_spin() -> None:
    launches = [random_launch(random.Random(3), 4.0, Feel(), 52) for _ in range(2)]
    assert launches[0] == launches[1]
    assert spin_wheel(PEGS, launches[0], start_deg=0.0) == spin_wheel(PEGS, launches[1], start_deg=0.0)
