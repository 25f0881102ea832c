"""Several tables in one process: each plays on its own, and one's failure leaves the others at work."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tablectl.features.demo.processes import free_port
from tablectl.rule_tables import shipped
from tests.support.broker import Broker
from tests.support.daemon import Daemon, DaemonGoneError, fork_server
from tests.support.feed import Feed
from tests.support.live_table import Table
from tests.support.patience import PATIENCE_S
from tests.support.shoe import Shoe


@dataclass(slots=True)
class Room:
    """A process with two tables."""

    tables: tuple[Table, Table]
    log: Path
    supervisor: socket.socket
    process: "subprocess.Popen[bytes] | None" = None

    def start(self, *more: str) -> None:
        configs = [word for table in self.tables for word in ("--config", str(table.daemon.config))]
        environment = {**os.environ, "NOTIFY_SOCKET": self.supervisor.getsockname()}
        command = [sys.executable, "-m", "tablectl", "run", *configs, *more]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(command, stderr=log, env=environment)

    def until_ready(self) -> list[str]:
        """What the supervisor heard, up to the word that all are up."""
        heard: list[str] = []
        while not heard or "READY=1" not in heard[-1]:
            heard.append(self.supervisor.recv(4096).decode())
        return heard

    def ends(self) -> int:
        assert self.process is not None
        return self.process.wait(PATIENCE_S)

    def said(self) -> list[dict[str, str]]:
        """The lines of the log."""
        return [json.loads(line) for line in self.log.read_text().splitlines() if line.startswith("{")]


def config_of(folder: Path, name: str, port: int, broker: Broker) -> Path:
    text = shipped("tables/q-poker.demo.toml").read_text("utf-8")
    text = text.replace('name = "q-demo"', f'name = "{name}"').replace("127.0.0.1:0", f"127.0.0.1:{port}")
    text = text.replace("mqtt://127.0.0.1:1883", broker.url)
    folder.mkdir()
    path = folder / f"{name}.toml"
    path.write_text(f'{text}\n[paths]\nstate = "{folder / "state"}"\nruntime = "{folder / "run"}"\n', "utf-8")
    return path


@pytest.fixture(name="room")
def _room(tmp_path: Path, broker: Broker) -> Iterator[Room]:
    tables: list[Table] = []
    for name in ("q1", "q2"):
        folder, port = tmp_path / name, free_port()
        daemon = Daemon(fork_server(), config_of(folder, name, port, broker), folder, {}, port)
        (folder / "run").mkdir()
        tables.append(Table(daemon, Shoe(folder / "run" / "shoe")))
        tables[-1].shoe.plug()
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as supervisor:
        supervisor.bind(str(tmp_path / "notify"))
        supervisor.settimeout(PATIENCE_S)
        room = Room((tables[0], tables[1]), tmp_path / "log", supervisor)
        yield room
        if room.process is not None and room.process.poll() is None:
            room.process.kill()
            room.process.wait()
    for table in tables:
        table.shoe.unplug()


def sign_on(table: Table) -> None:
    table.daemon.sign_on("ana", "1111")
    Feed.until(lambda: table.device("shoe")["attached"])


def is_gone(table: Table) -> bool:
    try:
        table.daemon.state()
    except DaemonGoneError:
        return True
    return False


def test_one_table_plays_on_when_anothers_journal_fails(room: Room) -> None:
    room.start()
    assert "demo/q1: " in (heard := room.until_ready())[-1]
    assert "demo/q2: " in heard[-1]
    first, second = room.tables
    for table in room.tables:
        sign_on(table)
        table.play()
    assert first.daemon.state()["log"] != second.daemon.state()["log"]

    for file in (first.daemon.folder / "state").glob("journal.db*"):
        file.unlink()
    Feed.until(lambda: is_gone(first))
    Feed.until(lambda: any(line["event"] == "the table ended; the others go on" for line in room.said()))
    second.ask("pay_place")
    second.play()
    assert second.daemon.state()["phase"] == "paying"

    assert room.process is not None
    room.process.send_signal(signal.SIGTERM)
    assert room.ends() == os.EX_IOERR
    lines = room.said()
    (ended,) = (line for line in lines if line["event"] == "the table ended; the others go on")
    assert (ended["table"], ended["level"]) == ("demo/q1", "error")
    settled = [line["table"] for line in lines if line["event"] == "settled"]
    assert (settled.count("demo/q1"), settled.count("demo/q2")) == (1, 2)
    assert all("table" in line for line in lines)


def test_two_tables_stop_when_asked(room: Room) -> None:
    room.start()
    room.until_ready()
    assert room.process is not None
    room.process.send_signal(signal.SIGTERM)
    assert room.ends() == 0
    assert {line["table"] for line in room.said() if line["event"] == "stopping"} == {"demo/q1", "demo/q2"}


def test_table_whose_journal_is_damaged_leaves_the_other_to_begin(room: Room) -> None:
    state = room.tables[0].daemon.folder / "state"
    state.mkdir(0o700)
    (state / "journal.db").write_bytes(b"nothing that could be a journal" * 200)
    room.start()
    assert "demo/q2" in room.until_ready()[-1]
    sign_on(room.tables[1])
    room.tables[1].play()
    assert room.process is not None
    room.process.send_signal(signal.SIGTERM)
    assert room.ends() == os.EX_DATAERR


def same_place(second: Path, _first: Path) -> str:
    second.write_text(second.read_text().replace('"q2"', '"q1"'))
    return "demo/q1"


def same_folder(second: Path, first: Path) -> str:
    second.write_text(second.read_text().replace(f'state = "{second.parent}', f'state = "{first.parent}'))
    return str(first.parent / "state")


def same_console(second: Path, first: Path) -> str:
    address = next(line for line in first.read_text().splitlines() if line.startswith("listen"))
    second.write_text(
        "\n".join(address if line.startswith("listen") else line for line in second.read_text().split("\n"))
    )
    return address.split('"')[1]


def same_port(second: Path, first: Path) -> str:
    second.write_text(second.read_text().replace(f'runtime = "{second.parent}', f'runtime = "{first.parent}'))
    return f"serial:{first.parent / 'run' / 'shoe'}"


@pytest.mark.parametrize("share", [same_place, same_folder, same_console, same_port])
def test_what_two_tables_may_not_share_is_named(room: Room, share: Callable[[Path, Path], str]) -> None:
    first, second = (table.daemon.config for table in room.tables)
    shared = share(second, first)
    room.start("--lang", "en")
    assert room.ends() == os.EX_CONFIG
    said = room.log.read_text()
    assert all(each in said for each in (shared, str(first), str(second))), said
