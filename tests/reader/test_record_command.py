"""`tablectl record` and `tablectl record status` as a surveillance room runs them."""

import asyncio
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner

from tablectl.cli import main
from tablectl.features.recorder.status import Report
from tablectl.proof.note import fingerprint, from_base64
from tablectl.rule_tables import shipped
from tests.reader.record_nats import private_nats
from tests.reader.record_postgres import Postgres
from tests.reader.record_process import Process
from tests.reader.record_table import Table
from tests.support.broker import Broker, private_broker
from tests.support.daemon import Daemon, fork_server
from tests.support.kept import played
from tests.support.live_table import Table as LiveTable
from tests.support.patience import PATIENCE_S
from tests.support.shoe import Shoe

READS = '["round", "bet", "card", "draw", "wheel", "dice", "fault", "fairness", "audit"]'


@pytest.fixture(name="recorder")
def _recorder(tmp_path: Path) -> Iterator[Process]:
    config = tmp_path / "record.toml"
    config.write_text(f'[store]\nurl = "sqlite:{tmp_path}/room.db"\n')
    process = Process(config, tmp_path / "record.log")
    yield process
    process.end(signal.SIGKILL)


@pytest.fixture(name="daemon")
def _daemon(tmp_path: Path) -> Iterator[Daemon]:
    (tmp_path / "run").mkdir()
    settings = {
        "paths.state": str(tmp_path / "state"),
        "paths.runtime": str(tmp_path / "run"),
        "subscribers.recorder.may": '["replay"]',
        "subscribers.recorder.reads": READS,
    }
    daemon = Daemon(fork_server(), shipped("tables/q-poker.demo.toml"), tmp_path, settings)
    yield daemon
    if daemon.process is not None:
        daemon.kill()


@pytest.fixture(name="shoe")
def _shoe(tmp_path: Path, daemon: Daemon) -> Iterator[Shoe]:
    shoe = Shoe(tmp_path / "run" / "shoe")
    shoe.plug()
    yield shoe
    shoe.unplug()


@pytest.fixture(params=["5", "3.1.1"], name="address")
def _address(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, str]]:
    """A broker's address, and the MQTT that it speaks: mosquitto, and NATS, which knows 3.1.1 only."""
    if request.param == "5":
        yield request.getfixturevalue("broker").url, request.param
        return
    (tmp_path / "nats").mkdir()
    with private_nats(tmp_path / "nats") as server:
        yield server.url, request.param


def pin(daemon: Daemon) -> str:
    key = from_base64((daemon.folder / "state" / "log.pub").read_text().strip())
    return f'keys.demo/q-demo=["{fingerprint(key)}"]'


def last(report: Report) -> int:
    return report.tables[0].logs[-1].last if report.tables and report.tables[0].logs else 0


def test_a_live_table_is_recorded_whole_across_a_kill(
    address: tuple[str, str], daemon: Daemon, shoe: Shoe, recorder: Process
) -> None:
    url, protocol = address
    daemon.overrides = {**daemon.overrides, "mqtt.url": url, "mqtt.protocol": f'"{protocol}"'}
    table = LiveTable(daemon, shoe)
    table.begin()
    recorder.changes = (f"broker.url={url}", f'broker.protocol="{protocol}"', pin(daemon))
    recorder.start()
    table.play()
    before = recorder.until(lambda report: report.complete and last(report) > 10)
    recorder.end(signal.SIGKILL)
    table.play()
    recorder.start()
    recorder.until(lambda report: report.complete and last(report) > last(before))
    code, status = recorder.status()
    (log,) = status["tables"][0]["logs"]
    assert (code, status["complete"]) == (0, True)
    assert (log["first"], log["trust"], log["gone"], log["gaps"]) == (1, "pinned", [], [])
    assert recorder.end() == 0
    code, status = recorder.status()
    assert (code, status["recorder"].partition(" at 2")[0]) == (1, "the recorder isn't at work: it was stopped")


def test_recorder_starting_at_a_pruned_table_verifies_the_rest(
    broker: Broker, daemon: Daemon, shoe: Shoe, recorder: Process
) -> None:
    folder = daemon.folder / "state"
    played(folder, 16)
    pruned = CliRunner().invoke(main, ["journal", "prune", str(folder), "--before", "2999-01-01"])
    assert (pruned.exit_code, pruned.stdout.split()[:4]) == (0, ["pruned", "events", "1", "to"])
    cut = int(pruned.stdout.split()[4])
    daemon.overrides = {**daemon.overrides, "mqtt.url": broker.url}
    LiveTable(daemon, shoe).begin()
    recorder.changes = (f"broker.url={broker.url}", pin(daemon))
    recorder.start()
    report = recorder.until(lambda report: report.complete and last(report) > 16 * 19)
    (log,) = report.tables[0].logs
    assert (log.gone, log.first, log.gaps) == (((1, cut),), cut + 1, [])
    assert log.verified > 16 * 19
    _, status = run("--config", str(recorder.config), *(f"--set={each}" for each in recorder.changes), "status")
    assert f"the table no longer has: 1–{cut}; the tree goes on over their hashes\n" in status


async def live(table: Table, count: int) -> None:
    async with table.online():
        await table.live(count)


