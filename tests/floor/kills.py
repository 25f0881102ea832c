# ruff: noqa: T201  # a command that says how far it is
"""Kills parts of a whole floor at work: `python -m tests.floor.kills [--tables N] [--kills N] [--every S]`.

Every 20 seconds a NATS node, a recorder, the primary database or a broker of a pit is killed. What is recorded then
must be complete within 15 s, and at the end be what the tables' journals hold, byte for byte. The exit code is 1 where
it isn't.
"""

import argparse
import json
import signal
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Final

import psutil
import psycopg

from tablectl.features.floor.trial import SITE, Trial
from tablectl.features.recorder.run import load_record_config, recorded
from tablectl.journal.reading.reader import open_reader
from tests.floor.house import PageProcess, floor_of
from tests.floor.support import payloads_of
from tests.support.patience import LONG_PATIENCE_S, SCALE

COMPLETE_WITHIN_S: Final = 15 * SCALE
EVERY_S: Final = 20.0
LOOK_EVERY_S: Final = 0.2
KEPT: Final = "SELECT site || '/' || name, ranges FROM tablectl.log"
LIGHT: Final = ("tests.floor.light",)

Victim = Callable[[PageProcess, Path], psutil.Process]


@contextmanager
def floor_folder() -> Generator[Path]:
    """Where PostgreSQL's own user may come in, which pytest's folders don't let."""
    with TemporaryDirectory(prefix="tablectl-floor-", dir="/tmp", ignore_cleanup_errors=True) as made:
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


def broker(page: PageProcess, _: Path) -> psutil.Process:
    """That of a pit."""
    return programs(page, "mosquitto -c")[0]


def primary(page: PageProcess, folder: Path) -> psutil.Process:
    """The server that takes writes, once commits wait for its standby: without one nothing could take over."""
    url, deadline = load_record_config(folder / "record.toml", {}).store.url, time.monotonic() + LONG_PATIENCE_S
    with psycopg.connect(url, autocommit=True) as connection:
        while connection.execute("SHOW synchronous_standby_names").fetchone() != ("*",):
            assert time.monotonic() < deadline
            time.sleep(0.2)
    data = [each for each in (folder / "postgres").glob("[12]") if not (each / "standby.signal").exists()]
    return programs(page, "postgres -D", str(data[0]))[0]


def journals(folder: Path, tables: Sequence[str]) -> Mapping[str, Path]:
    """The state folder of each table."""
    light = {path.name: path for path in (folder / "light").glob("*/*")}
    return {name: light.get(name, folder / name / "state") for name in tables}


def heads(folder: Path, tables: Sequence[str]) -> Mapping[str, int]:
    """How many events each table has stored by now."""
    asked, found = time.time(), dict[str, int]()
    for told in (folder / "light").glob("*/heads.json"):
        while told.stat().st_mtime < asked:
            time.sleep(0.05)
        found |= json.loads(told.read_text("utf-8"))
    for name in () if found else tables:
        with closing(open_reader(folder / name / "state")) as reader:
            found[name] = reader.last_sequence
    return {f"{SITE}/{name}": number for name, number in found.items()}


def until_recorded(folder: Path, wanted: Mapping[str, int]) -> None:
    """Wait until each table's record is complete up to a number at least, and every shard has its broker."""
    began, url = time.monotonic(), load_record_config(folder / "record.toml", {}).store.url
    missing: Mapping[str, int] = wanted
    while True:
        with suppress(psycopg.Error), psycopg.connect(url) as connection:
            (at_work,) = connection.execute("SELECT bool_and(connected) FROM tablectl.shard").fetchone() or (False,)
            kept = {place: ranges for place, ranges in connection.execute(KEPT) if len(ranges) == 1}
            missing = {place: number for place, number in wanted.items() if kept.get(place, [[1, 0]])[0][1] < number}
            if at_work and not missing:
                return
        assert time.monotonic() - began < LONG_PATIENCE_S, missing
        time.sleep(LOOK_EVERY_S)


def assert_recorded_as_published(folder: Path, tables: Sequence[str]) -> int:
    """What is recorded of each table is what its journal holds, byte for byte; how many events that are."""
    url, events = load_record_config(folder / "record.toml", {}).store.url, 0
    asked = "SELECT payload FROM tablectl.event e JOIN tablectl.log l USING (log) WHERE l.name = %s ORDER BY sequence"
    with psycopg.connect(url) as connection:
        for name, journal in journals(folder, tables).items():
            rows = [bytes(row[0]) for row in connection.execute(asked, (name,))]
            assert rows == payloads_of(journal)[: len(rows)], name
            events += len(rows)
    return events


