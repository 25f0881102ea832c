"""How counts are judged: a fair table is rarely suspected, a biased one is found."""

import random
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Any

import pytest

from tablectl.history.statistics.counts import LEAST_EXPECTED, chance_of_more, counts_form
from tablectl.history.statistics.expected import Kind
from tests.tools.counted import kinds

WHEEL = kinds("wheel-of-fortune")


def board(spins: Sequence[int]) -> list[dict[str, Any]]:
    """The counts of a wheel that stopped at these sections, from 1; the first 24 show the first symbol, and so on."""
    symbols, sections = WHEEL
    bounds = list(accumulate(int(chance * 52) for chance in symbols.chances.values()))
    shown = [next(nth for nth, bound in enumerate(bounds, 1) if spin <= bound) for spin in spins]
    counts = {
        symbols.name: Counter(f"symbol_{nth}" for nth in shown),
        sections.name: Counter(str(spin) for spin in spins),
    }
    return counts_form(WHEEL, counts)


def starred(told: list[dict[str, Any]]) -> list[str]:
    rows = (row for count in told for row in count["rows"] if "low" in row)
    return [row["name"] for row in rows if not row["low"] <= row["observed"] <= row["high"]]


def test_fewer_than_five_fair_boards_in_hundred_are_starred() -> None:
    chance = random.Random(42)
    boards = {rounds: [board(chance.choices(range(1, 53), k=rounds)) for _ in range(400)] for rounds in (12, 100, 500)}
    for rounds, several in boards.items():
        share = sum(bool(starred(each)) for each in several) / len(several)
        assert share < 0.05, f"{share:.3f} of boards of {rounds} rounds"


def test_wheel_that_favours_section_is_found_on_nearly_every_board() -> None:
    chance = random.Random(42)
    weights = [3 if section == 17 else 1 for section in range(1, 53)]
    several = [board(chance.choices(range(1, 53), weights, k=1000)) for _ in range(50)]
    assert sum("17" in starred(each) for each in several) >= 48
    assert sum(each[1]["fit"]["p"] < 0.01 for each in several) >= 45


def test_joint_figure_is_honest_for_fair_wheels() -> None:
    chance = random.Random(7)
    figures = [board(chance.choices(range(1, 53), k=1000))[1]["fit"]["p"] for _ in range(400)]
    assert 0.02 < sum(p < 0.05 for p in figures) / len(figures) < 0.09
    assert 0.4 < sum(p < 0.5 for p in figures) / len(figures) < 0.6


def test_a_range_begins_where_five_are_expected() -> None:
    (hands,) = kinds("q-poker")
    least = hands.chances["straight_flush"]
    enough = -(-LEAST_EXPECTED * least.denominator // least.numerator)
    for rounds, ranged in ((enough, True), (enough - 1, False)):
        (count,) = counts_form((hands,), {hands.name: Counter(high_card=rounds)})
        row = next(row for row in count["rows"] if row["name"] == "straight_flush")
        assert ("low" in row) is ranged


def test_rare_results_are_taken_together_for_chi_squared() -> None:
    coin = Kind(
        "x", "hand", lambda _form, _section: None, {"a": Fraction(1, 2), "b": Fraction(49, 100), "c": Fraction(1, 100)}
    )
    (count,) = counts_form((coin,), {"x": Counter(a=60, b=35, c=5)})
    assert count["fit"]["degrees"] == 1
    assert count["fit"]["chi_squared"] == 4.0
    assert count["fit"]["p"] == 0.0455
    (few,) = counts_form((coin,), {"x": Counter(a=9)})
    assert few["fit"] is None


@pytest.mark.parametrize(
    ("squared", "degrees", "chance"),
    [
        (0.0, 5, 1.0),
        (3.8415, 1, 0.05),
        (5.9915, 2, 0.05),
        (7.8147, 3, 0.05),
        (68.6693, 51, 0.05),
        (11.3449, 3, 0.01),
        (2.1673, 7, 0.95),
        (1e6, 51, 0.0),
    ],
)
def test_chi_squared_has_the_tails_of_the_printed_tables(squared: float, degrees: int, chance: float) -> None:
    assert chance_of_more(squared, degrees) == pytest.approx(chance, abs=1e-5 if chance else 0)
