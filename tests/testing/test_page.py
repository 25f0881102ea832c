"""The pages on testing and on the rig do what they say: every example is written into files and run."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.docs.pages import ROOT, blocks, looks_like, steps
from tests.support.warm import tablectl_path

NAMED = re.compile(r"# (\S+)\n")
SCENARIOS = ROOT / "tests" / "scenarios"
MEANWHILE = {"LANG": "C.UTF-8", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": "-p tablectl.testing.plugin"}
PATH = f"{Path(sys.executable).parent}:{os.environ['PATH']}:/usr/sbin"
COLUMN_END = re.compile(r" +$", re.MULTILINE)


def written(page: str, folder: Path) -> None:
    """Puts every example that names its file where it says."""
    for block in blocks(page):
        if block.language in {"python", "toml", "ini"} and (named := NAMED.match(block.text)):
            file = folder / named[1]
            file.parent.mkdir(exist_ok=True)
            file.write_text(block.text, "utf-8")


def printed(command: str, folder: Path) -> str:
    """What a command prints, as a reader sees it."""
    environment = {**os.environ, **MEANWHILE, "PATH": f"{Path(tablectl_path()).parent}:{PATH}"}
    environment.pop("CI", None)
    done = subprocess.run(
        ["sh", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return COLUMN_END.sub("", done.stdout)


def compared(name: str, folder: Path, leave_out: Sequence[str]) -> None:
    page = (ROOT / "docs" / name).read_text("utf-8")
    for step in steps(page):
        if not step.command.startswith(tuple(leave_out)):
            told = printed(step.command, folder)
            assert looks_like(step.shown, told), f"{step.command}\n{told}"


@pytest.mark.slow
@pytest.mark.usefixtures("mosquitto")
def test_every_example_on_page_of_testing_goes_as_it_says(tmp_path: Path) -> None:
    written((ROOT / "docs" / "testing.md").read_text("utf-8"), tmp_path)
    compared("testing.md", tmp_path, ("pip", "apt-get"))


@pytest.mark.slow
@pytest.mark.usefixtures("mosquitto")
def test_every_command_on_page_of_rig_goes_as_it_says(tmp_path: Path) -> None:
    shutil.copy(SCENARIOS / "w_round.toml", tmp_path)
    shutil.copy(SCENARIOS / "w_unplugged_while_idle.toml", tmp_path / "cable_out.toml")
    text = (ROOT / "config" / "rig.example.toml").read_text("utf-8")
    (tmp_path / "rig.toml").write_text(text, "utf-8")
    shutil.copy(ROOT / "config" / "tables" / "wheel-of-fortune.demo.toml", tmp_path / "bench1.toml")
    compared("rig.md", tmp_path, ("make",))
