"""`make soak`: tables of all five games play as fast as they can, and nothing of them may grow without end.

`python -m bench.soak [--minutes N | --virtual HOURS] [--game GAME] [--leak KIND]`. Each game has its share of the time:
the demonstration with its real daemon, simulated devices and people, a broker of its own. Memory, descriptors, threads,
tasks, queues and files are looked at every second; slopes with the bound of their noise decide, and a plot shows them.
The exit code is 1 where something grows. `--leak` plants a leak in the daemon, which has to be found; `--leak each` all
in turn, and the exit code is 1 where one is not. `--virtual` lives through so many simulated hours of each game
instead; from four on the table has forgotten as many rounds as it keeps. `--accident unplug` has that happen meanwhile.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from bench.soak_leaks import BY_THE_SECOND, LEAKS, SEEN_IN
from bench.soak_plot import plot
from bench.soak_verdict import Allowed, Verdict, judge

GAMES: Final = ("q-poker", "football-poker", "wheel-of-fortune", "chinese-dice", "thirteen-cards")
EACH: Final = "each"
EVERY_S: Final = 1.0
READY_WITHIN_S: Final = 40.0
ENDS_WITHIN_S: Final = 20.0
MISSED: Final = 20
"""Looks that may come to nothing, as while the daemon begins."""

INSIDE: Final = Path(__file__).parent / "soak_inside"
PLOT: Final = Path("build/soak/soak.svg")

SERIES: Final[Mapping[str, Allowed]] = MappingProxyType(
    {
        "private memory, MiB": Allowed(3.0, 100.0, 0.0002),
        "descriptors": Allowed(1.0, 64),
        "threads": Allowed(1.0, 16),
        "tasks": Allowed(1.0, 100),
        "blocks of memory": Allowed(1_000),
        "queue": Allowed(2.0, 1_000),
        "outbox": Allowed(50.0, 2_000),
        "write-ahead log, MiB": Allowed(1.0, 8.0),
        "journal, bytes a record": Allowed(60.0, 4_000, settled=1_800),
    }
)
"""What each may grow by in the judged part of a run, and what it may never exceed."""


@dataclass(slots=True)
class Watched:
    """What was seen of one game's daemon.

    Args:
        series: what each may do.
        samples: by series.
        missed: looks that came to nothing.
        failed: why it ended before its time.
    """

    series: Mapping[str, Allowed] = field(default_factory=lambda: SERIES)
    samples: dict[str, list[tuple[float, float]]] = field(default_factory=dict[str, list[tuple[float, float]]])
    records: int = 0
    missed: int = 0
    failed: str = ""

    def __post_init__(self) -> None:
        for name in self.series:
            self.samples.setdefault(name, [])

    def take(self, at_s: float, values: Mapping[str, float]) -> None:
        """Adds a look."""
        for name, value in values.items():
            self.samples[name].append((at_s, value))

    def form(self) -> dict[str, Any]:
        """All that was seen, for JSON."""
        return {"records": self.records, "missed": self.missed, "failed": self.failed, "samples": self.samples}

    def verdicts(self) -> dict[str, Verdict]:
        """What is said of each series."""
        return {name: judge(self.samples[name], allowed, self.records) for name, allowed in self.series.items()}


def watch(game: str, seconds: float, leak: str = "", a_second: float = 0.0) -> Watched:
    """Plays a game for so long and looks on; a leak is planted where one is named, so many of it a second."""
    seen = Watched()
    with tempfile.TemporaryDirectory(prefix="tablectl-soak-") as place:
        folder = Path(place)
        playing = _play(game, folder, leak, a_second)
        try:
            _look_on(playing, folder, seconds, seen)
        finally:
            playing.send_signal(signal.SIGINT)
            try:
                playing.wait(ENDS_WITHIN_S)
            except subprocess.TimeoutExpired:
                playing.kill()
                playing.wait()
        if seen.failed:
            seen.failed += "\n" + (folder / "demo.log").read_text("utf-8", "replace")[-1500:]
    return seen


def _play(game: str, folder: Path, leak: str, a_second: float) -> subprocess.Popen[bytes]:
    """The demonstration, with the counter put into its daemon."""
    counts = {"PYTHONPATH": str(INSIDE), "SOAK_COUNTS": str(folder / "counts.json")}
    leaks = {"SOAK_LEAK": leak, "SOAK_A_SECOND": str(a_second)}
    command = [sys.executable, "-m", "tablectl", "demo", "--game", game, "--speed", "0", "--seed", "1"]
    with (folder / "demo.log").open("wb") as log:
        return subprocess.Popen(
            [*command, "--keep", str(folder / "table")],
            stdout=log,
            stderr=subprocess.STDOUT,
            env={**os.environ, **counts, **leaks},
        )


def _look_on(playing: subprocess.Popen[bytes], folder: Path, seconds: float, seen: Watched) -> None:
    try:
        daemon = _daemon(playing)
    except (TimeoutError, OSError) as error:
        seen.failed = str(error)
        return
    end_s = time.monotonic() + seconds
    while time.monotonic() < end_s:
        time.sleep(EVERY_S)
        if playing.poll() is not None:
            seen.failed = f"it ended by itself, exit code {playing.returncode}"
            return
        try:
            values, seen.records = _values(daemon, folder)
        except (OSError, ValueError, KeyError) as error:
            seen.missed, seen.failed = seen.missed + 1, "" if seen.missed < MISSED else f"{error!r}"
        else:
            seen.take(time.monotonic(), values)
        if seen.failed:
            return


@dataclass(frozen=True, slots=True)
class _Daemon:
    pid: int
    api: str


def _daemon(playing: subprocess.Popen[bytes]) -> _Daemon:
    """The daemon that the demonstration started, once its console answers.

    Raises:
        TimeoutError: there is none.
    """
    end_s = time.monotonic() + READY_WITHIN_S
    while time.monotonic() < end_s:
        for pid in Path(f"/proc/{playing.pid}/task/{playing.pid}/children").read_text("ascii").split():
            words = Path(f"/proc/{pid}/cmdline").read_text("utf-8").split("\0")
            if "run" in words and "--config" in words:
                daemon = _Daemon(int(pid), _listens(Path(words[words.index("--config") + 1])))
                with suppress(OSError, ValueError):
                    _health(daemon)
                    return daemon
        time.sleep(0.2)
    raise TimeoutError("the demonstration's daemon did not come up")


def _listens(config: Path) -> str:
    """Where the console of a daemon with this configuration listens."""
    found: str = tomllib.loads(config.read_text("utf-8"))["console"]["listen"]
    return found


def _health(daemon: _Daemon) -> dict[str, Any]:
    try:
        with urllib.request.urlopen(f"http://{daemon.api}/v1/health", timeout=5) as answer:
            form = json.load(answer)
    except urllib.error.HTTPError as error:  # a table with a fault answers so, and with the figures all the same
        form = json.load(error)
    figures: dict[str, Any] = form["health"]
    return figures


def _values(daemon: _Daemon, folder: Path) -> tuple[dict[str, float], int]:
    """One look at all series, and how many records the journal has."""
    process, state = Path(f"/proc/{daemon.pid}"), folder / "table" / "state"
    sizes = dict(line.split(":") for line in (process / "smaps_rollup").read_text("ascii").splitlines()[1:])
    private = sum(int(sizes[name].split()[0]) for name in ("Private_Dirty", "Private_Clean"))
    counted = json.loads((folder / "counts.json").read_text("ascii"))
    health = _health(daemon)
    records = int(health["journal"]["record"])
    values = {
        "private memory, MiB": private / 1024,
        "descriptors": _entries(process / "fd"),
        "threads": _entries(process / "task"),
        "tasks": float(counted["tasks"]),
        "blocks of memory": float(counted["blocks"]),
        "queue": float(health["queue"]),
        "outbox": float(health["outbox"]["backlog"]),
        "write-ahead log, MiB": (state / "journal.db-wal").stat().st_size / 2**20,
        "journal, bytes a record": (state / "journal.db").stat().st_size / max(1, records),
    }
    return values, records


def _entries(folder: Path) -> float:
    return float(sum(1 for _ in folder.iterdir()))


def report(seen: Mapping[str, Watched], path: Path) -> int:
    """Prints the verdicts and draws the plot; how many series grew, or games broke."""
    bad: dict[str, list[str]] = {}
    for game, watched in seen.items():
        print(f"\n{game}{f': {watched.records:,} records' if watched.records else ''}")
        if watched.failed:
            print(f"  FAILED: {watched.failed}")
            bad.setdefault("a game", []).append(game)
            continue
        for name, verdict in watched.verdicts().items():
            if not verdict.flat:
                bad.setdefault(name, []).append(game)
            print(_line(name, verdict))
    series = next(iter(seen.values())).series
    plot(path, {name: {game: each.samples[name] for game, each in seen.items()} for name in series}, bad)
    count = sum(map(len, bad.values()))
    print(f"\n{f'GROWS: {count}' if count else 'flat'}; plot in {path}")
    return count


def _line(name: str, verdict: Verdict) -> str:
    figures = f"{verdict.grew:+10.2f}, surely {verdict.surely:+10.2f} of {verdict.may:,.4g}"
    return f"  {name:24} {figures:44} most {verdict.most:10.2f}  {'flat' if verdict.flat else 'GROWS'}"


def find_each(game: str, seconds: float) -> int:
    """Plants one leak after the other, each for so long; 1 where one isn't found in its series."""
    missed = 0
    for leak in LEAKS:
        watched, name = watch(game, seconds, leak), SEEN_IN.get(leak, leak)
        verdict = None if watched.failed else watched.verdicts()[name]
        found = verdict is not None and not verdict.flat
        missed += not found
        print(f"{leak}: {'found' if found else 'NOT FOUND'}, {watched.records:,} records {watched.failed}", flush=True)
        if verdict is not None:
            print(_line(name, verdict), flush=True)
    return 1 if missed else 0


