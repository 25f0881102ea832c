"""Every command begins as a program of its own; elsewhere most are forked from one that has imported them."""

import subprocess
import sys
from pathlib import Path

import pytest

from tablectl.cli import COMMANDS, DEVELOPERS

LOOKS_AT_COLLECTIONS = """
import gc
from tablectl.cli import main
from tablectl.daemon import run
run.run = lambda *_: print(gc.isenabled(), gc.get_freeze_count() > 0) or 0
main()
"""


def test_what_run_imports_is_left_out_of_later_collections(tmp_path: Path) -> None:
    (file := tmp_path / "table.toml").touch()
    command = [sys.executable, "-c", LOOKS_AT_COLLECTIONS, "run", "--config", str(file)]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "True True\n"


@pytest.mark.slow
@pytest.mark.parametrize("name", [*COMMANDS, *(f"dev {name}" for name in DEVELOPERS)])
def test_command_starts(name: str) -> None:
    command = [sys.executable, "-m", "tablectl", *name.split(), "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert f"tablectl {name} " in done.stdout
