"""Starts of a table at which no round has ended for long: how long they take, and what they hold in memory.

`python -m bench.starts FOLDER` is one such start, in a process of its own; it prints what it took. As a part of
`make proof`, `python -m bench.starts full RECORDS` has to fold so many; the exit code is 1 where that takes more than
the unit gives.
"""

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections import deque
from contextlib import closing
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Final

import apsw

from bench.figures import Figure
from tablectl.core.facts import Body, Bookmarked, Fact, LogBegan, SessionBegan
from tablectl.core.facts.game_requests import PackConfirmed
from tablectl.core.facts.reports import DeviceAttached
from tablectl.core.facts.table_requests import RoundOpened
from tablectl.core.games.q_poker.game import QPokerGame
from tablectl.core.games.q_poker.state import QPoker
from tablectl.core.table import Table
from tablectl.daemon.host.clock import SystemClock
from tablectl.daemon.host.systemd import ASK_EVERY, MORE_S
from tablectl.daemon.table import MOST_IN_A_BATCH, LiveTable
from tablectl.daemon.table_fold import LONG_ROUND
from tablectl.journal.journal import open_journal
from tablectl.journal.reading.reader import FILE
from tablectl.rule_tables import load_rules

STRETCH: Final = -(-LONG_ROUND // MOST_IN_A_BATCH) * MOST_IN_A_BATCH
"""Records between two snapshots while all batches are full."""

SINCE: Final = STRETCH - MOST_IN_A_BATCH
"""Records since the last snapshot at each start: nearly as many as there can be."""

LONGER_TARGET: Final = 1.5
MORE_TARGET: Final = 1.3
FOLD_TARGET: Final = 40.0
MOST_MIB: Final = 256.0
"""What the unit allows the whole daemon (`MemoryMax=`)."""

_BEGUN: Final[tuple[Body, ...]] = (
    LogBegan("5eed0001", "bench", "table"),
    SessionBegan("s1", "1", "hash", "q_poker", "89/2004"),
    DeviceAttached("shoe"),
    PackConfirmed(),
    RoundOpened(),
)


@dataclass(frozen=True, slots=True)
class Start:
    """What a start took.

    Args:
        grown_kib: the most memory at once beyond what the process had before.
        most_kib: the most memory at once, all in all.
        longest_s: the longest time between two requests to systemd for more of it.
    """

    folded: int
    took_s: float
    grown_kib: int
    most_kib: int
    longest_s: float


def measure(stretches: int, starts: int) -> list[Figure]:
    """The figures of a table after so many stretches between snapshots, beside one after two."""
    with tempfile.TemporaryDirectory() as folder:
        short, long = Path(folder, "short"), Path(folder, "long")
        for each, count in ((short, 2), (long, stretches)):
            each.mkdir()
            asyncio.run(_written(each, count * STRETCH + SINCE))
        records = stretches * STRETCH + SINCE
        few_s, many_s = (median(_started(each).took_s for _ in range(starts)) for each in (short, long))
        for each in (short, long):
            _without_snapshots(each)
        few, many = _started(short), _started(long)
        read_us = _read_us(long)
    return [
        Figure(
            f"a start after {records:,} records without a round's end; floor: after {2 * STRETCH + SINCE:,}",
            1000 * many_s,
            "ms",
            1000 * few_s,
            LONGER_TARGET,
            as_ratio=True,
        ),
        Figure(
            "without a snapshot that can be read, a record; floor: read and taken apart by the library's JSON",
            1e6 * many.took_s / many.folded,
            "us",
            read_us,
            FOLD_TARGET,
            as_ratio=True,
        ),
        Figure(
            f"the same, memory for {many.folded:,} records; floor: for {few.folded:,}",
            many.grown_kib / 1024,
            "MiB",
            few.grown_kib / 1024,
            MORE_TARGET,
            as_ratio=True,
        ),
    ]


def measure_long(records: int) -> list[Figure]:
    """The figures of one start that has to fold so many records, within what the unit gives it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        asyncio.run(_written(folder, records))
        _without_snapshots(folder)
        start = _started(folder)
    what = f"a start after {start.folded:,} records without a snapshot"
    return [
        Figure(f"{what}: memory at most", start.most_kib / 1024, "MiB", target=MOST_MIB),
        Figure("the same, longest until it asks systemd for more time", start.longest_s, "s", target=MORE_S),
        Figure("the same, time", start.took_s, "s"),
    ]


def _table(folder: Path) -> LiveTable[QPoker]:
    place = ("bench", "table")
    game = QPokerGame(load_rules("q_poker"))
    return LiveTable(game, open_journal(folder), SystemClock("bench"), place, Table[QPoker])


async def _written(folder: Path, records: int) -> None:
    """A round with so many records behind its opening."""
    table = await asyncio.to_thread(_table, folder)
    at = table.note(RoundOpened()).at
    try:
        async with asyncio.TaskGroup() as group:
            running = group.create_task(table.run())
            for body in _BEGUN:
                await table.ask(Fact(body, at, "bench"))
            noted = Fact(Bookmarked("the door is open"), at, "bench")
            for _ in range(records - 1):
                table.tell(noted)
            await table.ask(noted)
            running.cancel()
    finally:
        await asyncio.to_thread(table.shut)


def _started(folder: Path) -> Start:
    """A start in a process of its own."""
    command = [sys.executable, "-m", "bench.starts", str(folder)]
    return Start(**json.loads(subprocess.run(command, capture_output=True, check=True).stdout))


def _without_snapshots(folder: Path) -> None:
    with closing(apsw.Connection(str(folder / FILE))) as connection:
        connection.execute("UPDATE snapshot SET seal = x''")


def _read_us(folder: Path) -> float:
    """Microseconds for a record that is only read and taken apart."""
    with closing(apsw.Connection(str(folder / FILE))) as connection:
        begun_s = time.perf_counter()
        rows = connection.execute("SELECT body FROM record ORDER BY number")
        deque((json.loads(body) for (body,) in rows), maxlen=0)
        took_s = time.perf_counter() - begun_s
        (count,) = connection.execute("SELECT count(*) FROM record").fetchone() or (1,)
    return 1e6 * took_s / count


def _memory_kib(name: str) -> int:
    lines = Path("/proc/self/status").read_text("ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name))


def _start(folder: Path) -> Start:
    before_kib = _memory_kib("VmRSS")
    Path("/proc/self/clear_refs").write_text("5", "ascii")  # the mark of the most at once begins anew
    asked_s = [time.perf_counter()]
    table = _table(folder)
    folded = table.recover(lambda record: None if record % ASK_EVERY else asked_s.append(time.perf_counter()))
    asked_s.append(time.perf_counter())
    table.shut()
    most_kib = _memory_kib("VmHWM")
    longest_s = max(later - sooner for sooner, later in pairwise(asked_s))
    return Start(folded, asked_s[-1] - asked_s[0], most_kib - before_kib, most_kib, longest_s)


def prove(records: int) -> str:
    """Whether a start that has to fold so many records keeps within what the unit gives it, in one line."""
    memory, asked, took = measure_long(records)
    kept = memory.value <= MOST_MIB and asked.value <= MORE_S
    figures = f"{memory.value:.0f} MiB at most, {asked.value:.2f} s until it asks for more time, {took.value:.0f} s"
    return f"{'proved' if kept else 'FAILED'}: {records:,} records without a snapshot: {figures}"


if __name__ == "__main__":
    if sys.argv[1:2] == ["full"]:
        line = prove(int(sys.argv[2]))
        print(line)
        raise SystemExit(0 if line.startswith("proved") else 1)
    print(json.dumps(asdict(_start(Path(sys.argv[1])))))
