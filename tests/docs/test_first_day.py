"""The technician's path in a fresh clone: from the demo to a settled round at a new table.

What `systemctl` does is done as the unit says it: its command, folders and readiness.
"""

import os
import re
import shlex
import socket
import subprocess
import sys
import time
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from tablectl.features.common.api_client import Where, Who, send_request
from tablectl.features.demo.processes import free_port
from tests.docs.pages import ROOT, pages
from tests.docs.test_first_round import cloned
from tests.support.broker import Broker, private_broker
from tests.support.patience import LONG_PATIENCE_S, SCALE

PROMISED_S: Final = 90 * SCALE
"""The README says less; a machine on which many tests run at once is given more."""

STEPS: Final = (
    "tablectl demo", "tablectl tail", "tablectl init", "tablectl detect", "tablectl check-config", "tablectl doctor",
    "systemctl enable --now tablectl@",
)  # fmt: skip
ROUND: Final[tuple[tuple[str, Mapping[str, Any]], ...]] = (
    ("open_round", {}),
    ("bet", {"place": 1, "bettor": "Ho", "bet": "symbol_1", "stake": "100"}),
    ("close_betting", {}),
    ("declare_spin", {"turns": 4, "section": 17}),
    ("confirm_spin", {}),
)
"""A round that the dealer enters themselves."""


@dataclass(frozen=True, slots=True)
class Newcomer:
    """Somebody in front of a fresh clone, in a folder of their own."""

    clone: Path
    home: Path
    broker: Broker

    def run(self, command: str, *, given: str = "", ends: int = 0) -> str:
        """What the command prints, on whatever stream."""
        ran = subprocess.run(
            self.words(command), cwd=self.home, env=self.environment(), input=given, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, timeout=LONG_PATIENCE_S, check=False,
        )  # fmt: skip
        assert ran.returncode == ends, f"$ {command}\nexit status {ran.returncode}\n{ran.stdout}"
        return ran.stdout

    def words(self, command: str) -> list[str]:
        program, *words = shlex.split(command)
        return [str(self.clone / ".venv" / "bin" / program), *words]

    def environment(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("MAKE", "MFLAGS"))}
        return {**kept, "LC_ALL": "C.UTF-8", **(more or {})}

    @contextmanager
    def beside(self, command: str, more: Mapping[str, str] | None = None) -> Generator["subprocess.Popen[str]"]:
        """The command at work, until the block ends."""
        with subprocess.Popen(
            self.words(command), cwd=self.home, env=self.environment(more), stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True,
        ) as running:  # fmt: skip
            try:
                yield running
            finally:
                running.terminate()
                running.wait(LONG_PATIENCE_S)


@pytest.fixture(name="newcomer")
def _newcomer(tmp_path: Path, mosquitto: Path) -> Iterator[Newcomer]:
    for name in ("broker", "home"):
        (tmp_path / name).mkdir()
    with private_broker(mosquitto, tmp_path / "broker") as broker:
        broker.start()
        yield Newcomer(cloned(tmp_path / "tablectl"), tmp_path / "home", broker)


@contextmanager
def enabled(user: Newcomer, config: Path) -> Generator[None]:
    """The table as `systemctl enable --now` has it: the unit's own command, ready when it says so."""
    unit = (ROOT / "systemd" / "tablectl@.service").read_text("utf-8")
    assert "Type=notify" in unit
    start = re.findall(r"^ExecStart=/usr/bin/(.*)$", unit, re.MULTILINE)[0]
    command = start.replace("/etc/tablectl/%i.toml", str(config))
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as told:
        told.bind(str(user.home / "notify"))
        told.settimeout(LONG_PATIENCE_S)
        folders = {"NOTIFY_SOCKET": str(user.home / "notify"), "RUNTIME_DIRECTORY": str(user.home / "run")}
        with user.beside(command, folders):
            while b"READY=1" not in told.recv(4096):
                pass
            yield


def watched(user: Newcomer) -> None:
    """The demonstration, and in a second terminal what surveillance sees of it."""
    tail = f"tablectl tail --broker {user.broker.url} --site demo --count 20"
    with user.beside(tail) as watching:
        played = user.run(f"tablectl demo --rounds 1 --speed 0 --seed 7 --irregular 0 --broker {user.broker.url}")
        seen, _ = watching.communicate(timeout=LONG_PATIENCE_S)
    assert "settled: 1" in played
    assert "SIMULATED" in seen
    assert watching.returncode == 0, seen


def set_up(user: Newcomer, config: Path) -> None:
    """A table of their own, as the questions make it, with a PIN for the dealer."""
    made = user.run(
        f"tablectl init --yes --site macau --table w1 --game wheel_of_fortune --no-devices --person ana=dealer"
        f" --broker {user.broker.url} --config {config} --state {user.home}/state"
    )
    assert f"tablectl check-config {config}" in made
    assert re.search(r"no serial adapter|device\.", user.run("tablectl detect", ends=1))
    line = user.run("tablectl pin --stdin", given="2741\n").strip()
    text = re.sub(r"^pin_hash = .*$", line, config.read_text("utf-8"), flags=re.MULTILINE)
    config.write_text(text.replace("127.0.0.1:8080", f"127.0.0.1:{free_port()}"))


def play(config: Path) -> None:
    """One round at the new table, entered by hand."""
    url = re.findall(r'^listen = "(.*?)"', config.read_text("utf-8"), re.MULTILINE)[0]
    for verb, fields in ROUND:
        send_request(Where(f"http://{url}"), Who("ana", "2741"), verb, fields, "en")


@pytest.mark.slow
def test_new_user_gets_from_clone_to_settled_round(newcomer: Newcomer, capsys: pytest.CaptureFixture[str]) -> None:
    began, config = time.monotonic(), newcomer.home / "w1.toml"
    (newcomer.home / "run").mkdir()
    watched(newcomer)
    set_up(newcomer, config)
    assert "w1.toml: ok" in newcomer.run(f"tablectl check-config {config}")
    assert "The table can run" in newcomer.run(f"tablectl doctor --config {config}")
    with enabled(newcomer, config):
        assert "daemon      runs" in newcomer.run(f"tablectl doctor --config {config}")
        play(config)
        assert "settled" in newcomer.run(f"tablectl recall --config {config}")
    assert "whole" in newcomer.run(f"tablectl journal verify {newcomer.home}/state")
    took_s = time.monotonic() - began
    with capsys.disabled():
        sys.stdout.write(f"\nfrom the demonstration to a settled round at a new table: {took_s:.1f} s\n")
    assert took_s < PROMISED_S


def test_the_technicians_page_has_every_step_in_order() -> None:
    text = pages()["docs/roles/technician.md"].partition("## The first table")[2].partition("\n## ")[0]
    at = [text.find(step) for step in STEPS]
    assert -1 not in at
    assert at == sorted(at)
