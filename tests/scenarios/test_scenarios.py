"""Every scenario file, on every rig that there is here."""

import asyncio
from pathlib import Path

import pytest

from tablectl.shell.config import Config, load
from tablectl.shell.rules import shipped
from tests.support.rig_core import CoreRig
from tests.support.rig_devices import at_table, journalled
from tests.support.scenario import Scenario, play, read_scenario

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