def let_come_to_their_end(page: PageProcess, folder: Path, tables: Sequence[str]) -> None:
    """Stop light tables, and wait until all that they published is recorded, verified and undisputed."""
    for home in (folder / "light").iterdir():
        (home / "stop").touch()
    deadline = time.monotonic() + 3 * LONG_PATIENCE_S  # thousands of journals are looked at
    while programs(page, "bench.feed_tables"):
        assert time.monotonic() < deadline
        time.sleep(LOOK_EVERY_S)
    ends = dict[str, int]()
    for name, journal in journals(folder, tables).items():
        with closing(open_reader(journal)) as reader:
            ends[f"{SITE}/{name}"] = reader.last_sequence
    until_recorded(folder, ends)
    config = load_record_config(folder / "record.toml", {})
    while not (report := recorded(config)).complete:
        assert time.monotonic() < deadline, [table for table in report.tables if not table.complete]
        time.sleep(1)
    assert {table.place: table.logs[-1].verified for table in report.tables} == ends


def killed(page: PageProcess, folder: Path, tables: Sequence[str], victim: Victim) -> float:
    """Kill a program; after how many seconds is recorded what the tables had published a second later."""
    chosen = victim(page, folder)
    began = time.monotonic()
    chosen.send_signal(signal.SIGKILL)
    time.sleep(1)  # they play on meanwhile
    until_recorded(folder, heads(folder, tables))
    return time.monotonic() - began


VICTIMS: Final[Mapping[str, Victim]] = {"node": node, "recorder": recorder, "primary": primary, "broker": broker}


def killed_in_turn(
    folder: Path, tables: int, kills: int, every_s: float, light: float = 0.0
) -> Mapping[str, Sequence[float]]:
    """How many seconds it took after each kill until the record was complete, by what was killed.

    Args:
        light: events a second of each table, where many are in a process; 0: they are whole ones.

    Raises:
        AssertionError: something was lost or altered.
    """
    names = [name for name, _ in Trial(tables, 1, "en").names()]
    took: dict[str, list[float]] = {name: [] for name in VICTIMS}
    how = {"program": LIGHT} if light else {}
    with floor_of(folder, tables, "--speed", str(light or 1), **how) as page:
        until_recorded(folder, {f"{SITE}/{name}": 1 for name in names})
        for what, victim in islice(cycle(VICTIMS.items()), kills):
            next_s = time.monotonic() + every_s
            took[what].append(killed(page, folder, names, victim))
            print(f"{what}: complete after {took[what][-1]:.1f} s", flush=True)
            time.sleep(max(0.0, next_s - time.monotonic()))
        if light:
            let_come_to_their_end(page, folder, names)
        print(f"{assert_recorded_as_published(folder, names)} events are recorded as they were published")
    return took


def main() -> int:
    """Kill what is asked for; print what came of it."""
    parser = argparse.ArgumentParser(prog="python -m tests.floor.kills", description=__doc__)
    parser.add_argument("--tables", type=int, default=20)
    parser.add_argument("--kills", type=int, default=60)
    parser.add_argument("--every", type=float, default=EVERY_S, help="seconds from one kill to the next")
    parser.add_argument("--light", type=float, default=0.0, help="light tables, of so many events a second each")
    chosen = parser.parse_args()
    with floor_folder() as folder, TemporaryDirectory(prefix="tablectl-light-", dir="/dev/shm") as memory:
        folder.mkdir(mode=0o700)
        (folder / "light").symlink_to(memory)
        took = killed_in_turn(folder, chosen.tables, chosen.kills, chosen.every, chosen.light)
    for what, each in took.items():
        if each:
            print(f"{what}: {len(each)} kills, complete after {median(each):.1f} s (median), {max(each):.1f} s (most)")
    late = sum(each > COMPLETE_WITHIN_S for every in took.values() for each in every)
    print(f"nothing was lost or altered; {late} of {chosen.kills} took longer than {COMPLETE_WITHIN_S:.0f} s")
    return 1 if late else 0


if __name__ == "__main__":
    raise SystemExit(main())
