"""The health tests of a random source: their cut-offs and where they trip (SP 800-90B section 4.4)."""

import random
from fractions import Fraction
from math import ceil, comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.draw.health import (
    PROPORTION_CUTOFF,
    PROPORTION_WINDOW,
    REPETITION_CUTOFF,
    STARTUP_SAMPLES,
    AdaptiveProportion,
    Failure,
    RepetitionCount,
    RngWatch,
)

ALPHA_BITS = 30


def good_bits(count: int, seed: int = 1) -> list[int]:
    noise = random.Random(seed)
    return [noise.getrandbits(1) for _ in range(count)]


def started() -> RngWatch:
    watch = RngWatch()
    watch.take(good_bits(STARTUP_SAMPLES))
    assert watch.good
    return watch


def test_cutoffs_are_the_standards_for_one_bit() -> None:
    assert ceil(ALPHA_BITS / 1) + 1 == REPETITION_CUTOFF
    at_most = Fraction(0)
    critical = -1
    while at_most < 1 - Fraction(1, 2**ALPHA_BITS):
        critical += 1
        at_most += Fraction(comb(PROPORTION_WINDOW, critical), 2**PROPORTION_WINDOW)
    assert critical + 1 == PROPORTION_CUTOFF


def test_a_run_of_30_passes_and_of_31_fails() -> None:
    watch = started()
    last = good_bits(STARTUP_SAMPLES)[-1]
    watch.take([1 - last] * 30 + [last])
    assert watch.good
    watch.take([1 - last] * 31)
    assert watch.failure is Failure.REPETITION
    assert not watch.good


def test_repetition_count_trips_at_its_cutoff_and_restarts() -> None:
    count = RepetitionCount(cutoff=3)
    assert [count.fails(sample) for sample in (0, 0, 1, 1, 1, 1, 0)] == [False, False, False, False, True, True, False]


@pytest.mark.parametrize(("ones", "fails"), [(608, False), (609, True)])
def test_window_holds_its_first_sample_608_times_at_most(ones: int, *, fails: bool) -> None:
    zeros = PROPORTION_WINDOW - ones
    mixed = [1, 0] * zeros + [1] * (ones - zeros)
    assert len(mixed) == PROPORTION_WINDOW
    proportion = AdaptiveProportion()
    assert any(proportion.fails(sample) for sample in mixed) == fails


def test_each_window_counts_from_its_own_first_sample() -> None:
    proportion = AdaptiveProportion(cutoff=3, window=4)
    windows = [1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1]
    assert [proportion.fails(sample) for sample in windows] == [False] * 11 + [True]


def test_source_that_fails_at_start_has_failed_start_up_test() -> None:
    watch = RngWatch()
    watch.take([0] * REPETITION_CUTOFF)
    assert watch.failure is Failure.STARTUP


def test_a_biased_source_fails_by_its_proportion() -> None:
    watch = started()
    noise = random.Random(3)
    watch.take(int(noise.randrange(10) < 7) for _ in range(20 * PROPORTION_WINDOW))
    assert watch.failure is Failure.PROPORTION


def test_nothing_may_be_drawn_before_1024_samples_have_passed() -> None:
    watch = RngWatch()
    watch.take(good_bits(STARTUP_SAMPLES - 1))
    assert not watch.good
    watch.take([1])
    assert watch.good


def test_a_failure_stays_until_the_self_test_starts_over() -> None:
    watch = started()
    watch.take([0] * 40)
    seen = watch.samples
    watch.take(good_bits(5000))
    assert watch.failure is Failure.REPETITION
    assert watch.samples == seen
    watch.restart()
    assert not watch.good
    watch.take(good_bits(STARTUP_SAMPLES))
    assert watch.good


@given(st.integers(0, 2**32), st.integers(0, 4 * STARTUP_SAMPLES), st.integers(0, 1))
def test_a_source_that_gets_stuck_is_found_within_31_samples(seed: int, after: int, stuck: int) -> None:
    watch = RngWatch()
    watch.take(good_bits(after, seed))
    assert watch.failure is None
    watch.take([stuck] * REPETITION_CUTOFF)
    assert watch.failure is not None
