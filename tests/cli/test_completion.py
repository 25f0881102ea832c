"""Completion of tablectl's words in a shell."""

import os
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from tablectl.cli import COMMANDS, main
from tests.support.warm import tablectl_path

COMPLETE = """
source "$1"
shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_tablectl_completion "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\\n' "${COMPREPLY[@]}"
"""


def completed(folder: Path, *words: str) -> list[str]:
    """What bash offers after these words, the last of them begun or empty."""
    script = folder / "completion"
    script.write_text(CliRunner().invoke(main, ["completion", "bash"]).output, "utf-8")
    command = ["bash", "--norc", "-c", COMPLETE, "bash", str(script), "tablectl", *words]
    environment = {**os.environ, "PATH": f"{Path(tablectl_path()).parent}:{os.environ['PATH']}"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder, env=environment)
    return done.stdout.split()


def test_bash_completes_commands(tmp_path: Path) -> None:
    assert completed(tmp_path, "jo") == ["journal"]
    assert set(completed(tmp_path, "")) == set(COMMANDS)


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["journal", "v"], ["verify"]),
        (["journal", "export", "--format", "p"], ["parquet"]),
        (["monitor", "--lang", "z"], ["zh-Hant"]),
        (["log", "tr"], ["trace"]),
        (["log", "trace", "dr"], ["drivers"]),
        (["odds", "--js"], ["--json"]),
    ],
)
def test_bash_completes_sub_commands_options_and_values(tmp_path: Path, words: list[str], offered: list[str]) -> None:
    assert completed(tmp_path, *words) == offered


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_has_its_script(shell: str) -> None:
    result = CliRunner().invoke(main, ["completion", shell])
    assert result.exit_code == 0
    assert f"{shell}_complete" in result.output
    assert "tablectl" in result.output
