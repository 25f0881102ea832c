"""The short form of `make proof --only fairness`: unfair devices are found in time, fair ones aren't suspected."""

from random import Random

import pytest

from bench.fairness import aimed, alarms, die, doubled, tilted, wheel
from tablectl.history.statistics.fairness_monitor import Monitor
from tests.fairness.spoken import event, spin

RUNS = 15

MARGIN = 1.25
"""The median of so few runs strays by a sixth; the long form has enough of them to hold the promise itself."""


@pytest.mark.parametrize(("chances", "most"), [(tilted(), 1000), (doubled(), 1600), (aimed(), 1600)])
def test_an_unfair_wheel_is_found_in_time(chances: list[float], most: int) -> None:
    found = wheel("wheel", chances, most, RUNS, Random(6))
    assert found.median <= MARGIN * most, found


def test_loaded_die_is_found_nearly_as_soon_as_can_be() -> None:
    found = die(RUNS, Random(6))
    assert found.median <= MARGIN * found.most, found


def test_fair_wheels_are_suspected_no_oftener_than_promised() -> None:
    assert alarms(100, 300, 1 / 20, Random(6)) <= 5


def test_dealer_who_aims_is_told_from_others_at_their_wheel() -> None:
    random, monitor, alarmed = Random(6), Monitor(), list[tuple[str, str]]()
    for turn in range(120):
        dealer = ("ana", "mei")[turn % 2]
        monitor.take(event("audit.signed_on.v1", by=dealer, role="dealer"))
        chances = aimed() if dealer == "mei" else None
        for section in random.choices(range(1, 53), chances, k=40):
            found = monitor.take(spin(section, round_id=f"r{turn}"))
            alarmed += [(each.stream.family, each.stream.subject) for each in found if each.alarm]
    assert alarmed[0] == ("dealer", "mei")
    assert ("dealer", "ana") not in alarmed
