"""Every scenario file, on every rig that there is here."""

import asyncio
from pathlib import Path

import pytest

from tablectl import words
from tablectl.shell.config import Config, load
from tablectl.shell.rules import shipped
from tests.support.rig_core import CoreRig
from tests.support.rig_devices import at_table, journalled
from tests.support.scenario import GAMES, Scenario, ScenarioError, play, read_scenario

HERE = Path(__file__).parent
FILES = sorted(HERE.glob("*.toml"))


def config_of(scenario: Scenario, folder: Path) -> Config:
    """The demonstration's table with the scenario's settings."""
    name = scenario.game.replace("_", "-")
    paths = {"paths.state": str(folder / "state"), "paths.runtime": str(folder / "run")}
    return load(shipped(f"tables/{name}.demo.toml"), {**paths, **scenario.settings})


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_scenario_goes_as_written_in_the_pure_core(path: Path, tmp_path: Path) -> None:
    scenario = read_scenario(path)
    asyncio.run(play(scenario, CoreRig(config_of(scenario, tmp_path))))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_scenario_goes_as_written_with_drivers_and_simulated_devices(path: Path, tmp_path: Path) -> None:
    scenario = read_scenario(path)
    config = config_of(scenario, tmp_path)
    for folder in ("state", "run"):
        (tmp_path / folder).mkdir()

    async def played() -> None:
        async with at_table(config, table, tmp_path / "run") as rig:
            await play(scenario, rig)

    with journalled(config, tmp_path / "state") as table:
        asyncio.run(played())


NOT_ALONE = {
    ("wheel_of_fortune", "reversal"): "a hand that turns a wheel back interferes with it, and often that is told first",
}
"""Irregularities that no device and no person can bring about by themselves."""


def irregularities_told() -> set[tuple[str, str]]:
    """Game and code of every irregularity that some scenario sees."""
    told: set[tuple[str, str]] = set()
    for scenario in map(read_scenario, FILES):
        seen = [step for step in scenario.steps if (step.verb, step.what) == ("see", "round.irregular")]
        told |= {(scenario.game, step.rest["code"]) for step in seen if "code" in step.rest}
    return told


def test_every_irregularity_that_the_table_can_tell_is_in_a_scenario() -> None:
    keys = [key.split(".") for key in words.catalogue("en") if key.startswith("irregular.")]
    assert {(key[1], key[2]) for key in keys} - NOT_ALONE.keys() == irregularities_told()


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_its_cables_pulled_in_at_least_three_phases(game: str) -> None:
    pulled = [
        path.stem
        for path in FILES
        if (scenario := read_scenario(path)).game == game and any(step.verb == "unplug" for step in scenario.steps)
    ]
    assert len(pulled) >= 3, pulled


def wrong(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "wrong.toml"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('title = "x"\ngame = "poker"\nsteps = []', "needs a title and a game"),
        ('title = "x"\ngame = "q_poker"\nstep = []', "unknown keys"),
        ('title = "x"\ngame = "q_poker"\nsteps = [{place = 1}]', "does nothing"),
        ('title = "x"\ngame = "q_poker"\nsteps = [{shoe = "explode"}]', "no rig can do"),
    ],
)
def test_a_file_that_no_rig_understands_says_so(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(ScenarioError, match=told):
        read_scenario(wrong(tmp_path, text))


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
    ],
)
def test_a_scenario_that_goes_otherwise_than_written_fails_and_names_the_step(tmp_path: Path, step: str) -> None:
    text = 'title = "x"\ngame = "q_poker"\nsteps = [{ask = "confirm_pack", shuffle = "hand"}, {ask = "open_round"}, %s]'
    scenario = read_scenario(wrong(tmp_path, text % step))
    with pytest.raises(AssertionError, match="wrong, step 3"):
        asyncio.run(play(scenario, CoreRig(config_of(scenario, tmp_path))))
