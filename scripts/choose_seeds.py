"""Chooses the seeds that `make test` lives through: few that reach nearly every branch that many reach.

`python scripts/choose_seeds.py --seeds 1-200` lives through them all, which takes minutes, and writes the list anew.
Each next seed is the one that adds most for its processor time.
"""

import argparse
import multiprocessing
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import coverage

ROOT = Path(__file__).absolute().parent.parent
sys.path.insert(0, str(ROOT))

from tests.simulation.games import game_of  # noqa: E402
from tests.simulation.verdict import live  # noqa: E402
from tests.simulation.visited import RARE  # noqa: E402
from tests.simulation.world import Plan  # noqa: E402

LIST = ROOT / "tests" / "simulation" / "chosen.toml"
ENOUGH = 0.985
"""This share of all branches."""

PRODUCT = [str(ROOT / name / "*") for name in ("tablectl", "drivers")]
Place = tuple[str, int, int]


@dataclass(frozen=True, slots=True)
class Reached:
    """What one seed reaches.

    Args:
        places: the branches of the product, by file and lines, and the rare states by name.
    """

    cpu_s: float
    places: frozenset[Place]


def main() -> None:
    """Lives through the seeds and writes the list."""
    parser = argparse.ArgumentParser(description="The seeds that make test lives through.")
    parser.add_argument("--seeds", default="1-200", help="FIRST-LAST")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes at a time")
    given = parser.parse_args()
    first, last = map(int, given.seeds.split("-"))
    with multiprocessing.get_context("spawn").Pool(given.jobs) as pool:
        reached = dict(pool.imap_unordered(reach, range(first, last + 1)))
    LIST.write_text(written(chosen(reached), reached), "utf-8")


def reach(seed: int) -> tuple[int, Reached]:
    """What a seed reaches."""
    watch = coverage.Coverage(branch=True, data_file=None, include=PRODUCT, config_file=False)
    with watch.collect():
        outcome = live(Plan(seed, game_of(seed)))
    data = watch.get_data()
    branches = {
        (file.removeprefix(f"{ROOT}/"), *arc) for file in data.measured_files() for arc in data.arcs(file) or ()
    }
    rare = {(name, 0, 0) for name, times in outcome.visited.items() if times}
    return seed, Reached(outcome.cpu_s, frozenset(branches | rare))


def chosen(reached: Mapping[int, Reached]) -> list[int]:
    """The seeds that reach enough, and every rare state that any reaches."""
    every = frozenset[Place]().union(*(each.places for each in reached.values()))
    rare = {place for place in every if place[0] in RARE}
    left, got, found = dict(reached), set[Place](), list[int]()
    while len(got) < ENOUGH * len(every) or not rare <= got:
        wanted = (every if len(got) < ENOUGH * len(every) else rare) - got
        best = max(left, key=lambda seed: len(left[seed].places & wanted) / left[seed].cpu_s)
        got |= left.pop(best).places
        found.append(best)
    return sorted(found)


def written(seeds: list[int], reached: Mapping[int, Reached]) -> str:
    """The list as the file has it."""
    cpu_s = sum(reached[seed].cpu_s for seed in seeds) / sum(each.cpu_s for each in reached.values())
    return (
        f"# Written by scripts/choose_seeds.py: these reach {ENOUGH:.1%} of the branches that {len(reached)} reach,\n"
        f"# and every rare state, in {cpu_s:.0%} of their processor time.\nseeds = {seeds}\n"
    )


if __name__ == "__main__":
    main()
