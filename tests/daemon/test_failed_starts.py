"""A start that can't serve, tried again every second for as long as it takes: it leaves nothing in the journal."""

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from tablectl.config import load
from tablectl.config.models import Config
from tablectl.daemon.console_server import listener_of
from tablectl.rule_tables import shipped
from tests.support.authority import Authority
from tests.support.feed import Feed
from tests.support.live_table import Table
from tests.support.names import swallowed
from tests.support.patience import PATIENCE_S
from tests.support.warm import tablectl_path

STARTS = 3
NO_NAME = "a" * 70 + ".example"
"""No name of a machine: no name server is asked about it."""


@pytest.fixture(name="tls")
def _tls(tmp_path: Path) -> dict[str, str]:
    """Settings without which a name isn't listened at."""
    pair = Authority(tmp_path).sign("table")
    return {"console.cert_file": pair.cert, "console.key_file": pair.key}


@pytest.fixture(name="taken")
def _taken() -> Iterator[int]:
    """A port at which somebody else listens."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        yield other.getsockname()[1]


def records(table: Table) -> int:
    """The records in the table's journal."""
    with closing(apsw.Connection(str(table.daemon.folder / "state" / "journal.db"))) as journal:
        return int(str(journal.execute("SELECT count(*) FROM record").fetchone()[0]))  # type: ignore[index]


def start(table: Table, *program: str, **settings: str) -> tuple[int, str]:
    """The exit code of a start that fails, and what it said.

    Args:
        program: where it isn't the command as it was installed.
    """
    given = {**table.daemon.overrides, **settings}
    command = [*(program or (tablectl_path(),)), "run", "--config", str(table.daemon.config)]
    command += [word for key, value in given.items() for word in ("--set", f"{key}={value}")]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    return ended.returncode, ended.stderr


def test_starts_that_cannot_listen_leave_no_record(table: Table, taken: int, tls: dict[str, str]) -> None:
    places: dict[str, dict[str, str]] = {f"127.0.0.1:{taken}": {}, f"{NO_NAME}:0": tls}

    def fail() -> int:
        ends = [start(table, **{"console.listen": at}, **more) for at, more in places.items() for _ in range(STARTS)]
        assert {code for code, _ in ends} == {os.EX_UNAVAILABLE}
        assert all("the console can't listen on" in said for _, said in ends)
        return records(table)

    assert fail() == 0
    table.begin()
    assert table.daemon.stop() == 0
    before = records(table)
    assert fail() == before > 0


def test_starts_without_the_logs_secret_key_leave_no_record(table: Table) -> None:
    table.begin()
    assert table.daemon.stop() == 0
    before = records(table)
    (table.daemon.folder / "state" / "log.key").write_text("no key\n")
    ends = [start(table, **{"console.listen": "127.0.0.1:0"}) for _ in range(STARTS)]
    assert {code for code, _ in ends} == {os.EX_CANTCREAT}
    assert all("log.key is not an Ed25519 private key" in said for _, said in ends)
    assert records(table) == before


MISTAKEN = """
import sys
from tablectl.daemon.daemon import Daemon
async def fill_board(_):
    {}["no such key"]
Daemon._fill_board = fill_board
from tablectl.cli import main
main(sys.argv[1:])
"""


def test_a_mistake_in_the_program_has_its_own_exit_code(table: Table) -> None:
    code, said = start(table, sys.executable, "-c", MISTAKEN)
    assert code == os.EX_SOFTWARE
    assert "KeyError: 'no such key'" in said
    assert said.splitlines()[-1] == "tablectl: the daemon ended by a mistake in the program"


@pytest.fixture(name="named")
def _named(tls: dict[str, str]) -> Config:
    """A table whose console has a name that only a name server knows."""
    return load(shipped("tables/q-poker.demo.toml"), {"console.listen": "table.example:0", **tls})


async def test_stop_is_heard_while_the_consoles_name_is_looked_up(
    named: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    with swallowed(monkeypatch, "table.example") as asked:
        stop = asyncio.Event()
        listening = asyncio.create_task(listener_of(named, stop))
        await asyncio.to_thread(Feed.until, lambda: bool(asked))
        stop.set()
        async with asyncio.timeout(PATIENCE_S):
            assert await listening is None
