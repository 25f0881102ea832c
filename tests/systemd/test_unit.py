"""The shipped units: systemd takes them, and finds them tight."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

UNITS = sorted((Path(__file__).parents[2] / "systemd").glob("*.service"))
DROP_IN = UNITS[0].with_name("board-uart.conf")
SCORE_MOST = 1.5


def analyze(*arguments: str) -> "subprocess.CompletedProcess[str]":
    program = shutil.which("systemd-analyze")
    assert program, "systemd-analyze isn't installed: apt-get install systemd"
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=False)


def named(unit: Path, folder: Path) -> Path:
    """The unit as systemd will see it: an instance, and a program that this machine has."""
    text = unit.read_text("utf-8").replace("/usr/bin/tablectl", "/bin/true")
    copy = folder / unit.name.replace("@", "@q1")
    copy.write_text(text)
    return copy


def test_there_are_units() -> None:
    assert "tablectl@.service" in {unit.name for unit in UNITS}


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_systemd_takes_the_unit(unit: Path, tmp_path: Path) -> None:
    done = analyze("verify", str(named(unit, tmp_path)))
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_the_unit_is_exposed_to_little(unit: Path, tmp_path: Path) -> None:
    copy = named(unit, tmp_path)
    done = analyze("security", "--offline=true", f"--threshold={int(SCORE_MOST * 10)}", "--no-pager", str(copy))
    assert done.returncode == 0, done.stdout[-300:]


def with_the_boards_uart(folder: Path) -> Path:
    """The table's unit with the drop-in for the board's own ports."""
    copy = named(next(unit for unit in UNITS if "@" in unit.name), folder)
    beside = copy.with_name(f"{copy.name}.d")
    beside.mkdir()
    shutil.copy(DROP_IN, beside)
    return copy


def test_drop_in_allows_the_boards_own_ports_and_nothing_else(tmp_path: Path) -> None:
    unit = with_the_boards_uart(tmp_path)
    verified = analyze("verify", str(unit))
    assert (verified.returncode, verified.stdout + verified.stderr) == (0, "")
    lines = [line for line in DROP_IN.read_text("utf-8").splitlines() if line and not line.startswith("#")]
    ports = ["char-ttyAMA", "char-ttymxc", "/dev/ttyS0", "/dev/ttyS1", "/dev/ttyS2", "/dev/ttyS3"]
    assert lines == ["[Service]", *(f"DeviceAllow={port} rw" for port in ports)]


def test_a_unit_that_is_exposed_is_told_apart(tmp_path: Path) -> None:
    bare = tmp_path / "bare.service"
    bare.write_text("[Service]\nExecStart=/bin/true\n")
    assert analyze("security", "--offline=true", "--threshold=15", "--no-pager", str(bare)).returncode != 0


def test_no_cause_that_passes_keeps_a_table_down() -> None:
    lines = UNITS[0].with_name("tablectl@.service").read_text("utf-8").splitlines()
    assert "StartLimitIntervalSec=0" in lines
    (final,) = [line for line in lines if line.startswith("RestartPreventExitStatus=")]
    # The address (69), the folder (73, 74), the lock (75) and the secret (77) may be there a moment later.
    assert {int(code) for code in final.partition("=")[2].split()} == {os.EX_DATAERR, os.EX_NOINPUT, os.EX_CONFIG}
