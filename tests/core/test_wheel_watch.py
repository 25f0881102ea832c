"""A spin, its turns and its rest, in samples that are made by hand."""

import pytest

from drivers.wheel.tracking.events import Moved, Started, Stopped, Turned
from drivers.wheel.tracking.unwrap import Sensor
from tablectl.core.outcomes import Direction, Spin
from tests.support.wheel_by_hand import PEGS, RATE, SECTION, TOP, TURN, Wheel, at_section


def test_a_spin_is_told_from_its_start_to_its_stop() -> None:
    wheel = at_section(10)
    wheel.spin()
    way = wheel.at - 9.5 * SECTION
    turns = int(way // TURN)
    assert wheel.seen[0] == Started(Direction.CLOCKWISE, 10)
    assert wheel.of(Turned) == [Turned(number) for number in range(1, turns + 1)]
    assert wheel.result.section == PEGS.section_at(int(wheel.at * 360_000 / TURN))
    assert wheel.result.flaws == ()
    assert not wheel.result.on_peg
    assert wheel.result.calibration == PEGS.name
    assert 0 <= way * 1000 / TURN - wheel.result.turns_milli < 2
    assert len(wheel.seen) == turns + 2


def test_a_spin_the_other_way_is_told_as_that() -> None:
    wheel = at_section(10)
    wheel.spin(-TOP)
    assert wheel.seen[0] == Started(Direction.COUNTER_CLOCKWISE, 10)
    assert wheel.result.direction is Direction.COUNTER_CLOCKWISE
    assert wheel.result.turns_milli > 5000
    assert wheel.result.flaws == ()


@pytest.mark.parametrize("sign", [1, -1])
def test_wheel_released_early_states_its_speed(sign: int) -> None:
    wheel = at_section(10)
    wheel.go(-sign * 1_000.0, 0.2)  # it is wound back first
    wheel.go(sign * 6_000.0, 0.4)
    wheel.coast()
    (started,) = wheel.of(Started)
    assert isinstance(started, Started)
    assert started.release_mrpm == pytest.approx(6_000 * 60_000 / TURN, rel=0.02)


def test_wheel_that_the_hand_still_pulls_has_no_release_yet() -> None:
    wheel = at_section(10)
    wheel.spin()
    assert wheel.of(Started) == [Started(Direction.CLOCKWISE, 10, None)]


def test_a_release_that_nobody_saw_whole_isnt_told() -> None:
    wheel = at_section(10)
    wheel.sends = False
    wheel.go(6_000.0, 0.4)
    wheel.sends = True
    wheel.coast()
    assert [started.release_mrpm for started in wheel.of(Started) if isinstance(started, Started)] == [None]


def test_a_sensor_that_is_mounted_the_other_way_says_so() -> None:
    sensor = Sensor(TURN, absolute=True, indexed=False, positive=Direction.COUNTER_CLOCKWISE)
    wheel = at_section(10, sensor)
    wheel.spin()
    assert wheel.result.direction is Direction.COUNTER_CLOCKWISE


def test_the_margin_is_the_way_to_the_nearest_peg() -> None:
    wheel = at_section(10)
    wheel.spin()
    middle = (wheel.at // 1 + 0.5) * 360_000 / TURN
    assert abs(wheel.result.margin_mdeg - PEGS.margin_at(int(middle))) <= 50


def test_result_comes_after_standing_for_a_second_and_a_half() -> None:
    wheel = at_section(10)
    wheel.go(TOP, 0.5)
    wheel.coast()
    wheel.rest(1.4)
    assert wheel.of(Stopped) == []
    wheel.rest(0.15)
    assert len(wheel.of(Stopped)) == 1


def test_a_wheel_that_turns_evenly_and_slowly_has_not_stopped() -> None:
    wheel = at_section(10)
    wheel.go(TOP, 0.5)
    wheel.coast(40.0)
    wheel.go(40.0, 10.0)
    assert wheel.of(Stopped) == []


def resting(offset_mdeg: int) -> Spin:
    """The result of a spin that ends so far behind the peg between sections 20 and 21."""
    wheel = at_section(10)
    wheel.go(TOP, 0.5)
    wheel.coast(2000.0)
    # The last way is led to the place; what a hand does at low speed is not in question here.
    target = (wheel.at // TURN + 1) * TURN + 20 * SECTION + offset_mdeg * TURN / 360_000
    steps = round((target - wheel.at) / 4)
    for _ in range(steps):
        wheel.step((target - wheel.at) / 400 + 0.05)
    wheel.step(target - wheel.at)
    wheel.rest(3.0)
    return wheel.result


@pytest.mark.parametrize("offset_mdeg", [-650, -400, 0, 400, 650])
def test_rest_in_the_zone_of_a_peg_has_no_section(offset_mdeg: int) -> None:
    spin = resting(offset_mdeg)
    assert (spin.on_peg, spin.section) == (True, None)
    assert abs(spin.margin_mdeg - abs(offset_mdeg)) < 50


@pytest.mark.parametrize(("offset_mdeg", "section"), [(-760, 20), (760, 21), (-3000, 20), (3000, 21)])
def test_rest_beside_the_zone_has_a_section(offset_mdeg: int, section: int) -> None:
    spin = resting(offset_mdeg)
    assert (spin.on_peg, spin.section) == (False, section)


def wound_back(back: float) -> Wheel:
    """A spin after the dealer wound the wheel back by so many turns."""
    wheel = at_section(10)
    wheel.go(-3000.0, 0.3)
    steps = max(1, round((back * TURN - 900) / 3000.0 * RATE))
    for _ in range(steps):
        wheel.step(-3000.0 / RATE)
    wheel.go(0.0, 0.3)
    wheel.spin()
    return wheel


def test_winding_back_is_no_spin() -> None:
    wheel = wound_back(0.3)
    way = wheel.at - 9.5 * SECTION
    assert wheel.of(Started) == [Started(Direction.CLOCKWISE, 10)]
    assert wheel.result.flaws == ()
    assert 0 <= way * 1000 / TURN - wheel.result.turns_milli < 2


def test_turns_are_told_once_though_wheel_rocks_over_full_turn() -> None:
    wheel = at_section(10)
    wheel.go(TOP, 0.5)
    wheel.coast(300.0)
    for _ in range(20):
        wheel.go(-300.0, 0.2)
        wheel.go(300.0, 0.2)
    wheel.coast()
    wheel.rest()
    told = [turned.turns for turned in wheel.seen if isinstance(turned, Turned)]
    assert told == list(range(1, len(told) + 1))


def test_weak_pull_is_a_spin_of_too_few_turns() -> None:
    wheel = at_section(10)
    wheel.spin(2500.0)
    (started,) = wheel.of(Started)
    assert isinstance(started, Started)
    assert (started.direction, started.section) == (Direction.CLOCKWISE, 10)
    assert started.release_mrpm == pytest.approx(2500 * 60_000 / TURN, rel=0.02)
    assert 380 < wheel.result.turns_milli < 400


def test_wheel_moved_at_rest_is_reported_with_its_angle() -> None:
    wheel = at_section(10)
    wheel.go(250.0, 0.3)
    wheel.go(0.0, 0.3)
    wheel.rest()
    assert wheel.seen == [Moved(9)]


def test_a_move_back_is_negative() -> None:
    wheel = at_section(10)
    wheel.go(-250.0, 0.3)
    wheel.go(0.0, 0.3)
    wheel.rest()
    assert wheel.seen == [Moved(-9)]


def test_less_than_a_quarter_of_a_section_is_no_movement() -> None:
    wheel = at_section(10)
    wheel.go(100.0, 0.2)
    wheel.go(0.0, 0.2)
    wheel.rest()
    assert wheel.seen == []


def test_wheel_turned_slowly_is_reported_before_it_rests() -> None:
    wheel = at_section(10)
    wheel.go(250.0, 0.2)
    wheel.go(250.0, 16.0)
    assert len(wheel.of(Moved)) == 3
    assert wheel.of(Started) == []


def test_the_next_spin_begins_where_a_movement_ended() -> None:
    wheel = at_section(10)
    for _ in range(2):
        wheel.go(250.0, 0.3)
        wheel.go(0.0, 0.3)
        wheel.rest()
    wheel.seen.clear()
    wheel.spin()
    assert wheel.seen[0] == Started(Direction.CLOCKWISE, 11)