def waiting(postgres: Postgres, address: str) -> bool:
    query = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%%gap%%'"
    return bool(postgres.ask(address, query)[0][0])


def test_recorder_killed_before_commit_resumes_from_its_store(
    postgres: Postgres, broker: Broker, recorder: Process
) -> None:
    address, table = postgres.database(), Table(broker.port)
    recorder.changes = (f"broker.url={broker.url}", f"store.url={address}", f'keys.macau/q1=["{table.fingerprint}"]')
    recorder.start()
    recorder.says("connected")
    asyncio.run(live(table, 20))
    recorder.until(lambda report: last(report) == 20)
    with psycopg.connect(address) as blocking:
        blocking.execute("LOCK TABLE tablectl.gap")
        table.happen(30)
        asyncio.run(tell(table, [50]))
        deadline = time.monotonic() + PATIENCE_S
        while not waiting(postgres, address):
            assert time.monotonic() < deadline, recorder.said()
        recorder.end(signal.SIGKILL)
    assert postgres.ask(address, "SELECT count(*) FROM tablectl.event") == [(20,)]
    recorder.start()
    asyncio.run(online_until(table, recorder, 50))
    rows = postgres.ask(address, "SELECT payload FROM tablectl.event ORDER BY sequence")
    assert [bytes(row[0]) for row in rows] == table.payloads


async def tell(table: Table, numbers: list[int]) -> None:
    async with table.online():
        await table.tell(numbers)


async def online_until(table: Table, recorder: Process, count: int) -> None:
    async with table.online():
        await table.sign()
        await asyncio.to_thread(recorder.until, lambda report: report.complete and last(report) == count)


def test_a_second_recorder_waits_until_the_first_is_gone(
    postgres: Postgres, broker: Broker, recorder: Process, tmp_path: Path
) -> None:
    address, table = postgres.database(), Table(broker.port)
    recorder.changes = (f"broker.url={broker.url}", f"store.url={address}", f'keys.macau/q1=["{table.fingerprint}"]')
    recorder.start()
    recorder.says("connected")
    second = Process(recorder.config, tmp_path / "second.log", recorder.changes)
    second.start()
    try:
        second.says("another recorder writes into it")
        asyncio.run(live(table, 5))
        recorder.until(lambda report: last(report) == 5)
        recorder.end(signal.SIGKILL)
        second.says("connected")
        table.happen(3)
        asyncio.run(online_until(table, second, 8))
    finally:
        second.end()


def run(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, ["record", *words])
    return result.exit_code, result.output


def test_status_before_any_recorder_says_so(tmp_path: Path) -> None:
    code, said = run("--store", f"sqlite:{tmp_path}/none.db", "status")
    assert (code, said) == (69, f"tablectl record: no recorder has written {tmp_path}/none.db yet\n")


def test_file_that_cannot_be_used_ends_recorder_in_a_line(broker: Broker, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    store = f"sqlite:{tmp_path}/file/room.db"
    words = ["record", "--broker", broker.url, "--user", "recorder", "--store", store, "--listen", "macau/q1"]
    ended = CliRunner().invoke(main, words)
    assert isinstance(ended.exception, SystemExit), ended.exception
    assert ended.exit_code == 69
    assert ended.output.splitlines()[-1].startswith(f"tablectl record: {tmp_path}/file/room.db can't be used")


def test_a_configuration_that_cannot_work_is_told_line_by_line(tmp_path: Path) -> None:
    file = tmp_path / "record.toml"
    file.write_text(
        '[broker]\nurl = "http://broker"\n[store]\nurl = "postgresql://me:secret@db/floor"\n'
        '[tables]\nlisten = ["macau"]\ntrust = "all"\n[keys]\n"macau/q1" = ["sha256:12"]\ncolour = "red"\n'
    )
    code, said = run("--config", str(file))
    assert code == 78
    assert f"{file}:4:1: store.url" in said
    assert "an address holds no password" in said
    assert "secret" not in said
    assert "a table is site/table" in said
    assert "a fingerprint is sha256:" in said
    file.write_text('[broker]\nurl = "http://broker"\n[store]\nurl = "sqlite:/x.db"\n')
    assert "it begins with mqtt://" in run("--config", str(file))[1]
    assert run("--config", str(tmp_path / "none.toml"))[0] == 66
    assert run("--broker", "mqtt://127.0.0.1")[0] == 78


def test_recorder_without_database_or_broker_waits_and_stops(recorder: Process, tmp_path: Path) -> None:
    recorder.changes = (f"store.url=postgresql:///floor?host={tmp_path}", "broker.url=mqtt://127.0.0.1:1")
    recorder.start()
    recorder.says("the database doesn't answer")
    assert recorder.end() == 0
    recorder.changes = (f"store.url=sqlite:{tmp_path}/room.db", "broker.url=mqtt://127.0.0.1:1")
    recorder.start()
    recorder.says("nobody listens at 127.0.0.1:1")
    assert recorder.end() == 0


def test_a_broker_that_refuses_ends_the_recorder(mosquitto: Path, recorder: Process, tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir()
    with private_broker(mosquitto, tmp_path / "closed", anonymous=False) as broker:
        broker.start()
        recorder.changes = (f"broker.url={broker.url}",)
        recorder.start()
        recorder.says("doesn't let us in")
        assert recorder.end(signal.SIGCONT) == 69
