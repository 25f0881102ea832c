"""What another user of the machine finds of a real daemon, and what hostile texts leave in its log."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tablectl.features.demo.processes import free_port
from tablectl.rule_tables import shipped
from tests.support.daemon import Daemon, fork_server

EVIL = 'x\n{"event":"settled"}\x1b[2J\x9b\u202e<img src=x onerror=alert(1)>'


@pytest.fixture(name="daemon", scope="module")
def _daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    folder = tmp_path_factory.mktemp("table")
    for name in ("run", "state"):
        (folder / name).mkdir(mode=0o700)
    settings = {
        "mqtt.url": f"mqtt://127.0.0.1:{free_port()}",
        "paths.state": str(folder / "state"),
        "paths.runtime": str(folder / "run"),
        "log.format": "json",
        "log.level": "debug",
    }
    daemon = Daemon(fork_server(), shipped("tables/q-poker.demo.toml"), folder, settings)
    daemon.start()
    yield daemon
    daemon.kill()


def test_the_daemon_leaves_no_core_dump(daemon: Daemon) -> None:
    assert daemon.process is not None
    limits = Path(f"/proc/{daemon.process.pid}/limits").read_text("ascii").splitlines()
    (core,) = (line for line in limits if line.startswith("Max core file size"))
    assert core.split()[4:6] == ["0", "0"]


def test_everything_that_daemon_at_work_writes_is_its_owners_alone(daemon: Daemon) -> None:
    state = daemon.folder / "state"
    secret = [path for path in (state, *state.rglob("*")) if path.suffix != ".pub"]
    assert [path for path in secret if path.stat().st_mode & 0o077] == []
    assert {"journal.db", "log.key"} <= {path.name for path in secret}


def test_hostile_texts_leave_no_line_of_their_own_in_log(daemon: Daemon) -> None:
    for name in (EVIL, "rui"):
        with pytest.raises(AssertionError, match="wrong_pin"):
            daemon.sign_on(name[:64], "0000")
    daemon.sign_on("rui", "2222")
    shown = daemon.state()
    for verb, fields in (("bookmark", {"note": EVIL}), ("acknowledge_fault", {"code": 1201, "device": EVIL})):
        with pytest.raises(AssertionError, match="wrong_fields"):
            daemon.ask(verb, verb, round_id=None, seen=shown["seen"], **fields)
    daemon.ask("bookmark", "b", round_id=None, seen=shown["seen"], note="<img src=x onerror=alert(1)>")
    said = (daemon.folder / "daemon.log").read_text("utf-8")
    assert not set(said) & {"\x1b", "\x9b", "\u202e"}
    assert [line for line in said.splitlines() if json.loads(line)["event"] == "settled"] == []
