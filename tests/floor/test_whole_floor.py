"""A whole floor of which parts are killed: nothing is lost or altered, and the record is complete soon afterwards."""

import signal
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import psutil
import psycopg
import pytest

from tablectl.features.recorder.run import load_record_config, recorded
from tablectl.features.recorder.status import Report
from tablectl.features.recorder.stores.store import StoreAwayError, StoreUnusableError
from tests.floor.house import PageProcess, floor_of
from tests.floor.support import payloads_of
from tests.support.patience import LONG_PATIENCE_S, SCALE

COMPLETE_WITHIN_S = 20 * SCALE
"""15 s are wanted; a node that is killed soon after another took 18."""

Victim = Callable[[PageProcess, Path], psutil.Process]

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("mosquitto")]


@pytest.fixture(name="folder")
def _folder() -> Iterator[Path]:
    """Where PostgreSQL's own user may come in, which pytest's folders don't let."""
    with tempfile.TemporaryDirectory(prefix="tablectl-floor-", dir="/tmp", ignore_cleanup_errors=True) as made:
        Path(made).chmod(0o711)
        yield Path(made) / "floor"


def programs(page: PageProcess, *words: str) -> list[psutil.Process]:
    """The floor's programs whose command line has all these words."""
    found = psutil.Process(page.process.pid).children()
    return [each for each in found if all(word in " ".join(each.cmdline()) for word in words)]


def node(page: PageProcess, _: Path) -> psutil.Process:
    return programs(page, "nats-server")[0]


def recorder(page: PageProcess, _: Path) -> psutil.Process:
    """The one that keeps more shards: it has a connection for each."""
    return max(programs(page, "tablectl record"), key=lambda each: len(each.net_connections("tcp")))


def primary(page: PageProcess, folder: Path) -> psutil.Process:
    """The server that takes writes, once commits wait for its standby: without one nothing could take over."""
    url, deadline = load_record_config(folder / "record.toml", {}).store.url, time.monotonic() + LONG_PATIENCE_S
    with psycopg.connect(url, autocommit=True) as connection:
        while connection.execute("SHOW synchronous_standby_names").fetchone() != ("*",):
            assert time.monotonic() < deadline
            time.sleep(0.2)
    data = [each for each in (folder / "postgres").glob("[12]") if not (each / "standby.signal").exists()]
    return programs(page, "postgres -D", str(data[0]))[0]


def heads(folder: Path, tables: Sequence[str]) -> Mapping[str, int]:
    """How many events each table has published."""
    return {f"demo/{name}": len(payloads_of(folder / name / "state")) for name in tables}


def until_recorded(folder: Path, wanted: Mapping[str, int]) -> float:
    """Wait until each table's record is complete up to a number at least; how long that took, in seconds."""
    began, config = time.monotonic(), load_record_config(folder / "record.toml", {})
    report: Report | None = None
    while True:
        with suppress(StoreAwayError, StoreUnusableError, psycopg.Error):
            report = recorded(config)
            logs = {table.place: table.logs[-1] for table in report.tables if table.logs}
            there = not report.recorder and wanted.keys() <= logs.keys()
            if there and all(logs[place].last >= number and not logs[place].gaps for place, number in wanted.items()):
                return time.monotonic() - began
        assert time.monotonic() - began < LONG_PATIENCE_S, (wanted, report)
        time.sleep(0.2)


def kept(folder: Path, name: str) -> list[bytes]:
    url = load_record_config(folder / "record.toml", {}).store.url
    asked = "SELECT payload FROM tablectl.event e JOIN tablectl.log l USING (log) WHERE l.name = %s ORDER BY sequence"
    with psycopg.connect(url) as connection:
        return [bytes(row[0]) for row in connection.execute(asked, (name,))]


def killed(page: PageProcess, folder: Path, tables: Sequence[str], victim: Victim) -> float:
    """Kill a program; after how many seconds is recorded what the tables had published by then, and a second on."""
    victim(page, folder).send_signal(signal.SIGKILL)
    time.sleep(1)  # they play on meanwhile
    return until_recorded(folder, heads(folder, tables))


@pytest.mark.timeout(5 * LONG_PATIENCE_S)
def test_node_primary_and_recorder_are_killed_and_nothing_is_lost(folder: Path) -> None:
    tables = ["q1", "f2"]
    with floor_of(folder, 2, "--speed", "3") as page:
        until_recorded(folder, dict.fromkeys(("demo/q1", "demo/f2"), 1))
        for victim in (node, recorder, primary):
            killed(page, folder, tables, victim)
        for name in tables:
            rows = kept(folder, name)
            assert rows == payloads_of(folder / name / "state")[: len(rows)]
        page.process.send_signal(signal.SIGINT)
        said, _ = page.process.communicate(timeout=LONG_PATIENCE_S)
    assert page.process.returncode == 0
    assert [line.split(" has ended")[0].rstrip(" 123") for line in said.splitlines() if " has ended" in line] == [
        "nats-server n",
        "tablectl record",
        "a PostgreSQL server",
    ]


@pytest.mark.long
@pytest.mark.timeout(20 * LONG_PATIENCE_S)
def test_whole_floor_is_complete_soon_after_each_of_many_kills(folder: Path) -> None:
    tables = ["q1", "f2", "w3", "c4"]
    with floor_of(folder, 4, "--speed", "1") as page:
        until_recorded(folder, {f"demo/{name}": 1 for name in tables})
        took = [killed(page, folder, tables, victim) for _ in range(4) for victim in (node, recorder, primary)]
        for name in tables:
            rows = kept(folder, name)
            assert rows == payloads_of(folder / name / "state")[: len(rows)]
    assert max(took) < COMPLETE_WITHIN_S, took
