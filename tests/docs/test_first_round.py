"""The README's first command, as a new user gives it: a fresh clone, and a settled round at its end."""

import os
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.docs.pages import ROOT, pages
from tests.support.patience import LONG_PATIENCE_S, SCALE

PROMISED_S = 60 * SCALE
"""The README says less; a machine on which many tests run at once is given more."""


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    return cloned(tmp_path / "tablectl")


def cloned(folder: Path) -> Path:
    """What git has, without anything that was built here; but for the environment, which takes long to make."""
    subprocess.run(["git", "clone", "--quiet", "--shared", str(ROOT), str(folder)], check=True, timeout=LONG_PATIENCE_S)
    (folder / ".venv").mkdir()
    (folder / ".venv" / "bin").mkdir()
    # The installed package leads to the folder that it was installed from: the clone's own goes before it.
    python = f"PYTHONPATH={shlex.quote(str(folder))} exec {shlex.quote(sys.executable)} -P"
    for name, module in (("tablectl", " -m tablectl"), ("python", "")):
        program = folder / ".venv" / "bin" / name
        program.write_text(f'#!/bin/sh\n{python}{module} "$@"\n')
        program.chmod(0o755)
    (folder / ".venv" / "run.stamp").touch()
    return folder


@pytest.mark.slow
@pytest.mark.usefixtures("mosquitto")
def test_a_fresh_clone_plays_a_round_with_one_command(clone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    began = time.monotonic()
    environment = {key: value for key, value in os.environ.items() if key not in {"MAKEFLAGS", "MFLAGS", "MAKELEVEL"}}
    played = subprocess.run(
        ["make", "run", "ROUNDS=1", "SPEED=0", "SEED=7"], cwd=clone, env=environment, capture_output=True, text=True,
        timeout=LONG_PATIENCE_S, check=False,
    )  # fmt: skip
    took_s = time.monotonic() - began
    assert played.returncode == 0, played.stderr
    assert "DEMO · rounds: 1 · settled: 1 · void: 0" in played.stdout
    assert re.search(r"messages +complete from 1 to \d+", played.stdout)
    with capsys.disabled():
        sys.stdout.write(f"\nfrom a fresh clone to the first settled round: {took_s:.1f} s\n")
    assert took_s < PROMISED_S


def test_it_is_the_clone_that_is_run(clone: Path) -> None:
    asked = [str(clone / ".venv" / "bin" / "python"), "-c", "import tablectl, drivers; print(tablectl, drivers)"]
    said = subprocess.run(asked, cwd=clone, capture_output=True, text=True, timeout=LONG_PATIENCE_S, check=True).stdout
    assert (said.count(f"{clone}/tablectl/"), said.count(f"{clone}/drivers/")) == (1, 1)


def test_the_readme_says_how_long_it_takes() -> None:
    assert "takes three to twelve seconds to the first settled round" in pages()["README.md"]
