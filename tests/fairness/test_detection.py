"""The short form of `make proof --only fairness`: unfair devices are found in time, fair ones aren't suspected."""

import json
from itertools import chain
from math import log10
from random import Random
from statistics import median

import pytest

from bench.fairness import (
    Device,
    aimed,
    alarms,
    blamed,
    die,
    doubled,
    drawn,
    packs,
    rises,
    rises_ever,
    tilted,
    wheel,
)
from bench.fairness_cost import WHEEL, held_mib, logs
from tablectl.core.amending.counted_round import WITHIN_REACH
from tablectl.daemon.views.fairness import weigh_all
from tablectl.history.journal_scan import kind_of
from tablectl.history.statistics.cases import CaseEvidence, shuffles
from tablectl.history.statistics.evidence import Evidence
from tablectl.history.statistics.evidence_account import TAKEN, Account
from tablectl.history.statistics.fairness_monitor import Monitor
from tablectl.history.statistics.nulls import null_of

RUNS = 15

MARGIN = 1.25
"""The median of so few runs strays by a sixth; the long form has enough of them to hold the promise itself."""


@pytest.mark.parametrize(("device", "most"), [(tilted, 1000), (drawn(doubled()), 1600), (drawn(aimed()), 1600)])
def test_an_unfair_wheel_is_found_in_time(device: Device, most: int) -> None:
    found = wheel("wheel", device, most, RUNS, Random(6))
    assert found.median <= MARGIN * most, found


def test_loaded_die_is_found_nearly_as_soon_as_can_be() -> None:
    found = die(RUNS, Random(6))
    assert found.median <= MARGIN * found.most, found


def test_fair_wheels_are_suspected_no_oftener_than_promised() -> None:
    assert alarms(100, 300, 1 / 20, Random(6)) <= 5


def test_drawing_many_outcomes_together_misses_no_alarm() -> None:
    null, level = null_of("sections"), log10(5 / 2)
    step_by_step = [rises(Evidence(null), level, 300, Random(seed)) for seed in range(16)]
    assert [rises_ever(null, level, 300, Random(seed)) for seed in range(16)] == step_by_step
    assert any(step_by_step)


def test_fair_wheels_of_a_floor_give_no_alarm_in_long() -> None:
    assert not any(rises_ever(null_of("sections"), 5, 20_000, Random(seed)) for seed in range(3))


def test_dealer_who_aims_is_told_from_others_at_their_wheel() -> None:
    assert [blamed(Random(seed)) for seed in range(2)] == [("dealer", "mei")] * 2


@pytest.mark.parametrize(("hands", "most"), [(None, 45), (8, 200)])
def test_shelf_shuffler_is_found_by_the_order_of_packs(hands: int | None, most: int) -> None:
    assert median(packs(Random(seed), hands, 400) for seed in range(9)) <= most


def test_good_shuffles_are_not_suspected() -> None:
    random, evidence = Random(6), CaseEvidence(shuffles())
    for _ in range(100):
        evidence.weigh(" ".join(map(str, random.sample(range(12), 12))))
        assert evidence.log10() < 2
    assert evidence.log10() < 0


def test_account_of_a_table_takes_less_than_a_mebibyte() -> None:
    held = {name: held_mib(rounds) for name, rounds in logs(WITHIN_REACH, Random(6), WHEEL, "Chinese dice")}
    assert len(held) == 2
    assert all(0.2 < mib < 1 for mib in held.values()), held


def test_values_of_events_are_weighed_as_their_bytes() -> None:
    for name, rounds in logs(WITHIN_REACH + 5, Random(6), "Q Poker", "Chinese dice"):
        made, read = Account(Monitor()), Account(Monitor())
        for event in chain.from_iterable(rounds):
            found = weigh_all(made, [event])
            assert found == (read.take(json.loads(event.payload)) if kind_of(event) in TAKEN else []), (name, event)
            assert made.sequence == read.sequence
        assert made.form() == read.form()
        assert made.kept() == read.kept()