def main(words: Sequence[str] | None = None) -> int:
    """Runs the games that are asked for, one after the other."""
    chosen = _chosen(words)
    if chosen.leak == EACH:
        return find_each(chosen.game or "chinese-dice", chosen.minutes * 60 / len(LEAKS))
    games = [chosen.game] if chosen.game else list(GAMES)
    each_s = chosen.minutes * 60 / len(games)
    planted = chosen.leak, chosen.a_second
    seen = {}
    for game in games:
        print(f"{game}: {f'{chosen.virtual:g} simulated hours' if chosen.virtual else f'{each_s:.0f} s'}", flush=True)
        seen[game] = _dream(game, chosen.virtual, chosen.accident) if chosen.virtual else watch(game, each_s, *planted)
    if chosen.keep is not None:
        chosen.keep.write_text(json.dumps({game: each.form() for game, each in seen.items()}), "utf-8")
    return 1 if report(seen, chosen.plot) else 0


def _chosen(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0, help="of all games together")
    parser.add_argument("--game", choices=GAMES, help="this one only")
    parser.add_argument("--leak", choices=(*LEAKS, EACH), default="", help="plant it, to see that it is found")
    parser.add_argument("--a-second", type=float, metavar="N", default=0.0, help="of a leak by the second: so many")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="write the samples there, as JSON")
    parser.add_argument("--virtual", type=float, metavar="HOURS", help="simulated hours of each game instead")
    parser.add_argument(
        "--accident", metavar="KIND", action="append", default=[], help="that happens in them: unplug, …"
    )
    parser.add_argument("--plot", type=Path, default=PLOT)
    chosen = parser.parse_args(words)
    if chosen.leak and chosen.virtual:
        parser.error("a leak can be planted in a real daemon only, not in a simulated one")
    if chosen.accident and not chosen.virtual:
        parser.error("accidents happen in simulated hours only: --virtual HOURS")
    if chosen.a_second and chosen.leak not in BY_THE_SECOND:
        parser.error(f"only these leaks come by the second: {', '.join(BY_THE_SECOND)}")
    return chosen


def _dream(game: str, hours: float, accidents: Sequence[str]) -> Watched:
    """A game at virtual time, for which only that needs the simulated world."""
    from bench import soak_virtual  # noqa: PLC0415

    try:
        samples, happened = soak_virtual.watch_virtual(game, hours, frozenset(accidents) or soak_virtual.QUIET)
    except RuntimeError as error:
        return Watched(soak_virtual.SERIES, failed=str(error))
    if accidents and not happened:
        return Watched(soak_virtual.SERIES, failed=f"nothing of this happened: {', '.join(accidents)}")
    if happened:
        print(f"  {', '.join(f'{times:,} times {kind}' for kind, times in sorted(happened.items()))}", flush=True)
    return Watched(soak_virtual.SERIES, samples)


if __name__ == "__main__":
    raise SystemExit(main())
