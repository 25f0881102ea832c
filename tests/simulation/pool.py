"""Runs in processes of their own: in such a process no daemon has a real machine any more."""

import multiprocessing
from collections.abc import Generator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager

from tests.simulation.mutants import MUTANTS, caught
from tests.simulation.verdict import Outcome, live
from tests.simulation.world import Plan


@contextmanager
def one_process() -> Generator[ProcessPoolExecutor]:
    """A process that may simulate, until the end of the block."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield pool


def judged(plan: Plan) -> Outcome:
    """What comes of a run."""
    return live(plan)


def first_caught(name: str, seeds: int) -> int | None:
    """The first seed at which a mutant is caught; None where none of so many catches it."""
    mutant = MUTANTS[name]
    return caught(mutant, lambda seed: live(Plan(seed, mutant.game, kinds=mutant.kinds)).flaws, seeds)
