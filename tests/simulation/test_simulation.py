"""Whole tables under everything that can go wrong, simulated from seeds: the short form of `make simulate`."""

import os
import random
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from drivers.sim.wheel_sensor import SimulatedEncoder, SimulatedQsb
from scripts.choose_seeds import Reached, chosen
from scripts.simulate import Sum
from tests.simulation.customs import NAMES
from tests.simulation.games import GAMES, game_of, is_dealt_by_hand
from tests.simulation.pool import judged, one_process
from tests.simulation.slips import Slips
from tests.simulation.verdict import Outcome
from tests.simulation.world import Plan

pytestmark = pytest.mark.timeout(600)
ROOT: Final = Path(__file__).parents[2]
HERE: Final = Path(__file__).parent
SEEDS: Final[list[int]] = tomllib.loads((HERE / "chosen.toml").read_text("utf-8"))["seeds"]
"""Chosen by the branches that they reach (`scripts/choose_seeds.py`); `make proof` lives through thousands."""

KEPT: Final[list[dict[str, Any]]] = tomllib.loads((HERE / "seeds.toml").read_text("utf-8"))["run"]
KINDS: Final = 15
"""So many kinds of accidents have to occur in all these runs together, each of them so often."""


@pytest.fixture(name="process", scope="module")
def _process() -> Iterator[ProcessPoolExecutor]:
    with one_process() as pool:
        yield pool


@pytest.fixture(name="outcomes", scope="module")
def _outcomes(process: ProcessPoolExecutor) -> list[Outcome]:
    return list(process.map(judged, [Plan(seed, game_of(seed)) for seed in SEEDS]))


def test_a_table_keeps_its_promises_whatever_goes_wrong(outcomes: list[Outcome]) -> None:
    assert {f"seed {one.plan.seed} {one.plan.game}": one.flaws for one in outcomes if one.flaws} == {}


def test_the_runs_are_not_empty(outcomes: list[Outcome]) -> None:
    faults: Counter[str] = sum((one.faults for one in outcomes), Counter())
    assert sum(one.settled for one in outcomes) > len(outcomes)
    assert {one.plan.game for one in outcomes if one.settled} == set(GAMES)
    assert sum(times >= KINDS for times in faults.values()) >= KINDS, faults
    assert sum(one.lived_s for one in outcomes) > 60 * len(outcomes)


def test_tables_without_a_reader_settle_their_rounds_by_hand(outcomes: list[Outcome]) -> None:
    by_hand = [one for one in outcomes if is_dealt_by_hand(one.plan.game, one.plan.seed)]
    assert {one.plan.game for one in by_hand if one.settled} == {"q-poker", "football-poker"}


def test_people_slip_in_every_run_and_amend_it(outcomes: list[Outcome]) -> None:
    assert [one.plan for one in outcomes if not one.faults["slip"]] == []
    assert {one.plan.game for one in outcomes if one.faults["amendment"]} == set(GAMES)
    assert sum(one.faults["amendment"] for one in outcomes) > len(outcomes)


def test_all_that_can_come_up_does_in_some_run(outcomes: list[Outcome]) -> None:
    assert [name for name in NAMES if not any(one.faults[name] for one in outcomes)] == []


def test_the_runs_come_to_every_rare_state(outcomes: list[Outcome]) -> None:
    total = Sum()
    for outcome in outcomes:
        total.add(outcome)
    assert total.missed(len(SEEDS)) == [], total.report()


def test_runs_that_never_came_to_a_rare_state_are_told(outcomes: list[Outcome]) -> None:
    total = Sum()
    for outcome in outcomes:
        total.add(replace(outcome, visited=Counter({**outcome.visited, "a count due": 0})))
    assert total.missed(len(SEEDS)) == ["a count due"]


def test_cheapest_seeds_that_reach_all_are_chosen() -> None:
    here, there, rare = ("a.py", 1, 2), ("a.py", 1, 3), ("an old folder put back", 0, 0)
    both = frozenset({here, there})
    costs = {1: (2.0, both), 2: (1.0, both), 3: (9.0, frozenset({rare})), 4: (1.0, frozenset({here}))}
    assert chosen({seed: Reached(*each) for seed, each in costs.items()}) == [2, 3]


@pytest.mark.parametrize("kept", KEPT, ids=lambda kept: f"{kept['game']}-{kept['seed']}")
def test_what_once_showed_a_defect_shows_none(process: ProcessPoolExecutor, kept: dict[str, Any]) -> None:
    plan = Plan(kept["seed"], kept["game"], kinds=frozenset(kept["kinds"]))
    assert process.submit(judged, plan).result().flaws == []


def test_hand_of_no_known_card_is_not_named_wrongly() -> None:
    nobody: Any = None
    slips = Slips(random.Random(1), nobody, nobody, nobody, rate=1.0)
    assert slips.otherwise("open_hand", {"place": 1, "cards": []}) is None
    assert slips.otherwise("open_hand", {"place": 1, "cards": ["2c"]}) is not None


def test_command_that_line_has_damaged_is_none_for_simulated_wheel() -> None:
    adapter = SimulatedQsb(SimulatedEncoder(random.Random(1), 8192, 0.0, 0.0))
    assert adapter.hear(b"W000000\x102\r\nW03\r\nS0E\r\n") == [adapter.hear(b"S0E\r\n")[0]]


def test_the_same_seeds_give_the_same_runs_in_any_process(process: ProcessPoolExecutor) -> None:
    seeds = range(7, 7 + len(GAMES))
    here = [one.digest for one in process.map(judged, [Plan(seed, game_of(seed), 20.0) for seed in seeds])]
    asked = f"--seeds {seeds[0]}-{seeds[-1]} --lasts 20 --verbose"
    command = [sys.executable, "scripts/simulate.py", *asked.split()]
    environment = {**os.environ, "PYTHONHASHSEED": "4711"}
    said = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert re.findall(r"^seed .*: trace (\w+),", said.stdout, re.MULTILINE) == here
