"""A technician in front of a broken table: `tablectl doctor` at a terminal, and what it says to do is done."""

import os
import re
import subprocess
import sys
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

import pexpect
import pytest

from tests.support.broker import Broker, private_broker
from tests.support.config import DEMO
from tests.support.kept import played
from tests.support.patience import PATIENCE_S

TERMINAL: Final = {**os.environ, "LC_ALL": "C.UTF-8", "TERM": "dumb"}


def spawned(*words: str) -> "pexpect.spawn[str]":
    """A command at a terminal of its own, wide enough for any line."""
    return pexpect.spawn(
        sys.executable, ["-m", "tablectl", *words], encoding="utf-8", timeout=PATIENCE_S, env=TERMINAL,
        dimensions=(50, 1000),
    )  # fmt: skip


def asked(config: Path) -> tuple[int, dict[str, tuple[str, str, str]]]:
    """The doctor's exit status, and of each area the last line: its level, what is the matter, what is to be done."""
    with closing(spawned("doctor", "--config", str(config))) as terminal:
        terminal.expect(pexpect.EOF)
        said = (terminal.before or "").replace("\r", "")
    found: dict[str, tuple[str, str, str]] = {}
    area = ""
    for line in said.splitlines():
        if told := re.match(r"(ok|note|BAD) +(\S+) +(.*)", line):
            level, area, matter = told.groups()
            found[area] = level, matter, ""
        elif fix := re.match(r" +→ (.*)", line):
            found[area] = *found[area][:2], fix[1]
    assert terminal.exitstatus is not None
    return terminal.exitstatus, found


@contextmanager
def plugged_in(config: Path, folder: Path) -> Generator[None]:
    """The table's devices, as `tablectl sim run` puts them to their ports."""
    with closing(spawned("sim", "run", "--config", str(config), "--folder", str(folder))) as devices:
        devices.expect_exact("shuffler")
        yield
        devices.sendintr()
        devices.expect(pexpect.EOF)


@pytest.fixture(name="broken")
def _broken(tmp_path: Path, mosquitto: Path) -> Generator[tuple[Path, Path, Broker]]:
    """A table without its devices and its broker, its journal open to everybody, and two mistakes in its file."""
    state, runtime = tmp_path / "state", tmp_path / "run"
    played(state)
    state.chmod(0o700)
    for path in state.iterdir():
        path.chmod(0o700 if path.is_dir() else 0o600)
    (state / "journal.db").chmod(0o644)
    runtime.mkdir(mode=0o700)
    (tmp_path / "broker").mkdir()
    with private_broker(mosquitto, tmp_path / "broker") as broker:
        paths = f'[paths]\nstate = "{state}"\nruntime = "{runtime}"\n'
        text = DEMO.read_text("utf-8")
        assert "[paths]" not in text
        text = re.sub(r"\[mqtt\]\n|^url = .*\n", "", text, flags=re.MULTILINE)
        text = text.replace('game = "q_poker"', 'gmae = "q_poker"')
        config = tmp_path / "q1.toml"
        config.write_text(f'{text}\n{paths}\n[mqtt]\nurl = "mqtt://127.0.0.1:{broker.port}"\n', "utf-8")
        config.chmod(0o600)
        yield config, state, broker


@pytest.mark.slow
def test_broken_table_is_mended_by_the_doctors_advice(broken: tuple[Path, Path, Broker]) -> None:
    config, state, broker = broken
    mended_file(config)
    mended_folder(config, state / "journal.db")
    status, found = asked(config)
    assert (status, found["state"][0]) == (1, "ok")
    for device in ("shoe", "shuffler"):
        level, matter, fix = found[device]
        assert (level, "(102)" in matter, fix.startswith("nothing simulates this device")) == ("BAD", True, True)
    assert found["broker"][0] == "note"
    assert f"nobody listens at 127.0.0.1:{broker.port}: start the broker there" in found["broker"][1]
    with plugged_in(config, state.parent / "run"):
        status, found = asked(config)
        assert (status, found["shuffler"][0], found["broker"][0]) == (0, "ok", "note")
        broker.start()
        status, found = asked(config)
    assert status == 0
    assert [area for area, told in found.items() if told[0] == "BAD"] == []
    assert (found["broker"][0], found["state"][0], found["journal"][0]) == ("ok", "ok", "ok")


def mended_file(config: Path) -> None:
    """A key is misspelt: the doctor names the one that was meant."""
    with closing(spawned("doctor", "--config", str(config))) as terminal:
        terminal.expect_exact("did you mean `game`?")
        terminal.expect(pexpect.EOF)
    assert terminal.exitstatus == 78
    config.write_text(config.read_text("utf-8").replace("gmae", "game"), "utf-8")


def mended_folder(config: Path, file: Path) -> None:
    """Others may read the journal: the doctor names the file and the command, then what SQLite put beside it."""
    for _ in range(2):
        status, found = asked(config)
        level, matter, fix = found["state"]
        if level == "ok":
            return
        assert (status, level, fix.startswith("chmod go-rwx these files")) == (1, "BAD", True)
        named = matter.partition(": ")[2].split(", ")
        assert all(name.startswith(str(file)) for name in named)
        subprocess.run(["chmod", "go-rwx", *named], check=True)
