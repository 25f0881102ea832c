"""What the demo leaves in its folder and says of itself: a configuration that other commands take, and who is who."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from tablectl.config import load
from tablectl.features.demo.cli import GAMES
from tablectl.features.demo.games import act_of
from tablectl.features.demo.layout import configured
from tablectl.rule_tables import shipped
from tests.support.patience import PATIENCE_S
from tests.support.warm import tablectl_path

ROOT = Path(__file__).parents[2]
OWN = {
    "table.name": "mine",
    "mqtt.url": "mqtt://127.0.0.1:1",
    "paths.state": '/tmp/a "b"/state',
    "paths.runtime": "/tmp/run",
    "console.listen": "127.0.0.1:2",
    "log.format": "text",
}


@pytest.mark.parametrize("game", GAMES)
def test_demos_configuration_is_the_shipped_one_with_its_own_settings(game: str) -> None:
    text = shipped(act_of(game).config).read_text("utf-8")
    meant = tomllib.loads(text)
    for key, value in OWN.items():
        section, _, name = key.partition(".")
        meant.setdefault(section, {})[name] = value
    assert tomllib.loads(configured(text, OWN)) == meant


@pytest.mark.parametrize("game", GAMES)
def test_the_demos_configuration_can_be_used(game: str, tmp_path: Path) -> None:
    text = shipped(act_of(game).config).read_text("utf-8")
    (tmp_path / "table.toml").write_text(configured(text, OWN), "utf-8")
    assert load(tmp_path / "table.toml", {}).table.name == "mine"


@pytest.fixture(scope="module", name="kept")
def _kept(tmp_path_factory: pytest.TempPathFactory, mosquitto: Path) -> tuple[Path, str]:
    """A demonstration's folder, and what it printed."""
    folder = tmp_path_factory.mktemp("demo") / "kept"
    words = ("--rounds", "1", "--speed", "0", "--seed", "7", "--irregular", "0", "--keep", str(folder))
    return folder, tablectl("demo", *words)


def tablectl(*words: str) -> str:
    command = [tablectl_path(), *words]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


@pytest.mark.slow
def test_the_demo_says_what_each_person_may_do(kept: tuple[Path, str]) -> None:
    assert "sign on as ana/1111 (dealer), rui/2222 (supervisor), mei/3333 (surveillance)" in kept[1]


@pytest.mark.slow
@pytest.mark.parametrize(("command", "said"), [("explain", "SIMULATED"), ("board", "Settled: 1.")])
def test_a_command_that_the_demo_shows_looks_back_on_it(kept: tuple[Path, str], command: str, said: str) -> None:
    shown = re.findall(rf"tablectl ({command} .*)", kept[1])
    assert said in tablectl(*shown[0].split())


@pytest.mark.slow
def test_last_line_tells_of_the_checkpoint_of_the_last_event(kept: tuple[Path, str]) -> None:
    last, checked = re.findall(r"complete from 1 to (\d+); the checkpoint of (\d+) agrees", kept[1])[0]
    assert last == checked


@pytest.mark.slow
def test_readme_shows_the_head_and_the_end_that_are_printed(kept: tuple[Path, str]) -> None:
    shown = re.findall(r"^```\n(DEMO · .*?)^```", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE | re.DOTALL)[0]
    printed = [label for label in labels(kept[1]) if label != "kept"]
    assert labels(shown) == printed
    assert shown.splitlines()[0] == kept[1].splitlines()[0]


def labels(text: str) -> list[str]:
    """The names before the first blank line and after the last one."""
    parts = (text.partition("\n\n")[0], text.rstrip().split("\n\n")[-1])
    return [name for part in parts for name in re.findall(r"^  (\S.*?)  ", part, re.MULTILINE)]
