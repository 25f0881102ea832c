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
from scripts.simulate import Sum
from tests.simulation.customs import NAMES
from tests.simulation.games import GAMES, game_of, is_dealt_by_hand
from tests.simulation.pool import judged, one_process
from tests.simulation.verdict import Outcome
from tests.simulation.world import Plan

pytestmark = pytest.mark.timeout(600)
SEEDS: Final = range(1, 61)
"""The short form; `make proof` lives through thousands."""

ROOT: Final = Path(__file__).parents[2]
KEPT: Final[list[dict[str, Any]]] = tomllib.loads(Path(__file__).with_name("seeds.toml").read_text("utf-8"))["run"]
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
    assert total.missed() == [], total.report()


def test_runs_that_never_came_to_a_rare_state_are_told(outcomes: list[Outcome]) -> None:
    total = Sum()
    for outcome in outcomes:
        total.add(replace(outcome, visited=Counter({**outcome.visited, "a count due": 0})))
    assert total.missed() == ["a count due"]


@pytest.mark.parametrize("kept", KEPT, ids=lambda kept: f"{kept['game']}-{kept['seed']}")
def test_what_once_showed_a_defect_shows_none(process: ProcessPoolExecutor, kept: dict[str, Any]) -> None:
    plan = Plan(kept["seed"], kept["game"], kinds=frozenset(kept["kinds"]))
    assert process.submit(judged, plan).result().flaws == []


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
