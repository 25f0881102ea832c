"""A wheel's configuration: rule table, rim and pegs have to fit together, or the table doesn't start."""

from pathlib import Path

import pytest

from tablectl.shell.config import ConfigError, load
from tablectl.shell.rules import shipped

DEMO = shipped("tables/wheel-of-fortune.demo.toml")
BIG_WHEEL = "rules/wheel_of_fortune.big-wheel.toml"


def problems(key: str, value: object) -> str:
    with pytest.raises(ConfigError) as refused:
        load(DEMO, {key: str(value)})
    return str(refused.value)


def test_the_rim_of_another_rule_table_is_refused() -> None:
    layout = [1] * 24 + [2] * 12 + [3] * 8 + [4] * 4 + [5] * 2 + [7] * 2
    assert "24, 12, 8, 4, 2, 1, 1 sections of the symbols" in problems("wheel_of_fortune.layout", layout)


def test_a_rim_in_any_order_is_taken() -> None:
    layout = [7, 6] + [5] * 2 + [4] * 4 + [3] * 8 + [2] * 12 + [1] * 24
    assert load(DEMO, {"wheel_of_fortune.layout": str(layout)}).wheel_of_fortune.layout == tuple(layout)


def test_pegs_of_another_wheel_are_refused(tmp_path: Path) -> None:
    pegs = tmp_path / "three.toml"
    pegs.write_text('version = "three"\nguard_mdeg = 500\nlag_mdeg = 0\npegs_mdeg = [0, 120000, 240000]\n')
    said = problems("devices.wheel.calibration", pegs)
    assert "the table has 3 pegs, and the wheel of the rule table 52 sections" in said


def test_pegs_that_cannot_be_read_are_told_with_the_place(tmp_path: Path) -> None:
    pegs = tmp_path / "crossed.toml"
    pegs.write_text('version = "crossed"\nguard_mdeg = 500\nlag_mdeg = 0\npegs_mdeg = [120000, 0]\n')
    said = problems("devices.wheel.calibration", pegs)
    assert f"{pegs}: pegs_mdeg[1]" in said


def test_a_missing_rule_table_is_named_once_with_the_reason(tmp_path: Path) -> None:
    missing = tmp_path / "none.toml"
    assert f"can't be used: {missing}: No such file or directory" in problems("wheel_of_fortune.rules", missing)


def test_the_other_shipped_rule_table_is_taken() -> None:
    assert load(DEMO, {"wheel_of_fortune.rules": BIG_WHEEL}).wheel_of_fortune.rules.endswith("big-wheel.toml")
