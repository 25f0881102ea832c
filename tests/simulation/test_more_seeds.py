"""The other half of the short form of ``make simulate``, in a file of its own so that another worker has it."""

from concurrent.futures import ProcessPoolExecutor
from typing import Final

import pytest

from tests.simulation.games import GAMES, game_of
from tests.simulation.pool import judged, one_process
from tests.simulation.verdict import Outcome
from tests.simulation.world import Plan

pytestmark = pytest.mark.timeout(600)
SEEDS: Final = range(251, 501)


def test_a_table_keeps_its_promises_in_the_other_half_too() -> None:
    with one_process() as process:
        outcomes = _lived(process)
    assert {f"seed {one.plan.seed} {one.plan.game}": one.flaws for one in outcomes if one.flaws} == {}
    assert {one.plan.game for one in outcomes if one.settled} == set(GAMES)


def _lived(process: ProcessPoolExecutor) -> list[Outcome]:
    return list(process.map(judged, [Plan(seed, game_of(seed)) for seed in SEEDS]))
