"""However the demo ends, nothing of it is left."""

import asyncio
import os
import re
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from tablectl.cli import main
from tablectl.features.demo import processes
from tablectl.features.demo.console import DemoError
from tablectl.features.demo.layout import PREFIX
from tests.support.patience import SCALE

SOON_S = 2 * SCALE


@contextmanager
def running_demo(tmp_path: Path) -> "Generator[subprocess.Popen[str]]":
    """A demo whose first round has begun."""
    command = [sys.executable, "-m", "tablectl", "demo", "--seed", "7", "--speed", "5"]
    env = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env, cwd=tmp_path) as demo:
        assert demo.stdout is not None
        assert any("SIMULATED  round" in line for line in demo.stdout)
        try:
            yield demo
        finally:
            demo.kill()


def listens(address: str) -> bool:
    """Whether somebody takes connections there."""
    host, _, port = address.rpartition(":")
    with socket.socket() as trying:
        return trying.connect_ex((host, int(port))) == 0


@pytest.mark.slow
@pytest.mark.usefixtures("mosquitto")
def test_every_address_listens_when_it_is_printed(tmp_path: Path) -> None:
    command = [sys.executable, "-u", "-m", "tablectl", "demo", "--seed", "7", "--speed", "5"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=tmp_path) as demo:
        assert demo.stdout is not None
        try:
            first, found = demo.stdout.readline(), dict[str, bool]()
            for line in demo.stdout:
                if named := re.search(r"^  (broker|pages) +\w+://([\d.]+:\d+)", line):
                    found[named[1]] = listens(named[2])
                if len(found) == 2:
                    break
        finally:
            demo.terminate()
    assert first.startswith("DEMO · a simulated Q Poker table")
    assert found == {"broker": True, "pages": True}


def children(pid: int) -> list[int]:
    """The pidfd of each child."""
    pids = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [os.pidfd_open(int(child)) for child in pids]


def are_gone(pidfds: list[int]) -> bool:
    """Whether these processes have ended, or do so soon."""
    gone = [bool(select.select([pidfd], [], [], SOON_S)[0]) for pidfd in pidfds]
    for pidfd in pidfds:
        os.close(pidfd)
    return all(gone)


@pytest.mark.slow
@pytest.mark.usefixtures("mosquitto")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_all_of_it_in_two_seconds(tmp_path: Path, number: signal.Signals) -> None:
    with running_demo(tmp_path) as demo:
        started = children(demo.pid)
        demo.send_signal(number)
        assert demo.wait(SOON_S) == 0
        assert len(started) == 2
        assert are_gone(started)
        assert list(tmp_path.glob(f"{PREFIX}*")) == []


@pytest.mark.slow
@pytest.mark.usefixtures("mosquitto")
def test_a_killed_demo_takes_its_broker_and_its_daemon_along(tmp_path: Path) -> None:
    with running_demo(tmp_path) as demo:
        started = children(demo.pid)
        demo.kill()
        assert len(started) == 2
        assert are_gone(started)


@pytest.mark.slow
@pytest.mark.usefixtures("mosquitto")
def test_daemon_that_dies_ends_the_demo_with_its_last_words(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "journal.db").write_bytes(b"this is no journal" * 100)
    command = [sys.executable, "-m", "tablectl", "demo", "--speed", "0", "--rounds", "1", "--keep", str(tmp_path)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert "tablectl run ended by itself" in ended.stderr
    assert "journal.db" in ended.stderr


async def test_missing_mosquitto_is_named_with_the_way_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(processes, "ROOTS_PATH", str(tmp_path))
    with pytest.raises(DemoError, match="apt-get install mosquitto"):
        await processes.start_mosquitto(tmp_path, 1)


async def test_a_child_that_does_not_end_when_asked_is_killed(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "ready")
    deaf = f"trap '' TERM; echo > {tmp_path / 'ready'}; exec sleep 60"
    child = await processes.start("deaf", ["sh", "-c", deaf], tmp_path / "log")
    await asyncio.to_thread((tmp_path / "ready").read_bytes)
    await child.stop(0.05)
    assert child.process.returncode == -signal.SIGKILL


async def test_end_of_child_is_told_with_what_it_said_last(tmp_path: Path) -> None:
    child = await processes.start("talker", ["sh", "-c", "echo first; echo last words; exit 3"], tmp_path / "log")
    with pytest.raises(DemoError, match=r"(?s)talker ended by itself, exit status 3;.*last words"):
        await child.watch()


def test_a_free_port_can_be_had() -> None:
    with socket.create_server(("127.0.0.1", processes.free_port())) as door:
        assert door.getsockname()[0] == "127.0.0.1"


def test_free_port_is_outside_linuxs_own_range() -> None:
    lowest = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    assert processes.free_port() < lowest


def test_ports_that_are_all_taken_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as door:
        taken = door.getsockname()[1]
        monkeypatch.setattr(processes, "OWN_PORTS", range(taken, taken + 1))
        monkeypatch.setattr(processes, "PORTS_TRIED", 1)
        with pytest.raises(DemoError, match=f"no port of {taken} to {taken} is free"):
            processes.free_port()


def test_folder_that_cannot_be_kept_is_told_in_one_line() -> None:
    result = CliRunner().invoke(main, ["demo", "--keep", "/proc/none"])
    assert result.exit_code == 1
    assert result.stderr == "tablectl demo: [Errno 2] No such file or directory: '/proc/none'\n"


@pytest.mark.parametrize(
    ("option", "value", "told"),
    [
        ("--speed", "nan", "a number"),
        ("--speed", "inf", "a number"),
        ("--broker", "mqtt://localhost:99999", "from 1 to 65535"),
        ("--broker", "localhost:1883", "begins with mqtt://"),
        ("--game", "chess", "q-poker"),
    ],
)
def test_a_wrong_option_is_refused_before_anything_starts(option: str, value: str, told: str) -> None:
    result = CliRunner().invoke(main, ["demo", option, value])
    assert result.exit_code == 2
    assert told in result.stderr
    assert result.stdout == ""


def test_a_game_may_be_named_as_the_configuration_names_it() -> None:
    result = CliRunner().invoke(main, ["demo", "--game", "q_poker", "--keep", "/proc/none"])
    assert result.exit_code == 1
