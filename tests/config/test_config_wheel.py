"""A wheel's configuration: rule table, rim and pegs have to fit together, or the table doesn't start."""

import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from tablectl.cli import main
from tablectl.config import load
from tablectl.config.errors import ConfigError
from tablectl.rule_tables import shipped
from tests.support.config import remarked

DEMO = shipped("tables/wheel-of-fortune.demo.toml")
BIG_WHEEL = "rules/wheel_of_fortune.big-wheel.toml"


def problems(key: str, value: object) -> str:
    with pytest.raises(ConfigError) as refused:
        load(DEMO, {key: str(value)})
    return str(refused.value)


def test_the_rim_of_another_rule_table_is_refused() -> None:
    layout = [1] * 24 + [2] * 12 + [3] * 8 + [4] * 4 + [5] * 2 + [7] * 2
    assert "24, 12, 8, 4, 2, 1, 1 sections of the symbols" in problems("wheel_of_fortune.layout", layout)


def test_rule_table_of_another_wheel_needs_its_own_rim(tmp_path: Path) -> None:
    table, twelve = tmp_path / "rules.toml", "[24, 12, 8, 4, 2, 1, 1]"
    table.write_text(
        shipped("rules/wheel_of_fortune.42-2003.toml").read_text().replace(twelve, "[23, 13, 8, 4, 2, 1, 1]")
    )
    assert "wheel_of_fortune.layout\n  23, 13, 8, 4, 2, 1, 1 sections" in problems("wheel_of_fortune.rules", table)


def test_a_rim_in_any_order_is_taken() -> None:
    layout = [7, 6] + [5] * 2 + [4] * 4 + [3] * 8 + [2] * 12 + [1] * 24
    assert load(DEMO, {"wheel_of_fortune.layout": str(layout)}).section("wheel_of_fortune").layout == tuple(layout)


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
    assert (
        load(DEMO, {"wheel_of_fortune.rules": BIG_WHEEL}).section("wheel_of_fortune").rules.endswith("big-wheel.toml")
    )


REAL = {"devices.wheel.simulated": "false", "devices.wheel.port": "serial:/dev/null"}
RIM = str([7, 6] + [5] * 2 + [4] * 4 + [3] * 8 + [2] * 12 + [1] * 24)


def measured(folder: Path) -> str:
    """The drawn pegs, with one of them where it was found."""
    drawn = shipped("wheel/52-even.toml").read_text(encoding="utf-8")
    pegs = folder / "measured.toml"
    pegs.write_text(drawn.replace("    0, 6_923,", "    0, 6_931,").replace("52-even-1", "w1"), encoding="utf-8")
    return str(pegs)


def test_wheel_with_drawn_pegs_is_inspected_but_not_played() -> None:
    with pytest.raises(ConfigError) as refused:
        load(DEMO, REAL, at_work=True)
    assert [problem.key for problem in refused.value.problems] == [
        "devices.wheel.calibration",
        "wheel_of_fortune.layout",
    ]
    assert "drawn evenly, not measured" in str(refused.value)
    assert load(DEMO, REAL).table.game == "wheel_of_fortune"


def test_copied_drawn_pegs_under_another_name_are_not_measured(tmp_path: Path) -> None:
    copy = tmp_path / "w1.toml"
    copy.write_bytes(shipped("wheel/52-even.toml").read_bytes())
    with pytest.raises(ConfigError, match="drawn evenly"):
        load(DEMO, {**REAL, "wheel_of_fortune.layout": RIM, "devices.wheel.calibration": str(copy)}, at_work=True)


def test_measured_wheel_and_simulated_wheel_without_rim_are_played(tmp_path: Path) -> None:
    own = {"wheel_of_fortune.layout": RIM, "devices.wheel.calibration": measured(tmp_path)}
    assert load(DEMO, {**REAL, **own}, at_work=True).section("wheel_of_fortune").layout
    assert load(DEMO, at_work=True).devices["wheel"].simulated


def test_wheel_that_the_dealer_reads_needs_neither_pegs_nor_rim(tmp_path: Path) -> None:
    unread = tmp_path / "unread.toml"
    text = DEMO.read_text(encoding="utf-8")
    unread.write_text(
        text[: text.index("[devices.wheel]")] + text[text.index("[wheel_of_fortune]") :], encoding="utf-8"
    )
    assert load(unread, at_work=True).devices == {}


def test_what_isn_t_measured_yet_is_remarked_wherever_remarks_are_shown() -> None:
    told = remarked(load(DEMO, REAL), DEMO)
    assert any(line.startswith("warning: devices.wheel.calibration: these pegs (52-even-1)") for line in told)
    assert any(line.startswith("warning: wheel_of_fortune.layout: ") for line in told)


def test_check_config_shows_by_what_an_angle_becomes_a_symbol(tmp_path: Path) -> None:
    code, out, err = check(str(DEMO))
    assert (code, err) == (os.EX_OK, "")
    assert "  rim      pegs 52-even-1, drawn and not measured; symbols taken as evenly spread" in out.splitlines()
    own = (f"wheel_of_fortune.layout={RIM}", f"devices.wheel.calibration={measured(tmp_path)}")
    _, out, _ = check(str(DEMO), *(word for each in own for word in ("--set", each)))
    assert "  rim      pegs w1; symbols as set" in out.splitlines()


def test_check_config_refuses_what_the_daemon_would() -> None:
    code, out, err = check(str(DEMO), *(word for key, value in REAL.items() for word in ("--set", f"{key}={value}")))
    assert (code, out) == (os.EX_CONFIG, "")
    assert "tablectl probe" in err


def check(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, ["check-config", *arguments])
    return result.exit_code, result.stdout, result.stderr
