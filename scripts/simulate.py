"""Lives through simulated evenings: whole tables under everything that can go wrong, a seed for each, and a verdict.

`make simulate SEEDS=1-200` runs seeds in parallel and ends with a line of figures; a seed that fails is printed with
the commit, and `python scripts/simulate.py --seed N --game G -v` lives through it again with every step in words.
"""

import argparse
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).absolute().parent.parent
sys.path.insert(0, str(ROOT))

from tests.simulation.games import GAMES, game_of  # noqa: E402
from tests.simulation.verdict import Outcome, live  # noqa: E402
from tests.simulation.world import Plan  # noqa: E402

ENOUGH = 60
"""So many runs of all games and kinds have to come to each of the rare states."""


@dataclass(slots=True)
class Sum:
    """What all runs together came to."""

    runs: int = 0
    lived_s: float = 0.0
    cpu_s: float = 0.0
    settled: int = 0
    void: int = 0
    done: Counter[str] = field(default_factory=Counter[str])
    faults: Counter[str] = field(default_factory=Counter[str])
    visited: Counter[str] = field(default_factory=Counter[str])
    failed: list[Outcome] = field(default_factory=list[Outcome])

    def add(self, outcome: Outcome) -> None:
        """Takes one more run in."""
        self.runs += 1
        self.lived_s += outcome.lived_s
        self.cpu_s += outcome.cpu_s
        self.settled += outcome.settled
        self.void += outcome.void
        self.done.update(outcome.done)
        self.faults.update(outcome.faults)
        self.visited.update(outcome.visited)
        if outcome.flaws:
            self.failed.append(outcome)

    def line(self, took_s: float) -> str:
        """The figures."""
        faults = ", ".join(f"{name} {times}" for name, times in sorted(self.faults.items()))
        return (
            f"{self.runs} runs, {len(self.failed)} failed; {self.lived_s / 3600:.2f} simulated hours in {took_s:.0f} s,"
            f" {self.lived_s / max(self.cpu_s, 1e-9):.0f} times real time per core;"
            f" {self.settled} rounds settled, {self.void} void; in a simulated minute {self._density()};"
            f" {sum(self.faults.values())} faults: {faults}"
        )

    def report(self) -> str:
        """How often each of the rare states was visited."""
        return "visited: " + ", ".join(f"{name} {times}" for name, times in sorted(self.visited.items()))

    def missed(self, enough: int = ENOUGH) -> list[str]:
        """The rare states that none of so many runs came to; none where the runs are few."""
        return sorted(name for name, times in self.visited.items() if not times) if self.runs >= enough else []

    def _density(self) -> str:
        """How much happens: a figure of speed says little without it."""
        each = {**self.done, "rounds": self.settled + self.void, "faults": sum(self.faults.values())}
        minutes = max(self.lived_s / 60, 1e-9)
        return ", ".join(f"{times / minutes:.1f} {name}" for name, times in each.items())


def main(words: Sequence[str] | None = None) -> int:
    """Runs what the command line asks for; 1 where anything failed."""
    given = _parser().parse_args(words)
    plans = list(_plans(given))
    if given.verbose:
        return 1 if _aloud(plans) else 0
    began_s = time.monotonic()
    total = Sum()
    with suppress(KeyboardInterrupt):  # Who has seen enough still gets the figures.
        for outcome in _all(plans, given.jobs):
            total.add(outcome)
            if outcome.flaws:
                print(_failure(outcome), flush=True)
    print(total.line(time.monotonic() - began_s))
    print(total.report())
    missed = [] if given.only or given.game else total.missed()
    for name in missed:
        print(f"no run came to this: {name}")
    return 1 if total.failed or missed else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Whole tables, simulated from a seed.")
    parser.add_argument("--seeds", default="1-200", help="FIRST-LAST, or one")
    parser.add_argument("--seed", type=int, help="this one alone")
    parser.add_argument("--game", choices=GAMES, help="this game; else each seed has its own")
    parser.add_argument("--lasts", type=float, default=60.0, help="seconds in which things may go wrong")
    parser.add_argument("--only", default="", help="kinds of accidents, with commas between; else all")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes at a time")
    parser.add_argument("-v", "--verbose", action="store_true", help="every step, in this process")
    return parser


def _plans(given: argparse.Namespace) -> Iterator[Plan]:
    first, _, last = (str(given.seed) if given.seed is not None else given.seeds).partition("-")
    kinds = frozenset(str(kind) for kind in given.only.split(",") if kind)
    for seed in range(int(first), int(last or first) + 1):
        yield Plan(seed, given.game or game_of(seed), given.lasts, kinds)


def _all(plans: Sequence[Plan], jobs: int) -> Iterator[Outcome]:
    """What came of each, in the order in which they end."""
    if jobs == 1 or len(plans) == 1:
        yield from map(live, plans)
        return
    with multiprocessing.get_context("spawn").Pool(jobs, _work) as pool:
        yield from pool.imap_unordered(live, plans, chunksize=4)


def _work() -> None:
    """A process that only lives: it is ended by who began it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _aloud(plans: Sequence[Plan]) -> bool:
    """Lives through the plans with every step in words; whether any failed."""
    failed = False
    for plan in plans:
        outcome = live(plan, print)
        failed = failed or bool(outcome.flaws)
        for flaw in outcome.flaws:
            print(f"FLAW {flaw}")
        print(f"seed {plan.seed}, {plan.game}: trace {outcome.digest}, {len(outcome.flaws)} flaws")
    return failed


def _failure(outcome: Outcome) -> str:
    plan = outcome.plan
    again = f"python scripts/simulate.py --seed {plan.seed} --game {plan.game} --lasts {plan.lasts_s:g} -v"
    flaws = "\n".join(f"    {flaw}" for flaw in outcome.flaws[:5])
    return f"seed {plan.seed}, {plan.game}, commit {_commit()}: {len(outcome.flaws)} flaws; {again}\n{flaws}"


def _commit() -> str:
    try:
        said = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True)  # noqa: PLW1510
    except OSError:
        return "unknown"
    return said.stdout.strip() or "unknown"


if __name__ == "__main__":
    sys.exit(main())
