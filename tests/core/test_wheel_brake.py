"""Hands on the wheel, in samples that are made by hand."""

import pytest

from tablectl.core.outcomes import Flaw
from tests.support.wheel_by_hand import TOP, at_section


def test_a_kick_back_by_half_a_section_is_normal() -> None:
    wheel = at_section(10)
    wheel.go(TOP, 0.5)
    wheel.coast()
    wheel.go(-500.0, 0.05)
    wheel.go(0.0, 0.2)
    wheel.rest()
    assert wheel.result.flaws == ()


def test_way_back_of_more_than_a_section_is_a_reversal() -> None:
    wheel = at_section(10)
    wheel.go(TOP, 0.5)
    wheel.coast()
    wheel.go(-900.0, 0.3)
    wheel.go(0.0, 0.3)
    wheel.rest()
    assert Flaw.REVERSAL in wheel.result.flaws


def test_a_way_back_at_speed_is_a_reversal() -> None:
    wheel = at_section(10)
    wheel.go(TOP, 0.5)
    wheel.coast(3000.0)
    wheel.go(-2500.0, 0.05)
    wheel.go(0.0, 0.05)
    wheel.rest()
    assert Flaw.REVERSAL in wheel.result.flaws


@pytest.mark.parametrize("speed", [8000.0, 5000.0, 3500.0])
def test_a_hand_that_brakes_the_wheel_is_seen(speed: float) -> None:
    wheel = at_section(10)
    wheel.go(TOP, 0.5)
    wheel.coast(speed)
    wheel.go(speed - 2500.0, 0.2)
    wheel.coast()
    wheel.rest()
    assert wheel.result.flaws == (Flaw.INTERFERENCE,)


def test_hand_that_stops_the_wheel_within_a_section_is_seen() -> None:
    wheel = at_section(10)
    wheel.go(TOP, 0.5)
    wheel.coast(2500.0)
    wheel.go(0.0, 0.05)
    wheel.rest()
    assert wheel.result.flaws == (Flaw.INTERFERENCE,)


@pytest.mark.parametrize("speed", [7000.0, 2000.0, 500.0])
def test_a_hand_that_pushes_the_wheel_on_is_seen(speed: float) -> None:
    wheel = at_section(10)
    wheel.go(TOP, 0.5)
    wheel.coast(speed)
    wheel.go(speed + 1000.0, 0.2)
    wheel.coast()
    wheel.rest()
    assert wheel.result.flaws == (Flaw.INTERFERENCE,)


@pytest.mark.parametrize("braking", [0.0, 100.0, 250.0])
def test_a_hand_that_leads_the_wheel_is_seen(braking: float) -> None:
    wheel = at_section(10)
    wheel.go(5000.0, 0.5)
    wheel.go(5000.0 - 6 * braking, 6.0)
    wheel.coast()
    wheel.rest()
    assert wheel.result.flaws == (Flaw.INTERFERENCE,)


@pytest.mark.parametrize("braking", [500.0, 2500.0])
def test_another_wheel_may_run_lighter_or_harder(braking: float) -> None:
    wheel = at_section(10)
    wheel.go(TOP, 0.5)
    wheel.go(0.0, TOP / braking)
    wheel.rest()
    assert wheel.result.flaws == ()


def test_wheel_that_stood_and_goes_on_was_moved_by_hand() -> None:
    wheel = at_section(10)
    wheel.go(TOP, 0.5)
    wheel.coast()
    wheel.rest(0.8)
    wheel.go(200.0, 0.2)
    wheel.go(0.0, 0.3)
    wheel.rest()
    assert Flaw.INTERFERENCE in wheel.result.flaws


def test_a_second_pull_in_the_first_turn_is_the_dealer_s() -> None:
    wheel = at_section(10)
    wheel.go(6000.0, 0.4)
    wheel.coast(5500.0)
    wheel.go(TOP, 0.3)
    wheel.coast()
    wheel.rest()
    assert wheel.result.flaws == ()


def test_what_the_brakes_learn_is_bounded() -> None:
    wheel = at_section(10)
    for _ in range(30):
        wheel.spin()
    before = wheel.watch.envelope.held(5000, 6 * 1200)
    assert before  # it learned that this wheel brakes by 1200, not by the 1365 that are assumed
    assert not wheel.watch.envelope.held(5000, 2 * 1200)
