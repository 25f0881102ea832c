"""The calibrated table of pegs."""

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tablectl.core.json_form import FormError
from tablectl.core.wheel_pegs import PegTable, even_pegs, read_pegs

EVEN = even_pegs(52, version="52-even-1", guard_mdeg=650, lag_mdeg=50)
FORM: dict[str, Any] = {"version": "v", "guard_mdeg": 1000, "lag_mdeg": 0, "pegs_mdeg": [10_000, 100_000, 200_000]}
FILE = Path(__file__).parents[2] / "config" / "wheel" / "52-even.toml"


def test_the_file_that_is_shipped_has_52_even_sections() -> None:
    assert read_pegs(tomllib.loads(FILE.read_text())) == EVEN


def test_a_section_lies_between_its_peg_and_the_next() -> None:
    pegs = PegTable("t", (10_000, 100_000, 200_000), 0)
    angles = (10_000, 99_999, 100_000, 200_000, 359_999, 0, 9_999, 370_000, -1)
    assert [pegs.section_at(angle) for angle in angles] == [1, 1, 2, 3, 3, 3, 3, 1, 3]


def test_the_margin_is_the_way_to_the_nearest_peg() -> None:
    pegs = PegTable("t", (10_000, 100_000, 200_000), 0)
    angles = (10_000, 10_001, 99_000, 0, 280_000, 359_000)
    assert [pegs.margin_at(angle) for angle in angles] == [0, 1, 1_000, 10_000, 80_000, 11_000]


def test_sections_of_an_even_table_are_named_1_to_52() -> None:
    middles = [peg + 3_000 for peg in EVEN.pegs_mdeg]
    assert [EVEN.section_at(angle) for angle in middles] == list(range(1, 53))


def test_both_sides_of_a_peg_get_guard_and_lag() -> None:
    assert EVEN.zone_mdeg == 700


@pytest.mark.parametrize(
    "other",
    [
        replace(EVEN, version="52-even-2"),
        replace(EVEN, guard_mdeg=651),
        replace(EVEN, lag_mdeg=51),
        replace(EVEN, pegs_mdeg=(1, *EVEN.pegs_mdeg[1:])),
    ],
)
def test_another_table_has_another_hash(other: PegTable) -> None:
    assert other.sha256 != EVEN.sha256
    assert EVEN.name == f"52-even-1 sha256:{EVEN.sha256}"
    assert len(EVEN.sha256) == 64


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"version": ""}, "version"),
        ({"guard_mdeg": -1}, "guard_mdeg"),
        ({"lag_mdeg": "0"}, "lag_mdeg"),
        ({"pegs_mdeg": [10_000]}, "pegs_mdeg"),
        ({"pegs_mdeg": 7}, "pegs_mdeg"),
        ({"pegs_mdeg": [10_000, 360_000]}, "pegs_mdeg[1]"),
        ({"pegs_mdeg": [10_000, True]}, "pegs_mdeg[1]"),
        ({"pegs_mdeg": [10_000, 200_000, 100_000]}, "pegs_mdeg[2]"),
        ({"pegs_mdeg": [10_000, 12_000, 100_000]}, "pegs_mdeg[1]"),
        ({"pegs_mdeg": [0, 100_000, 359_000]}, "pegs_mdeg[0]"),
        ({"more": 1}, "more"),
    ],
)
def test_table_that_makes_no_sense_is_refused_with_its_place(change: dict[str, Any], path: str) -> None:
    with pytest.raises(FormError) as refused:
        read_pegs(FORM | change)
    assert refused.value.path == path


def test_a_table_is_read_as_it_is_written() -> None:
    assert read_pegs(FORM) == PegTable("v", (10_000, 100_000, 200_000), 1000, 0)
