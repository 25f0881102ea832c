"""Long work shows how far it has come where somebody looks on, and nowhere else."""

import os
import pty
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.kept import played
from tests.support.patience import PATIENCE_S
from tests.support.warm import tablectl_path


@pytest.fixture(name="folder", scope="module")
def _folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kept") / "state"
    played(folder, 2)
    return folder


def on_a_terminal(arguments: Sequence[str]) -> str:
    """What a command writes as errors where those go to a terminal."""
    near, far = pty.openpty()
    command = [tablectl_path(), *arguments]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=far) as running:
        os.close(far)
        said = b""
        while chunk := _read(near):
            said += chunk
        assert running.wait(PATIENCE_S) == 0, said
    os.close(near)
    return said.decode()


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 4096)
    except OSError:  # the terminal's other side is gone
        return b""


@pytest.mark.parametrize(
    ("arguments", "doing"),
    [
        (["verify", "--lang", "en"], "verifying"),
        (["verify", "--lang", "pt"], "a verificar"),
        (["export", "--lang", "en"], "exporting"),
    ],
)
def test_a_bar_goes_to_the_end(folder: Path, tmp_path: Path, arguments: list[str], doing: str) -> None:
    verb, *rest = arguments
    to = ["--to", str(tmp_path / "events.jsonl")] if verb == "export" else []
    said = on_a_terminal(["journal", verb, str(folder), *rest, *to])
    assert doing in said
    assert "100%" in said


def test_what_is_not_a_terminal_gets_no_bar(folder: Path) -> None:
    command = [tablectl_path(), "journal", "verify", str(folder)]
    assert subprocess.run(command, capture_output=True, check=True).stderr == b""
