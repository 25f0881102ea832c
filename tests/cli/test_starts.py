"""Every command begins as a program of its own; elsewhere most are forked from one that has imported them."""

import subprocess
import sys

import pytest

from tablectl.cli import COMMANDS, DEVELOPERS


@pytest.mark.slow
@pytest.mark.parametrize("name", [*COMMANDS, *(f"dev {name}" for name in DEVELOPERS)])
def test_command_starts(name: str) -> None:
    command = [sys.executable, "-m", "tablectl", *name.split(), "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert f"tablectl {name} " in done.stdout
