"""A controller as the pages describe one: a table at work with a past, its devices simulated, and people's PINs."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tablectl.rule_tables import shipped
from tests.docs.pages import Step
from tests.support.broker import Broker
from tests.support.daemon import Daemon, fork_server
from tests.support.patience import LONG_PATIENCE_S
from tests.support.warm import tablectl_path

PEOPLE: Final = {"ana": "1111", "rui": "2222", "mei": "3333", "tom": "1111"}
ENDED: Final = "::ended::"
PATH: Final = f"{Path(sys.executable).parent}:{os.environ['PATH']}"


@dataclass(frozen=True, slots=True)
class Machine:
    """The controller of table q1.

    Args:
        folder: everything that the pages see in /etc, /var/lib and /run.
        broker: its address.
        console: its address.
        rounds: the ids of the rounds that were played, in order.
    """

    folder: Path
    broker: str
    console: str
    rounds: tuple[str, ...]

    def here(self, text: str) -> str:
        """What a page says, with this machine's own places and names."""
        for said, meant in self._names().items():
            text = text.replace(said, meant)
        return text

    def run(self, steps: list[Step], home: Path) -> list[str]:
        """What each command prints when all are given to one shell, in a new folder.

        Raises:
            AssertionError: one of them failed.
        """
        for person, pin in PEOPLE.items():
            (home / f"{person}.pin").write_text(f"{pin}\n")
        script = "\n".join(f"{step.command}\necho {ENDED}" for step in steps)
        shell = self._shell(script, home)
        printed = shell.stdout.split(f"{ENDED}\n")
        done = len(printed) - 1
        assert shell.returncode == 0, f"{steps[done].command}\nexit status {shell.returncode}\n{shell.stderr}{printed}"
        return printed[:-1]

    def script(self, script: str, home: Path) -> None:
        """Gives this to a shell in a folder.

        Raises:
            AssertionError: something in it failed.
        """
        shell = self._shell(script, home)
        assert shell.returncode == 0, f"{script}\nexit status {shell.returncode}\n{shell.stderr}{shell.stdout}"

    def _shell(self, script: str, home: Path) -> subprocess.CompletedProcess[str]:
        environment = {
            **os.environ,
            "PATH": f"{Path(tablectl_path()).parent}:{PATH}",
            "HOME": str(home),
            "NO_PROXY": "*",
            "LC_ALL": "C.UTF-8",
        }
        return subprocess.run(
            ["bash", "-ec", self.here(script)], cwd=home, env=environment, capture_output=True, text=True,
            timeout=LONG_PATIENCE_S, check=False,
        )  # fmt: skip

    def _names(self) -> dict[str, str]:
        rounds = {f"1a2b3c4d-{number:06d}": name for number, name in enumerate(self.rounds, 1)}
        return {
            **rounds,
            "1a2b3c4d": self.rounds[0].partition("-")[0],
            "/etc/tablectl": f"{self.folder}/etc",
            "/var/lib/tablectl": f"{self.folder}/lib",
            "/run/tablectl": f"{self.folder}/run",
            "http://localhost:8080": self.console,
            "mqtt://broker": self.broker,
            "--site macau --table q1": "--site demo --table q-demo",
            "macau/q1": "demo/q-demo",
        }


@contextmanager
def machine(past: Path, folder: Path, broker: Broker) -> Generator[Machine]:
    """The controller, its table at work.

    Args:
        past: the state folder that the table goes on with, of two settled rounds.
    """
    for name in ("etc", "lib", "run"):
        (folder / name).mkdir(mode=0o700)
    shutil.copytree(past, folder / "lib" / "q1")
    daemon = Daemon(fork_server(), folder / "etc" / "q1.toml", folder, {})
    daemon.config.write_text(_configuration(folder, broker.url, daemon.port))
    with _simulated(daemon.config):
        daemon.start()
        try:
            yield Machine(folder, broker.url, f"http://127.0.0.1:{daemon.port}", _rounds(folder / "lib" / "q1"))
        finally:
            daemon.stop()


def _configuration(folder: Path, broker: str, port: int) -> str:
    text = shipped("tables/q-poker.demo.toml").read_text()
    text = text.replace("mqtt://127.0.0.1:1883", broker).replace("127.0.0.1:0", f"127.0.0.1:{port}")
    pin_hash = re.findall(r'^pin_hash = "(.*?)"', text, re.MULTILINE)[0]
    tom = f'\n[people.tom]\nrole = "technician"\npin_hash = "{pin_hash}"\nsimulated = true\n'
    return f'{text}{tom}\n[paths]\nstate = "{folder}/lib/q1"\nruntime = "{folder}/run"\n'


@contextmanager
def _simulated(config: Path) -> Generator[None]:
    """The simulated devices, from when they say that they are there."""
    command = [tablectl_path(), "sim", "run", "--config", str(config)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as devices:
        assert devices.stdout is not None
        try:
            assert devices.stdout.readline()
            yield
        finally:
            devices.terminate()


def _rounds(state: Path) -> tuple[str, ...]:
    command = [tablectl_path(), "recall", "--journal", str(state), "--json"]
    told = subprocess.run(command, capture_output=True, text=True, timeout=LONG_PATIENCE_S, check=True).stdout
    return tuple(reversed(re.findall(r'"round_id": ?"([0-9a-f]{8}-[0-9]+)"', told)))
