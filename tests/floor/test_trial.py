"""`tablectl floor up`: a floor that plays, and of which nothing is left."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import psutil
import pytest
from click.testing import CliRunner

from tablectl.cli import main
from tablectl.features.demo import processes
from tablectl.features.floor import backbone
from tablectl.features.floor.trial import Trial
from tests.floor.house import PageProcess, floor_of
from tests.support.patience import PATIENCE_S

pytestmark = pytest.mark.slow


def tiles(page: PageProcess) -> dict[str, Any]:
    status, found = page.ask("/v1/tiles")
    assert status == 200
    return {tile["place"]: tile for tile in found["tiles"]}


def until_recorded(page: PageProcess, places: set[str], rounds: int) -> dict[str, Any]:
    """The tiles, once each of these tables has played so many rounds and its record is complete."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        found = tiles(page)
        if found.keys() == places and all(
            tile["pace"] >= rounds and (tile["recorded"] or {}).get("complete") for tile in found.values()
        ):
            return found
        time.sleep(0.2)
    raise AssertionError(json.dumps(tiles(page))[:3000])


@pytest.mark.usefixtures("mosquitto")
def test_a_floor_plays_is_recorded_and_leaves_nothing_running(tmp_path: Path) -> None:
    with floor_of(tmp_path / "floor", 2, "--small") as page:
        found = until_recorded(page, {"demo/q1", "demo/f2"}, 1)
        assert {place: (tile["game"], tile["pit"]) for place, tile in found.items()} == {
            "demo/q1": ("q_poker", "north"),
            "demo/f2": ("football_poker", "south"),
        }
        _, money = page.ask("/v1/money?by=dealer")
        assert [row["name"] for row in money["rows"]] == ["ana", ""]
        children = psutil.Process(page.process.pid).children(recursive=True)
        assert len(children) >= 5
        page.process.send_signal(signal.SIGINT)
        assert page.process.wait(PATIENCE_S) == 0
        _, alive = psutil.wait_procs(children, PATIENCE_S)
        assert alive == []


@pytest.mark.usefixtures("mosquitto")
def test_a_table_that_breaks_leaves_the_others_playing(tmp_path: Path) -> None:
    with floor_of(tmp_path / "floor", 2, "--small") as page:
        assert page.process.stdout is not None
        until_recorded(page, {"demo/q1", "demo/f2"}, 1)
        daemons = [each for each in psutil.Process(page.process.pid).children() if "run" in each.cmdline()]
        broken = next(each for each in daemons if "q1" in " ".join(each.cmdline()))
        broken.kill()
        said = next(line for line in page.process.stdout if "has stopped" in line)
        assert said.startswith("demo/q1 has stopped: ")
        before = tiles(page)["demo/f2"]["pace"]
        deadline = time.monotonic() + PATIENCE_S
        while tiles(page)["demo/f2"]["pace"] <= before and time.monotonic() < deadline:
            time.sleep(0.2)
        assert tiles(page)["demo/f2"]["pace"] > before


@pytest.mark.usefixtures("mosquitto")
def test_nodes_take_a_password_that_looks_like_a_number(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("secrets.token_hex", lambda _: "90e1abcdef")
    node = backbone.backbone_in(tmp_path).programs[0]
    checked = subprocess.run(
        [*node.command, "-t"], env={**os.environ, **node.env}, capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stderr


def test_games_come_in_turn_and_names_are_unique() -> None:
    names = Trial(12, 1.0, "en").names()
    assert names[:6] == [
        *(("q1", "q-poker"), ("f2", "football-poker"), ("w3", "wheel-of-fortune")),
        *(("c4", "chinese-dice"), ("t5", "thirteen-cards"), ("q6", "q-poker")),
    ]
    assert len({name for name, _ in names}) == 12


@pytest.mark.parametrize(("size", "missing"), [(["--small"], "mosquitto"), ([], "nats-server")])
def test_without_a_broker_the_command_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, size: list[str], missing: str
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(processes, "ROOTS_PATH", "")
    monkeypatch.setattr(backbone, "ROOTS_PATH", "")
    result = CliRunner().invoke(main, ["floor", "up", "--keep", str(tmp_path / "floor"), *size])
    assert result.exit_code == 69
    assert result.stderr.startswith(f"tablectl floor up: {missing} isn't installed")


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    result = CliRunner().invoke(main, ["floor", "up", "--keep", str(tmp_path / "file" / "floor")])
    assert result.exit_code == 73
    assert str(tmp_path / "file") in result.stderr
