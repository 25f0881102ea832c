"""Every scenario file, on every rig that there is here."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from tablectl import words
from tests.support.broker import Broker, private_broker
from tests.support.rig_core import CoreRig
from tests.support.rig_devices import demo_config
from tests.support.rungs import in_core, with_daemon, with_devices
from tests.support.scenario import GAMES, ScenarioError, play, read_scenario

HERE = Path(__file__).parent
FILES = sorted(HERE.glob("*.toml"))
SPREAD = FILES[::4]
"""What the whole daemon plays in every run of the tests; `make scenarios` plays all."""


@pytest.fixture(name="folder")
def _folder(tmp_path: Path) -> Path:
    for name in ("state", "run"):
        (tmp_path / name).mkdir()
    return tmp_path


@pytest.fixture(name="broker", scope="module")
def _broker(mosquitto: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    with private_broker(mosquitto, tmp_path_factory.mktemp("broker")) as broker:
        broker.start()
        yield broker


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_scenario_goes_as_written_in_the_pure_core(path: Path, folder: Path) -> None:
    assert in_core(read_scenario(path), folder) is not None


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_scenario_goes_as_written_with_drivers_and_simulated_devices(path: Path, folder: Path) -> None:
    assert with_devices(read_scenario(path), folder) is not None


@pytest.mark.parametrize("path", SPREAD, ids=lambda path: path.stem)
def test_a_scenario_goes_as_written_with_the_whole_daemon(path: Path, folder: Path, broker: Broker) -> None:
    published = with_daemon(read_scenario(path), folder, broker.port)
    assert [int(event["sequence"]) for event in published] == list(range(1, len(published) + 1))


def test_every_game_is_in_what_the_whole_daemon_plays_here() -> None:
    assert {read_scenario(path).game for path in SPREAD} == set(GAMES)


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
        asyncio.run(play(scenario, CoreRig(demo_config(scenario, tmp_path))))
