"""Every scenario file, on every level that there is here."""

import asyncio
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tablectl import words
from tablectl.rule_tables import GAMES
from tablectl.testing.levels.levels import CoreLevel
from tablectl.testing.levels.pty import PtyLevel
from tablectl.testing.scenarios.parser import read_scenario
from tablectl.testing.scenarios.suite import Verdict, played
from tests.support.broker import Broker, private_broker
from tests.support.levels import with_devices
from tests.support.long import spread, turn

HERE = Path(__file__).parent
FILES = sorted(HERE.glob("*.toml"))
EVERY = 24
ONE_IN = 3
"""So many scenarios make up one that is played with devices here."""

TEXTS = {path: path.read_text("utf-8") for path in FILES}
"""To read them as scenarios takes a second, and each worker collects."""
read_once = cache(read_scenario)
IN_MINUTES = {path for path in FILES if "{time = " in TEXTS[path]}
RESTARTED = {path for path in FILES if "{restart = " in TEXTS[path]}
"""Whose controller is killed, which only the core can play; `tests/crash` kills daemons."""

FOR_DAEMONS = [path for path in FILES if path not in IN_MINUTES | RESTARTED]
SPREAD = FOR_DAEMONS[turn(EVERY) :: EVERY]
"""What daemons of their own play today; `make scenarios` plays all."""


@pytest.fixture(name="broker", scope="module")
def _broker(mosquitto: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    with private_broker(mosquitto, tmp_path_factory.mktemp("broker")) as broker:
        broker.start()
        yield broker


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_scenario_goes_as_written_in_the_pure_core(path: Path) -> None:
    scenario = read_once(path)
    outcome = asyncio.run(played(scenario, CoreLevel()))
    assert (outcome.verdict, outcome.why) == (Verdict.PASSED, "")
    assert (path in RESTARTED) == any(step.verb == "restart" for step in scenario.steps)


@pytest.mark.parametrize("path", spread(sorted({*FILES} - RESTARTED), ONE_IN), ids=lambda path: path.stem)
def test_a_scenario_goes_as_written_with_drivers_and_simulated_devices(path: Path, tmp_path: Path) -> None:
    assert with_devices(read_once(path), tmp_path) is not None


@pytest.mark.parametrize("path", SPREAD, ids=lambda path: path.stem)
def test_scenario_goes_as_written_with_a_daemon_of_its_own(path: Path, broker: Broker) -> None:
    outcome = asyncio.run(played(read_once(path), PtyLevel(broker.url)))
    assert (outcome.verdict, outcome.why) == (Verdict.PASSED, "")


def test_every_game_is_in_what_daemons_play_here() -> None:
    assert {read_once(path).game for path in SPREAD} == set(GAMES)


NOT_ALONE = {
    "irregular.wheel_of_fortune.reversal": "turning a wheel back interferes with it: often that is told first",
    "irregular.thirteen_cards.called_later": "it takes a call seconds after the time; scenarios pass over it",
}
"""Irregularities that no step of a scenario can bring about by itself."""


NAMED_BY = {"round.irregular": "code", "round.void": "reason"}
"""The field that names the irregularity, by event: what made a round void has its text in the same family."""


def irregularities_told() -> set[str]:
    """Keys of the texts of every irregularity that some scenario sees, of its game or of all games."""
    told: set[str] = set()
    for scenario in map(read_once, FILES):
        seen = [step for step in scenario.steps if step.verb == "see" and step.what in NAMED_BY]
        codes = {step.rest[name] for step in seen if (name := NAMED_BY[step.what]) in step.rest}
        told |= {f"irregular.{owner}.{code}" for owner in (scenario.game, "any", "table") for code in codes}
    return told


def test_every_irregularity_that_table_can_tell_is_in_a_scenario() -> None:
    keys = {key for key in words.catalogue("en") if key.startswith("irregular.")}
    assert keys - NOT_ALONE.keys() - irregularities_told() == set()


@pytest.mark.parametrize("game", GAMES)
def test_every_game_is_unplugged_in_three_phases_or_more(game: str) -> None:
    pulled = [
        path.stem
        for path in FILES
        if (scenario := read_once(path)).game == game and any(step.verb == "unplug" for step in scenario.steps)
    ]
    assert len(pulled) >= 3, pulled


@pytest.mark.parametrize(
    "step",
    [
        '{see = "round.settled"}',
        '{never = "round.opened"}',
        '{phase = "dealing"}',
        '{ask = "open_round", refused = "1 nonsense"}',
        '{ask = "open_round"}',
        '{state = {pack = "lost"}}',
        "{faults = [101]}",
        '{see = "round.opened", game = "bridge"}',
        "{money = {}}",
        '{amend = "x", changes = [{the = "bet", struck = true}]}',
        '{amend = "x", changes = [{the = "open_round", to = {}}], round = 2}',
        '{amend = "x", changes = [{the = "open_round", struck = true}]}',
    ],
)
def test_deviating_scenario_names_its_step_and_the_state(tmp_path: Path, step: str) -> None:
    text = 'title = "x"\ngame = "q_poker"\nsteps = [{ask = "confirm_pack", shuffle = "hand"}, {ask = "open_round"}, %s]'
    file = tmp_path / "wrong.toml"
    file.write_text(text % step)
    outcome = asyncio.run(played(read_scenario(file), CoreLevel()))
    assert outcome.verdict is Verdict.FAILED
    assert f"{file}:3: wrong, step 3" in outcome.why
    assert "phase betting; the table waits for: " in outcome.why
    assert "RoundOpened" in outcome.why
